import CalendarMerge
import CalendarModel
import CivilTime
import GitStore

/// What merging two trees gives.
struct TreeMerge {
  /// Files to write onto our tree, nil to remove; a path that begins with `/` counts from the root
  /// of the repository.
  var files: [String: [UInt8]?] = [:]
  /// UIDs of objects that both sides had changed.
  var merged: [String] = []
  /// UIDs of objects in which this merge noted a conflict.
  var conflicted: [String] = []
  /// What people should know, in words.
  var reports: [String] = []
}

extension Replica {
  /// Merges two commits: objects by UID, everything else as git would.
  ///
  /// The commits after a common one decide which value replaced which.
  ///
  /// - Parameter path: merges what concerns this file of the store alone; nil merges all.
  func mergeTrees(
    ours: ObjectID, theirs: ObjectID, only path: String? = nil
  ) throws(ReplicaError) -> TreeMerge {
    try git { () throws(GitError) in
      let common = try self.common(of: try repository.mergeBases(ours, theirs))
      let window = try self.window([ours, theirs], since: common)
      let history = try self.history(window.commits, ours: ours, theirs: theirs)
      let trees = (
        ours: try repository.commit(ours).tree, theirs: try repository.commit(theirs).tree
      )
      let differences = try repository.changes(from: trees.ours, to: trees.theirs)
      return try edits(
        CollectionMerge.merge(
          differences: differences.map { name($0.path) }, history: history,
          files: try files(window.common, trees.ours, trees.theirs), only: path))
    }
  }

  /// What merges by other programs got wrong, among the commits that a head has seen and others have
  /// not; nil if there was no such merge or it did nothing wrong.
  func repairs(of head: ObjectID, since known: [ObjectID]) throws(ReplicaError) -> TreeMerge? {
    try git { () throws(GitError) in
      let merges = try repository.log(from: [head], hiding: known)
        .map { id throws(GitError) in try repository.commit(id) }
        .filter { $0.parents.count > 1 && $0.trailer("Almanac-Op") != "merge" }
      if merges.isEmpty { return nil }
      var paths: Set<String> = []
      var bases: [ObjectID] = []
      for merge in merges {
        paths.formUnion(try stored(merge).changes.map(\.path))
        for parent in merge.parents.dropFirst() {
          bases += try repository.mergeBases(merge.parents[0], parent)
        }
      }
      let window = try self.window([head], since: try common(of: bases))
      let tree = try repository.commit(head).tree
      let result = try edits(
        CollectionMerge.repair(
          paths: paths, history: try history(window.commits, ours: head, theirs: head),
          files: try files(window.common, tree, tree)))
      return result.files.isEmpty ? nil : result
    }
  }

  private func edits(_ result: StoreMergeResult) throws(GitError) -> TreeMerge {
    var merge = TreeMerge(
      merged: result.merged, conflicted: result.conflicted, reports: result.reports)
    for (path, file) in result.edits {
      switch file {
      case nil: merge.files[path] = .some(nil)
      case .bytes(let bytes)?: merge.files[path] = bytes
      case .blob(let hex)?:
        guard let id = ObjectID(hex) else { continue }
        merge.files[path] = try repository.blob(id)
      }
    }
    return merge
  }

  /// The path as the merge knows it: below the store's root, or from the repository's with `/`.
  private func name(_ path: String) -> String {
    path.hasPrefix(prefix) ? String(path.dropFirst(prefix.utf8.count)) : "/" + path
  }

  private func repositoryPath(_ name: String) -> String {
    name.hasPrefix("/") ? String(name.dropFirst()) : prefix + name
  }

  /// The best commit that some commits have all seen; nil if there is none.
  private func common(of commits: [ObjectID]) throws(GitError) -> ObjectID? {
    guard var common = commits.first else { return nil }
    for commit in commits.dropFirst() {
      guard let next = try repository.mergeBases(common, commit).first else { return nil }
      common = next
    }
    return common
  }

  /// The commits of some heads since a common one, or an earlier one that really all of them have
  /// seen; nil stands for the empty store.
  private func window(
    _ heads: [ObjectID], since start: ObjectID?
  ) throws(GitError) -> (common: ObjectID?, commits: [Commit]) {
    var common = start
    while true {
      let ids = try repository.log(from: heads, hiding: common.map { [$0] } ?? [])
      let commits = try ids.map { id throws(GitError) in try repository.commit(id) }
      guard let root = common else { return (nil, commits) }
      let known = Set(ids)
      // Work that began before the common commit and came in later: begin before it, too.
      let parents = commits.flatMap(\.parents).filter { $0 != root && !known.contains($0) }
      if commits.contains(where: \.parents.isEmpty) {
        common = nil
      } else if parents.isEmpty {
        return (root, commits)
      } else {
        common = try self.common(of: [root] + Set(parents).sorted())
      }
    }
  }

  private func history(
    _ commits: [Commit], ours: ObjectID, theirs: ObjectID
  ) throws(GitError) -> StoreHistory {
    StoreHistory(
      commits: try commits.map { commit throws(GitError) in try self.stored(commit) },
      ours: ours.description, theirs: theirs.description)
  }

  private func stored(_ commit: Commit) throws(GitError) -> StoreCommit {
    let parent = try commit.parents.first.map { id throws(GitError) in
      try repository.commit(id).tree
    }
    let changes = try repository.changes(from: parent, to: commit.tree)
    return StoreCommit(
      id: commit.id.description, parents: commit.parents.map(\.description),
      at: Instant(seconds: commit.author.seconds), by: commit.author.name,
      changes: changes.map {
        FileChange(
          path: name($0.path), before: $0.old?.description, after: $0.new?.description)
      })
  }

  private func files(
    _ commit: ObjectID?, _ ours: ObjectID, _ theirs: ObjectID
  ) throws(GitError) -> StoreFiles {
    let common = try commit.map { id throws(GitError) in try repository.commit(id).tree }
    func blob(_ tree: ObjectID?) -> (String) -> String? {
      { path in
        guard let tree else { return nil }
        return ((try? self.repository.file(self.repositoryPath(path), in: tree)) ?? nil)?
          .description
      }
    }
    return StoreFiles(
      common: blob(common), ours: blob(ours), theirs: blob(theirs),
      read: { hex in ObjectID(hex).flatMap { try? self.repository.blob($0) } },
      remembered: { path in commit.flatMap { self.remembered(path, before: $0) } })
  }

  /// The bytes of a file before it was deleted last; nil if it never was.
  private func remembered(_ path: String, before commit: ObjectID) -> [UInt8]? {
    let program = GitProgram(directory: self.path)
    let arguments = [
      "log", "-1", "--format=%H", "--diff-filter=D", commit.description, "--",
      ":(top)" + repositoryPath(path),
    ]
    guard let result = try? program.run(arguments), result.status == 0,
      let deletion = ObjectID(result.outputText.split(separator: "\n").first ?? ""),
      let parent = try? repository.commit(deletion).parents.first,
      let tree = try? repository.commit(parent).tree,
      let blob = (try? repository.file(repositoryPath(path), in: tree)) ?? nil
    else { return nil }
    return try? repository.blob(blob)
  }
}
