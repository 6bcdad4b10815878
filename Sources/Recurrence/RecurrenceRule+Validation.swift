extension RecurrenceRule {
  /// Whether any BY part but BYSETPOS is there.
  var hasByPart: Bool {
    !bySecond.isEmpty || !byMinute.isEmpty || !byHour.isEmpty || !byDay.isEmpty
      || !byMonthDay.isEmpty || !byYearDay.isEmpty || !byWeekNumber.isEmpty || !byMonth.isEmpty
  }

  /// Checks ranges and which parts may stand together (RFC 5545 3.3.10, RFC 7529 4).
  ///
  /// - Throws: the first thing that is wrong.
  public func validate() throws(RecurrenceRuleError) {
    try validateRanges()
    if let count, count < 1 { throw .init(part: "COUNT", "\(count) is below 1") }
    if count != nil, until != nil { throw .init(part: "COUNT", "cannot stand beside UNTIL") }
    try validateCompany()
  }

  /// Whether occurrences can be computed without regard to which parts stand together.
  var isExpandable: Bool { isEvaluable && (try? validateRanges()) != nil }

  /// Checks each part by itself, COUNT aside.
  private func validateRanges() throws(RecurrenceRuleError) {
    if interval < 1 { throw .init(part: "INTERVAL", "\(interval) is below 1") }
    try check("BYSECOND", bySecond, 0...60)
    try check("BYMINUTE", byMinute, 0...59)
    try check("BYHOUR", byHour, 0...23)
    try check("BYMONTHDAY", byMonthDay, -31...31)
    try check("BYYEARDAY", byYearDay, -366...366)
    try check("BYWEEKNO", byWeekNumber, -53...53)
    try check("BYSETPOS", bySetPosition, -366...366)
    for month in byMonth {
      let max = scale == nil || scale == "GREGORIAN" ? 12 : 13
      if month.number < 1 || month.number > max {
        throw .init(part: "BYMONTH", "\(month.number) is out of 1...\(max)")
      }
      if month.isLeap, max == 12 { throw .init(part: "BYMONTH", "a leap month needs RSCALE") }
    }
    for day in byDay {
      guard let ordinal = day.ordinal else { continue }
      if ordinal == 0 || !(-53...53).contains(ordinal) {
        throw .init(part: "BYDAY", "\(ordinal) is out of -53...53, not 0")
      }
    }
  }

  private func check(
    _ part: String, _ values: [Int], _ range: ClosedRange<Int>
  ) throws(RecurrenceRuleError) {
    for value in values where !range.contains(value) || (value == 0 && range.lowerBound < 0) {
      throw RecurrenceRuleError(
        part: part, "\(value) is out of \(range.lowerBound)...\(range.upperBound)")
    }
  }

  /// Checks which parts stand together.
  private func validateCompany() throws(RecurrenceRuleError) {
    if !byWeekNumber.isEmpty, frequency != .yearly {
      throw .init(part: "BYWEEKNO", "stands in yearly rules only")
    }
    if !byYearDay.isEmpty, [.daily, .weekly, .monthly].contains(frequency) {
      throw .init(part: "BYYEARDAY", "cannot stand in a \(frequency.name) rule")
    }
    if !byMonthDay.isEmpty, frequency == .weekly {
      throw .init(part: "BYMONTHDAY", "cannot stand in a weekly rule")
    }
    if byDay.contains(where: { $0.ordinal != nil }) {
      if frequency != .yearly && frequency != .monthly {
        throw .init(
          part: "BYDAY", "an n-th weekday stands in monthly and yearly rules only")
      }
      if !byWeekNumber.isEmpty {
        throw .init(part: "BYDAY", "an n-th weekday cannot stand beside BYWEEKNO")
      }
    }
    if !bySetPosition.isEmpty, !hasByPart {
      throw .init(part: "BYSETPOS", "needs another BY part")
    }
    if skip != .omit, scale == nil { throw .init(part: "SKIP", "needs RSCALE") }
  }
}
