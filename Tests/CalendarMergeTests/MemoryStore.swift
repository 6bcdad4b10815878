import CalendarMerge
import CalendarModel
import CivilTime

/// A store of commits in memory, for merging without git. Blobs are named by their content.
struct MemoryStore {
  struct Commit {
    let id: String
    let parents: [String]
    let at: Int64
    let by: String
    let tree: [String: String]
  }

  private(set) var commits: [String: Commit] = [:]

  /// The text of a file of the store.
  static func text(_ members: JSONObject) -> String {
    String(decoding: CanonicalJSON.bytes(members), as: UTF8.self)
  }

  /// Adds a commit that changes some files of its first parent; nil removes a file.
  mutating func commit(
    _ id: String, _ parents: [String], at: Int64 = 0, by: String? = nil,
    _ changes: [String: String?]
  ) {
    var tree = parents.first.flatMap { commits[$0]?.tree } ?? [:]
    for (path, text) in changes { tree[path] = text }
    commits[id] = Commit(id: id, parents: parents, at: at, by: by ?? id, tree: tree)
  }

  func tree(_ id: String) -> [String: String] { commits[id]?.tree ?? [:] }

  private func ancestors(_ id: String) -> Set<String> {
    var seen: Set<String> = []
    var open = [id]
    while let next = open.popLast() {
      if seen.insert(next).inserted { open += commits[next]?.parents ?? [] }
    }
    return seen
  }

  /// Merges two heads; the first is ours.
  func merge(_ ours: String, _ theirs: String) -> StoreMergeResult {
    let (mine, other) = (tree(ours), tree(theirs))
    return CollectionMerge.merge(
      differences: differences(mine, other).map(\.path), history: history(ours, theirs),
      files: files(mine, other))
  }

  /// What merges by others that a head has seen got wrong.
  func repair(_ head: String, merges: [String]) -> StoreMergeResult {
    let paths = merges.flatMap { merge in
      differences(tree(commits[merge]?.parents.first ?? ""), tree(merge)).map(\.path)
    }
    return CollectionMerge.repair(
      paths: paths, history: history(head, head), files: files(tree(head), tree(head)))
  }

  private func files(_ mine: [String: String], _ other: [String: String]) -> StoreFiles {
    let root = tree("O")
    return StoreFiles(
      common: { root[$0] }, ours: { mine[$0] }, theirs: { other[$0] }, read: { Array($0.utf8) })
  }

  private func history(_ ours: String, _ theirs: String) -> StoreHistory {
    let window = ancestors(ours).union(ancestors(theirs)).subtracting(["O"])
    return StoreHistory(
      commits: window.compactMap { commits[$0] }.map { commit in
        StoreCommit(
          id: commit.id, parents: commit.parents, at: Instant(seconds: commit.at), by: commit.by,
          changes: differences(tree(commit.parents.first ?? ""), commit.tree))
      }, ours: ours, theirs: theirs)
  }

  private func differences(_ old: [String: String], _ new: [String: String]) -> [FileChange] {
    Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }.sorted().map {
      FileChange(path: $0, before: old[$0], after: new[$0])
    }
  }

  /// Our tree after a merge.
  func merged(_ ours: String, _ theirs: String) -> [String: String] {
    applied(merge(ours, theirs), to: tree(ours))
  }

  /// A tree after the edits of a merge.
  func applied(_ merge: StoreMergeResult, to tree: [String: String]) -> [String: String] {
    var result = tree
    for (path, file) in merge.edits {
      switch file {
      case nil: result[path] = nil
      case .blob(let text)?: result[path] = text
      case .bytes(let bytes)?: result[path] = String(decoding: bytes, as: UTF8.self)
      }
    }
    return result
  }

  /// Adds the merge of two heads as a commit.
  mutating func commitMerge(_ id: String, _ ours: String, _ theirs: String, at: Int64 = 900) {
    let tree = merged(ours, theirs)
    commits[id] = Commit(id: id, parents: [ours, theirs], at: at, by: "M", tree: tree)
  }
}
