public import CivilTime

/// The occurrences of one rule in time order, as wall-clock times: a sequence that is made as it is
/// read.
///
/// Occurrences are those the rule makes; the start of the series is among them only if the rule
/// makes it.
public struct RuleOccurrences: Sequence, IteratorProtocol, Sendable {
  /// Why a sequence has ended.
  public enum Stop: Hashable, Sendable {
    /// COUNT or UNTIL was reached.
    case finished
    /// The rule goes on beyond the last year, 9999.
    case lastYear
    /// The rule can never make an occurrence.
    case neverMatches
    /// The calendar of the rule is not supported, or a value of it is out of range; the rule is
    /// carried, not evaluated.
    case notEvaluable
    /// The search took more steps than are allowed; there may be further occurrences.
    case workLimit
  }

  /// Why the sequence has ended; nil as long as it goes on.
  public private(set) var stop: Stop?

  /// The steps that one call of `next` may take.
  static let budget = 16_000_000

  private let compiled: CompiledRule
  private let isClock: Bool
  private let begin: Int64
  private let until: Int64
  private var remaining: Int64

  // Calendar rules: the days of the current period, and where in it the next occurrence is.
  private var period = 0
  private var days: [Int] = []
  private var members: [Int] = []
  private var index = 0
  private var memberCount = 0
  private let timeCount: Int

  // Clock rules: the current unit and the next of its offsets.
  private var unit = 0
  private var offsets: [Int] = []

  init(rule: RecurrenceRule, start: CivilDateTime, from: CivilDateTime?) {
    guard rule.isExpandable else {
      compiled = CompiledRule(RecurrenceRule(frequency: .yearly), start: start)
      timeCount = 1
      isClock = false
      (begin, until, remaining) = (0, 0, 0)
      stop = .notEvaluable
      return
    }
    compiled = CompiledRule(rule, start: start)
    timeCount = compiled.timeCount
    isClock = compiled.isClock
    let origin = Swift.max(from ?? start, start)
    begin = origin.civilSeconds
    until = RuleOccurrences.bound(rule.until)
    remaining = rule.count ?? .max
    if let count = rule.count, origin > start {
      remaining = Swift.max(0, count - compiled.count(before: origin))
    }
    if isClock {
      offsets = compiled.clockOffsets()
      if compiled.clockCanMatch() {
        unit = compiled.unit(of: origin)
        index = offsets.count
        advanceUnit(from: unit)
      } else {
        stop = .neverMatches
      }
    } else {
      period = compiled.period(notAfter: Int(origin.date.dayNumber))
      fillPeriod()
    }
  }

  /// The last wall-clock second of UNTIL; an instant is left a day of room for the zone.
  private static func bound(_ until: RecurrenceRule.Until?) -> Int64 {
    switch until {
    case nil: .max
    case .date(let date): Int64(date.dayNumber) * 86_400 + 86_399
    case .dateTime(let dateTime): dateTime.civilSeconds
    case .instant(let instant): instant.adding(seconds: 93_600).seconds
    }
  }

  /// The next occurrence, or nil at the end; `stop` then says why.
  public mutating func next() -> CivilDateTime? {
    while stop == nil {
      guard remaining > 0 else {
        stop = .finished
        break
      }
      let seconds: Int64
      if isClock {
        if index == offsets.count { advanceUnit(from: unit + 1) }
        guard stop == nil else { break }
        seconds = Int64(unit) * Int64(compiled.unitSeconds) + Int64(offsets[index])
        index += 1
      } else {
        if index == memberCount {
          period += 1
          fillPeriod()
          guard stop == nil else { break }
        }
        seconds = memberSeconds(index)
        index += 1
      }
      if seconds < begin { continue }
      if seconds > until {
        stop = .finished
        break
      }
      remaining -= 1
      return CivilDateTime(civilSeconds: seconds)
    }
    return nil
  }

  @inline(__always)
  private func memberSeconds(_ index: Int) -> Int64 {
    let member = members.isEmpty ? index : members[index]
    if timeCount == 1 { return Int64(days[member]) * 86_400 + Int64(compiled.time(0)) }
    let (day, time) = member.quotientAndRemainder(dividingBy: timeCount)
    return Int64(days[day]) * 86_400 + Int64(compiled.time(time))
  }

  /// Fills the current period, or the next one that holds anything.
  private mutating func fillPeriod() {
    var empty = 0
    while true {
      days.removeAll(keepingCapacity: true)
      guard compiled.appendDays(ofPeriod: period, to: &days) else {
        stop = .lastYear
        return
      }
      memberCount = days.count * timeCount
      if !compiled.positions.isEmpty {
        compiled.select(of: memberCount, into: &members)
        memberCount = members.count
      }
      index = 0
      if memberCount > 0 { return skipBeforeBegin() }
      if let day = days.first, Int64(day) * 86_400 > until {
        stop = .finished
        return
      }
      empty += 1
      // A whole cycle without an occurrence: there will never be one.
      guard empty <= compiled.cycle else {
        stop = .neverMatches
        return
      }
      period += 1
    }
  }

  /// Passes over the members of a big period that lie before the window.
  private mutating func skipBeforeBegin() {
    guard memberCount > 64, memberSeconds(0) < begin else { return }
    var low = 0
    var high = memberCount
    while low < high {
      let middle = (low + high) / 2
      if memberSeconds(middle) < begin { low = middle + 1 } else { high = middle }
    }
    index = low
    if low == memberCount {
      period += 1
      fillPeriod()
    }
  }

  private mutating func advanceUnit(from first: Int) {
    var budget = RuleOccurrences.budget
    guard let next = compiled.nextUnit(from: first, budget: &budget) else {
      stop = budget < 0 ? .workLimit : .lastYear
      return
    }
    unit = next
    index = 0
  }
}

extension RecurrenceRule {
  /// The occurrences that the rule makes for a series, from a time on.
  ///
  /// - Parameters:
  ///   - start: the start of the series on its own clock (DTSTART); no occurrence lies before it.
  ///   - from: the first moment of interest; nil for the start.
  /// - Complexity: reaching `from` does not depend on its distance from the start, with COUNT as
  ///   without.
  public func occurrences(start: CivilDateTime, from: CivilDateTime? = nil) -> RuleOccurrences {
    RuleOccurrences(rule: self, start: start, from: from)
  }

  /// The number of occurrences that the rule makes from the start to before a time, COUNT and UNTIL
  /// regarded; 0 if the rule cannot be evaluated. An UNTIL that is an instant is compared as UTC.
  ///
  /// - Complexity: independent of the distance from the start.
  public func occurrenceCount(start: CivilDateTime, before end: CivilDateTime) -> Int64 {
    guard isExpandable else { return 0 }
    let limit = min(end, endOfUntil)
    return min(CompiledRule(self, start: start).count(before: limit), max(0, count ?? .max))
  }

  /// The first moment after UNTIL, an instant read as UTC; the end of the last year without one.
  private var endOfUntil: CivilDateTime {
    switch until {
    case nil: CivilDateTime(date: CivilDate.last.adding(days: 1))
    case .date(let date): CivilDateTime(date: date.adding(days: 1))
    case .dateTime(let value): CivilDateTime(civilSeconds: value.civilSeconds + 1)
    case .instant(let value): value.adding(seconds: 1).utc
    }
  }

  /// Whether the rule makes an occurrence at a time.
  public func matches(_ dateTime: CivilDateTime, start: CivilDateTime) -> Bool {
    var occurrences = occurrences(start: start, from: dateTime)
    return occurrences.next() == dateTime
  }

  /// The last occurrence, or nil if the rule has no end or makes none.
  ///
  /// - Complexity: a bounded number of seeks, independent of the distance from the start.
  public func lastOccurrence(start: CivilDateTime) -> CivilDateTime? {
    guard isFinite, isExpandable else { return nil }
    if let count, count <= RecurrenceRule.fewOccurrences {
      let few = occurrences(start: start).reduce(into: (number: 0, last: start)) {
        $0 = ($0.number + 1, $1)
      }
      return few.number == 0 ? nil : few.last
    }
    let compiled = CompiledRule(self, start: start)
    let end = endOfUntil
    let total = min(compiled.count(before: end), max(0, count ?? .max))
    guard total > 0 else { return nil }
    // Bisects for the moment before which one occurrence is missing.
    var low = start.civilSeconds
    var high = end.civilSeconds
    while low < high {
      let middle = low + (high - low) / 2
      let count = compiled.count(before: CivilDateTime(civilSeconds: middle + 1))
      if count >= total { high = middle } else { low = middle + 1 }
    }
    return CivilDateTime(civilSeconds: low)
  }

  /// Up to how many occurrences it is quicker to make them all than to search.
  private static let fewOccurrences = 256
}

extension CompiledRule {
  /// The number of occurrences from the start to before a time, COUNT and UNTIL aside.
  func count(before end: CivilDateTime) -> Int64 {
    let limit = min(end, CivilDateTime(date: CivilDate.last.adding(days: 1)))
    return isClock ? clockCount(before: limit) : calendarCount(before: limit)
  }

  /// Whether the rule counts units of the clock.
  var isClock: Bool { frequency.rawValue >= RecurrenceRule.Frequency.hourly.rawValue }
}
