package import CalendarModel
package import CivilTime

/// A commit that touched an object, or joined histories of it.
package struct HistoryCommit: Sendable {
  /// The commit's ID.
  package var id: String
  /// The nearest earlier commits of this history; none, or IDs that are not part of it, stand for
  /// the common state.
  package var parents: [String]
  /// The author time.
  package var at: Instant
  /// The author's name.
  package var by: String
  /// The object as the commit has it; nil if it has none.
  package var version: ObjectVersion?
  /// The commit has a file that cannot be read. It says nothing then: the version before holds, of
  /// a merge what the rules make of its parents.
  package var isUnreadable: Bool

  /// Creates a commit.
  package init(
    id: String, parents: [String], at: Instant, by: String, version: ObjectVersion?,
    isUnreadable: Bool = false
  ) {
    self.id = id
    self.parents = parents
    self.at = at
    self.by = by
    self.version = version
    self.isUnreadable = isUnreadable
  }
}

/// What happened to one object since a state that all heads have in common: the graph of its
/// versions, and for every unit which writes are still alive.
package struct ObjectHistory: Sendable {
  /// A state of the object.
  struct Node: Sendable {
    var id: String
    var stamp: WriteStamp?
    var parents: [Int]
    /// The node itself and everything it has seen.
    var ancestors: NodeSet
    var version: ObjectVersion?
    /// The units, also those that are carried unseen.
    var units: [String: JSONValue]
    /// The writes that are alive here, of units written at all.
    var live: [String: [Write]]
    /// What this node wrote.
    var written: [String: Write] = [:]
    /// A merge that shows something else than the rules compute although nobody wrote it.
    var needsRepair = false
  }

  let frame: Frame
  let kind: FileKind
  private(set) var nodes: [Node] = []
  private var numbers: [String: Int] = [:]

  /// Creates a history.
  ///
  /// - Parameters:
  ///   - base: the state that all commits have in common; nil if there was no object.
  ///   - remembered: if `base` is nil, what the object was when it was deleted before, so that
  ///     bringing it back writes only what differs.
  ///   - commits: in any order; their graph must reach the common state on every path. Commits
  ///     that changed nothing may be left out or not.
  /// - Complexity: the number of commits times the units they touch.
  package init(
    kind: FileKind, base: ObjectVersion?, remembered: ObjectVersion? = nil, commits: [HistoryCommit]
  ) {
    let versions = [base, remembered].compactMap { $0 } + commits.compactMap(\.version)
    self.init(kind: kind, base: base, remembered: remembered, versions: versions)
    for commit in Self.sorted(commits) {
      let stamp = WriteStamp(at: commit.at, by: commit.by, id: commit.id)
      append(
        id: commit.id, parents: commit.parents.map { numbers[$0] ?? 0 }, version: commit.version,
        stamp: stamp, unitStamp: nil, isUnreadable: commit.isUnreadable)
    }
  }

  /// Creates a history of the common state alone; the versions to come must be known.
  init(
    kind: FileKind, base: ObjectVersion?, remembered: ObjectVersion? = nil,
    versions: [ObjectVersion]
  ) {
    self.kind = kind
    frame = Frame(kind: kind, versions: versions)
    var units = Decomposition(base ?? remembered, frame: frame).units
    if base == nil { units[Unit.object] = nil }
    var ancestors = NodeSet()
    ancestors.insert(0)
    var root = Node(
      id: "", stamp: nil, parents: [], ancestors: ancestors, version: base, units: units, live: [:])
    for (unit, entries) in ConflictEntries.of(base) {
      root.live[unit] =
        [ConflictEntries.shown(units[unit], over: entries, stamp: nil, node: 0)]
        + ConflictEntries.writes(entries, node: 0)
    }
    nodes = [root]
  }

  /// Commits with every parent before its children; ties do not matter for the result.
  private static func sorted(_ commits: [HistoryCommit]) -> [HistoryCommit] {
    let byID = Dictionary(commits.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    var result: [HistoryCommit] = []
    var done: Set<String> = []
    for start in commits where !done.contains(start.id) {
      var stack: [(commit: HistoryCommit, next: Int)] = [(start, 0)]
      done.insert(start.id)
      while let (commit, next) = stack.last {
        if next < commit.parents.count {
          stack[stack.count - 1].next += 1
          if let parent = byID[commit.parents[next]], !done.contains(parent.id) {
            done.insert(parent.id)
            stack.append((parent, 0))
          }
        } else {
          result.append(commit)
          stack.removeLast()
        }
      }
    }
    return result
  }

  /// The node of a commit; an ID that is not part of the history is the common state.
  func node(_ id: String) -> Int { numbers[id] ?? 0 }

  /// Whether one node has seen another, or is it.
  func hasSeen(_ node: Int, _ other: Int) -> Bool { nodes[node].ancestors.contains(other) }

  /// Whether two writes do not know of each other.
  func areConcurrent(_ left: Write, _ right: Write) -> Bool {
    !hasSeen(left.node, right.node) && !hasSeen(right.node, left.node)
  }

  // MARK: - Growing

  /// Adds a node; its parents must be there.
  ///
  /// - Parameters:
  ///   - unitStamp: tells when a unit was last written on this side, for a node that stands for many
  ///     commits; nil if the node is one commit.
  ///   - candidates: units to ask about besides those that the node or its parent has.
  @discardableResult
  mutating func append(
    id: String, parents: [Int], version: ObjectVersion?, stamp: WriteStamp?,
    unitStamp: (@Sendable (String) -> WriteStamp?)?, candidates: Set<String> = [],
    isUnreadable: Bool = false
  ) -> Int {
    let number = nodes.count
    let parents = Self.reduced(parents.isEmpty ? [0] : parents, nodes)
    var ancestors = NodeSet()
    for parent in parents { ancestors.formUnion(nodes[parent].ancestors) }
    ancestors.insert(number)
    numbers[id] = number
    var node = Node(
      id: id, stamp: stamp, parents: parents, ancestors: ancestors, version: version, units: [:],
      live: [:])
    if parents.count == 1, isUnreadable || nodes[parents[0]].version == version, unitStamp == nil {
      node.version = nodes[parents[0]].version
      node.units = nodes[parents[0]].units
      node.live = nodes[parents[0]].live
      node.needsRepair = nodes[parents[0]].needsRepair
      nodes.append(node)
      return number
    }
    // The node has to be there when its own writes are compared with others.
    nodes.append(node)
    if parents.count == 1 {
      fillPlain(number, unitStamp: unitStamp, candidates: candidates)
    } else {
      fillMerge(number, isUnreadable: isUnreadable)
    }
    return number
  }

  /// Parents without those that another parent has seen.
  private static func reduced(_ parents: [Int], _ nodes: [Node]) -> [Int] {
    var result: [Int] = []
    for parent in parents where !result.contains(parent) {
      let isSeen = parents.contains { $0 != parent && nodes[$0].ancestors.contains(parent) }
      if !isSeen { result.append(parent) }
    }
    return result
  }

  private mutating func fillPlain(
    _ number: Int, unitStamp: (@Sendable (String) -> WriteStamp?)?, candidates: Set<String>
  ) {
    var node = nodes[number]
    let parent = nodes[node.parents[0]]
    let decomposition = Decomposition(node.version, frame: frame)
    node.units = carried(decomposition, over: parent.units, version: node.version)
    node.live = parent.live
    node.needsRepair = parent.needsRepair
    for unit in Set(parent.units.keys).union(node.units.keys).union(candidates) {
      let stamp = unitStamp?(unit)
      let isTouched = stamp != nil && decomposition.units[unit] == node.units[unit]
      if !isTouched, isSame(unit, parent.units, node.units) { continue }
      write(unit, in: &node, number, parents: [parent], stamp: stamp ?? node.stamp)
    }
    nodes[number] = node
    noticeSettled(number, before: ConflictEntries.of(parent.version), unitStamp: unitStamp)
  }

  private func carried(
    _ decomposition: Decomposition, over parent: [String: JSONValue], version: ObjectVersion?
  ) -> [String: JSONValue] {
    var cut: SeriesEnd?
    if frame.isSeries, let version,
      isCut(decomposition.units[Unit.end], [parent], decomposition.units, version)
    {
      cut = SeriesEnd(version.members, kind: kind)
    }
    return Carry(parent: parent, isBehindCut: { cut?.endsBefore($0) ?? false })
      .complete(decomposition)
  }

  /// Whether an end makes a version's series stop earlier than the ends of other versions would.
  private func isCut(
    _ end: JSONValue?, _ parents: [[String: JSONValue]], _ units: [String: JSONValue],
    _ version: ObjectVersion
  ) -> Bool {
    guard end != nil, units[Unit.day]?.objectValue?["recurrenceRule"] != nil else { return false }
    let order = SeriesEnd(version.members, kind: kind)
    return parents.allSatisfy { order.isEarlier(end, than: $0[Unit.end]) }
  }

  /// Records a write of a unit.
  private func write(
    _ unit: String, in node: inout Node, _ number: Int, parents: [Node], stamp: WriteStamp?
  ) {
    var write = Write(node: number, stamp: stamp, value: node.units[unit])
    if ZoneFrame.inherits(unit, anchorName: frame.anchorName), let value = write.value {
      write.value = ZoneFrame.spelledOut(value, unit, in: node.units)
    }
    if unit == Unit.end, let version = node.version {
      write.isCut = isCut(write.value, parents.map(\.units), node.units, version)
    }
    if case .existence = UnitRule.of(unit) {
      switch unit.hasSuffix(Unit.occurrence) || unit.hasSuffix(Unit.segment) {
      case true:
        write.isRemoval = ["excluded", "removed", "dropped"].contains(write.value)
        write.restores = parents.first?.units[unit]
      case false where Unit.split(unit).scope.isEmpty: write.isRemoval = write.value == nil
      case false: write.isRemoval = write.value == "removed"
      }
    }
    node.written[unit] = write
    node.live[unit] = [write]
  }

  /// Whether two versions agree about a unit, also if one spells out a zone that holds anyway.
  private func isSame(
    _ unit: String, _ left: [String: JSONValue], _ right: [String: JSONValue]
  ) -> Bool {
    let (before, after) = (left[unit], right[unit])
    if before == after { return true }
    guard let before, let after, ZoneFrame.inherits(unit, anchorName: frame.anchorName) else {
      return false
    }
    return ZoneFrame.spelledOut(before, unit, in: left)
      == ZoneFrame.spelledOut(after, unit, in: right)
  }

  // MARK: - Merges

  private mutating func fillMerge(_ number: Int, isUnreadable: Bool) {
    var node = nodes[number]
    let parents = node.parents.map { nodes[$0] }
    let live = liveWrites(at: node.parents)
    var resolver = Resolver(history: self, heads: node.parents, live: live)
    let computed = resolver.resolve()
    node.live = live
    if isUnreadable {
      node.version = computed.version
      node.units = computed.shown
      nodes[number] = node
      return
    }
    // What is carried, and what the rules would show, in the same form as what the commit has.
    let expected = Carry(parent: computed.shown, isBehindCut: { _ in false })
      .complete(Decomposition(computed.version, frame: frame))
    let decomposition = Decomposition(node.version, frame: frame)
    node.units = carried(decomposition, over: expected, version: node.version)
    let entries = ConflictEntries.of(node.version)
    let noted = computed.conflicts.keys.filter { !DerivedNote.isNote($0) }
    for unit in Set(expected.keys).union(node.units.keys).union(noted) {
      let isSettled =
        computed.conflicts[unit] != nil && entries[unit] == nil && node.version != nil
        && !isMixed(unit, node.units[unit], parents)
      if !isSettled {
        if isSame(unit, expected, node.units) { continue }
        let isParents = parents.contains { isSame(unit, $0.units, node.units) }
        if isParents || isMixed(unit, node.units[unit], parents) {
          node.needsRepair = true
          continue
        }
      }
      write(unit, in: &node, number, parents: parents, stamp: node.stamp)
    }
    if parents.contains(where: \.needsRepair) { node.needsRepair = true }
    nodes[number] = node
    noticeSettledNotes(number, computed, entries, parents)
  }

  /// Whether a unit of several members holds some of one parent and some of another: what a merge
  /// of texts makes of it.
  private func isMixed(_ unit: String, _ value: JSONValue?, _ parents: [Node]) -> Bool {
    let name = Unit.split(unit).name
    guard ["@hour", "@day", "@end"].contains(name) || name == frame.anchorName else { return false }
    guard let object = value?.objectValue else { return false }
    let others = parents.map { $0.units[unit]?.objectValue ?? JSONObject() }
    if others.contains(where: { JSONValue.object($0) == value }) { return false }
    let names = Set(object.names).union(others.flatMap(\.names))
    return names.allSatisfy { name in others.contains { $0[name] == object[name] } }
  }

  /// Takes the removal of a derived note in a merge as a decision, if what it is about was decided.
  private mutating func noticeSettledNotes(
    _ number: Int, _ computed: Resolution, _ entries: [String: [JSONValue]], _ parents: [Node]
  ) {
    for note in computed.conflicts.keys where DerivedNote.isNote(note) && entries[note] == nil {
      for unit in DerivedNote.units(of: note, in: nodes[number].units, frame: frame)
      where !parents.contains(where: { isSame(unit, $0.units, nodes[number].units) }) {
        var node = nodes[number]
        write(unit, in: &node, number, parents: parents, stamp: node.stamp)
        nodes[number] = node
      }
    }
  }

  /// Takes a conflict entry that a commit removed or changed as a write of its unit, and one that it
  /// added as values that still compete.
  private mutating func noticeSettled(
    _ number: Int, before: [String: [JSONValue]], unitStamp: (@Sendable (String) -> WriteStamp?)?
  ) {
    guard nodes[number].version != nil else { return }
    let after = ConflictEntries.of(nodes[number].version)
    let parent = nodes[nodes[number].parents[0]]
    for unit in Set(before.keys).union(after.keys) where before[unit] != after[unit] {
      var node = nodes[number]
      if DerivedNote.isNote(unit) {
        guard after[unit] == nil, stillHolds(unit, node) else { continue }
        for named in DerivedNote.units(of: unit, in: node.units, frame: frame) {
          write(named, in: &node, number, parents: [parent], stamp: unitStamp?(named) ?? node.stamp)
        }
      } else {
        let stamp = unitStamp?(unit) ?? node.stamp
        if before[unit] != nil, node.written[unit] == nil {
          write(unit, in: &node, number, parents: [parent], stamp: stamp)
        }
        if let entries = after[unit] {
          let shown = ConflictEntries.shown(
            node.units[unit], over: entries, stamp: stamp, node: number)
          let writes = node.written[unit].map { [$0] } ?? node.live[unit] ?? [shown]
          node.live[unit] = writes + ConflictEntries.writes(entries, node: number)
        }
      }
      nodes[number] = node
    }
  }

  /// Whether a derived note would still be listed if nothing but the note had been removed.
  private func stillHolds(_ note: String, _ node: Node) -> Bool {
    let pairs = DerivedNote.pairs(note, live: node.live, frame: frame, history: self)
    if pairs != nil { return true }
    // A note of the common state holds until something it names is written.
    return node.live[note]?.contains { $0.node == 0 } ?? false
      && !DerivedNote.units(of: note, in: node.units, frame: frame)
        .contains { unit in node.live[unit]?.contains { $0.node != 0 } ?? false }
  }

  // MARK: - Live writes

  /// The writes reachable from some nodes that no other reachable write of the unit has seen.
  func liveWrites(at heads: [Int]) -> [String: [Write]] {
    guard let first = heads.first else { return [:] }
    var result = nodes[first].live
    for head in heads.dropFirst() {
      for (unit, writes) in nodes[head].live {
        guard let others = result[unit] else {
          result[unit] = writes
          continue
        }
        var union = others
        for write in writes
        where !union.contains(where: { $0.node == write.node && $0.value == write.value }) {
          union.append(write)
        }
        result[unit] = union.filter { write in
          !union.contains { $0.node != write.node && hasSeen($0.node, write.node) }
        }
      }
    }
    return result
  }
}
