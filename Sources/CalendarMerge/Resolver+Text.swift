import CalendarModel

extension Resolver {
  /// Merges the writes of a text: every one of them is replayed on what the common state has.
  mutating func pickText(_ unit: String) {
    guard let writes = live[unit] else { return }
    let base = history.nodes[0].units[unit]
    let all = reachableWrites(of: unit)
    let isText =
      (writes + all).allSatisfy { Resolver.isText($0.value) } && Resolver.isText(base)
      && (Unit.split(unit).scope.isEmpty
        || (writes + all).allSatisfy { $0.value != nil } && base != nil)
    guard !writes.agree, isText, writes.allSatisfy({ $0.node != 0 }),
      writes.allSatisfy({ history.nodes[$0.node].written[unit]?.value == $0.value })
    else {
      let (value, rivals) = PropertyMerge.pick(.latest, writes)
      return choose(unit, value, writes, rivals: rivals)
    }
    var replay = TextReplay(Resolver.lines(base))
    for write in all {
      let seen = history.nodes[write.node].ancestors
      replay.replay(write.node, Resolver.lines(write.value)) {
        seen.contains($0) && $0 != write.node
      }
    }
    let shown = replay.visible { _ in true }
    let value =
      shown.isEmpty ? Optional.none : CalendarObject.textValue(shown.joined(separator: "\n"))
    let common = replay.visible { node in writes.allSatisfy { history.hasSeen($0.node, node) } }
    let isClash = Resolver.clashes(writes.map { Resolver.lines($0.value) }, over: common)
    choose(unit, value, writes, rivals: isClash ? writes.filter { $0.value != value } : [])
  }

  /// All writes of a unit that the heads have seen: earlier ones first, ties by their order.
  private func reachableWrites(of unit: String) -> [Write] {
    var open: [Write] = []
    for (number, node) in history.nodes.enumerated() {
      if let write = node.written[unit], heads.contains(where: { history.hasSeen($0, number) }) {
        open.append(write)
      }
    }
    var result: [Write] = []
    while !open.isEmpty {
      let ready = open.filter { write in
        !open.contains { $0.node != write.node && history.hasSeen(write.node, $0.node) }
      }
      guard let next = ready.inOrder.first else { break }
      result.append(next)
      open.removeAll { $0.node == next.node }
    }
    return result
  }

  private static func isText(_ value: JSONValue?) -> Bool {
    switch value {
    case nil, .string: true
    case .array(let lines): lines.allSatisfy { $0.stringValue != nil }
    default: false
    }
  }

  private static func lines(_ value: JSONValue?) -> [String] {
    guard value != nil else { return [] }
    return CalendarObject.text(value).split(separator: "\n", omittingEmptySubsequences: false)
      .map(String.init)
  }

  /// Whether some versions of a text changed the same lines differently.
  private static func clashes(_ versions: [[String]], over common: [String]) -> Bool {
    let changes = versions.map { LineDiff.hunks(from: common, to: $0) }
    for (index, hunks) in changes.enumerated() {
      for others in changes[(index + 1)...] where hunks != others {
        for hunk in hunks where others.contains(where: { hunk.overlaps($0) }) { return true }
      }
    }
    return false
  }
}
