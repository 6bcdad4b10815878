import CivilTime
import Recurrence

// E313 to E319: overrides of occurrences and segments.
extension ObjectCheck {
  /// Members that no patch may change (FORMAT.md 1.8).
  private static let neverPatched: Set<String> = [
    "@type", "uid", "created", "updated", "sequence", "version", "method",
    "organizerCalendarAddress", "privacy", "prodId", "recurrenceId", "recurrenceIdTimeZone",
    "sentBy", "recurrenceOverrides", "futureOverrides", "relatedTo", "conflicts", "iCalendar",
    "order",
  ]

  /// Where a patch stands.
  struct PatchPlace {
    var pointer: String
    /// Whether it holds from a date on.
    var isFuture: Bool
  }

  mutating func checkOverrides() {
    let patches = members["futureOverrides"]?.objectValue?.members ?? []
    let exceptions = members["recurrenceOverrides"]?.objectValue?.members ?? []
    if patches.isEmpty && exceptions.isEmpty { return }
    // What a pointer may reach into: the base and every segment's values.
    var scopes = [members]
    for member in patches {
      if let patch = member.value.objectValue, let last = scopes.last {
        scopes.append(Patch.applied(patch, to: last))
      }
    }
    for member in patches { checkOverride(member, in: "futureOverrides", scopes) }
    for member in exceptions { checkOverride(member, in: "recurrenceOverrides", scopes) }
    checkAnchors()
  }

  private mutating func checkOverride(
    _ member: JSONObject.Member, in name: String, _ scopes: [JSONObject]
  ) {
    let place = PatchPlace(pointer: "\(name)/\(member.name)", isFuture: name == "futureOverrides")
    guard DateOrDateTime(extended: member.name) != nil else {
      add("E313", place.pointer, "the key '\(member.name)' is neither a date nor a date-time")
      return
    }
    guard let patch = member.value.objectValue else { return }
    if place.isFuture {
      checkFuture(patch, key: member.name, at: place.pointer)
    } else {
      guard checkFlags(patch, at: place.pointer) else { return }
    }
    checkPatch(patch, place, scopes)
  }

  /// The flags of an exception; whether the rest of the patch means anything.
  private mutating func checkFlags(_ patch: JSONObject, at pointer: String) -> Bool {
    if let excluded = patch["excluded"] {
      if excluded != true {
        add("E314", pointer, "'excluded' is \(quoted(excluded)); it must be true or not there")
      } else if patch.count > 1 {
        let other = patch.names.first { $0 != "excluded" } ?? ""
        add("E314", pointer, "'excluded' must stand alone, without '\(other)'")
      }
      return false
    }
    if let added = patch["added"], added != true {
      add("E314", pointer, "'added' is \(quoted(added)); it must be true or not there")
    }
    return true
  }

  private mutating func checkPatch(
    _ patch: JSONObject, _ place: PatchPlace, _ scopes: [JSONObject]
  ) {
    let flags: Set<String> = place.isFuture ? ["excluded", "added", "shift"] : ["added"]
    for member in patch.members where !flags.contains(member.name) {
      let pointer = "\(place.pointer)/\(member.name)"
      let parts = Patch.parts(member.name)
      if let reason = ObjectCheck.forbidden(parts, place) {
        add("E315", pointer, reason)
        continue
      }
      let prefix = member.name + "/"
      if patch.members.contains(where: { $0.name.hasPrefix(prefix) }) {
        add("E315", pointer, "'\(member.name)' is the beginning of another pointer")
      }
      if parts.count > 1 { checkParents(parts, at: pointer, scopes) }
      let schema = MemberSchema.at(parts)
      check(member.value, schema, at: pointer, isPatch: true)
      if parts.count == 1, MemberSchema.item.members[member.name] == nil {
        checkName(member.name, MemberSchema.item, at: pointer)
      }
      checkPatched(member.value, parts, patch, at: pointer)
    }
    if patch["timeZone"] != nil, patch["start"] == nil, patch["due"] == nil {
      add("E315", "\(place.pointer)/timeZone", "'timeZone' needs 'start' or 'due' beside it")
    }
    checkMainLocation(patch, at: place.pointer + "/")
    if patch["completed"] != nil, !patch["completed"].isNullOrNone,
      (patch["progress"] ?? members["progress"]) != "completed"
    {
      add("W402", "\(place.pointer)/completed", "'completed' without progress 'completed'")
    }
  }

  /// Why a pointer may not stand in a patch; nil if it may.
  private static func forbidden(_ parts: [String], _ place: PatchPlace) -> String? {
    guard let first = parts.first, !parts.contains("") else {
      return "a pointer must have no slash at its ends and no empty part"
    }
    if neverPatched.contains(first) {
      return "'\(first)' cannot change for some occurrences"
    }
    if first == "recurrenceRule" {
      if !place.isFuture { return "one occurrence has no rule of its own" }
      if parts.count > 1 { return "a rule changes as a whole; give all of it" }
    }
    if first == "shift" { return "'shift' holds from a date on; give 'start' or 'due' here" }
    if first == "completed", place.isFuture {
      return "'completed' belongs to one occurrence, not to all from a date on"
    }
    if parts.count == 3, first == "participants", parts[2] == "calendarAddress" {
      return "an address cannot change for some occurrences"
    }
    return nil
  }

  /// Every part of a pointer but the last must lead to an object, here or in a segment.
  private mutating func checkParents(
    _ parts: [String], at pointer: String, _ scopes: [JSONObject]
  ) {
    var isArray = false
    func leads(_ object: JSONObject, _ parts: ArraySlice<String>) -> Bool {
      guard let first = parts.first else { return true }
      guard let value = object[first] else { return false }
      if value.arrayValue != nil { isArray = true }
      return value.objectValue.map { leads($0, parts.dropFirst()) } ?? false
    }
    if scopes.contains(where: { leads($0, parts.dropLast()) }) { return }
    let parent = parts.dropLast().joined(separator: "/")
    if isArray {
      add("E315", pointer, "'\(parent)' leads into a list; give the whole list")
      return
    }
    // A map that is not there yet may get its first entry.
    if parts.count == 2, MemberShape.maps.contains(parts[0]) { return }
    add("E315", pointer, "'\(parent)' is not there to be changed")
  }

  /// What needs more than the schema: alerts and rules inside a patch.
  private mutating func checkPatched(
    _ value: JSONValue, _ parts: [String], _ patch: JSONObject, at pointer: String
  ) {
    var points = Points(members)
    points.hasStart = points.hasStart || patch["start"] != nil
    points.hasDue = points.hasDue || patch["due"] != nil
    if parts == ["alerts"] {
      checkAlerts(value, at: pointer, points: points)
    } else if parts.first == "alerts", parts.count == 2, value.objectValue != nil {
      checkAlert(value, at: pointer, points: points)
    }
  }

  private mutating func checkFuture(_ patch: JSONObject, key: String, at pointer: String) {
    for flag in ["excluded", "added"] where patch[flag] != nil {
      add("E316", pointer, "'\(flag)' cannot hold from a date on")
    }
    guard let keyValue = DateOrDateTime(extended: key) else { return }
    let anchor = moment("start") ?? moment("due")
    if let anchor, keyValue.date == anchor.date, keyValue.isDate || keyValue == anchor,
      let other = patch.names.first(where: { $0 != "shift" && $0 != "excluded" && $0 != "added" })
    {
      add(
        "E316", pointer,
        "at the first date only 'shift' may stand; change '\(other)' in the series itself")
    }
    if let shift = patch["shift"] {
      let duration = shift.stringValue.flatMap { CalendarDuration($0) }
      if duration?.seconds != 0 {
        add("E302", "\(pointer)/shift", "\(quoted(shift)) is no number of days such as P1D")
      }
    }
    let moved = moment(patch["start"]) ?? moment(patch["due"])
    if let value = patch["recurrenceRule"] {
      checkNewRule(value, anchor: moved, at: pointer)
      if patch["shift"] == nil { return }
    }
    let displaced = patch["shift"] != nil || moved.map { $0.date != keyValue.date } ?? false
    let frequency = frequency(at: key)
    if displaced, let frequency, frequency != "daily", frequency != "weekly" {
      add(
        "E317", pointer,
        "a \(frequency) series cannot be moved by days; give a rule for the new dates")
    }
  }

  private mutating func checkNewRule(
    _ value: JSONValue, anchor: DateOrDateTime?, at pointer: String
  ) {
    if anchor == nil {
      add("E318", pointer, "a new rule needs 'start' or 'due' for its first occurrence")
    }
    guard let json = value.objectValue else { return }
    if let end = ["count", "until"].first(where: { json[$0] != nil }) {
      add(
        "E319", "\(pointer)/recurrenceRule",
        "a rule from a date on has no '\(end)'; the series has one end, in its own rule")
      return
    }
    if let rule = checkedRule(json, at: "\(pointer)/recurrenceRule"), let anchor {
      checkResult(of: rule, from: anchor.dateTime, at: "\(pointer)/recurrenceRule")
    }
  }

  /// The frequency in force at a key; nil if there is no rule.
  private func frequency(at key: String) -> String? {
    var frequency = members["recurrenceRule"]?.objectValue?["frequency"]?.stringValue
    for member in members["futureOverrides"]?.objectValue?.members ?? [] {
      guard !JSONObject.precedes(key, member.name) else { break }
      guard let rule = member.value.objectValue?["recurrenceRule"] else { continue }
      frequency = rule.objectValue?["frequency"]?.stringValue
    }
    return frequency
  }

  /// E318: the first occurrence of a new rule lies after the last one before it.
  private mutating func checkAnchors() {
    let patches = members["futureOverrides"]?.objectValue?.members ?? []
    guard patches.contains(where: { $0.value.objectValue?["recurrenceRule"] != nil }),
      !problems.contains(where: { $0.code.hasPrefix("E") }), let kind = kind.objectKind,
      let series = try? Series(CalendarObject(kind: kind, members: members))
    else { return }
    for (earlier, later) in zip(series.runs, series.runs.dropFirst()) {
      guard let key = earlier.end, later.anchor < key else { continue }
      let from = CivilDateTime(date: later.anchor.date, time: .midnight)
      var last = earlier.anchor >= from ? earlier.anchor : nil
      if let rule = earlier.rule, rule.isEvaluable {
        var occurrences = rule.occurrences(start: earlier.anchor, from: from)
        if let next = occurrences.next(), next < key { last = next }
      }
      guard let last else { continue }
      let name = members["futureOverrides"]?.objectValue?.names.first {
        DateOrDateTime(extended: $0)?.dateTime == key
      }
      add(
        "E318", "futureOverrides/\(name ?? "")",
        "the new rule begins on \(later.anchor), not after the earlier occurrence on \(last)")
    }
  }
}

extension JSONValue? {
  fileprivate var isNullOrNone: Bool { self?.isNull ?? true }
}
