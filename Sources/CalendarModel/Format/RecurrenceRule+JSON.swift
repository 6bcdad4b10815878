import CivilTime
public import Recurrence

extension RecurrenceRule {
  /// Names of JSCalendar for the parts of RFC 5545 rules.
  private static let jsonNames: [String: String] = [
    "FREQ": "frequency", "INTERVAL": "interval", "COUNT": "count", "UNTIL": "until",
    "BYSECOND": "bySecond", "BYMINUTE": "byMinute", "BYHOUR": "byHour", "BYDAY": "byDay",
    "BYMONTHDAY": "byMonthDay", "BYYEARDAY": "byYearDay", "BYWEEKNO": "byWeekNo",
    "BYMONTH": "byMonth", "BYSETPOS": "bySetPosition", "WKST": "firstDayOfWeek",
    "RSCALE": "rscale", "SKIP": "skip",
  ]

  /// Why a JSCalendar rule cannot be read: the member and the reason.
  public struct JSONError: Error, Hashable, Sendable {
    /// The member, such as `byDay`.
    public let member: String
    /// The value and what was expected.
    public let reason: String
  }

  /// Reads the members of a JSCalendar `recurrenceRule` in normalised form.
  ///
  /// - Throws: the first member that is wrong; the rule is validated too.
  public init(json: JSONObject) throws(JSONError) {
    guard let name = json["frequency"]?.stringValue, let frequency = Frequency(name: name) else {
      throw JSONError(
        member: "frequency",
        reason: "needs one of yearly, monthly, weekly, daily, hourly, "
          + "minutely, secondly")
    }
    self.init(frequency: frequency)
    func integers(_ member: String) throws(JSONError) -> [Int] {
      guard let value = json[member] else { return [] }
      guard let elements = value.arrayValue else {
        throw JSONError(member: member, reason: "must be a list of numbers")
      }
      var numbers: [Int] = []
      for element in elements {
        guard let number = element.integerValue else {
          throw JSONError(member: member, reason: "must be a list of whole numbers")
        }
        numbers.append(number)
      }
      return numbers
    }
    func positive(_ member: String) throws(JSONError) -> Int64? {
      guard let value = json[member] else { return nil }
      guard let number = value.integerValue, number >= 1 else {
        throw JSONError(member: member, reason: "must be a whole number of at least 1")
      }
      return Int64(number)
    }
    interval = try positive("interval") ?? 1
    count = try positive("count")
    bySecond = try integers("bySecond")
    byMinute = try integers("byMinute")
    byHour = try integers("byHour")
    byMonthDay = try integers("byMonthDay")
    byYearDay = try integers("byYearDay")
    byWeekNumber = try integers("byWeekNo")
    bySetPosition = try integers("bySetPosition")
    try readLists(json)
    do throws(RecurrenceRuleError) {
      try validate()
    } catch {
      throw JSONError(
        member: RecurrenceRule.jsonNames[error.part] ?? "frequency", reason: error.reason)
    }
  }

  private mutating func readLists(_ json: JSONObject) throws(JSONError) {
    if let value = json["byDay"] {
      guard let elements = value.arrayValue else {
        throw JSONError(member: "byDay", reason: "must be a list of { \"day\": \"mo\" }")
      }
      for element in elements {
        let day = element.objectValue
        guard let weekday = day?["day"]?.stringValue.flatMap({ Weekday(code: $0) }) else {
          throw JSONError(member: "byDay", reason: "needs a day from mo to su")
        }
        let ordinal = day?["nthOfPeriod"]
        if let ordinal, ordinal.integerValue == nil {
          throw JSONError(member: "byDay", reason: "needs a whole number in 'nthOfPeriod'")
        }
        byDay.append(.init(weekday, ordinal: ordinal?.integerValue))
      }
    }
    if let value = json["byMonth"] {
      for element in value.arrayValue ?? [.null] {
        guard let text = element.stringValue, !text.isEmpty,
          let number = Int(text.hasSuffix("L") ? text.dropLast() : text[...])
        else { throw JSONError(member: "byMonth", reason: "needs months as text, \"1\" to \"12\"") }
        byMonth.append(.init(number, isLeap: text.hasSuffix("L")))
      }
    }
    if let value = json["firstDayOfWeek"] {
      guard let weekday = value.stringValue.flatMap({ Weekday(code: $0) }) else {
        throw JSONError(member: "firstDayOfWeek", reason: "needs a day from mo to su")
      }
      weekStart = weekday
    }
    if let value = json["until"] {
      guard let moment = value.stringValue.flatMap({ DateOrDateTime(extended: $0) }) else {
        throw JSONError(member: "until", reason: "needs a date such as 2027-07-15")
      }
      switch moment {
      case .date(let date): until = .date(date)
      case .dateTime(let dateTime): until = .dateTime(dateTime)
      }
    }
    if let value = json["rscale"] {
      guard let name = value.stringValue, !name.isEmpty else {
        throw JSONError(member: "rscale", reason: "needs the name of a calendar")
      }
      scale = name.uppercased()
    }
    if let value = json["skip"] {
      guard let skip = value.stringValue.flatMap({ Skip(rawValue: $0) }) else {
        throw JSONError(member: "skip", reason: "needs omit, backward or forward")
      }
      self.skip = skip
      if scale == nil { scale = "GREGORIAN" }
    }
  }

  /// The members of a JSCalendar `recurrenceRule` in normalised form.
  ///
  /// An UNTIL that is an instant is written as its UTC wall clock; convert it to the series' zone
  /// before. Unknown parts of RFC 5545 text have no place here.
  public var json: JSONObject {
    var json: JSONObject = ["frequency": .string(frequency.name)]
    if interval != 1 { json["interval"] = .number(String(interval)) }
    if let count { json["count"] = .number(String(count)) }
    switch until {
    case nil: break
    case .date(let date): json["until"] = .string(date.description)
    case .dateTime(let value): json["until"] = .string(value.description)
    case .instant(let value): json["until"] = .string(value.utc.description)
    }
    func add(_ name: String, _ values: [Int]) {
      if !values.isEmpty { json[name] = .array(values.sorted().map { JSONValue($0) }) }
    }
    add("bySecond", bySecond)
    add("byMinute", byMinute)
    add("byHour", byHour)
    add("byMonthDay", byMonthDay)
    add("byYearDay", byYearDay)
    add("byWeekNo", byWeekNumber)
    add("bySetPosition", bySetPosition)
    if !byDay.isEmpty {
      let days = byDay.sorted { ($0.ordinal ?? 0, $0.weekday) < ($1.ordinal ?? 0, $1.weekday) }
      json["byDay"] = .array(
        days.map { day in
          var object: JSONObject = ["day": .string(day.weekday.code)]
          if let ordinal = day.ordinal { object["nthOfPeriod"] = JSONValue(ordinal) }
          return .object(object)
        })
    }
    if !byMonth.isEmpty {
      json["byMonth"] = .array(
        byMonth.sorted().map { .string("\($0.number)\($0.isLeap ? "L" : "")") })
    }
    if weekStart != .monday { json["firstDayOfWeek"] = .string(weekStart.code) }
    if let scale, scale != "GREGORIAN" { json["rscale"] = .string(scale.lowercased()) }
    if skip != .omit { json["skip"] = .string(skip.rawValue) }
    return json
  }
}
