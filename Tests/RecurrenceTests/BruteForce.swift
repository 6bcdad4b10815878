import CivilTime
import Recurrence

/// Expands a rule by its definition and nothing else: every candidate day and time of every period
/// is held against the table of RFC 5545 3.3.10. Slow, and shares no code with the engine.
struct BruteForce {
  let rule: RecurrenceRule
  let start: CivilDateTime
  /// No period that begins after this day is looked at.
  let lastDay: Int
  private let times: [Int]

  init(rule: RecurrenceRule, start: CivilDateTime, lastDay: Int) {
    self.rule = rule
    self.start = start
    self.lastDay = lastDay
    times = BruteForce.times(rule, start: start)
  }

  private var frequency: RecurrenceRule.Frequency { rule.frequency }

  /// All occurrences of the rule without COUNT and UNTIL up to the last day.
  func occurrences() -> [CivilDateTime] {
    var result: [CivilDateTime] = []
    let first = Int(start.date.dayNumber)
    switch frequency {
    case .yearly:
      let origin = rule.byWeekNumber.isEmpty ? start.date.year : weekYear(of: first)
      for year in stride(from: origin, through: year(lastDay) + 1, by: Int(rule.interval)) {
        let days = (day(year, 1, 1) - 10)...(day(year + 1, 1, 1) + 10)
        let inYear = days.filter {
          rule.byWeekNumber.isEmpty ? self.year($0) == year : weekYear(of: $0) == year
        }
        result += members(ofDays: inYear)
      }
    case .monthly:
      let origin = start.date.year * 12 + start.date.month - 1
      let end = year(lastDay) * 12 + 12
      for month in stride(from: origin, through: end, by: Int(rule.interval)) {
        let from = day(month / 12, month % 12 + 1, 1)
        let to = day((month + 1) / 12, (month + 1) % 12 + 1, 1)
        result += members(ofDays: Array(from..<to))
      }
    case .weekly:
      let week = first - rule.weekStart.days(until: start.date.weekday)
      for week in stride(from: week, through: lastDay, by: 7 * Int(rule.interval)) {
        result += members(ofDays: Array(week..<(week + 7)))
      }
    case .daily:
      for day in stride(from: first, through: lastDay, by: Int(rule.interval)) {
        result += members(ofDays: [day])
      }
    default:
      result = clockOccurrences()
    }
    return result.filter { $0 >= start && Int($0.date.dayNumber) <= lastDay }
  }

  // MARK: - Calendar rules

  private func members(ofDays days: [Int]) -> [CivilDateTime] {
    let set = days.filter(takes).flatMap { day in
      times.map { CivilDateTime(civilSeconds: Int64(day) * 86_400 + Int64($0)) }
    }
    return positions(of: set)
  }

  private func positions(of set: [CivilDateTime]) -> [CivilDateTime] {
    guard !rule.bySetPosition.isEmpty else { return set }
    return set.indices.filter { index in
      rule.bySetPosition.contains(index + 1) || rule.bySetPosition.contains(index - set.count)
    }.map { set[$0] }
  }

  private static func times(_ rule: RecurrenceRule, start: CivilDateTime) -> [Int] {
    let hours = rule.byHour.isEmpty ? [start.time.hour] : rule.byHour
    let minutes = rule.byMinute.isEmpty ? [start.time.minute] : rule.byMinute
    let seconds = rule.bySecond.isEmpty ? [start.time.second] : rule.bySecond.map { min($0, 59) }
    var times: Set<Int> = []
    for hour in hours {
      for minute in minutes {
        for second in seconds { times.insert(hour * 3_600 + minute * 60 + second) }
      }
    }
    return times.sorted()
  }

  /// Whether every part about days lets a day pass, parts taken from the start included.
  private func takes(_ dayNumber: Int) -> Bool {
    let (year, month, day) = CivilDate.parts(ofDayNumber: dayNumber)
    let weekday = Weekday(dayNumber: dayNumber)
    let hasDayPart = !rule.byDay.isEmpty || !rule.byMonthDay.isEmpty
    if !rule.byMonth.isEmpty {
      guard rule.byMonth.contains(where: { $0.number == month }) else { return false }
    } else if frequency == .yearly, rule.byYearDay.isEmpty, rule.byWeekNumber.isEmpty,
      rule.byDay.isEmpty || !rule.byMonthDay.isEmpty
    {
      guard month == start.date.month else { return false }
    }
    if !rule.byYearDay.isEmpty {
      let number = dayNumber - self.day(year, 1, 1) + 1
      let fromEnd = dayNumber - self.day(year + 1, 1, 1)
      guard rule.byYearDay.contains(number) || rule.byYearDay.contains(fromEnd) else {
        return false
      }
    }
    if !rule.byMonthDay.isEmpty {
      let fromEnd = dayNumber - self.day(year + month / 12, month % 12 + 1, 1)
      guard rule.byMonthDay.contains(day) || rule.byMonthDay.contains(fromEnd) else {
        return false
      }
    } else if !hasDayPart, rule.byYearDay.isEmpty, rule.byWeekNumber.isEmpty,
      frequency == .yearly || frequency == .monthly
    {
      guard day == start.date.day else { return false }
    }
    if !rule.byWeekNumber.isEmpty {
      let number = weekNumber(of: dayNumber)
      let fromEnd = number - weekCount(inYear: weekYear(of: dayNumber)) - 1
      guard rule.byWeekNumber.contains(number) || rule.byWeekNumber.contains(fromEnd) else {
        return false
      }
    }
    if !rule.byDay.isEmpty {
      return rule.byDay.contains { element in
        element.weekday == weekday
          && (element.ordinal.map { isNth($0, dayNumber: dayNumber) } ?? true)
      }
    }
    let takesStartWeekday =
      frequency == .weekly
      || (!rule.byWeekNumber.isEmpty && !hasDayPart && rule.byYearDay.isEmpty)
    return !takesStartWeekday || weekday == start.date.weekday
  }

  /// Whether a day is the n-th of its weekday in its month or year, by counting.
  private func isNth(_ ordinal: Int, dayNumber: Int) -> Bool {
    let (year, month, _) = CivilDate.parts(ofDayNumber: dayNumber)
    let inMonth = frequency == .monthly || !rule.byMonth.isEmpty
    func isInSpan(_ day: Int) -> Bool {
      let parts = CivilDate.parts(ofDayNumber: day)
      return parts.year == year && (!inMonth || parts.month == month)
    }
    var count = 1
    var other = ordinal > 0 ? dayNumber - 7 : dayNumber + 7
    while isInSpan(other) {
      count += 1
      other += ordinal > 0 ? -7 : 7
    }
    return count == abs(ordinal)
  }

  // MARK: - Weeks: a week belongs to the year with its fourth day in it

  private func fourthDay(ofWeekWith dayNumber: Int) -> Int {
    dayNumber - rule.weekStart.days(until: Weekday(dayNumber: dayNumber)) + 3
  }

  private func weekYear(of dayNumber: Int) -> Int { year(fourthDay(ofWeekWith: dayNumber)) }

  private func weekNumber(of dayNumber: Int) -> Int {
    let fourth = fourthDay(ofWeekWith: dayNumber)
    return (fourth - day(year(fourth), 1, 1)) / 7 + 1
  }

  private func weekCount(inYear year: Int) -> Int {
    // The last week has its fourth day among the last seven of the year.
    ((day(year + 1, 1, 1) - 7)..<day(year + 1, 1, 1)).filter { fourthDay(ofWeekWith: $0) == $0 }
      .map(weekNumber)[0]
  }

  // MARK: - Clock rules

  private func clockOccurrences() -> [CivilDateTime] {
    let unit =
      switch frequency {
      case .hourly: 3_600
      case .minutely: 60
      default: 1
      }
    let first = Int(start.civilSeconds) / unit
    let last = (lastDay + 1) * 86_400 / unit
    // The seconds of a unit that BYMINUTE and BYSECOND, or the start, expand it to.
    let minutes = rule.byMinute.isEmpty ? [start.time.minute] : rule.byMinute
    let seconds =
      rule.bySecond.isEmpty ? [start.time.second] : rule.bySecond.map { min($0, 59) }
    let offsets = (0..<unit).filter { offset in
      (unit < 3_600 || minutes.contains(offset / 60))
        && (unit == 1 || seconds.contains(offset % 60))
    }
    var result: [CivilDateTime] = []
    var knownDay = Int.min
    var dayPasses = false
    for number in stride(from: first, to: last, by: Int(rule.interval)) {
      let second = number * unit
      let day = second / 86_400
      if day != knownDay {
        knownDay = day
        dayPasses = takes(day)
      }
      guard dayPasses else { continue }
      let hour = second % 86_400 / 3_600
      guard rule.byHour.isEmpty || rule.byHour.contains(hour) else { continue }
      let minute = second % 3_600 / 60
      if unit <= 60, !rule.byMinute.isEmpty, !rule.byMinute.contains(minute) { continue }
      if unit == 1, !rule.bySecond.isEmpty, !seconds.contains(second % 60) { continue }
      let set = offsets.map { CivilDateTime(civilSeconds: Int64(second + $0)) }
      result += positions(of: set)
    }
    return result
  }

  // MARK: - Dates

  private func day(_ year: Int, _ month: Int, _ day: Int) -> Int {
    CivilDate.dayNumber(year: year, month: month, day: day)
  }

  private func year(_ dayNumber: Int) -> Int { CivilDate.parts(ofDayNumber: dayNumber).year }
}
