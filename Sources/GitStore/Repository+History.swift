import CLibgit2

extension Repository {
  /// The merge bases of two commits, best first; empty for unrelated histories.
  package func mergeBases(_ left: ObjectID, _ right: ObjectID) throws(GitError) -> [ObjectID] {
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
    var one = commit.raw
    var two = ancestor.raw
    return try check(
      unsafe git_graph_descendant_of(pointer, &one, &two), "compare two commits") == 1
  }

  /// How many commits one side has that the other has not, both ways.
  package func aheadBehind(
    _ ours: ObjectID, _ theirs: ObjectID
  ) throws(GitError) -> (ahead: Int, behind: Int) {
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
    var walk: OpaquePointer?
    try check(unsafe git_revwalk_new(&walk, pointer), "begin a walk")
    defer { unsafe git_revwalk_free(walk) }
    try check(
      unsafe git_revwalk_sorting(walk, GIT_SORT_TOPOLOGICAL.rawValue | GIT_SORT_TIME.rawValue),
      "sort a walk")
    for head in heads {
      var raw = head.raw
      try check(unsafe git_revwalk_push(walk, &raw), "begin a walk at \(head)")
    }
    for commit in hidden {
      var raw = commit.raw
      try check(unsafe git_revwalk_hide(walk, &raw), "end a walk at \(commit)")
    }
    var result: [ObjectID] = []
    var id = git_oid()
    while result.count < limit {
      let status = unsafe git_revwalk_next(&id, walk)
      if status == GIT_ITEROVER.rawValue { break }
      try check(status, "walk the history")
      result.append(ObjectID(id))
    }
    return result
  }
}
