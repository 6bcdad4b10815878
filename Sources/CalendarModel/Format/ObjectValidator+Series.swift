import CivilTime
import Recurrence

// E3xx of an item as a whole: times and rules.
extension ObjectCheck {
  func moment(_ value: JSONValue?) -> DateOrDateTime? {
    value?.stringValue.flatMap { DateOrDateTime(extended: $0) }
  }

  func moment(_ name: String) -> DateOrDateTime? { moment(members[name]) }

  /// The member that anchors the item.
  var anchorName: String { members["start"] == nil && kind == .reminder ? "due" : "start" }

  mutating func checkTimes() {
    if kind == .event, members["start"] == nil { add("E301", "", "an event needs 'start'") }
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
      add("E304", "timeZone", "an all-day item (\(anchor)) has no zone")
    }
    if members["endTimeZone"] != nil, members["timeZone"] == nil {
      add("E307", "endTimeZone", "'endTimeZone' needs 'timeZone'")
    }
    if start?.isDate == true, let text = members["duration"]?.stringValue,
      let duration = CalendarDuration(text), duration.seconds > 0
    {
      add(
        "W305", "duration",
        "\(text) is read as whole days, at least one, since the event is all-day")
    }
    if let anchor { checkAnchor(anchor) }
  }

  private mutating func checkAnchor(_ anchor: DateOrDateTime) {
    if case .dateTime(let civil) = anchor, let zone = members["timeZone"]?.stringValue,
      let rules = zones?.rules(named: zone)
    {
      switch rules.resolve(civil) {
      case .unique: break
      case .gap: add("W303", anchorName, "\(civil) does not exist in \(zone)")
      case .fold: add("W303", anchorName, "\(civil) happens twice in \(zone); the first is meant")
      }
    }
    for name in ["start", "due"] {
      if let year = moment(name)?.date.year, year < 1_900 || year > 2_200 {
        add("W408", name, "the year \(year) is before 1900 or after 2200")
      }
    }
  }

  mutating func checkRule() {
    guard let json = members["recurrenceRule"]?.objectValue else { return }
    guard let anchor = moment("start") ?? moment("due") else {
      if members["start"] == nil && members["due"] == nil {
        add("E312", "recurrenceRule", "a repeating item needs 'start' or 'due'")
      }
      return
    }
    guard let rule = checkedRule(json, at: "recurrenceRule") else { return }
    checkResult(of: rule, from: anchor.dateTime, at: "recurrenceRule")
    if rule.frequency.rawValue > RecurrenceRule.Frequency.hourly.rawValue {
      add("W403", "recurrenceRule", "a \(rule.frequency.name) rule makes very many occurrences")
    }
  }

  /// The rule, if it can be read.
  mutating func checkedRule(_ json: JSONObject, at pointer: String) -> RecurrenceRule? {
    for member in json.members where MemberSchema.rule.members[member.name] == nil {
      checkName(member.name, MemberSchema.rule, at: "\(pointer)/\(member.name)")
    }
    do throws(RecurrenceRule.JSONError) {
      return try RecurrenceRule(json: json)
    } catch {
      let value = json[error.member].map { quoted($0) + ": " } ?? ""
      add("E311", "\(pointer)/\(error.member)", "\(error.member) \(value)\(error.reason)")
      return nil
    }
  }

  /// Whether a rule makes anything at all, and its own start.
  mutating func checkResult(
    of rule: RecurrenceRule, from start: CivilDateTime, at pointer: String
  ) {
    guard rule.isEvaluable else {
      let scale = rule.scale?.lowercased() ?? ""
      add(
        "W204", "\(pointer)/rscale",
        "rules of the calendar '\(scale)' are not known here; only the first date is shown")
      return
    }
    var occurrences = rule.occurrences(start: start)
    let first = occurrences.next()
    if first == nil, occurrences.stop == .neverMatches {
      add("E311", pointer, "the rule can never produce an occurrence")
    } else if first != start {
      add(
        "W302", pointer, "the rule does not produce its own start \(start); it counts as the first")
    }
  }
}

extension MemberSchema {
  /// Names in a recurrence rule; their values are read by `RecurrenceRule`.
  static let rule = Record(
    Dictionary(
      uniqueKeysWithValues: [
        "frequency", "interval", "byDay", "byMonthDay", "byMonth", "byYearDay", "byWeekNo",
        "byHour", "byMinute", "bySecond", "bySetPosition", "firstDayOfWeek", "rscale", "skip",
        "count", "until",
      ].map { ($0, MemberSchema.anything) }))
}
