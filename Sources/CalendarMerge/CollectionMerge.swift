import CalendarModel

/// Merges two stores: objects by UID, calendars and lists by theirs, everything else as git would.
///
/// The cost follows what the two sides changed, not the size of the store.
package enum CollectionMerge {
  /// Merges two commits of a store.
  ///
  /// - Parameters:
  ///   - differences: the paths at which the two trees differ.
  ///   - history: the commits since a common one.
  ///   - files: the contents.
  ///   - path: merges what concerns this file alone; nil merges all.
  /// - Returns: what to do to our tree. The other side gets the same tree from the same commits,
  ///   but for files that are not ours.
  package static func merge(
    differences: some Sequence<String>, history: StoreHistory, files: StoreFiles,
    only path: String? = nil
  ) -> StoreMergeResult {
    var merge = StoreMerge(history: history, files: files)
    let touched = history.touchedByOurs.intersection(history.touchedByTheirs)
    merge.run(path.map { [$0] } ?? touched.union(differences), differences: Set(differences))
    return merge.result
  }

  /// What merges by other programs got wrong: what these rules make of the same parents, where a
  /// merge shows something else that nobody wrote (a line from here, a line from there).
  ///
  /// - Parameters:
  ///   - paths: the files that the merges joined.
  ///   - history: the commits from before the merges to the head, as both of its heads.
  ///   - files: the contents; ours and theirs are the head's.
  /// - Returns: what to do to the head's tree.
  package static func repair(
    paths: some Sequence<String>, history: StoreHistory, files: StoreFiles
  ) -> StoreMergeResult {
    var merge = StoreMerge(history: history, files: files, isRepair: true)
    merge.run(Set(paths.filter { ObjectPath.kind(ofPath: $0) != nil }), differences: [])
    return merge.result
  }

  /// Merges three versions of one file, for a driver that git calls.
  ///
  /// - Parameters:
  ///   - base: the common version; nil or empty if both sides added the file.
  ///   - path: the path below the store's root, which tells what the file is.
  ///   - stamps: when units were last written on each side; nil orders rivals by their bytes.
  /// - Throws: `MergeError` if the file is not ours or a version cannot be read.
  package static func mergeFile(
    base: [UInt8]?, ours: [UInt8], theirs: [UInt8], path: String,
    stamps: (
      ours: @Sendable (String) -> WriteStamp?, theirs: @Sendable (String) -> WriteStamp?
    )? = nil
  ) throws(MergeError) -> [UInt8] {
    guard let (kind, collection) = ObjectPath.kind(ofPath: path) else { throw .notOurs(path: path) }
    if ours == theirs { return ours }
    func version(_ bytes: [UInt8], _ name: String) throws(MergeError) -> ObjectVersion {
      guard let members = ParsedFiles.members(of: bytes, kind) else {
        throw .unreadable(path: path, version: name)
      }
      return ObjectVersion(members: members, collection: collection)
    }
    let hasBase = !(base ?? []).isEmpty
    let common = hasBase ? try version(base ?? [], "base") : nil
    let mine = try version(ours, "ours")
    let other = try version(theirs, "theirs")
    if stamps == nil {
      if base == ours { return theirs }
      if base == theirs { return ours }
    }
    let unknown: @Sendable (String) -> WriteStamp? = { _ in nil }
    let merged = ObjectMerge.merge(
      kind: kind, base: common, ours: (mine, stamps?.ours ?? unknown),
      theirs: (other, stamps?.theirs ?? unknown))
    guard let merged else { return ours }
    if merged == mine { return ours }
    return merged == other ? theirs : CanonicalJSON.bytes(merged.members)
  }
}

/// Why a file cannot be merged.
package enum MergeError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A version is no JSON object.
  case unreadable(path: String, version: String)
  /// The path is none of a calendar, list, event, reminder or the store's own file.
  case notOurs(path: String)

  /// The reason in words.
  package var description: String {
    switch self {
    case .unreadable(let path, let version): "\(path): the version '\(version)' cannot be read"
    case .notOurs(let path): "\(path): no file of a calendar store"
    }
  }
}
