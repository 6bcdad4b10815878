import CivilTime
import Recurrence

// E3xx: times, rules, overrides and alerts.
extension ObjectCheck {
  func moment(_ name: String, in object: JSONObject? = nil) -> DateOrDateTime? {
    (object ?? members)[name]?.stringValue.flatMap { DateOrDateTime(extended: $0) }
  }

  mutating func checkTimes() {
    for name in ["start", "due", "recurrenceId"] {
      guard let text = members[name]?.stringValue else { continue }
      if DateOrDateTime(extended: text) == nil {
        add("E302", name, ObjectCheck.badMoment(text))
      }
    }
    for name in ["created", "updated", "completed"] {
      if let text = members[name]?.stringValue, Instant(extended: text) == nil {
        add("E302", name, "'\(text)' is no instant such as 2026-11-28T16:55:20Z")
      }
    }
    if kind == .event, members["start"] == nil { add("E301", "", "an event needs 'start'") }
    checkDurations()
    let start = moment("start")
    let due = moment("due")
    if let start, let due {
      if start.isDate != due.isDate {
        add("E303", "due", "'start' and 'due' must both be dates or both have a time")
      } else if due < start {
        add("E306", "due", "due \(due) is before start \(start)")
      }
    }
    let anchor = start ?? due
    if let anchor, anchor.isDate, members["timeZone"] != nil {
      add("E304", "timeZone", "an all-day item has no zone")
    }
    if members["endTimeZone"] != nil, members["timeZone"] == nil {
      add("E307", "endTimeZone", "'endTimeZone' needs 'timeZone'")
    }
    for name in ["timeZone", "endTimeZone"] {
      guard let zone = members[name]?.stringValue, let zones else { continue }
      guard let rules = zones.rules(named: zone) else {
        add("W301", name, "'\(zone)' is not in the zone data here")
        continue
      }
      if name == "timeZone", case .dateTime(let civil)? = anchor {
        switch rules.resolve(civil) {
        case .unique: break
        case .gap: add("W303", "start", "\(civil) does not exist in \(zone)")
        case .fold: add("W303", "start", "\(civil) happens twice in \(zone)")
        }
      }
    }
    if let anchor, anchor.date.year < 1_900 || anchor.date.year > 2_200 {
      add("W408", "start", "\(anchor.date) is before 1900 or after 2200")
    }
  }

  static func badMoment(_ text: String) -> String {
    "'\(text)' is no date (2026-12-24) and no local date-time (2026-12-24T18:00:00)"
  }

  private mutating func checkDurations() {
    for name in ["duration", "estimatedDuration"] {
      guard let text = members[name]?.stringValue else { continue }
      guard let duration = CalendarDuration(text) else {
        add("E302", name, "'\(text)' is no duration such as PT45M or P1D")
        continue
      }
      if duration.isNegative {
        add("E305", name, "the duration \(text) is below zero")
      } else if name == "duration", moment("start")?.isDate == true, duration.seconds != 0 {
        add("W305", name, "hours in the duration of an all-day item are read as whole days")
      }
    }
  }

  mutating func checkRule() {
    if members["recurrenceRule"] == nil {
      return
    }
    guard let anchor = moment("start") ?? moment("due") else {
      if members["start"] == nil && members["due"] == nil {
        add("E312", "recurrenceRule", "a repeating item needs 'start' or 'due'")
      }
      return
    }
    guard let json = members["recurrenceRule"]?.objectValue,
      let rule = checkedRule(json, at: "recurrenceRule")
    else { return }
    if !rule.isEvaluable { return }
    var occurrences = rule.occurrences(start: anchor.dateTime)
    let first = occurrences.next()
    if first == nil, occurrences.stop == .neverMatches {
      add("E311", "recurrenceRule", "the rule can never produce an occurrence")
    } else if first != anchor.dateTime {
      add("W302", "recurrenceRule", "the rule does not produce its own start; it counts as first")
    }
    if rule.frequency.rawValue > RecurrenceRule.Frequency.hourly.rawValue {
      add("W403", "recurrenceRule", "a rule finer than hourly")
    }
  }

  private mutating func checkedRule(_ json: JSONObject, at pointer: String) -> RecurrenceRule? {
    do throws(RecurrenceRule.JSONError) {
      return try RecurrenceRule(json: json)
    } catch {
      add("E311", "\(pointer)/\(error.member)", "\(error.member): \(error.reason)")
      return nil
    }
  }

  private static let neverPatched: Set<String> = [
    "@type", "uid", "created", "updated", "sequence", "version", "method",
    "organizerCalendarAddress", "privacy", "prodId", "recurrenceId", "recurrenceIdTimeZone",
    "sentBy", "recurrenceOverrides", "futureOverrides", "relatedTo", "conflicts", "iCalendar",
    "order",
  ]

  mutating func checkOverrides() {
    for name in ["recurrenceOverrides", "futureOverrides"] {
      guard let map = members[name]?.objectValue else { continue }
      for member in map.members {
        let pointer = "\(name)/\(member.name)"
        guard DateOrDateTime(extended: member.name) != nil else {
          add("E313", pointer, "the key '\(member.name)' is neither a date nor a date-time")
          continue
        }
        guard let patch = member.value.objectValue else { continue }
        if name == "recurrenceOverrides" {
          if let excluded = patch["excluded"], excluded != true || patch.count > 1 {
            add("E314", pointer, "'excluded' must be true and stand alone")
            continue
          }
          if patch["added"].map({ $0 != true }) ?? false {
            add("E314", pointer, "'added' must be true")
          }
          if patch["recurrenceRule"] != nil {
            add("E315", pointer + "/recurrenceRule", "an occurrence has no rule of its own")
          }
        }
        checkPatch(patch, at: pointer)
        if name == "futureOverrides" { checkFuture(patch, key: member.name, at: pointer) }
      }
    }
  }

  private mutating func checkPatch(_ patch: JSONObject, at pointer: String) {
    let flags: Set<String> = ["excluded", "added", "shift"]
    for member in patch.members where !flags.contains(member.name) {
      let place = pointer + "/" + member.name
      let parts = member.name.split(separator: "/", omittingEmptySubsequences: false).map(
        String.init)
      if parts.contains("") {
        add("E315", place, "'\(member.name)' must have no leading slash and no empty part")
        continue
      }
      if ObjectCheck.neverPatched.contains(parts[0]) {
        add("E315", place, "'\(parts[0])' cannot change for some occurrences")
        continue
      }
      if parts.count == 3, parts[0] == "participants", parts[2] == "calendarAddress" {
        add("E315", place, "an address cannot change for some occurrences")
        continue
      }
      let isPrefix = patch.names.contains {
        $0.utf8.count > member.name.utf8.count && $0.hasPrefix(member.name + "/")
      }
      if isPrefix { add("E315", place, "'\(member.name)' is the beginning of another pointer") }
      checkParents(parts, at: place)
    }
    if patch["timeZone"] != nil, patch["start"] == nil, patch["due"] == nil {
      add("E315", pointer + "/timeZone", "'timeZone' needs 'start' or 'due' beside it")
    }
    for name in ["start", "due"] {
      if let text = patch[name]?.stringValue, DateOrDateTime(extended: text) == nil {
        add("E302", pointer + "/" + name, ObjectCheck.badMoment(text))
      }
    }
    checkTypes(patch, at: pointer + "/")
  }

  /// Every part of a pointer but the last must lead to an object, here or in an earlier segment.
  private mutating func checkParents(_ parts: [String], at place: String) {
    guard parts.count > 1 else { return }
    var scopes: [JSONObject] = [members]
    for member in members["futureOverrides"]?.objectValue?.members ?? [] {
      if let patch = member.value.objectValue { scopes.append(Patch.applied(patch, to: members)) }
    }
    func leads(_ object: JSONObject, _ parts: ArraySlice<String>) -> Bool {
      guard let first = parts.first else { return true }
      guard let value = object[Patch.unescaped(first)] else { return false }
      guard let inner = value.objectValue else { return false }
      return leads(inner, parts.dropFirst())
    }
    if scopes.contains(where: { leads($0, parts.dropLast()) }) { return }
    // A map that is not there yet may get its first entry.
    if parts.count == 2, MemberShape.maps.contains(parts[0]) { return }
    add("E315", place, "'\(parts.dropLast().joined(separator: "/"))' is not there to be changed")
  }

  private mutating func checkFuture(_ patch: JSONObject, key: String, at pointer: String) {
    for flag in ["excluded", "added"] where patch[flag] != nil {
      add("E316", pointer, "'\(flag)' cannot hold from a date on")
    }
    let anchor = moment("start") ?? moment("due")
    let keyDate = DateOrDateTime(extended: key)
    if let anchor, let keyDate, keyDate.date == anchor.date, keyDate.isDate || keyDate == anchor,
      patch.names.contains(where: { $0 != "shift" })
    {
      add("E316", pointer, "at the first date only 'shift' may stand; change the series itself")
    }
    if let value = patch["recurrenceRule"] {
      if moment("start", in: patch) == nil, moment("due", in: patch) == nil {
        add("E318", pointer, "a new rule needs 'start' or 'due' for its first occurrence")
      }
      guard let json = value.objectValue else { return }
      if json["count"] != nil || json["until"] != nil {
        add("E319", pointer + "/recurrenceRule", "a rule from a date on has no end of its own")
        return
      }
      _ = checkedRule(json, at: pointer + "/recurrenceRule")
      return
    }
    let frequency = members["recurrenceRule"]?.objectValue?["frequency"]?.stringValue
    let moved =
      patch["shift"] != nil
      || (moment("start", in: patch) ?? moment("due", in: patch)).map { $0.date != keyDate?.date }
        ?? false
    if moved, frequency != "daily", frequency != "weekly", !hasRuleBefore(key) {
      add("E317", pointer, "only daily and weekly series can be moved by days; give a rule")
    }
    if let shift = patch["shift"]?.stringValue, CalendarDuration(shift)?.dayText == nil {
      add("E302", pointer + "/shift", "'\(shift)' is no number of days such as P1D")
    }
  }

  /// Whether a daily or weekly rule of an earlier segment is in force at a key.
  private func hasRuleBefore(_ key: String) -> Bool {
    let earlier = (members["futureOverrides"]?.objectValue?.members ?? []).filter { $0.name < key }
    guard
      let json = earlier.compactMap({ $0.value.objectValue?["recurrenceRule"]?.objectValue }).last
    else { return false }
    return ["daily", "weekly"].contains(json["frequency"]?.stringValue)
  }

  mutating func checkAlerts(_ alerts: JSONObject?, at path: String) {
    for member in alerts?.members ?? [] {
      let pointer = "\(path)/\(member.name)"
      guard let trigger = member.value.objectValue?["trigger"]?.objectValue else {
        add("E321", pointer, "an alert needs 'trigger'")
        continue
      }
      switch trigger["@type"]?.stringValue {
      case nil, "OffsetTrigger":
        guard let offset = trigger["offset"]?.stringValue, CalendarDuration(offset) != nil else {
          add("E321", pointer + "/trigger", "a trigger needs 'offset', a duration such as -PT15M")
          continue
        }
        let fromEnd = trigger["relativeTo"] == "end"
        let hasPoint =
          fromEnd ? members[kind == .reminder ? "due" : "start"] != nil : members["start"] != nil
        if !hasPoint {
          let point = fromEnd ? "due" : "start"
          add("E321", pointer + "/trigger", "the item has no '\(point)' to count from")
        }
      case "AbsoluteTrigger":
        if trigger["when"]?.stringValue.flatMap({ Instant(extended: $0) }) == nil {
          add("E321", pointer + "/trigger", "a trigger at an instant needs 'when'")
        }
      case "ProximityTrigger":
        let place = trigger["location"]?.objectValue?["coordinates"]?.stringValue
        let radius = place?.split(separator: ";").first { $0.hasPrefix("u=") }
        if place?.hasPrefix("geo:") != true
          || radius.map({ (Double($0.dropFirst(2)) ?? 0) <= 0 }) ?? false
        {
          add(
            "E322", pointer + "/trigger", "a trigger at a place needs coordinates and a radius > 0")
        }
      default: break
      }
    }
  }
}
