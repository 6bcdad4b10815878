public import CivilTime
import GitStore

/// One action of the history.
public struct HistoryEntry: Sendable {
  /// The commit.
  public let commit: String
  /// What was done, in words.
  public let subject: String
  /// Who did it.
  public let author: String
  /// When.
  public let at: Instant
  /// Whether it joined two histories.
  public let isMerge: Bool
}

extension Replica {
  /// The actions of the store, newest first; with a path, those that changed that file.
  public func history(path: String? = nil, limit: Int = 50) throws(ReplicaError) -> [HistoryEntry] {
    guard let head = repository.head else { return [] }
    var entries: [HistoryEntry] = []
    let ids = try git { () throws(GitError) in
      try repository.log(from: [head], limit: path == nil ? limit : 100_000)
    }
    for id in ids {
      let commit = try git { () throws(GitError) in try repository.commit(id) }
      if let path, !(try touches(commit, prefix + path)) { continue }
      entries.append(
        HistoryEntry(
          commit: id.description, subject: commit.subject, author: commit.author.name,
          at: Instant(seconds: commit.author.seconds), isMerge: commit.parents.count > 1))
      if entries.count == limit { break }
    }
    return entries
  }

  /// Whether a commit differs at a path from each of its parents.
  func touches(_ commit: Commit, _ path: String) throws(ReplicaError) -> Bool {
    try git { () throws(GitError) in
      let own = try repository.file(path, in: commit.tree)
      if commit.parents.isEmpty { return own != nil }
      for parent in commit.parents {
        let tree = try repository.commit(parent).tree
        if try repository.file(path, in: tree) == own { return false }
      }
      return true
    }
  }
}
