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

  /// The next day that the filters let pass; nil if there is none up to the last year.
  private func nextDay(after day: Int, budget: inout Int) -> Int? {
    var candidate = day + 1
    while candidate <= CompiledRule.lastDay {
      budget -= 1
      if budget < 0 { return nil }
      if !yearDays.isEmpty { candidate = nextYearDay(from: candidate) }
      let (year, month, day) = CivilDate.parts(ofDayNumber: candidate)
      let length = CivilDate.daysInMonth(month, year: year)
      if months & (1 << month) != 0 {
        let mask = dayMask(year: year, month: month) & (.max << day)
        if mask != 0 {
          let next = candidate + mask.trailingZeroBitCount - day
          if next > CompiledRule.lastDay { return nil }
          if next == candidate || yearDays.isEmpty { return next }
          candidate = next
          continue
        }
      }
      candidate += length - day + 1
    }
    return nil
  }

  /// The first day at or after one that BYYEARDAY names, or the next New Year if its year has none.
  private func nextYearDay(from day: Int) -> Int {
    let year = CivilDate.parts(ofDayNumber: day).year
    let newYear = CivilDate.dayNumber(year: year, month: 1, day: 1)
    let length = CivilDate.daysInYear(year)
    var best = newYear + length
    for value in yearDays {
      let index = value > 0 ? value - 1 : length + value
      if index >= 0, index < length, newYear + index >= day { best = min(best, newYear + index) }
    }
    return best
  }

  /// The number of days after which the filters of the day repeat.
  private var dayCycle: Int { isUnfilteredByDate ? (weekdays == 0 ? 1 : 7) : 146_097 }

  /// Whether the filters of day and time can ever be met together on the grid of the interval.
  ///
  /// A unit is number *d* · `perDay` + *t*. It is on the grid if *d* · `perDay` + *t* ≡ `first`
  /// modulo the interval. With *g* = gcd(`perDay`, interval) that needs *t* ≡ `first` modulo *g*,
  /// and then fixes *d* modulo interval / *g*; the filters of the day know *d* modulo `dayCycle`.
  /// Both can be met by one day if they agree modulo the gcd of the two.
  func clockCanMatch() -> Bool {
    guard !clockOffsets().isEmpty else { return false }
    let perDay = unitsPerDay
    let grid = CompiledRule.gcd(perDay, interval)
    let modulus = CompiledRule.gcd(dayCycle, interval / grid)
    var passes = [Bool](repeating: false, count: modulus)
    guard markPassingDays(&passes) else { return false }
    let inverse = CompiledRule.inverse(of: perDay / grid % modulus, modulo: modulus)
    let (firstDay, firstTime) = unit(of: start).quotientAndRemainder(dividingBy: perDay)
    var position = 0
    while position < perDay, let allowed = nextAllowed(inDay: position) {
      position = allowed + 1
      guard (allowed - firstTime) % grid == 0 else { continue }
      let day = (firstTime - allowed) / grid % modulus * inverse % modulus + firstDay
      if passes[(day % modulus + modulus) % modulus] { return true }
    }
    return false
  }

  /// Marks the residues of days that the filters of the day let pass; false if there is no day.
  private func markPassingDays(_ passes: inout [Bool]) -> Bool {
    if takesEveryDay {
      for index in passes.indices { passes[index] = true }
      return true
    }
    let first = Int(start.date.dayNumber)
    var day = first - 1
    var budget = Int.max
    var found = false
    while let next = nextDay(after: day, budget: &budget), next < first + dayCycle {
      found = true
      passes[(next % passes.count + passes.count) % passes.count] = true
      if passes.count == 1 { return true }
      day = next
    }
    // Filters know no year, so a cycle that the last year cuts off may go on before the start.
    guard first + dayCycle > CompiledRule.lastDay else { return found }
    for day in (first - dayCycle)..<first where takesDay(day) {
      found = true
      passes[(day % passes.count + passes.count) % passes.count] = true
    }
    return found
  }

  /// The number whose product with another is 1 modulo a number to which that is coprime.
  static func inverse(of value: Int, modulo modulus: Int) -> Int {
    var (old, new) = (value, modulus)
    var (factor, next) = (1, 0)
    while new != 0 {
      let quotient = old / new
      (old, new) = (new, old - quotient * new)
      (factor, next) = (next, factor - quotient * next)
    }
    return (factor % modulus + modulus) % modulus
  }

  /// The number of units of the series from its start to before a unit.
  ///
  /// - Complexity: closed form without filters of the day, and by the shapes of years where the
  ///   interval divides the day; otherwise every day that passes is looked at, up to the cycle of
  ///   filters and interval.
  private func unitCount(before end: Int) -> Int64 {
    let first = unit(of: start)
    guard end > first else { return 0 }
    let hasTimeFilter =
      !rule.byHour.isEmpty || (frequency != .hourly && !rule.byMinute.isEmpty)
      || (frequency == .secondly && !rule.bySecond.isEmpty)
    if !hasTimeFilter && takesEveryDay { return Int64((end - first - 1) / interval + 1) }
    let perDay = unitsPerDay
    // The pattern of residues repeats after this many days.
    let residueCycle = interval / CompiledRule.gcd(interval, perDay)
    let firstDay = CompiledRule.floorDivide(first, perDay)
    let endDay = CompiledRule.floorDivide(end, perDay)
    var total = countInDay(firstDay, from: first, to: min(end, (firstDay + 1) * perDay))
    if endDay > firstDay {
      total += countInDay(endDay, from: endDay * perDay, to: end)
      if residueCycle == 1 {
        // Every day that passes holds the same units.
        let days = takenDays(in: (firstDay + 1)..<endDay)
        return total + Int64(days) * countOnGrid(inDay: firstDay)
      }
      total += countByDays((firstDay + 1)..<endDay, residueCycle: residueCycle)
    }
    return total
  }

  /// The number of units on days that the filters let pass, where it differs from day to day.
  private func countByDays(_ days: Range<Int>, residueCycle: Int) -> Int64 {
    var known: [Int: Int64] = [:]
    func sum(_ days: Range<Int>) -> Int64 {
      var total: Int64 = 0
      var budget = Int.max
      var day = days.lowerBound - 1
      while let next = nextDay(after: day, budget: &budget), next < days.upperBound {
        day = next
        let residue = day % residueCycle
        if let count = known[residue] {
          total += count
        } else {
          let count = countOnGrid(inDay: day)
          known[residue] = count
          total += count
        }
      }
      return total
    }
    let (cycle, overflow) =
      (dayCycle / CompiledRule.gcd(dayCycle, residueCycle))
      .multipliedReportingOverflow(by: residueCycle)
    if overflow || days.count <= cycle { return sum(days) }
    let (full, rest) = days.count.quotientAndRemainder(dividingBy: cycle)
    let middle = days.lowerBound + rest
    return sum(days.lowerBound..<middle) * Int64(full + 1)
      + sum(middle..<(days.lowerBound + cycle)) * Int64(full)
  }

  /// The number of units of the series within one day and a range of units of it.
  private func countInDay(_ day: Int, from begin: Int, to end: Int) -> Int64 {
    guard begin < end, takesDay(day) else { return 0 }
    return countOnGrid(inDay: day, from: begin, to: end)
  }

  /// The same without the filters of the day; the whole day unless told.
  private func countOnGrid(inDay day: Int, from begin: Int? = nil, to end: Int? = nil) -> Int64 {
    let perDay = unitsPerDay
    let begin = begin ?? day * perDay
    let end = end ?? (day + 1) * perDay
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

  /// Whether a unit at or after the first one belongs to the series.
  private func hasUnit(_ unit: Int) -> Bool {
    let day = CompiledRule.floorDivide(unit, unitsPerDay)
    let inDay = unit - day * unitsPerDay
    return (unit - self.unit(of: start)) % interval == 0 && takesDay(day)
      && nextAllowed(inDay: inDay) == inDay
  }

  /// The number of occurrences of a clock rule from the start to before a time, its end aside.
  func clockCount(before end: CivilDateTime) -> Int64 {
    guard end > start else { return 0 }
    let offsets = clockOffsets()
    let endUnit = unit(of: end)
    var total = unitCount(before: endUnit) * Int64(offsets.count)
    // Offsets of the first unit that lie before the start.
    let inStart = Int(start.civilSeconds) - unit(of: start) * unitSeconds
    if endUnit > unit(of: start), hasUnit(unit(of: start)) {
      total -= Int64(offsets.count { $0 < inStart })
    }
    if hasUnit(endUnit) {
      let inEnd = Int(end.civilSeconds) - endUnit * unitSeconds
      let floor = endUnit == unit(of: start) ? inStart : 0
      total += Int64(offsets.count { $0 >= floor && $0 < inEnd })
    }
    return total
  }
}
