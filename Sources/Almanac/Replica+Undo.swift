import CalendarModel
import GitStore

/// What an undo took back, or would take back.
public struct UndoOutcome: Sendable {
  /// The action that was taken back, in words.
  public let subject: String
  /// Its commit.
  public let undone: String
  /// What was written.
  public let write: WriteOutcome
}

extension Replica {
  /// Takes back an action as a new commit: the last one made in this clone that was not taken back
  /// yet, or a given one.
  ///
  /// - Parameter revision: a commit; nil for the last one.
  /// - Throws: `ReplicaError.notFound` if there is nothing to take back, `.repositoryState` if it is
  ///   a merge or a later edit of the same files stands on it.
  public func undo(
    _ revision: String? = nil, dryRun: Bool = false
  ) throws(ReplicaError) -> UndoOutcome {
    var found: Commit?
    func attempt(_ snapshot: Snapshot) throws(ReplicaError) -> (
      [String: [UInt8]?], String, WriteOutcome
    ) {
      let commit = try actionToUndo(revision)
      found = commit
      let files = try filesBefore(commit)
      var outcome = WriteOutcome()
      for (path, bytes) in files {
        guard let kind = ObjectPath.kind(ofPath: path)?.kind, kind.objectKind != nil else {
          continue
        }
        let current = snapshot.object(atPath: path)?.uid
        let before = bytes.flatMap { ObjectFile.read($0, kind: kind).object?.uid }
        switch (current, before) {
        case (nil, let uid?): outcome.created.append(uid)
        case (let uid?, nil): outcome.removed.append(uid)
        case (let uid?, _?): outcome.updated.append(uid)
        case (nil, nil): break
        }
      }
      outcome.undone = commit.id.description
      return (files, "undo: \(commit.subject)", outcome)
    }
    let write: WriteOutcome
    if dryRun {
      write = try attempt(try snapshot()).2
    } else {
      write = try transact(op: "undo", attempt)
    }
    guard let found else { throw .notFound(revision ?? "an action of this clone") }
    return UndoOutcome(subject: found.subject, undone: found.id.description, write: write)
  }

  private func actionToUndo(_ revision: String?) throws(ReplicaError) -> Commit {
    if let revision {
      guard let id = repository.commit(named: revision) else { throw .notFound(revision) }
      return try git { () throws(GitError) in try repository.commit(id) }
    }
    guard let head = repository.head else { throw .notFound("an action of this clone") }
    let own = replicaID()
    var undone: Set<String> = []
    let ids = try git { () throws(GitError) in try repository.log(from: [head], limit: 1_000) }
    for id in ids {
      let commit = try git { () throws(GitError) in try repository.commit(id) }
      if let other = commit.trailer("Almanac-Undoes") { undone.insert(other) }
      guard commit.trailer("Almanac-Replica") == own, commit.parents.count == 1,
        commit.trailer("Almanac-Op") != "undo", !undone.contains(id.description)
      else { continue }
      return commit
    }
    throw .notFound("an action of this clone")
  }

  /// The files of the store that a commit changed, as they were before it.
  private func filesBefore(_ commit: Commit) throws(ReplicaError) -> [String: [UInt8]?] {
    guard commit.parents.count == 1, let parent = commit.parents.first else {
      throw .repositoryState(
        commit.parents.isEmpty
          ? "the first commit of a store cannot be taken back"
          : "'\(commit.subject)' is a merge, which cannot be taken back")
    }
    guard let head = repository.head else { return [:] }
    let (before, after, now) = try git { () throws(GitError) in
      (try repository.commit(parent).tree, commit.tree, try repository.commit(head).tree)
    }
    let changes = try git { () throws(GitError) in try repository.changes(from: before, to: after) }
    var files: [String: [UInt8]?] = [:]
    for change in changes where change.path.hasPrefix(prefix) {
      let current = try git { () throws(GitError) in try repository.file(change.path, in: now) }
      guard current == change.new else {
        throw .repositoryState(
          "'\(commit.subject)' cannot be taken back: \(change.path) was changed since")
      }
      let bytes = try change.old.map { id throws(ReplicaError) in
        try git { () throws(GitError) in try repository.blob(id) }
      }
      files[String(change.path.dropFirst(prefix.utf8.count))] = .some(bytes)
    }
    return files
  }
}
