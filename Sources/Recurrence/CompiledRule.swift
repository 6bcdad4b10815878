import CivilTime

/// A rule together with what it takes from the start of its series, as bit masks and sorted lists.
///
/// Two kinds of rule share it. *Calendar rules* (yearly to daily) make a set of days per period and
/// repeat it for each time of day. *Clock rules* (hourly to secondly) count units of time and let
/// the other parts filter them. The values of the rule must be in range (`isExpandable`).
struct CompiledRule: Sendable {
  let rule: RecurrenceRule
  let start: CivilDateTime
  let frequency: RecurrenceRule.Frequency
  /// Units from one period to the next.
  let interval: Int
  let weekStart: Weekday

  /// Bit *m* is set for month *m*; all if the rule names none.
  var months: UInt16 = 0b1_1111_1111_1110
  /// Bit *d* for day *d* from the start of a month, and from its end; both 0 if there is no filter.
  var monthDays: UInt32 = 0
  var monthDaysFromEnd: UInt32 = 0
  /// Bit 0 is Monday; 0 if there is no filter.
  var weekdays: UInt8 = 0
  /// N-th weekdays of the month or year.
  var ordinals: [RecurrenceRule.WeekdayNumber] = []
  var yearDays: [Int] = []
  var weekNumbers: [Int] = []
  /// Whether ordinals count within the month rather than the year.
  var ordinalsOfMonth = true

  /// Times of day of calendar rules: every hour with every minute with every second.
  var hours: [Int] = []
  var minutes: [Int] = []
  var seconds: [Int] = []

  /// BYSETPOS, or nothing.
  let positions: [Int]

  init(_ rule: RecurrenceRule, start: CivilDateTime) {
    self.rule = rule
    self.start = start
    frequency = rule.frequency
    interval = Int(clamping: max(rule.interval, 1))
    weekStart = rule.weekStart
    positions = rule.bySetPosition.ascending
    weekNumbers = rule.byWeekNumber
    yearDays = rule.byYearDay
    for day in rule.byMonthDay {
      if day > 0 { monthDays |= 1 << day } else { monthDaysFromEnd |= 1 << -day }
    }
    for day in rule.byDay {
      if let ordinal = day.ordinal, frequency == .monthly || frequency == .yearly {
        ordinals.append(.init(day.weekday, ordinal: ordinal))
      } else {
        weekdays |= 1 << day.weekday.rawValue
      }
    }
    ordinalsOfMonth = frequency == .monthly || !rule.byMonth.isEmpty
    if !rule.byMonth.isEmpty {
      months = rule.byMonth.reduce(0) { $0 | 1 << $1.number }
    }
    takeMissingDays()
    takeTimes()
  }

  /// Fills in the days that the rule leaves to the start (RFC 5545 3.3.10: information not in the
  /// rule is taken from DTSTART). The disputed forms follow the same sentence: a yearly rule with
  /// BYMONTHDAY but no BYMONTH keeps the start's month, one with BYWEEKNO but no BYDAY its weekday.
  private mutating func takeMissingDays() {
    let hasMonthDay = monthDays != 0 || monthDaysFromEnd != 0
    let hasDay = weekdays != 0 || !ordinals.isEmpty
    let (_, month, day) = start.date.parts
    switch frequency {
    case .yearly:
      if !weekNumbers.isEmpty {
        if !hasDay && !hasMonthDay && yearDays.isEmpty {
          weekdays = 1 << start.date.weekday.rawValue
        }
      } else if yearDays.isEmpty {
        if !hasDay && !hasMonthDay { monthDays = 1 << day }
        if (hasMonthDay || !hasDay) && rule.byMonth.isEmpty { months = 1 << month }
      }
    case .monthly:
      if !hasDay && !hasMonthDay { monthDays = 1 << day }
    case .weekly:
      if !hasDay && !hasMonthDay { weekdays = 1 << start.date.weekday.rawValue }
    default: break
    }
  }

  private mutating func takeTimes() {
    let time = start.time
    hours = rule.byHour.isEmpty ? [time.hour] : rule.byHour.ascending
    minutes = rule.byMinute.isEmpty ? [time.minute] : rule.byMinute.ascending
    seconds =
      rule.bySecond.isEmpty ? [time.second] : rule.bySecond.map { min($0, 59) }.ascending
  }

  /// The number of times of day of a calendar rule.
  var timeCount: Int { hours.count * minutes.count * seconds.count }

  /// The n-th time of day of a calendar rule in seconds after midnight.
  @inline(__always)
  func time(_ index: Int) -> Int {
    if index == 0 { return hours[0] * 3_600 + minutes[0] * 60 + seconds[0] }
    let (rest, second) = index.quotientAndRemainder(dividingBy: seconds.count)
    let (hour, minute) = rest.quotientAndRemainder(dividingBy: minutes.count)
    return hours[hour] * 3_600 + minutes[minute] * 60 + seconds[second]
  }

  /// Whether the rule moves days that a month or year does not have.
  var moves: Bool { rule.skip != .omit }
}

// MARK: - Days of a period

extension CompiledRule {
  /// Bits 1...31 for the days of a month that the rule takes, months aside.
  func dayMask(year: Int, month: Int) -> UInt32 {
    let length = CivilDate.daysInMonth(month, year: year)
    let all: UInt32 = (length == 31 ? 0xFFFF_FFFE : (1 << (length + 1)) - 2)
    var mask = all
    if monthDays != 0 || monthDaysFromEnd != 0 {
      mask = monthDays & all
      if monthDaysFromEnd != 0 {
        for day in 1...length where monthDaysFromEnd & (1 << (length + 1 - day)) != 0 {
          mask |= 1 << day
        }
      }
    }
    guard weekdays != 0 || !ordinals.isEmpty else { return mask }
    let first = Weekday(dayNumber: CivilDate.dayNumber(year: year, month: month, day: 1)).rawValue
    var allowed: UInt32 = 0
    if weekdays != 0 {
      // Rotates the week so that bit 0 is the weekday of the 1st, then repeats it five times.
      let week = UInt64(weekdays)
      let rotated = ((week >> first) | (week << (7 - first))) & 0x7F
      let month = rotated | rotated << 7 | rotated << 14 | rotated << 21 | rotated << 28
      allowed = UInt32(truncatingIfNeeded: month << 1)
    }
    if ordinalsOfMonth {
      for element in ordinals {
        guard let ordinal = element.ordinal else { continue }
        let day = CompiledRule.day(
          ordinal: ordinal, weekday: element.weekday.rawValue, firstWeekday: first, length: length)
        if let day { allowed |= 1 << day }
      }
    }
    return mask & allowed & all
  }

  /// The day 1...length of the n-th weekday in a span that begins on a weekday; nil if the span
  /// has fewer.
  static func day(ordinal: Int, weekday: Int, firstWeekday: Int, length: Int) -> Int? {
    let first = (weekday - firstWeekday + 7) % 7 + 1
    if ordinal > 0 {
      let day = first + (ordinal - 1) * 7
      return day <= length ? day : nil
    }
    let last = first + (length - first) / 7 * 7
    let day = last + (ordinal + 1) * 7
    return day >= 1 ? day : nil
  }

  /// Appends the days that the rule takes in a month, as day numbers in order.
  func appendDays(year: Int, month: Int, to days: inout [Int]) {
    guard months & (1 << month) != 0 else { return }
    if moves { return appendMovedDays(year: year, month: month, to: &days) }
    var mask = dayMask(year: year, month: month)
    guard mask != 0 else { return }
    let base = CivilDate.dayNumber(year: year, month: month, day: 0)
    while mask != 0 {
      days.append(base + mask.trailingZeroBitCount)
      mask &= mask &- 1
    }
  }

  /// As `appendDays`, with days that the month does not have moved by SKIP (RFC 7529 4.1); BYDAY
  /// filters after the move.
  private func appendMovedDays(year: Int, month: Int, to days: inout [Int]) {
    guard monthDays != 0 || monthDaysFromEnd != 0 else {
      var plain = self
      plain.clearSkip()
      return plain.appendDays(year: year, month: month, to: &days)
    }
    let length = CivilDate.daysInMonth(month, year: year)
    let base = CivilDate.dayNumber(year: year, month: month, day: 0)
    var found: Set<Int> = []
    for day in 1...31 where monthDays & (1 << day) != 0 {
      found.insert(day <= length ? day : rule.skip == .backward ? length : length + 1)
    }
    for day in 1...31 where monthDaysFromEnd & (1 << day) != 0 {
      found.insert(day <= length ? length + 1 - day : rule.skip == .backward ? 0 : 1)
    }
    for day in found.sorted() where takesWeekday(base + day) { days.append(base + day) }
  }

  private mutating func clearSkip() {
    var plain = rule
    plain.skip = .omit
    self = CompiledRule(plain, start: start)
  }

  private func takesWeekday(_ dayNumber: Int) -> Bool {
    if weekdays == 0 && ordinals.isEmpty { return true }
    let weekday = Weekday(dayNumber: dayNumber)
    if weekdays & (1 << weekday.rawValue) != 0 { return true }
    let (year, month, day) = CivilDate.parts(ofDayNumber: dayNumber)
    let length = CivilDate.daysInMonth(month, year: year)
    return ordinals.contains {
      $0.weekday == weekday
        && ($0.ordinal == (day - 1) / 7 + 1 || $0.ordinal == -((length - day) / 7 + 1))
    }
  }

  /// The first day of week 1 of a year: the week with 4 January in it (ISO 8601, with any WKST).
  func weekOne(of year: Int) -> Int {
    let fourth = CivilDate.dayNumber(year: year, month: 1, day: 4)
    return fourth - weekStart.days(until: Weekday(dayNumber: fourth))
  }

  /// Appends the days that the rule takes in a year; with BYWEEKNO in the year of weeks, which
  /// may begin in December and end in January.
  func appendDays(year: Int, to days: inout [Int]) {
    if !weekNumbers.isEmpty { return appendDaysOfWeeks(year: year, to: &days) }
    let ordinalsOfYear = !ordinals.isEmpty && !ordinalsOfMonth
    if yearDays.isEmpty && !ordinalsOfYear {
      for month in 1...12 where months & (1 << month) != 0 {
        appendDays(year: year, month: month, to: &days)
      }
      return
    }
    let newYear = CivilDate.dayNumber(year: year, month: 1, day: 1)
    let length = CivilDate.daysInYear(year)
    let nth = ordinalsOfYear ? ordinalDays(year: year) : []
    var candidates: [Int] = []
    if yearDays.isEmpty {
      candidates = weekdays == 0 ? nth.sorted() : Array(0..<length)
    } else {
      for day in yearDays {
        let index = day > 0 ? day - 1 : length + day
        if index >= 0 && index < length {
          candidates.append(index)
        } else if moves {
          let backward = rule.skip == .backward
          candidates.append(index < 0 ? (backward ? -1 : 0) : (backward ? length - 1 : length))
        }
      }
      candidates = candidates.ascending
    }
    for index in candidates {
      let dayNumber = newYear + index
      if ordinalsOfYear {
        let plain = weekdays & (1 << Weekday(dayNumber: dayNumber).rawValue) != 0
        guard plain || nth.contains(index) else { continue }
        guard takesMonthAndDay(dayNumber) else { continue }
      } else {
        guard takesMonthAndDay(dayNumber), takesWeekday(dayNumber) else { continue }
      }
      days.append(dayNumber)
    }
  }

  /// The days of a year, from 0, of BYDAY elements that count within the year.
  private func ordinalDays(year: Int) -> Set<Int> {
    let first = Weekday(dayNumber: CivilDate.dayNumber(year: year, month: 1, day: 1)).rawValue
    let length = CivilDate.daysInYear(year)
    return Set(
      ordinals.compactMap { element in
        element.ordinal.flatMap { ordinal in
          CompiledRule.day(
            ordinal: ordinal, weekday: element.weekday.rawValue, firstWeekday: first,
            length: length)
        }.map { $0 - 1 }
      })
  }

  private func appendDaysOfWeeks(year: Int, to days: inout [Int]) {
    let first = weekOne(of: year)
    let count = (weekOne(of: year + 1) - first) / 7
    let weeks = Set(weekNumbers.map { $0 > 0 ? $0 : count + 1 + $0 }).sorted()
    for week in weeks where week >= 1 && week <= count {
      for day in 0..<7 {
        let dayNumber = first + (week - 1) * 7 + day
        if takesMonthAndDay(dayNumber), takesWeekday(dayNumber), takesYearDay(dayNumber) {
          days.append(dayNumber)
        }
      }
    }
  }

  private func takesMonthAndDay(_ dayNumber: Int) -> Bool {
    let (year, month, day) = CivilDate.parts(ofDayNumber: dayNumber)
    guard months & (1 << month) != 0 else { return false }
    guard monthDays != 0 || monthDaysFromEnd != 0 else { return true }
    let fromEnd = CivilDate.daysInMonth(month, year: year) + 1 - day
    return monthDays & (1 << day) != 0 || monthDaysFromEnd & (1 << fromEnd) != 0
  }

  private func takesYearDay(_ dayNumber: Int) -> Bool {
    guard !yearDays.isEmpty else { return true }
    let year = CivilDate.parts(ofDayNumber: dayNumber).year
    let day = dayNumber - CivilDate.dayNumber(year: year, month: 1, day: 1) + 1
    let fromEnd = day - CivilDate.daysInYear(year) - 1
    return yearDays.contains(day) || yearDays.contains(fromEnd)
  }

  /// Whether the filters of a daily, weekly or clock rule let a day pass.
  @inline(__always)
  func takesDay(_ dayNumber: Int) -> Bool {
    if weekdays != 0, weekdays & (1 << Weekday(dayNumber: dayNumber).rawValue) == 0 { return false }
    if isUnfilteredByDate { return true }
    return takesMonthAndDay(dayNumber) && takesYearDay(dayNumber)
  }

  /// Whether the rule filters days at all.
  var takesEveryDay: Bool { isUnfilteredByDate && weekdays == 0 }

  /// Whether neither month, month day nor year day filters.
  var isUnfilteredByDate: Bool {
    months == 0b1_1111_1111_1110 && monthDays == 0 && monthDaysFromEnd == 0 && yearDays.isEmpty
  }
}

extension [Int] {
  /// The values in order, each once; the array itself if it is that already.
  var ascending: [Int] {
    zip(self, dropFirst()).allSatisfy(<) ? self : Set(self).sorted()
  }
}
