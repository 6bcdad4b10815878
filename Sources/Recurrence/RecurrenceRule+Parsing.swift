import CivilTime

extension RecurrenceRule {
  /// How strictly the text of a rule is read.
  public enum ParsingMode: Hashable, Sendable {
    /// RFC 5545 to the letter, case aside.
    case strict
    /// Real-world input: repairs what has one sensible reading and says so.
    case lenient
  }

  /// Reads the text of a rule, such as `FREQ=WEEKLY;BYDAY=MO,WE;COUNT=10`.
  ///
  /// - Throws: the first error with its offset in bytes.
  public init(parsing text: String, mode: ParsingMode = .strict) throws(RecurrenceRuleError) {
    var repairs: [String] = []
    try self.init(parsing: text, mode: mode, repairs: &repairs)
  }

  /// Reads the text of a rule and lists what lenient reading repaired.
  ///
  /// - Throws: the first error with its offset in bytes.
  public init(
    parsing text: String, mode: ParsingMode, repairs: inout [String]
  ) throws(RecurrenceRuleError) {
    var parser = RuleParser(mode: mode)
    try parser.parse(text)
    guard let rule = parser.rule else {
      throw RecurrenceRuleError(part: "FREQ", "is missing; every rule needs one")
    }
    self = rule
    repairs += parser.repairs
    if mode == .lenient { repairs += repairParts() }
    try validate()
  }

  /// Drops what makes a rule invalid and has one sensible repair.
  private mutating func repairParts() -> [String] {
    var repairs: [String] = []
    if interval == 0 {
      interval = 1
      repairs.append("INTERVAL=0 read as 1")
    }
    if count != nil, until != nil {
      count = nil
      repairs.append("COUNT dropped beside UNTIL")
    }
    if frequency != .yearly, !byWeekNumber.isEmpty {
      byWeekNumber = []
      repairs.append("BYWEEKNO dropped outside of a yearly rule")
    }
    let takesOrdinals = frequency == .yearly || frequency == .monthly
    if byDay.contains(where: { $0.ordinal != nil }), !takesOrdinals || !byWeekNumber.isEmpty {
      byDay = byDay.map { WeekdayNumber($0.weekday) }.uniqued()
      repairs.append("ordinals of BYDAY dropped")
    }
    if !bySetPosition.isEmpty, !hasByPart {
      bySetPosition = []
      repairs.append("BYSETPOS dropped without another BY part")
    }
    return repairs
  }
}

/// Reads the parts of a rule one by one.
private struct RuleParser {
  let mode: RecurrenceRule.ParsingMode
  var rule: RecurrenceRule?
  var repairs: [String] = []

  init(mode: RecurrenceRule.ParsingMode) { self.mode = mode }

  mutating func parse(_ text: String) throws(RecurrenceRuleError) {
    var parts: [(name: String, value: String, offset: Int)] = []
    var offset = 0
    for piece in text.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false) {
      defer { offset += piece.count + 1 }
      let part = String(Substring(piece))
      if part.isEmpty || part.utf8.allSatisfy({ $0 == UInt8(ascii: " ") }) {
        if mode == .lenient { continue }
        throw RecurrenceRuleError(offset: offset, "an empty part")
      }
      guard let equals = part.firstIndex(of: "=") else {
        throw RecurrenceRuleError(offset: offset, "'\(part)' has no '='")
      }
      var name = String(part[..<equals]).uppercased()
      var value = String(part[part.index(after: equals)...])
      if mode == .lenient {
        name = name.filter { $0 != " " && $0 != "\t" }
        value = value.filter { $0 != " " && $0 != "\t" }
      }
      if parts.contains(where: { $0.name == name }) {
        guard mode == .lenient else {
          throw RecurrenceRuleError(offset: offset, part: name, "stands twice")
        }
        repairs.append("second \(name) dropped")
        continue
      }
      parts.append((name, value, offset))
    }
    guard let frequency = parts.first(where: { $0.name == "FREQ" }) else {
      throw RecurrenceRuleError(part: "FREQ", "is missing; every rule needs one")
    }
    guard let value = RecurrenceRule.Frequency(name: frequency.value) else {
      throw RecurrenceRuleError(
        offset: frequency.offset, part: "FREQ",
        "'\(frequency.value)' is none of YEARLY, MONTHLY, WEEKLY, DAILY, HOURLY, MINUTELY, SECONDLY"
      )
    }
    var rule = RecurrenceRule(frequency: value)
    for part in parts where part.name != "FREQ" {
      try read(part.name, part.value, part.offset, into: &rule)
    }
    self.rule = rule
  }

  private mutating func read(
    _ name: String, _ value: String, _ offset: Int, into rule: inout RecurrenceRule
  ) throws(RecurrenceRuleError) {
    switch name {
    case "INTERVAL": rule.interval = try number(name, value, offset)
    case "COUNT": rule.count = try number(name, value, offset)
    case "UNTIL": rule.until = try until(value, offset)
    case "BYSECOND": rule.bySecond = try list(name, value, offset, 0...60)
    case "BYMINUTE": rule.byMinute = try list(name, value, offset, 0...59)
    case "BYHOUR": rule.byHour = try list(name, value, offset, 0...23)
    case "BYMONTHDAY": rule.byMonthDay = try list(name, value, offset, -31...31)
    case "BYYEARDAY": rule.byYearDay = try list(name, value, offset, -366...366)
    case "BYWEEKNO": rule.byWeekNumber = try list(name, value, offset, -53...53)
    case "BYSETPOS": rule.bySetPosition = try list(name, value, offset, -366...366)
    case "BYDAY": rule.byDay = try weekdays(value, offset)
    case "BYMONTH": rule.byMonth = try months(value, offset)
    case "WKST":
      guard let weekday = Weekday(code: value) else {
        throw RecurrenceRuleError(offset: offset, part: name, "'\(value)' is no weekday")
      }
      rule.weekStart = weekday
    case "RSCALE": rule.scale = value.uppercased()
    case "SKIP":
      guard let skip = RecurrenceRule.Skip(rawValue: value.lowercased()) else {
        throw RecurrenceRuleError(
          offset: offset, part: name, "'\(value)' is none of OMIT, BACKWARD, FORWARD")
      }
      rule.skip = skip
    default:
      guard name.hasPrefix("X-") || mode == .lenient else {
        throw RecurrenceRuleError(offset: offset, "'\(name)' is no part of a rule")
      }
      rule.unknownParts.append("\(name)=\(value)")
    }
  }

  private func number(
    _ name: String, _ value: String, _ offset: Int
  ) throws(RecurrenceRuleError) -> Int64 {
    guard let number = Int64(value), number >= 0, value.first != "+" else {
      throw RecurrenceRuleError(
        offset: offset, part: name, "'\(value)' is no number of 1 to 9223372036854775807")
    }
    return number
  }

  private mutating func list(
    _ name: String, _ value: String, _ offset: Int, _ range: ClosedRange<Int>
  ) throws(RecurrenceRuleError) -> [Int] {
    var numbers: [Int] = []
    for item in value.split(separator: ",", omittingEmptySubsequences: mode == .lenient) {
      guard let number = Int(item), range.contains(number), number != 0 || range.lowerBound == 0
      else {
        let zero = range.lowerBound < 0 ? ", not 0" : ""
        throw RecurrenceRuleError(
          offset: offset, part: name,
          "'\(item)' is out of \(range.lowerBound)...\(range.upperBound)\(zero)")
      }
      numbers.append(number)
    }
    if numbers.isEmpty { throw RecurrenceRuleError(offset: offset, part: name, "has no values") }
    return numbers.uniqued().sorted()
  }

  private func weekdays(
    _ value: String, _ offset: Int
  ) throws(RecurrenceRuleError) -> [RecurrenceRule.WeekdayNumber] {
    var days: [RecurrenceRule.WeekdayNumber] = []
    for item in value.split(separator: ",", omittingEmptySubsequences: mode == .lenient) {
      guard item.utf8.count >= 2, let weekday = Weekday(code: item.suffix(2)) else {
        throw RecurrenceRuleError(offset: offset, part: "BYDAY", "'\(item)' is no weekday")
      }
      let prefix = item.dropLast(2)
      var ordinal: Int?
      if !prefix.isEmpty {
        guard let number = Int(prefix), number != 0, abs(number) <= 53 else {
          throw RecurrenceRuleError(
            offset: offset, part: "BYDAY", "'\(item)' needs a number of -53...53, not 0")
        }
        ordinal = number
      }
      days.append(.init(weekday, ordinal: ordinal))
    }
    if days.isEmpty { throw RecurrenceRuleError(offset: offset, part: "BYDAY", "has no values") }
    return days.uniqued()
  }

  private func months(
    _ value: String, _ offset: Int
  ) throws(RecurrenceRuleError) -> [RecurrenceRule.Month] {
    var months: [RecurrenceRule.Month] = []
    for item in value.split(separator: ",", omittingEmptySubsequences: mode == .lenient) {
      let isLeap = item.last == "L" || item.last == "l"
      guard let number = Int(isLeap ? item.dropLast() : item), (1...13).contains(number) else {
        throw RecurrenceRuleError(offset: offset, part: "BYMONTH", "'\(item)' is out of 1...12")
      }
      months.append(.init(number, isLeap: isLeap))
    }
    if months.isEmpty {
      throw RecurrenceRuleError(offset: offset, part: "BYMONTH", "has no values")
    }
    return months.uniqued().sorted()
  }

  private func until(
    _ value: String, _ offset: Int
  ) throws(RecurrenceRuleError) -> RecurrenceRule.Until {
    if let instant = Instant(basic: value) { return .instant(instant) }
    if let dateTime = CivilDateTime(basic: value) { return .dateTime(dateTime) }
    if let date = CivilDate(basic: value) { return .date(date) }
    if mode == .lenient {
      if let instant = Instant(extended: value) { return .instant(instant) }
      if let dateTime = CivilDateTime(extended: value) { return .dateTime(dateTime) }
      if let date = CivilDate(extended: value) { return .date(date) }
    }
    throw RecurrenceRuleError(
      offset: offset, part: "UNTIL",
      "'\(value)' is neither a date (20261224) nor a date-time (20261224T180000Z)")
  }
}

extension Array where Element: Hashable {
  /// The elements without repeats, in the order of their first occurrence.
  func uniqued() -> [Element] {
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}
