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
  /// - Parameter base: a merge base; the commits after it decide which value replaced which.
  func mergeTrees(
    base: ObjectID, ours: ObjectID, theirs: ObjectID
  ) throws(ReplicaError) -> TreeMerge {
    try git { () throws(GitError) in
      let window = try self.window(ours: ours, theirs: theirs)
      let history = StoreHistory(
        commits: try window.commits.map { commit throws(GitError) in try self.stored(commit) },
        ours: ours.description, theirs: theirs.description)
      let trees = (
        common: try window.common.map { id throws(GitError) in try repository.commit(id).tree },
        ours: try repository.commit(ours).tree, theirs: try repository.commit(theirs).tree
      )
      let differences = try repository.changes(from: trees.ours, to: trees.theirs)
      let result = CollectionMerge.merge(
        differences: differences.map { name($0.path) }, history: history,
        files: files(trees.common, trees.ours, trees.theirs, common: window.common))
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
  }

  /// The path as the merge knows it: below the store's root, or from the repository's with `/`.
  private func name(_ path: String) -> String {
    path.hasPrefix(prefix) ? String(path.dropFirst(prefix.utf8.count)) : "/" + path
  }

  private func repositoryPath(_ name: String) -> String {
    name.hasPrefix("/") ? String(name.dropFirst()) : prefix + name
  }

  /// The commits of two heads since one that all of them have seen; nil stands for the empty store.
  private func window(
    ours: ObjectID, theirs: ObjectID
  ) throws(GitError) -> (common: ObjectID?, commits: [Commit]) {
    var common: ObjectID?
    for (index, base) in try repository.mergeBases(ours, theirs).enumerated() {
      guard index > 0, let known = common else {
        common = base
        continue
      }
      common = try repository.mergeBases(known, base).first
      if common == nil { break }
    }
    while true {
      let ids = try repository.log(from: [ours, theirs], hiding: common.map { [$0] } ?? [])
      let commits = try ids.map { id throws(GitError) in try repository.commit(id) }
      let known = Set(ids)
      guard let root = common else { return (nil, commits) }
      // Work that began before the common commit and came in later: begin before it, too.
      let outside = commits.lazy.flatMap {
        $0.parents.isEmpty ? [nil] : $0.parents.map { .some($0) }
      }
      .first { (parent: ObjectID?) in parent.map { $0 != root && !known.contains($0) } ?? true }
      guard let outside else { return (root, commits) }
      guard let parent = outside else {
        common = nil
        continue
      }
      common = try repository.mergeBases(root, parent).first
    }
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
    _ common: ObjectID?, _ ours: ObjectID, _ theirs: ObjectID, common commit: ObjectID?
  ) -> StoreFiles {
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
