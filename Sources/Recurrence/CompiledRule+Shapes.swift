import CivilTime

// Counting by the shapes of years: a year is one of 14 (leap or not, and the weekday of its first
// day), and for a fixed rule all years of a shape hold as many occurrences.
extension CompiledRule {
  /// The shape of a year, 0...13.
  static func shape(ofYear year: Int) -> Int {
    let first = Weekday(dayNumber: CivilDate.dayNumber(year: year, month: 1, day: 1)).rawValue
    return first + (CivilDate.isLeap(year) ? 7 : 0)
  }

  /// The number of days that the filters of a daily, weekly or clock rule let pass.
  ///
  /// - Complexity: independent of the number of years beyond 400.
  func takenDays(in days: Range<Int>) -> Int {
    guard !days.isEmpty else { return 0 }
    if takesEveryDay { return days.count }
    if isUnfilteredByDate {
      let (weeks, rest) = days.count.quotientAndRemainder(dividingBy: 7)
      let last = (days.upperBound - rest)..<days.upperBound
      return weeks * weekdays.nonzeroBitCount + last.count(where: takesDay)
    }
    let first = CivilDate.parts(ofDayNumber: days.lowerBound).year
    let last = CivilDate.parts(ofDayNumber: days.upperBound - 1).year
    if first == last { return takenDays(inYear: first, within: days) }
    return takenDays(inYear: first, within: days) + takenDays(inYear: last, within: days)
      + Int(sumByShapes(years: (first + 1)..<last, step: 1) { Int64(takenDays(inYear: $0)) })
  }

  /// The number of occurrences in the first periods by the shapes of their years; nil if the rule
  /// does not fit: periods that years cut, weeks of the year, or days that SKIP moves.
  func countByYearShapes(periods: Int) -> Int64? {
    guard !moves, weekNumbers.isEmpty else { return nil }
    switch frequency {
    case .yearly:
      let (years, overflow) = periods.multipliedReportingOverflow(by: interval)
      guard !overflow, years < 20_000 else { return nil }
      return sumByShapes(years: startYear..<(startYear + years), step: interval) { year in
        var days: [Int] = []
        appendDays(year: year, to: &days)
        return Int64(memberCount(days: days.count))
      }
    case .monthly where 12 % interval == 0:
      return monthlyCount(periods: periods)
    case .daily where interval == 1:
      let first = Int(start.date.dayNumber)
      return Int64(takenDays(in: first..<(first + periods)) * memberCount(days: 1))
    case .weekly where interval == 1 && positions.isEmpty:
      return Int64(takenDays(in: startWeek..<(startWeek + periods * 7)) * timeCount)
    default: return nil
    }
  }

  private func monthlyCount(periods: Int) -> Int64 {
    let (startYear, startMonth, _) = start.date.parts
    let begin = startYear * 12 + startMonth - 1
    let end = begin + periods * interval
    func count(_ months: some Sequence<Int>) -> Int64 {
      months.reduce(0) { sum, number in
        let (year, month) = (number / 12, number % 12 + 1)
        guard self.months & (1 << month) != 0 else { return sum }
        return sum + Int64(memberCount(days: dayMask(year: year, month: month).nonzeroBitCount))
      }
    }
    let firstFull = startYear + 1
    let lastFull = end / 12
    guard lastFull > firstFull else { return count(stride(from: begin, to: end, by: interval)) }
    let phase = begin % interval
    return count(stride(from: begin, to: firstFull * 12, by: interval))
      + count(stride(from: lastFull * 12 + phase, to: end, by: interval))
      + sumByShapes(years: firstFull..<lastFull, step: 1) { year in
        count(stride(from: year * 12 + phase, to: (year + 1) * 12, by: interval))
      }
  }

  /// The sum of what years hold, each shape asked for once.
  private func sumByShapes(years: Range<Int>, step: Int, _ count: (Int) -> Int64) -> Int64 {
    let cycle = 400 / CompiledRule.gcd(400, step)
    let number = years.isEmpty ? 0 : (years.count - 1) / step + 1
    let (full, rest) = number.quotientAndRemainder(dividingBy: cycle)
    var known = [Int64](repeating: -1, count: 14)
    func sum(_ count: Int, _ known: inout [Int64], _ ask: (Int) -> Int64) -> Int64 {
      var total: Int64 = 0
      for index in 0..<count {
        let year = years.lowerBound + index * step
        let shape = CompiledRule.shape(ofYear: year)
        if known[shape] < 0 { known[shape] = ask(year) }
        total += known[shape]
      }
      return total
    }
    let tail = sum(rest, &known, count)
    return full == 0 ? tail : tail + Int64(full) * sum(cycle, &known, count)
  }

  /// The number of days of a year that the filters let pass, all or those in a range.
  private func takenDays(inYear year: Int, within days: Range<Int>? = nil) -> Int {
    let newYear = CivilDate.dayNumber(year: year, month: 1, day: 1)
    let whole = newYear..<(newYear + CivilDate.daysInYear(year))
    let range = days.map { whole.clamped(to: $0) } ?? whole
    guard yearDays.isEmpty else { return range.count(where: takesDay) }
    var total = 0
    var first = newYear
    for month in 1...12 {
      let next = first + CivilDate.daysInMonth(month, year: year)
      defer { first = next }
      guard months & (1 << month) != 0, next > range.lowerBound, first < range.upperBound else {
        continue
      }
      var mask = dayMask(year: year, month: month)
      // Bit 1 is the first of the month.
      if range.lowerBound > first { mask &= .max << (range.lowerBound - first + 1) }
      if range.upperBound < next { mask &= ~(.max << (range.upperBound - first + 1)) }
      total += mask.nonzeroBitCount
    }
    return total
  }
}
