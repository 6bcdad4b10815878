public import CalendarModel
public import CivilTime
import GitStore

/// What a sync did, or would do.
public struct SyncReport: Sendable {
  /// The remote.
  public var remote: String
  /// Commits that came.
  public var fetched = 0
  /// Commits that went.
  public var pushed = 0
  /// UIDs that both sides had changed.
  public var merged: [String] = []
  /// UIDs with an open conflict that this merge noted.
  public var conflicts: [String] = []
  /// Subjects of the commits that came, newest first.
  public var incoming: [String] = []
  /// Subjects of the commits that went, newest first.
  public var outgoing: [String] = []
  /// The commit at the end.
  public var head: String?
  /// Edited files that were left alone because they are wrong.
  public var leftAlone: [(path: String, finding: Finding)] = []
  /// What people should know, in words.
  public var notes: [String] = []
}

/// An open conflict of an object.
public struct ConflictInfo: Sendable {
  /// One of the values: what it is, when it was written and by whom; both nil outside any commit.
  public struct Value: Sendable {
    /// The value; nil if the member was absent.
    public let value: JSONValue?
    /// When it was written.
    public let at: Instant?
    /// Who wrote it.
    public let by: String?
  }

  /// The object.
  public let stored: StoredObject
  /// The unit, as a pointer.
  public let pointer: String
  /// The occurrence it is about; nil for the series.
  public let recurrenceID: String?
  /// The value that is shown.
  public let shown: JSONValue?
  /// The values that are not.
  public let others: [Value]
}

extension Replica {
  /// The remotes by name, with addresses that have no passwords.
  public func remotes() throws(ReplicaError) -> [(name: String, url: String)] {
    let names = try runGit(["remote"]).split(separator: "\n").map(String.init)
    var result: [(name: String, url: String)] = []
    for name in names {
      result.append((name, GitProgram.redacted(try runGit(["remote", "get-url", name]))))
    }
    return result
  }

  /// Adds a remote.
  public func addRemote(_ name: String, url: String) throws(ReplicaError) {
    let address = FilePath.exists(url) ? FilePath.absolute(url) : url
    _ = try runGit(["remote", "add", "--", name, address])
  }

  private var program: GitProgram { GitProgram(directory: path) }

  private func runGit(_ arguments: [String]) throws(ReplicaError) -> String {
    try git { () throws(GitError) in try program.require(arguments).outputText }
  }

  /// The remote to sync with: the given one, else the branch's, else `origin`, else the only one.
  func remoteName(_ given: String?) throws(ReplicaError) -> String {
    let names = try remotes().map(\.name)
    if let given {
      guard names.contains(given) else { throw .noRemote(given) }
      return given
    }
    let branch = repository.headReference.split(separator: "/").dropFirst(2).joined(separator: "/")
    if let own = repository.config("branch.\(branch).remote"), names.contains(own) { return own }
    if names.contains("origin") { return "origin" }
    guard names.count == 1 else { throw .noRemote(nil) }
    return names[0]
  }

  /// Tells a network that fails from a remote that refuses.
  static func networkError(_ error: GitError, remote: String) -> ReplicaError {
    guard case .program(_, _, let message) = error else { return .git(error.description) }
    let offline = [
      "Could not resolve host", "Connection refused", "Connection timed out", "unreachable",
      "Failed to connect", "Couldn't connect", "Name or service not known", "timed out",
    ]
    let short = message.replacing("fatal: ", with: "").replacing("error: ", with: "")
    return offline.contains { message.contains($0) }
      ? .offline(remote: remote, reason: short) : .refused(remote: remote, reason: short)
  }

  /// How often a push that was overtaken is tried again.
  static let pushesMax = 5

  /// Fetches, merges and pushes until both sides are the same, or says what would happen.
  ///
  /// - Parameters:
  ///   - remote: nil for the usual one.
  ///   - pushes: false only fetches and merges.
  ///   - dryRun: fetches and computes, changes nothing of the store.
  public func sync(
    with remote: String? = nil, pulls: Bool = true, pushes: Bool = true, dryRun: Bool = false,
    progress: ((String) -> Void)? = nil
  ) throws(ReplicaError) -> SyncReport {
    let remote = try remoteName(remote)
    var report = SyncReport(remote: remote)
    let lock = StoreLock(repository.gitDirectory + "almanac")
    defer { lock.release() }
    if !dryRun {
      do { report.leftAlone = try commitHandEdits() } catch { throw .git("\(error)") }
    }
    let branch = String(
      repository.headReference.split(separator: "/").dropFirst(2).joined(separator: "/"))
    for _ in 0..<Replica.pushesMax {
      do throws(GitError) {
        try program.require(["fetch", "--progress", "--", remote], progress: progress)
      } catch {
        throw Replica.networkError(error, remote: remote)
      }
      try git { () throws(GitError) in try repository.refreshObjects() }
      let theirs = repository.reference("refs/remotes/\(remote)/\(branch)")
      if let theirs, pulls {
        try integrate(theirs, name: remote, into: &report, dryRun: dryRun)
      }
      guard let head = repository.head else { return report }
      report.head = head.description
      guard pushes, theirs != head || dryRun else { return report }
      try noteOutgoing(head, theirs, in: &report)
      if dryRun || report.outgoing.isEmpty { return report }
      if try push(remote, branch: branch, progress: progress) {
        report.pushed = report.outgoing.count
        return report
      }
    }
    throw .refused(remote: remote, reason: "others kept pushing; try again")
  }

  private func noteOutgoing(
    _ head: ObjectID, _ theirs: ObjectID?, in report: inout SyncReport
  ) throws(ReplicaError) {
    report.outgoing = try git { () throws(GitError) in
      try repository.log(from: [head], hiding: theirs.map { [$0] } ?? [])
        .map { id throws(GitError) in try repository.commit(id).subject }
    }
  }

  /// Pushes the branch; false if somebody else was faster.
  private func push(
    _ remote: String, branch: String, progress: ((String) -> Void)?
  ) throws(ReplicaError) -> Bool {
    let reference = repository.headReference
    let result = try git { () throws(GitError) in
      try program.run(
        [
          "push", "--porcelain", "--progress", "--set-upstream", "--", remote,
          "\(reference):refs/heads/\(branch)",
        ], progress: progress)
    }
    if result.status == 0 { return true }
    for line in result.outputText.split(separator: "\n") where line.hasPrefix("!") {
      if line.contains("fetch first") || line.contains("non-fast-forward")
        || line.contains("stale info")
        || line.contains("failed to update ref") || line.contains("cannot lock ref")
      {
        return false
      }
      throw .refused(
        remote: remote, reason: line.split(separator: "\t").last.map(String.init) ?? String(line))
    }
    throw Replica.networkError(
      .program(arguments: ["push"], status: result.status, message: result.errorText),
      remote: remote)
  }

  /// Merges a branch or commit of the same store.
  public func merge(_ revision: String) throws(ReplicaError) -> SyncReport {
    guard let theirs = repository.commit(named: revision) else { throw .notFound(revision) }
    var report = SyncReport(remote: revision)
    let lock = StoreLock(repository.gitDirectory + "almanac")
    defer { lock.release() }
    do { report.leftAlone = try commitHandEdits() } catch { throw .git("\(error)") }
    try integrate(theirs, name: revision, into: &report, dryRun: false)
    report.head = repository.head?.description
    return report
  }

  /// Brings a commit in: nothing, fast-forward, or merge.
  private func integrate(
    _ theirs: ObjectID, name: String, into report: inout SyncReport, dryRun: Bool
  ) throws(ReplicaError) {
    let known = try git { () throws(GitError) in
      try repository.head.map { head throws(GitError) in try repository.mergeBases(head, theirs) }
    }
    try bringIn(theirs, name: name, into: &report, dryRun: dryRun)
    guard !dryRun, let known, let head = repository.head else { return }
    try repairMerges(of: head, since: known, in: &report)
  }

  /// Repairs what merges by other programs got wrong, in a commit of its own.
  private func repairMerges(
    of head: ObjectID, since known: [ObjectID], in report: inout SyncReport
  ) throws(ReplicaError) {
    guard let repairs = try repairs(of: head, since: known) else { return }
    report.conflicts += repairs.conflicted
    report.notes += repairs.reports
    report.notes += repairs.merged.map { "\($0): a merge by another program was repaired" }
    try commitMerge(
      repairs, onto: head, parents: [head], "repair a merge by another program", "repair")
  }

  private func commitMerge(
    _ merge: TreeMerge, onto head: ObjectID, parents: [ObjectID], _ subject: String, _ op: String
  ) throws(ReplicaError) {
    do {
      _ = try commit(merge.files, onto: head, parents: parents, message(subject, op: op))
    } catch let error as GitError {
      if case .moved = error { throw .busy }
      throw .git(error.description)
    } catch {
      throw .git("\(error)")
    }
  }

  private func bringIn(
    _ theirs: ObjectID, name: String, into report: inout SyncReport, dryRun: Bool
  ) throws(ReplicaError) {
    guard let head = repository.head else {
      if !dryRun { try move(to: theirs, from: nil, message: "start from \(name)") }
      return
    }
    let bases = try git { () throws(GitError) in try repository.mergeBases(head, theirs) }
    if bases == [theirs] { return }
    guard let base = bases.first else { throw .unrelatedHistories(name) }
    let incoming = try git { () throws(GitError) in
      try repository.log(from: [theirs], hiding: [head])
        .map { id throws(GitError) in try repository.commit(id) }
    }
    report.fetched += incoming.count
    report.incoming = incoming.filter { $0.parents.count < 2 }.map(\.subject) + report.incoming
    if base == head {
      if !dryRun { try move(to: theirs, from: head, message: "fast-forward to \(name)") }
      return
    }
    let result = try mergeTrees(ours: head, theirs: theirs)
    report.merged += result.merged
    report.conflicts += result.conflicted
    report.notes += result.reports
    guard !dryRun else { return }
    let subject =
      "merge \(incoming.count) \(incoming.count == 1 ? "change" : "changes") from \(name)"
    try commitMerge(result, onto: head, parents: [head, theirs], subject, "merge")
  }

  private func move(to commit: ObjectID, from old: ObjectID?, message: String) throws(ReplicaError)
  {
    do throws(GitError) {
      try repository.moveHead(to: commit, expecting: old, message: "almanac: " + message)
    } catch .moved {
      throw .busy
    } catch {
      throw .git(error.description)
    }
  }

  // MARK: - Conflicts

  /// The open conflicts of all objects.
  public func conflicts() throws(ReplicaError) -> [ConflictInfo] {
    let snapshot = try snapshot()
    return snapshot.objects().flatMap { snapshot.conflicts(of: $0) }
  }
}

extension Snapshot {
  /// The open conflicts of an object.
  public func conflicts(of stored: StoredObject) -> [ConflictInfo] {
    (stored.object["conflicts"]?.objectValue?.members ?? []).map { member in
      let parts = member.name.split(separator: "/").map(String.init)
      let isOccurrence = parts.first == "recurrenceOverrides" && parts.count > 1
      let others = (member.value.arrayValue ?? []).map { entry in
        let value = entry.objectValue?["value"]
        return ConflictInfo.Value(
          value: value?.isNull ?? true ? nil : value,
          at: entry.objectValue?["at"]?.stringValue.flatMap { Instant(extended: $0) },
          by: entry.objectValue?["by"]?.stringValue)
      }
      return ConflictInfo(
        stored: stored, pointer: member.name, recurrenceID: isOccurrence ? parts[1] : nil,
        shown: shownValue(stored, member.name), others: others)
    }
  }

  private func shownValue(_ stored: StoredObject, _ pointer: String) -> JSONValue? {
    let object = stored.object
    switch pointer {
    case "@hour":
      var value: JSONObject = [
        "time": object.anchor?.time.map { .string($0.description) } ?? .null
      ]
      value["timeZone"] = object["timeZone"]
      return .object(value)
    case "@day":
      var value: JSONObject = ["date": .string(object.anchor?.date.description ?? "")]
      if var rule = object["recurrenceRule"]?.objectValue {
        rule["count"] = nil
        rule["until"] = nil
        value["recurrenceRule"] = .object(rule)
      }
      return .object(value)
    case "@end":
      var value = JSONObject()
      let rule = object["recurrenceRule"]?.objectValue
      value["count"] = rule?["count"]
      value["until"] = rule?["until"]
      return .object(value)
    case "@calendar": return .string(stored.collection)
    default: return Patch.value(at: pointer, in: object.members) ?? patched(object, pointer)
    }
  }

  /// A value inside a patch, where the rest of the pointer is one name.
  private func patched(_ object: CalendarObject, _ pointer: String) -> JSONValue? {
    let parts = pointer.split(separator: "/", maxSplits: 2).map(String.init)
    guard parts.count == 3 else { return nil }
    return object[parts[0]]?.objectValue?[parts[1]]?.objectValue?[parts[2]]
  }
}
