import CivilTime
import Recurrence
import TestSupport

/// Random valid rules and starts, for comparisons with an oracle.
struct RandomRules {
  var generator: SeededGenerator

  /// A start between 1995 and 2034, often at a turn of the month or year.
  mutating func start() -> CivilDateTime {
    let year = generator.integer(1995...2034)
    let day =
      generator.chance(oneIn: 4)
      ? CivilDate.dayNumber(year: year, month: 1, day: 1) + generator.integer(-4...4)
      : CivilDate.dayNumber(year: year, month: 1, day: 1) + generator.integer(0...364)
    let second =
      generator.chance(oneIn: 2)
      ? generator.integer(0...23) * 3_600 : generator.integer(0...86_399)
    return CivilDateTime(
      date: CivilDate(dayNumber: Int32(day)), time: TimeOfDay(secondOfDay: second))
  }

  /// A rule without COUNT and UNTIL that passes validation.
  mutating func rule(_ frequency: RecurrenceRule.Frequency, start: CivilDateTime)
    -> RecurrenceRule
  {
    while true {
      var rule = RecurrenceRule(frequency: frequency)
      if generator.chance(oneIn: 2) { rule.interval = Int64(generator.integer(1...5)) }
      if generator.chance(oneIn: 12) { rule.interval = Int64(generator.integer(6...100)) }
      addDays(to: &rule, start: start)
      addTimes(to: &rule, start: start)
      if generator.chance(oneIn: 3) { rule.weekStart = generator.element(of: Weekday.allCases) }
      if rule.byParts > 0, generator.chance(oneIn: 3) {
        rule.bySetPosition = values(1...3, of: -4...4, usual: 1)
      }
      if (try? rule.validate()) != nil { return rule }
    }
  }

  private mutating func addDays(to rule: inout RecurrenceRule, start: CivilDateTime) {
    let isClock = rule.frequency.rawValue >= RecurrenceRule.Frequency.hourly.rawValue
    let odds = isClock ? 5 : 3
    if generator.chance(oneIn: odds) {
      rule.byMonth = values(1...4, of: 1...12, usual: start.date.month).map { .init($0) }
    }
    if generator.chance(oneIn: odds) {
      rule.byMonthDay = values(1...6, of: -31...31, usual: start.date.day)
    }
    if generator.chance(oneIn: odds) {
      let takesOrdinals = rule.frequency == .monthly || rule.frequency == .yearly
      rule.byDay = (0..<generator.integer(1...4)).map { _ in
        let weekday = generator.element(of: Weekday.allCases)
        guard takesOrdinals, generator.chance(oneIn: 2) else { return .init(weekday) }
        let most = rule.frequency == .yearly && rule.byMonth.isEmpty ? 53 : 5
        return .init(weekday, ordinal: values(1...1, of: -most...most, usual: 1)[0])
      }.uniqued()
    }
    if rule.frequency == .yearly || isClock, generator.chance(oneIn: odds + 2) {
      rule.byYearDay = values(1...6, of: -366...366, usual: start.date.dayOfYear)
    }
    if rule.frequency == .yearly, generator.chance(oneIn: 4) {
      rule.byWeekNumber = values(1...4, of: -53...53, usual: 53)
    }
  }

  private mutating func addTimes(to rule: inout RecurrenceRule, start: CivilDateTime) {
    if generator.chance(oneIn: 4) {
      rule.byHour = values(1...4, of: 0...23, usual: start.time.hour)
    }
    if generator.chance(oneIn: 4) {
      rule.byMinute = values(1...4, of: 0...59, usual: start.time.minute)
    }
    if generator.chance(oneIn: 5) {
      rule.bySecond = values(1...3, of: 0...60, usual: start.time.second)
    }
  }

  /// Distinct sorted values; one of them is often the usual one, so that rules match at all.
  private mutating func values(
    _ count: ClosedRange<Int>, of range: ClosedRange<Int>, usual: Int
  ) -> [Int] {
    var values: Set<Int> = generator.chance(oneIn: 2) ? [usual] : []
    let size = generator.integer(count)
    while values.count < size {
      let value = generator.integer(range)
      if value != 0 || range.lowerBound == 0 { values.insert(value) }
    }
    return values.sorted()
  }
}

extension RecurrenceRule {
  /// The number of BY parts, BYSETPOS aside.
  var byParts: Int {
    [
      byMonth.isEmpty, byWeekNumber.isEmpty, byYearDay.isEmpty, byMonthDay.isEmpty, byDay.isEmpty,
      byHour.isEmpty, byMinute.isEmpty, bySecond.isEmpty,
    ].count { !$0 }
  }
}

extension Array where Element: Hashable {
  /// The elements without repeats, in order.
  func uniqued() -> [Element] {
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}
