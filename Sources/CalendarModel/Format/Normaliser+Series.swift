import CivilTime

// Rules, the length of an event, and the keys of overrides.
extension Normaliser {
  /// A recurrence rule in normalised form.
  static func rule(_ object: JSONObject) -> JSONObject {
    var object = object
    for name in ["frequency", "rscale", "skip", "firstDayOfWeek"] {
      if let text = object[name]?.stringValue { object[name] = .string(text.lowercased()) }
    }
    var rule = nested(object, in: "recurrenceRule")
    if let days = rule["byDay"]?.arrayValue {
      rule["byDay"] = list(days.map(weekday)) { left, right in
        weekdayOrder(left) < weekdayOrder(right)
      }
    }
    if let months = rule["byMonth"]?.arrayValue {
      let texts = months.map { month -> JSONValue in
        if case .number(let token) = integer(month) { return .string(token) }
        return month
      }
      rule["byMonth"] = list(texts) { left, right in monthOrder(left) < monthOrder(right) }
    }
    for name in [
      "byMonthDay", "byYearDay", "byWeekNo", "byHour", "byMinute", "bySecond", "bySetPosition",
    ] {
      guard let values = rule[name]?.arrayValue?.map(integer),
        values.allSatisfy({ $0.integerValue != nil })
      else { continue }
      rule[name] = list(values) { ($0.integerValue ?? 0) < ($1.integerValue ?? 0) }
    }
    return rule
  }

  /// A list in order and without repeats; nil if it is empty, which says the same as none.
  private static func list(
    _ values: [JSONValue], by precedes: (JSONValue, JSONValue) -> Bool
  ) -> JSONValue? {
    var result: [JSONValue] = []
    for value in values.sorted(by: precedes) where !result.contains(value) { result.append(value) }
    if result.isEmpty { return nil }
    return .array(result)
  }

  /// `"-1fr"` as an object; others without their implied type.
  private static func weekday(_ value: JSONValue) -> JSONValue {
    if let text = value.stringValue {
      guard let code = Weekday(code: text.suffix(2)) else { return value }
      let prefix = text.dropLast(2)
      if prefix.isEmpty { return ["day": .string(code.code)] }
      guard let number = Int(prefix) else { return value }
      return ["day": .string(code.code), "nthOfPeriod": JSONValue(number)]
    }
    guard var object = value.objectValue else { return value }
    if let code = object["day"]?.stringValue.flatMap({ Weekday(code: $0) }) {
      object["day"] = .string(code.code)
    }
    return .object(nested(object, in: "byDay"))
  }

  private static func weekdayOrder(_ value: JSONValue) -> (Int, Int) {
    let object = value.objectValue
    let weekday = object?["day"]?.stringValue.flatMap { Weekday(code: $0) }
    return (object?["nthOfPeriod"]?.integerValue ?? 0, weekday?.rawValue ?? 7)
  }

  private static func monthOrder(_ value: JSONValue) -> (Int, String) {
    let text = value.stringValue ?? ""
    return (Int(text.hasSuffix("L") ? text.dropLast() : text[...]) ?? 99, text)
  }

  // MARK: - The length of an event

  /// Turns `end` of an event into `duration`.
  static func foldEnd(_ object: inout JSONObject, zones: TimeZoneDatabase?) {
    func moment(_ name: String) -> DateOrDateTime? {
      object[name]?.stringValue.flatMap(momentText).flatMap { DateOrDateTime(extended: $0) }
    }
    guard object["duration"] == nil, let start = moment("start"), let end = moment("end"),
      start.isDate == end.isDate,
      let length = length(from: start, to: end, in: object, zones: zones), !length.isNegative
    else { return }
    object["end"] = nil
    // An all-day event lasts a day at least.
    if start.isDate && length.isZero { return }
    object["duration"] = .string(length.description)
  }

  /// The length of an event: days on the calendar, the rest on the time line.
  private static func length(
    from start: DateOrDateTime, to end: DateOrDateTime, in object: JSONObject,
    zones: TimeZoneDatabase?
  ) -> CalendarDuration? {
    let wall = end.dateTime.civilSeconds - start.dateTime.civilSeconds
    let days = Int(wall / 86_400)
    let nominal = CalendarDuration(days: days, seconds: wall % 86_400)
    guard !start.isDate, let startZone = object["timeZone"]?.stringValue else {
      return object["endTimeZone"] == nil ? nominal : nil
    }
    let endZone = object["endTimeZone"]?.stringValue ?? startZone
    guard let startRules = zones?.rules(named: startZone),
      let endRules = zones?.rules(named: endZone)
    else { return startZone == endZone ? nominal : nil }
    let last = endRules.instant(of: end.dateTime)
    let first = startRules.instant(of: start.dateTime)
    if startZone != endZone || wall < 86_400 {
      return CalendarDuration(seconds: last.seconds - first.seconds)
    }
    for days in [days, days - 1] {
      let whole = CalendarDuration(days: days).added(to: start.dateTime, in: startRules)
      let rest = last.seconds - whole.seconds
      if rest >= 0 { return CalendarDuration(days: days, seconds: rest) }
    }
    return nil
  }

  static func dropDurationDefault(_ object: inout JSONObject) {
    guard let start = object["start"]?.stringValue, let duration = object["duration"]?.stringValue
    else { return }
    let isDate = CivilDate(extended: start) != nil
    if duration == (isDate ? "P1D" : "PT0S") { object["duration"] = nil }
  }

  // MARK: - Recurrence IDs

  /// Writes `until` and the keys of overrides as dates where they only repeat the series' time.
  static func normaliseSeries(_ object: inout JSONObject) {
    let anchor = (object["start"] ?? object["due"])?.stringValue
    guard let start = anchor.flatMap({ DateOrDateTime(extended: $0) }) else { return }
    let rule = object["recurrenceRule"]?.objectValue
    let frequency = rule?["frequency"]?.stringValue ?? ""
    let withinDay =
      ["hourly", "minutely", "secondly"].contains(frequency)
      || ["byHour", "byMinute", "bySecond"].contains { rule?[$0] != nil }
    if !withinDay, var rule, let until = rule["until"]?.stringValue,
      let value = CivilDateTime(extended: until)
    {
      let reaches = start.time.map { value.time >= $0 } ?? true
      rule["until"] = .string(value.date.adding(days: reaches ? 0 : -1).description)
      object["recurrenceRule"] = .object(rule)
    }
    let time = start.time ?? .midnight
    for name in ["recurrenceOverrides", "futureOverrides"] {
      guard let map = object[name]?.objectValue else { continue }
      var result = map
      for key in map.names {
        guard let text = momentText(key), let value = CivilDateTime(extended: text) else {
          continue
        }
        let written =
          !withinDay && value.time == time ? value.date.description : value.description
        guard written != key, result[written] == nil else { continue }
        result[key] = nil
        result[written] = map[key]
      }
      object[name] = .object(result)
    }
  }
}
