package import CalendarModel

/// One side of a merge.
package struct MergeSide: Sendable {
  /// The object as this side has it; nil if it has none.
  package var object: CalendarObject?
  /// The slug of the calendar or list it is in.
  package var collection: String
  /// When a unit was last written on this side since the base, by the name that `conflicts` uses for
  /// it; nil if it was not, or if that is not known. A stamp for a value that is the base's tells
  /// of a write that brought it back.
  package var stamp: @Sendable (_ unit: String) -> WriteStamp?

  /// Creates a side.
  package init(
    object: CalendarObject?, collection: String,
    stamp: @escaping @Sendable (_ unit: String) -> WriteStamp? = { _ in nil }
  ) {
    self.object = object
    self.collection = collection
    self.stamp = stamp
  }
}

/// The result of merging one object.
package struct MergedObject: Hashable, Sendable {
  /// The merged object with its `conflicts`; nil if it is deleted.
  package var object: CalendarObject?
  /// The slug of the calendar or list it belongs to.
  package var collection: String
  /// The pointers that `conflicts` lists, sorted.
  package var conflicts: [String]
}

/// Merges the versions of one object (MERGE.md). The result does not depend on which side is ours.
package enum ObjectMerge {
  /// Merges two versions of an object.
  ///
  /// - Parameters:
  ///   - base: the common version; nil if both sides made the object.
  ///   - ours: one side.
  ///   - theirs: the other side.
  package static func merge(
    base: (object: CalendarObject, collection: String)?, ours: MergeSide, theirs: MergeSide
  ) -> MergedObject {
    let kind = (ours.object ?? theirs.object ?? base?.object)?.kind ?? .event
    let fileKind: FileKind = kind == .event ? .event : .reminder
    func version(_ side: MergeSide) -> ObjectVersion? {
      side.object.map { ObjectVersion(members: $0.members, collection: side.collection) }
    }
    let common = base.map { ObjectVersion(members: $0.object.members, collection: $0.collection) }
    let merged = merge(
      kind: fileKind, base: common, ours: (version(ours), ours.stamp),
      theirs: (version(theirs), theirs.stamp))
    return MergedObject(
      object: merged.map { CalendarObject(kind: kind, members: $0.members) },
      collection: merged?.collection ?? ours.collection,
      conflicts: ConflictEntries.of(merged).keys.sorted())
  }

  /// One version and when its units were written.
  typealias Side = (version: ObjectVersion?, stamp: @Sendable (String) -> WriteStamp?)

  /// Merges two versions of any file of ours.
  static func merge(
    kind: FileKind, base: ObjectVersion?, ours: Side, theirs: Side
  ) -> ObjectVersion? {
    if ours.version == theirs.version { return ours.version }
    let versions = [base, ours.version, theirs.version].compactMap { $0 }
    var history = ObjectHistory(kind: kind, base: base, versions: versions)
    let units = versions.reduce(into: Set<String>()) { units, version in
      units.formUnion(Decomposition(version, frame: history.frame).units.keys)
    }
    for (id, side) in [("ours", ours), ("theirs", theirs)] {
      history.append(
        id: id, parents: [0], version: side.version, stamp: nil, unitStamp: side.stamp,
        candidates: units)
    }
    return history.merged(["ours", "theirs"])
  }
}

extension ObjectHistory {
  /// The merge of some heads of the history; nil if the object is deleted.
  ///
  /// The result depends on the commits that the heads have seen, not on the order of the heads or
  /// on merges in between.
  package func merged(_ heads: [String]) -> ObjectVersion? {
    let heads = reducedHeads(heads.map { node($0) })
    guard let first = heads.first else { return nodes[0].version }
    if heads.dropFirst().allSatisfy({ nodes[$0].version == nodes[first].version }) {
      return nodes[first].version
    }
    let live = liveWrites(at: heads)
    for head in heads where !heads.contains(where: { nodes[$0].needsRepair }) {
      // A head that has seen every write there is already is the merge.
      let isWhole = live.values.allSatisfy { writes in
        writes.allSatisfy { hasSeen(head, $0.node) }
      }
      if isWhole { return nodes[head].version }
    }
    var resolver = Resolver(history: self, heads: heads, live: live)
    return resolver.resolve().version
  }

  /// Whether a commit, or a merge before it, shows something else than the rules make of what people
  /// wrote although nobody wrote it: the work of a merge of texts.
  package func needsRepair(_ head: String) -> Bool { nodes[node(head)].needsRepair }

  /// What the rules make of everything a commit has seen; nil if the object is deleted.
  package func repaired(_ head: String) -> ObjectVersion? {
    let number = node(head)
    var resolver = Resolver(history: self, heads: [number], live: nodes[number].live)
    return resolver.resolve().version
  }

  private func reducedHeads(_ heads: [Int]) -> [Int] {
    var result: [Int] = []
    for head in heads where !result.contains(head) {
      if !heads.contains(where: { $0 != head && hasSeen($0, head) }) { result.append(head) }
    }
    return result
  }
}
