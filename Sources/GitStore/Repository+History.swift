import CLibgit2

extension Repository {
  /// The merge bases of two commits, best first; empty for unrelated histories.
  package func mergeBases(_ left: ObjectID, _ right: ObjectID) throws(GitError) -> [ObjectID] {
    try flush()
    var one = left.raw
    var two = right.raw
    var bases = unsafe git_oidarray()
    let status = unsafe git_merge_bases(&bases, pointer, &one, &two)
    if status == GIT_ENOTFOUND.rawValue { return [] }
    try check(status, "find the merge base")
    defer { unsafe git_oidarray_dispose(&bases) }
    return (0..<Int(unsafe bases.count)).map { unsafe ObjectID(bases.ids[$0]) }
  }

  /// Whether a commit is another one or comes before it.
  package func isAncestor(_ ancestor: ObjectID, of commit: ObjectID) throws(GitError) -> Bool {
    if ancestor == commit { return true }
    try flush()
    var one = commit.raw
    var two = ancestor.raw
    return try check(
      unsafe git_graph_descendant_of(pointer, &one, &two), "compare two commits") == 1
  }

  /// How many commits one side has that the other has not, both ways.
  package func aheadBehind(
    _ ours: ObjectID, _ theirs: ObjectID
  ) throws(GitError) -> (ahead: Int, behind: Int) {
    try flush()
    var one = ours.raw
    var two = theirs.raw
    var ahead = 0
    var behind = 0
    try check(
      unsafe git_graph_ahead_behind(&ahead, &behind, pointer, &one, &two), "compare two commits")
    return (ahead, behind)
  }

  /// The commits that can be reached from some and not from others, children before parents, at
  /// most so many.
  package func log(
    from heads: [ObjectID], hiding hidden: [ObjectID] = [], limit: Int = .max
  ) throws(GitError) -> [ObjectID] {
    var result: [ObjectID] = []
    try walk(from: heads, hiding: hidden) { id throws(GitError) in
      guard result.count < limit else { return false }
      result.append(id)
      return true
    }
    return result
  }

  /// The commits of `log(from:hiding:)` that hold something else at one of the paths (files or
  /// folders) than every one of their parents; for a root commit: that hold something there.
  ///
  /// - Complexity: reads the folders above the paths for each commit, not whole trees.
  package func log(
    from heads: [ObjectID], hiding hidden: [ObjectID] = [], touching paths: [String],
    limit: Int = .max
  ) throws(GitError) -> [Commit] {
    var known: [ObjectID: [ObjectID?]] = [:]
    func contents(of tree: ObjectID) throws(GitError) -> [ObjectID?] {
      if let found = known[tree] { return found }
      var found: [ObjectID?] = []
      for path in paths { found.append(try entry(path, in: tree)?.id) }
      known[tree] = found
      return found
    }
    var result: [Commit] = []
    guard limit > 0 else { return [] }
    try walk(from: heads, hiding: hidden) { id throws(GitError) in
      let commit = try self.commit(id)
      let own = try contents(of: commit.tree)
      var isNew = commit.parents.isEmpty ? own.map { $0 != nil } : own.map { _ in true }
      for parent in commit.parents {
        let theirs = try contents(of: try self.commit(parent).tree)
        for index in own.indices where own[index] == theirs[index] { isNew[index] = false }
      }
      if isNew.contains(true) { result.append(commit) }
      return result.count < limit
    }
    return result
  }

  /// The newest commit that can be reached from one and changed a path; nil if none did.
  package func newestCommit(
    touching path: String, from head: ObjectID
  ) throws(GitError) -> Commit? {
    try log(from: [head], touching: [path], limit: 1).first
  }

  /// What a commit changed below a prefix, against each of its parents in order; against the empty
  /// tree if it has none.
  package func changes(
    of commit: Commit, below prefix: String = ""
  ) throws(GitError) -> [[TreeChange]] {
    if commit.parents.isEmpty {
      return [try changes(from: nil, to: commit.tree, below: prefix)]
    }
    return try commit.parents.map { parent throws(GitError) in
      try changes(from: try self.commit(parent).tree, to: commit.tree, below: prefix)
    }
  }

  /// Calls a closure with each commit of a walk until it returns false.
  private func walk(
    from heads: [ObjectID], hiding hidden: [ObjectID],
    _ body: (ObjectID) throws(GitError) -> Bool
  ) throws(GitError) {
    try flush()
    let walk = try GitHandle.make(
      "begin a walk", free: { unsafe git_revwalk_free($0) },
      { unsafe git_revwalk_new(&$0, pointer) })
    try check(
      unsafe git_revwalk_sorting(
        walk.pointer, GIT_SORT_TOPOLOGICAL.rawValue | GIT_SORT_TIME.rawValue), "sort a walk")
    for head in heads {
      var raw = head.raw
      try check(unsafe git_revwalk_push(walk.pointer, &raw), "begin a walk at \(head)")
    }
    for commit in hidden {
      var raw = commit.raw
      try check(unsafe git_revwalk_hide(walk.pointer, &raw), "end a walk at \(commit)")
    }
    var id = git_oid()
    while true {
      let status = unsafe git_revwalk_next(&id, walk.pointer)
      if status == GIT_ITEROVER.rawValue { return }
      try check(status, "walk the history")
      guard try body(ObjectID(id)) else { return }
    }
  }
}
