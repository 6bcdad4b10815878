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
    source.text = text
    do { try validate() } catch { throw error.at(parser.offset(ofPart: error.part)) }
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
  /// A part of the text: name, value and where both begin, in bytes.
  struct Part {
    var name: String
    var value: String
    var offset: Int
    var valueOffset: Int
  }

  let mode: RecurrenceRule.ParsingMode
  var rule: RecurrenceRule?
  var repairs: [String] = []
  private var parts: [Part] = []

  init(mode: RecurrenceRule.ParsingMode) { self.mode = mode }

  /// Where a part begins; 0 if it is not there.
  func offset(ofPart name: String) -> Int { parts.first { $0.name == name }?.offset ?? 0 }

  mutating func parse(_ text: String) throws(RecurrenceRuleError) {
    try split(text)
    guard let frequency = parts.first(where: { $0.name == "FREQ" }) else {
      throw RecurrenceRuleError(part: "FREQ", "is missing; every rule needs one")
    }
    guard let value = RecurrenceRule.Frequency(name: frequency.value) else {
      throw RecurrenceRuleError(
        offset: frequency.valueOffset, part: "FREQ",
        "'\(frequency.value)' is none of YEARLY, MONTHLY, WEEKLY, DAILY, HOURLY, MINUTELY, SECONDLY"
      )
    }
    var rule = RecurrenceRule(frequency: value)
    for part in parts where part.name != "FREQ" { try read(part, into: &rule) }
    self.rule = rule
  }

  private mutating func split(_ text: String) throws(RecurrenceRuleError) {
    var offset = 0
    for piece in text.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false) {
      defer { offset += piece.count + 1 }
      if piece.allSatisfy({ $0 == UInt8(ascii: " ") }) {
        if mode == .lenient { continue }
        throw RecurrenceRuleError(offset: offset, "an empty part")
      }
      guard let equals = piece.firstIndex(of: UInt8(ascii: "=")) else {
        throw RecurrenceRuleError(offset: offset, "'\(Substring(piece))' has no '='")
      }
      let rawValue = piece[piece.index(after: equals)...]
      var name = Substring(piece[..<equals]).uppercased()
      var value = String(Substring(rawValue))
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
      parts.append(
        Part(
          name: name, value: value, offset: offset,
          valueOffset: offset + piece.count - rawValue.count))
    }
  }

  private mutating func read(
    _ part: Part, into rule: inout RecurrenceRule
  ) throws(RecurrenceRuleError) {
    switch part.name {
    case "INTERVAL": rule.interval = try number(part)
    case "COUNT": rule.count = try number(part)
    case "UNTIL": rule.until = try until(part)
    case "BYSECOND": rule.bySecond = try list(part, 0...60)
    case "BYMINUTE": rule.byMinute = try list(part, 0...59)
    case "BYHOUR": rule.byHour = try list(part, 0...23)
    case "BYMONTHDAY": rule.byMonthDay = try list(part, -31...31)
    case "BYYEARDAY": rule.byYearDay = try list(part, -366...366)
    case "BYWEEKNO": rule.byWeekNumber = try list(part, -53...53)
    case "BYSETPOS": rule.bySetPosition = try list(part, -366...366)
    case "BYDAY": rule.byDay = try weekdays(part)
    case "BYMONTH": rule.byMonth = try months(part)
    case "WKST":
      guard let weekday = Weekday(code: part.value) else {
        throw fail(part, "'\(part.value)' is no weekday")
      }
      rule.weekStart = weekday
    case "RSCALE": rule.scale = part.value.uppercased()
    case "SKIP":
      guard let skip = RecurrenceRule.Skip(rawValue: part.value.lowercased()) else {
        throw fail(part, "'\(part.value)' is none of OMIT, BACKWARD, FORWARD")
      }
      rule.skip = skip
    default:
      guard part.name.hasPrefix("X-") || mode == .lenient else {
        throw RecurrenceRuleError(offset: part.offset, "'\(part.name)' is no part of a rule")
      }
      rule.unknownParts.append("\(part.name)=\(part.value)")
    }
  }

  /// An error in the value of a part, or in an item of it.
  private func fail(
    _ part: Part, _ reason: String, at item: Substring? = nil
  ) -> RecurrenceRuleError {
    var offset = part.valueOffset
    if let item {
      offset += part.value.utf8.distance(from: part.value.startIndex, to: item.startIndex)
    }
    return RecurrenceRuleError(offset: offset, part: part.name, reason)
  }

  private func items(_ part: Part) throws(RecurrenceRuleError) -> [Substring] {
    let items = part.value.split(
      separator: ",", omittingEmptySubsequences: mode == .lenient || part.value.isEmpty)
    if items.isEmpty { throw fail(part, "has no values") }
    return items
  }

  private func number(_ part: Part) throws(RecurrenceRuleError) -> Int64 {
    guard let number = Int64(part.value), part.value.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") })
    else {
      throw fail(part, "'\(part.value)' is no number of 1 to 9223372036854775807")
    }
    return number
  }

  private func list(
    _ part: Part, _ range: ClosedRange<Int>
  ) throws(RecurrenceRuleError) -> [Int] {
    var numbers: [Int] = []
    for item in try items(part) {
      let takesSign = range.lowerBound < 0
      guard let number = Int(item), range.contains(number), number != 0 || !takesSign,
        takesSign || item.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") })
      else {
        let zero = takesSign ? ", not 0" : ""
        throw fail(
          part, "'\(item)' is out of \(range.lowerBound)...\(range.upperBound)\(zero)", at: item)
      }
      numbers.append(number)
    }
    return numbers.uniqued().sorted()
  }

  private func weekdays(
    _ part: Part
  ) throws(RecurrenceRuleError) -> [RecurrenceRule.WeekdayNumber] {
    var days: [RecurrenceRule.WeekdayNumber] = []
    for item in try items(part) {
      guard let weekday = Weekday(code: item.suffix(2)) else {
        throw fail(part, "'\(item)' is no weekday", at: item)
      }
      let prefix = item.dropLast(2)
      var ordinal: Int?
      if !prefix.isEmpty {
        guard let number = Int(prefix), number != 0, (-53...53).contains(number) else {
          throw fail(part, "'\(item)' needs a number of -53...53, not 0", at: item)
        }
        ordinal = number
      }
      days.append(.init(weekday, ordinal: ordinal))
    }
    return days.uniqued()
  }

  private func months(_ part: Part) throws(RecurrenceRuleError) -> [RecurrenceRule.Month] {
    var months: [RecurrenceRule.Month] = []
    for item in try items(part) {
      let isLeap = item.last == "L" || item.last == "l"
      guard let number = Int(isLeap ? item.dropLast() : item), (1...13).contains(number) else {
        throw fail(part, "'\(item)' is out of 1...12", at: item)
      }
      months.append(.init(number, isLeap: isLeap))
    }
    return months.uniqued().sorted()
  }

  private func until(_ part: Part) throws(RecurrenceRuleError) -> RecurrenceRule.Until {
    let value = part.value
    if let instant = Instant(basic: value) { return .instant(instant) }
    if let dateTime = CivilDateTime(basic: value) { return .dateTime(dateTime) }
    if let date = CivilDate(basic: value) { return .date(date) }
    if mode == .lenient {
      if let instant = Instant(extended: value) { return .instant(instant) }
      if let dateTime = CivilDateTime(extended: value) { return .dateTime(dateTime) }
      if let date = CivilDate(extended: value) { return .date(date) }
    }
    throw fail(
      part, "'\(value)' is neither a date (20261224) nor a date-time (20261224T180000Z)")
  }
}

extension Array where Element: Hashable {
  /// The elements without repeats, in the order of their first occurrence.
  func uniqued() -> [Element] {
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}
