/// The offsets of one time zone over all time: listed transitions, and the rule after the last.
public struct TimeZoneRules: Sendable {
  /// The name under which the rules were loaded.
  public let id: TimeZoneID
  /// Transition instants in seconds, increasing.
  let transitions: [Int64]
  /// `offsets[i]` holds before `transitions[i]`, `offsets[i + 1]` from it on.
  let offsets: [Int32]
  /// The rule after the last transition; nil if the last offset holds for ever.
  let footer: POSIXTimeZone?

  init(id: TimeZoneID, transitions: [Int64], offsets: [Int32], footer: POSIXTimeZone?) {
    self.id = id
    self.transitions = transitions
    self.offsets = offsets
    self.footer = footer
  }

  /// Creates rules with one offset for all time.
  public init(fixed offset: UTCOffset) {
    self.init(id: .utc, transitions: [], offsets: [offset.seconds], footer: nil)
  }

  /// Coordinated Universal Time.
  public static let utc = TimeZoneRules(fixed: .zero)

  /// The offset that holds at an instant.
  ///
  /// - Complexity: O(log *n*) in the number of listed transitions; constant after the last one.
  public func offset(at instant: Instant) -> UTCOffset {
    UTCOffset(seconds: offsetSeconds(at: instant.seconds))
  }

  /// What a clock of the zone shows at an instant.
  public func civil(at instant: Instant) -> CivilDateTime {
    CivilDateTime(
      civilSeconds: instant.adding(seconds: Int64(offsetSeconds(at: instant.seconds))).seconds)
  }

  /// The instants at which clocks of the zone show a wall-clock time.
  ///
  /// - Complexity: as `offset(at:)`.
  public func resolve(_ civil: CivilDateTime) -> CivilResolution {
    let wall = civil.civilSeconds
    // No zone is a full day from UTC, and no two changes are that near to each other in one day
    // without the two offsets below seeing both.
    let before = offsetSeconds(at: wall - 86_400)
    let after = offsetSeconds(at: wall + 86_400)
    if before == after {
      let candidate = wall - Int64(before)
      if offsetSeconds(at: candidate) == before { return .unique(Instant(seconds: candidate)) }
      return resolveSlowly(wall)
    }
    let early = wall - Int64(before)
    let late = wall - Int64(after)
    let earlyHolds = offsetSeconds(at: early) == before
    let lateHolds = offsetSeconds(at: late) == after
    switch (earlyHolds, lateHolds) {
    case (true, true): return .fold(first: Instant(seconds: early), second: Instant(seconds: late))
    case (true, false): return .unique(Instant(seconds: early))
    case (false, true): return .unique(Instant(seconds: late))
    case (false, false):
      let change = lastChange(from: wall - 86_400, through: wall + 86_400, matching: wall)
      guard let change else { return resolveSlowly(wall) }
      return .gap(
        Instant(seconds: wall - Int64(change.before)),
        before: UTCOffset(seconds: change.before), after: UTCOffset(seconds: change.after))
    }
  }

  /// The instant that RFC 5545 3.3.5 gives a wall-clock time of the zone.
  public func instant(of civil: CivilDateTime) -> Instant {
    resolve(civil).instant
  }

  /// The first change of the offset after an instant and the offset from then on, or nil if the
  /// offset never changes again.
  public func nextTransition(after instant: Instant) -> (at: Instant, offset: UTCOffset)? {
    let index = upperBound(instant.seconds)
    for next in index..<transitions.count where offsets[next + 1] != offsets[next] {
      return (Instant(seconds: transitions[next]), UTCOffset(seconds: offsets[next + 1]))
    }
    guard let footer, footer.daylight != nil else { return nil }
    let begin = max(instant.seconds, transitions.last ?? .min)
    let year = CivilDateTime(civilSeconds: begin).date.year
    for candidate in (year - 1)...(year + 2) {
      for change in footer.changes(inYear: candidate) where change.at > begin {
        let previous = offsetSeconds(at: change.at - 1)
        // In a year-round daylight rule one year ends as the next begins: nothing changes then.
        let offset = offsetSeconds(at: change.at)
        if offset != previous {
          return (Instant(seconds: change.at), UTCOffset(seconds: offset))
        }
      }
    }
    return nil
  }

  /// The number of transitions at or before an instant.
  private func upperBound(_ seconds: Int64) -> Int {
    var low = 0
    var high = transitions.count
    while low < high {
      let middle = (low &+ high) &>> 1
      if transitions[middle] <= seconds { low = middle &+ 1 } else { high = middle }
    }
    return low
  }

  private func offsetSeconds(at seconds: Int64) -> Int32 {
    let index = upperBound(seconds)
    if index == transitions.count, let footer { return footer.offset(at: seconds) }
    return offsets[index]
  }

  /// The change in a span of instants whose skipped wall-clock times contain `wall`.
  private func lastChange(
    from begin: Int64, through end: Int64, matching wall: Int64
  ) -> (before: Int32, after: Int32)? {
    var position = Instant(seconds: begin)
    while let change = nextTransition(after: position), change.at.seconds <= end {
      let before = offsetSeconds(at: change.at.seconds - 1)
      let after = change.offset.seconds
      if wall >= change.at.seconds + Int64(before), wall < change.at.seconds + Int64(after) {
        return (before, after)
      }
      position = change.at
    }
    return nil
  }

  /// Tries the offset of every change around a wall-clock time: for zones that change twice within
  /// two days.
  private func resolveSlowly(_ wall: Int64) -> CivilResolution {
    var candidates: [Int64] = []
    var position = Instant(seconds: wall - 172_800)
    var offset = offsetSeconds(at: position.seconds)
    while true {
      let candidate = wall - Int64(offset)
      if offsetSeconds(at: candidate) == offset, !candidates.contains(candidate) {
        candidates.append(candidate)
      }
      guard let change = nextTransition(after: position), change.at.seconds <= wall + 172_800 else {
        break
      }
      offset = change.offset.seconds
      position = change.at
    }
    candidates.sort()
    if let first = candidates.first {
      guard let second = candidates.dropFirst().first else {
        return .unique(Instant(seconds: first))
      }
      return .fold(first: Instant(seconds: first), second: Instant(seconds: second))
    }
    let change = lastChange(from: wall - 172_800, through: wall + 172_800, matching: wall)
    let before = change?.before ?? offsetSeconds(at: wall - 86_400)
    return .gap(
      Instant(seconds: wall - Int64(before)), before: UTCOffset(seconds: before),
      after: UTCOffset(seconds: change?.after ?? before))
  }
}
