import CivilTime

// Calendar rules: periods by number, from 0 (the one with the start in it), and what each holds.
extension CompiledRule {
  /// Days from 1970 that no period may pass: the years 0 to 9999.
  static let lastDay = Int(CivilDate.last.dayNumber)

  /// The year of the start as the rule counts years: with BYWEEKNO the year of its week.
  var startYear: Int {
    let year = start.date.year
    guard !weekNumbers.isEmpty else { return year }
    let day = Int(start.date.dayNumber)
    if day < weekOne(of: year) { return year - 1 }
    return day >= weekOne(of: year + 1) ? year + 1 : year
  }

  /// The first day of the start's week.
  var startWeek: Int {
    Int(start.date.dayNumber) - weekStart.days(until: start.date.weekday)
  }

  /// The number of units from the start's unit to the one with a day in it; negative before it.
  private func units(to dayNumber: Int) -> Int {
    let (year, month, _) = CivilDate.parts(ofDayNumber: dayNumber)
    switch frequency {
    case .yearly: return year - startYear
    case .monthly:
      let (startYear, startMonth, _) = start.date.parts
      return (year - startYear) * 12 + month - startMonth
    case .weekly: return CompiledRule.floorDivide(dayNumber - startWeek, 7)
    default: return dayNumber - Int(start.date.dayNumber)
    }
  }

  static func floorDivide(_ value: Int, _ divisor: Int) -> Int {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }

  /// A period at or before every occurrence on or after a day; never before period 0.
  func period(notAfter dayNumber: Int) -> Int {
    // A week year may hold days of two neighbours, and SKIP may move a day over one border.
    let slack = !weekNumbers.isEmpty || moves ? 1 : 0
    return max(0, CompiledRule.floorDivide(units(to: dayNumber) - slack, interval))
  }

  /// Appends the days of a period in order; returns false if it lies beyond the last year.
  ///
  /// With SKIP two days may move to one, and the last of a period to the first of the next: each
  /// counts once, in the earlier period.
  func appendDays(ofPeriod period: Int, to days: inout [Int]) -> Bool {
    guard moves else { return appendPlainDays(ofPeriod: period, to: &days) }
    var found: [Int] = []
    guard appendPlainDays(ofPeriod: period, to: &found) else { return false }
    var before: [Int] = []
    if period > 0 { _ = appendPlainDays(ofPeriod: period - 1, to: &before) }
    let last = before.max() ?? .min
    days += found.ascending.filter { $0 > last && $0 <= CompiledRule.lastDay }
    return true
  }

  private func appendPlainDays(ofPeriod period: Int, to days: inout [Int]) -> Bool {
    let (units, overflow) = period.multipliedReportingOverflow(by: interval)
    guard !overflow, units < 4_000_000 else { return false }
    switch frequency {
    case .yearly:
      let year = startYear + units
      guard year <= 9_999 else { return false }
      appendDays(year: year, to: &days)
    case .monthly:
      let (startYear, startMonth, _) = start.date.parts
      let month = startMonth - 1 + units
      let year = startYear + month / 12
      guard year <= 9_999 else { return false }
      appendDays(year: year, month: month % 12 + 1, to: &days)
    case .weekly:
      let first = startWeek + units * 7
      guard first <= CompiledRule.lastDay else { return false }
      for day in first..<(first + 7) where takesDay(day) { days.append(day) }
    default:
      let day = Int(start.date.dayNumber) + units
      guard day <= CompiledRule.lastDay else { return false }
      if takesDay(day) { days.append(day) }
    }
    return true
  }

  /// After how many periods the pattern of days repeats: the calendar's cycle of 400 years
  /// (4 800 months, 20 871 weeks, 146 097 days).
  var cycle: Int {
    let length: Int
    switch frequency {
    case .yearly: length = 400
    case .monthly: length = 4_800
    case .weekly: length = 20_871
    default: length = 146_097
    }
    return length / CompiledRule.gcd(length, interval)
  }

  /// Whether every period holds the same number of days.
  private var isUniform: Bool {
    switch frequency {
    case .daily: isUnfilteredByDate && weekdays == 0
    case .weekly: isUnfilteredByDate
    default: false
    }
  }

  static func gcd(_ left: Int, _ right: Int) -> Int {
    var (left, right) = (left, right)
    while right != 0 { (left, right) = (right, left % right) }
    return left
  }

  /// The members of a period's set that BYSETPOS takes, as indexes in order.
  func selected(of size: Int) -> [Int] {
    var indexes: [Int] = []
    select(of: size, into: &indexes)
    return indexes
  }

  /// Replaces `indexes` by the members of a period's set that BYSETPOS takes, in order.
  func select(of size: Int, into indexes: inout [Int]) {
    indexes.removeAll(keepingCapacity: true)
    // Positions ascend: those from the end come first, and each half is in order by itself.
    let split = positions.firstIndex { $0 > 0 } ?? positions.count
    var negative = 0
    var positive = split
    while negative < split || positive < positions.count {
      let fromEnd = negative < split ? size + positions[negative] : Int.max
      let fromStart = positive < positions.count ? positions[positive] - 1 : Int.max
      let next = min(fromEnd, fromStart)
      if fromEnd == next { negative += 1 }
      if fromStart == next { positive += 1 }
      if next >= 0 && next < size { indexes.append(next) }
    }
  }

  /// The number of occurrences that a period with so many days has.
  func memberCount(days: Int) -> Int {
    let size = days * timeCount
    return positions.isEmpty ? size : selected(of: size).count
  }

  /// The number of occurrences in the first periods of the series, start and end aside.
  ///
  /// - Complexity: at most two cycles of periods, however many are asked for.
  private func memberCount(periods: Int) -> Int64 {
    guard periods > 0 else { return 0 }
    var days: [Int] = []
    func sum(_ range: Range<Int>) -> Int64 {
      var total: Int64 = 0
      for period in range {
        days.removeAll(keepingCapacity: true)
        guard appendDays(ofPeriod: period, to: &days) else { break }
        total += Int64(memberCount(days: days.count))
      }
      return total
    }
    if isUniform { return sum(0..<1) * Int64(periods) }
    if let count = countByYearShapes(periods: periods) { return count }
    // Period 0 stands alone: with SKIP no earlier period takes a day from it.
    let cycle = cycle
    guard periods > cycle else { return sum(0..<periods) }
    let (full, rest) = (periods - 1).quotientAndRemainder(dividingBy: cycle)
    return sum(0..<1) + sum(1..<(cycle + 1)) * Int64(full) + sum(1..<(rest + 1))
  }

  /// The number of occurrences of a calendar rule from the start to before a time, its end aside.
  func calendarCount(before end: CivilDateTime) -> Int64 {
    guard end > start else { return 0 }
    let target = period(notAfter: Int(end.date.dayNumber))
    var total = memberCount(periods: target)
    // The first period counts from the start only, the last ones up to the end only.
    total -= countInPeriod(0, from: .min, to: target > 0 ? start.civilSeconds : .min)
    var days: [Int] = []
    for period in target...(target + 2) {
      days.removeAll(keepingCapacity: true)
      guard appendDays(ofPeriod: period, to: &days) else { break }
      total += countInPeriod(
        period, from: period == 0 ? start.civilSeconds : .min, to: end.civilSeconds)
    }
    return total
  }

  private func countInPeriod(_ period: Int, from begin: Int64, to end: Int64) -> Int64 {
    guard begin < end else { return 0 }
    var days: [Int] = []
    guard appendDays(ofPeriod: period, to: &days), !days.isEmpty else { return 0 }
    let below = rank(of: end, in: days)
    return Int64(below - rank(of: begin, in: days))
  }

  /// The number of a period's occurrences before a wall-clock second.
  private func rank(of seconds: Int64, in days: [Int]) -> Int {
    let timeCount = timeCount
    var index = 0
    let day = CompiledRule.floorDivide(Int(max(seconds, -1 << 45)), 86_400)
    let second = Int(max(seconds, -1 << 45)) - day * 86_400
    for candidate in days {
      if candidate < day {
        index += timeCount
      } else if candidate == day {
        index += timeRank(of: second)
      } else {
        break
      }
    }
    guard !positions.isEmpty else { return index }
    return selected(of: days.count * timeCount).count { $0 < index }
  }

  /// The number of times of day before a second of the day.
  func timeRank(of second: Int) -> Int {
    var low = 0
    var high = timeCount
    while low < high {
      let middle = (low + high) / 2
      if time(middle) < second { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
