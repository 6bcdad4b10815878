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
    func fail(_ part: String, _ reason: String) -> RecurrenceRuleError {
      RecurrenceRuleError(part: part, reason)
    }
    if interval < 1 { throw fail("INTERVAL", "\(interval) is below 1") }
    if let count, count < 1 { throw fail("COUNT", "\(count) is below 1") }
    if count != nil, until != nil { throw fail("COUNT", "cannot stand beside UNTIL") }
    let ranges: [(String, [Int], ClosedRange<Int>)] = [
      ("BYSECOND", bySecond, 0...60), ("BYMINUTE", byMinute, 0...59), ("BYHOUR", byHour, 0...23),
      ("BYMONTHDAY", byMonthDay, -31...31), ("BYYEARDAY", byYearDay, -366...366),
      ("BYWEEKNO", byWeekNumber, -53...53), ("BYSETPOS", bySetPosition, -366...366),
    ]
    for (part, values, range) in ranges {
      for value in values where !range.contains(value) || (value == 0 && range.lowerBound < 0) {
        throw fail(part, "\(value) is out of \(range.lowerBound)...\(range.upperBound)")
      }
    }
    for month in byMonth {
      let max = scale == nil || scale == "GREGORIAN" ? 12 : 13
      if month.number < 1 || month.number > max {
        throw fail("BYMONTH", "\(month.number) is out of 1...\(max)")
      }
      if month.isLeap, max == 12 { throw fail("BYMONTH", "a leap month needs RSCALE") }
    }
    if !byWeekNumber.isEmpty, frequency != .yearly {
      throw fail("BYWEEKNO", "stands in yearly rules only")
    }
    if !byYearDay.isEmpty, [.daily, .weekly, .monthly].contains(frequency) {
      throw fail("BYYEARDAY", "cannot stand in a \(frequency.name) rule")
    }
    if !byMonthDay.isEmpty, frequency == .weekly {
      throw fail("BYMONTHDAY", "cannot stand in a weekly rule")
    }
    for day in byDay {
      guard let ordinal = day.ordinal else { continue }
      if ordinal == 0 || abs(ordinal) > 53 { throw fail("BYDAY", "\(ordinal) is out of -53...53") }
      if frequency != .yearly && frequency != .monthly {
        throw fail("BYDAY", "an n-th weekday stands in monthly and yearly rules only")
      }
      if !byWeekNumber.isEmpty {
        throw fail("BYDAY", "an n-th weekday cannot stand beside BYWEEKNO")
      }
    }
    if !bySetPosition.isEmpty, !hasByPart { throw fail("BYSETPOS", "needs another BY part") }
    if skip != .omit, scale == nil { throw fail("SKIP", "needs RSCALE") }
  }
}
