import CivilTime

// Clock rules: units of an hour, a minute or a second, counted on the wall clock from the start's.
extension CompiledRule {
  /// The seconds in a unit.
  var unitSeconds: Int {
    switch frequency {
    case .hourly: 3_600
    case .minutely: 60
    default: 1
    }
  }

  /// The seconds within each unit at which the rule has an occurrence, BYSETPOS applied.
  func clockOffsets() -> [Int] {
    var offsets: [Int] = []
    switch frequency {
    case .hourly: for minute in minutes { offsets += seconds.map { minute * 60 + $0 } }
    case .minutely: offsets = seconds
    default: offsets = [0]
    }
    return positions.isEmpty ? offsets : selected(of: offsets.count).map { offsets[$0] }
  }

  /// The number of the unit with a wall-clock second in it, from 1970 on.
  func unit(of civil: CivilDateTime) -> Int {
    CompiledRule.floorDivide(Int(civil.civilSeconds), unitSeconds)
  }

  private var unitsPerDay: Int { 86_400 / unitSeconds }

  /// The first unit at or after one that every filter of the time of day lets pass, within its
  /// day; nil if the day has none.
  private func nextAllowed(inDay unit: Int) -> Int? {
    guard frequency != .hourly else {
      return rule.byHour.isEmpty ? unit : hours.first { $0 >= unit }
    }
    let perHour = 3_600 / unitSeconds
    var hour = unit / perHour
    var rest = unit % perHour
    if !rule.byHour.isEmpty {
      guard let next = hours.first(where: { $0 >= hour }) else { return nil }
      if next > hour { (hour, rest) = (next, 0) }
    }
    // Minutes and seconds of the hour; a carry goes on to the next hour that is allowed.
    while true {
      if let found = nextAllowed(inHour: rest) { return hour * perHour + found }
      rest = 0
      guard let next = rule.byHour.isEmpty ? hour + 1 : hours.first(where: { $0 > hour }), next < 24
      else { return nil }
      hour = next
    }
  }

  private func nextAllowed(inHour unit: Int) -> Int? {
    guard frequency == .secondly else {
      return rule.byMinute.isEmpty ? unit : minutes.first { $0 >= unit }
    }
    var minute = unit / 60
    var second = unit % 60
    while minute < 60 {
      if !rule.byMinute.isEmpty {
        guard let next = minutes.first(where: { $0 >= minute }) else { return nil }
        if next > minute { (minute, second) = (next, 0) }
      }
      if rule.bySecond.isEmpty { return minute * 60 + second }
      if let found = seconds.first(where: { $0 >= second }) { return minute * 60 + found }
      (minute, second) = (minute + 1, 0)
    }
    return nil
  }

  /// The first unit of the series at or after one; nil if there is none up to the last year or the
  /// budget of steps is used up.
  func nextUnit(from unit: Int, budget: inout Int) -> Int? {
    let perDay = unitsPerDay
    let first = self.unit(of: start)
    let interval = Int(clamping: interval)
    var candidate = max(unit, first)
    while true {
      budget -= 1
      if budget < 0 { return nil }
      // Align to the interval.
      let remainder = (candidate - first) % interval
      if remainder != 0 {
        let (sum, overflow) = candidate.addingReportingOverflow(interval - remainder)
        guard !overflow else { return nil }
        candidate = sum
      }
      let day = CompiledRule.floorDivide(candidate, perDay)
      guard day <= CompiledRule.lastDay else { return nil }
      guard takesDay(day) else {
        guard let next = nextDay(after: day, budget: &budget) else { return nil }
        candidate = next * perDay
        continue
      }
      let inDay = candidate - day * perDay
      guard let allowed = nextAllowed(inDay: inDay) else {
        candidate = (day + 1) * perDay
        continue
      }
      if allowed == inDay { return candidate }
      candidate = day * perDay + allowed
    }
  }

  private func nextDay(after day: Int, budget: inout Int) -> Int? {
    var candidate = day + 1
    while candidate <= CompiledRule.lastDay {
      budget -= 1
      if budget < 0 { return nil }
      let (year, month, _) = CivilDate.parts(ofDayNumber: candidate)
      if months & (1 << month) == 0 {
        candidate = CivilDate.dayNumber(year: year, month: month + 1, day: 1)
        if month == 12 { candidate = CivilDate.dayNumber(year: year + 1, month: 1, day: 1) }
        continue
      }
      if takesDay(candidate) { return candidate }
      candidate += 1
    }
    return nil
  }

  /// Whether the filters of day and time can ever be met: some day of the 400-year cycle passes,
  /// and some time of day lies on the grid that the interval makes over all days.
  func clockCanMatch() -> Bool {
    guard !clockOffsets().isEmpty else { return false }
    if !(isUnfilteredByDate && weekdays == 0) {
      let first = Int(start.date.dayNumber)
      guard (first..<(first + 146_097)).contains(where: takesDay) else { return false }
    }
    let perDay = unitsPerDay
    let grid = CompiledRule.gcd(perDay, Int(clamping: interval))
    let phase = self.unit(of: start)
    var position = 0
    while position < perDay, let allowed = nextAllowed(inDay: position) {
      if (allowed - phase) % grid == 0 { return true }
      position = allowed + 1
    }
    return false
  }

  /// The number of units of the series from its start to before a unit.
  ///
  /// - Complexity: closed form without filters; otherwise a sum over residues of days, of which at
  ///   most 146 097 with a time of day each are looked at.
  private func unitCount(before end: Int) -> Int64 {
    let first = unit(of: start)
    guard end > first else { return 0 }
    let interval = Int(clamping: interval)
    let hasTimeFilter =
      !rule.byHour.isEmpty || (frequency != .hourly && !rule.byMinute.isEmpty)
      || (frequency == .secondly && !rule.bySecond.isEmpty)
    if !hasTimeFilter && isUnfilteredByDate && weekdays == 0 {
      return Int64((end - first - 1) / interval + 1)
    }
    let perDay = unitsPerDay
    // The pattern of residues repeats after this many days.
    let residueCycle = interval / CompiledRule.gcd(interval, perDay)
    let firstDay = CompiledRule.floorDivide(first, perDay)
    let endDay = CompiledRule.floorDivide(end, perDay)
    var total = countInDay(firstDay, from: first, to: min(end, (firstDay + 1) * perDay))
    if endDay > firstDay {
      total += countInDay(endDay, from: endDay * perDay, to: end)
      var known: [Int: Int64] = [:]
      func count(_ day: Int) -> Int64 {
        guard takesDay(day) else { return 0 }
        let residue = day % residueCycle
        if let count = known[residue] { return count }
        let count = countInDay(day, from: day * perDay, to: (day + 1) * perDay)
        known[residue] = count
        return count
      }
      let days = (firstDay + 1)..<endDay
      let dayCycle = isUnfilteredByDate ? (weekdays == 0 ? 1 : 7) : 146_097
      let (cycle, overflow) =
        (dayCycle / CompiledRule.gcd(dayCycle, residueCycle))
        .multipliedReportingOverflow(by: residueCycle)
      if overflow || days.count <= cycle {
        for day in days { total += count(day) }
      } else {
        let (full, rest) = days.count.quotientAndRemainder(dividingBy: cycle)
        var sum: Int64 = 0
        for (index, day) in days.prefix(cycle).enumerated() {
          let number = count(day)
          sum += number
          if index < rest { total += number }
        }
        total += sum * Int64(full)
      }
    }
    return total
  }

  /// The number of units of the series within one day and a range of units of it.
  private func countInDay(_ day: Int, from begin: Int, to end: Int) -> Int64 {
    guard begin < end, takesDay(day) else { return 0 }
    let perDay = unitsPerDay
    let interval = Int(clamping: interval)
    let first = unit(of: start)
    var position = begin - day * perDay
    var total: Int64 = 0
    while position < end - day * perDay {
      guard let allowed = nextAllowed(inDay: position) else { break }
      let candidate = day * perDay + allowed
      guard candidate < end else { break }
      let remainder = (candidate - first) % interval
      if remainder == 0 {
        total += 1
        position = allowed + 1
      } else {
        let shifted = (remainder + interval) % interval
        guard interval - shifted < perDay else { break }
        position = allowed + (interval - shifted)
      }
    }
    return total
  }

  /// The number of occurrences of a clock rule from the start to before a time, its end aside.
  func clockCount(before end: CivilDateTime) -> Int64 {
    guard end > start else { return 0 }
    let offsets = clockOffsets()
    let endUnit = unit(of: end)
    var total = unitCount(before: endUnit) * Int64(offsets.count)
    // Offsets of the first unit that lie before the start.
    let inStart = Int(start.civilSeconds) - unit(of: start) * unitSeconds
    if unitCount(before: unit(of: start) + 1) == 1, endUnit > unit(of: start) {
      total -= Int64(offsets.count { $0 < inStart })
    }
    if unitCount(before: endUnit + 1) > unitCount(before: endUnit) {
      let inEnd = Int(end.civilSeconds) - endUnit * unitSeconds
      let floor = endUnit == unit(of: start) ? inStart : 0
      total += Int64(offsets.count { $0 >= floor && $0 < inEnd })
    }
    return total
  }
}
