import CalendarModel

/// Chooses the value shown among several that were written without knowing of each other.
enum PropertyMerge {
  /// The value shown and the writes that go into `conflicts`.
  ///
  /// - Parameter writes: at least one.
  static func pick(_ rule: UnitRule, _ writes: [Write]) -> (shown: JSONValue?, rivals: [Write]) {
    let writes = writes.inOrder
    guard let last = writes.last, !writes.agree else { return (writes.last?.value, []) }
    func differing(from shown: JSONValue?) -> [Write] { writes.filter { $0.value != shown } }
    switch rule {
    case .latest, .text, .end, .existence: return (last.value, differing(from: last.value))
    case .quiet: return (last.value, [])
    case .greatest: return (extreme(writes.map(\.value), greatest: true), [])
    case .smallest: return (extreme(writes.map(\.value), greatest: false), [])
    case .status:
      let shown = highest(writes, rank: statusRank)
      return (shown, differing(from: shown))
    case .progress:
      let shown = highest(writes, rank: progressRank)
      return (shown, clash(writes.map(\.value)) ? differing(from: shown) : [])
    }
  }

  /// The greatest or smallest of some instants or numbers; absent ones do not count.
  private static func extreme(_ values: [JSONValue?], greatest: Bool) -> JSONValue? {
    values.compactMap { $0 }.filter { !$0.isNull }.max { left, right in
      let precedes: Bool
      if let first = left.integerValue, let second = right.integerValue {
        precedes = first < second
      } else {
        precedes = CanonicalJSON.inline(left).utf8.lexicographicallyPrecedes(
          CanonicalJSON.inline(right).utf8)
      }
      return greatest ? precedes : !precedes && left != right
    }
  }

  /// The value of the highest rank, the latest among those.
  private static func highest(_ writes: [Write], rank: (JSONValue?) -> Int) -> JSONValue? {
    var best: JSONValue?
    var bestRank = Int.min
    for write in writes where rank(write.value) >= bestRank {
      best = write.value
      bestRank = rank(write.value)
    }
    return best
  }

  private static func statusRank(_ value: JSONValue?) -> Int {
    switch value?.stringValue {
    case "cancelled": 3
    case "confirmed": 2
    case "tentative": 1
    default: 0
    }
  }

  private static func progressRank(_ value: JSONValue?) -> Int {
    switch value?.stringValue {
    case "completed": 5
    case "cancelled": 4
    case "failed": 3
    case "in-process": 2
    case nil, "needs-action": 0
    default: 1
    }
  }

  /// Whether states of a reminder contradict each other: completed against needs-action, or two
  /// final ones, or one that is not known.
  private static func clash(_ values: [JSONValue?]) -> Bool {
    let ranks = Set(values.map(progressRank))
    return ranks.contains(5) && ranks.contains(0) || ranks.filter { $0 >= 3 }.count > 1
      || ranks.contains(1)
  }
}
