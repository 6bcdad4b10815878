import CLibgit2

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension Repository {
  /// The full name of the branch that HEAD stands for, also before its first commit; `HEAD` itself
  /// if it is detached.
  package var headReference: String {
    var head: OpaquePointer?
    guard unsafe git_reference_lookup(&head, pointer, "HEAD") == 0 else { return "HEAD" }
    defer { unsafe git_reference_free(head) }
    guard let target = unsafe git_reference_symbolic_target(head) else { return "HEAD" }
    return unsafe String(cString: target)
  }

  /// Whether HEAD is a commit and not a branch.
  package var isHeadDetached: Bool { headReference == "HEAD" }

  /// The commit of HEAD; nil before the first commit.
  package var head: ObjectID? { reference(headReference) }

  /// The commit a reference leads to; nil if there is no such reference.
  package func reference(_ name: String) -> ObjectID? {
    var id = git_oid()
    guard unsafe git_reference_name_to_id(&id, pointer, name) == 0 else { return nil }
    return ObjectID(id)
  }

  /// The full names of all references below a prefix such as `refs/heads/`, sorted.
  package func references(below prefix: String = "refs/") throws(GitError) -> [String] {
    var names = unsafe git_strarray()
    try check(unsafe git_reference_list(&names, pointer), "list the references")
    defer { unsafe git_strarray_dispose(&names) }
    var result: [String] = []
    for index in 0..<(unsafe names.count) {
      guard let name = unsafe names.strings[index] else { continue }
      result.append(unsafe String(cString: name))
    }
    return result.filter { $0.hasPrefix(prefix) }.sorted()
  }

  /// The commit that a revision such as `HEAD~1`, a branch or an abbreviated ID means; nil if there
  /// is none.
  package func commit(named revision: String) -> ObjectID? {
    guard (try? flush()) != nil else { return nil }
    var object: OpaquePointer?
    guard unsafe git_revparse_single(&object, pointer, revision) == 0 else { return nil }
    defer { unsafe git_object_free(object) }
    var commit: OpaquePointer?
    guard unsafe git_object_peel(&commit, object, GIT_OBJECT_COMMIT) == 0 else { return nil }
    defer { unsafe git_object_free(commit) }
    guard let id = unsafe git_object_id(commit) else { return nil }
    return unsafe ObjectID(id.pointee)
  }

  /// Moves a reference if it still is where it is expected: compare-and-swap under git's own lock
  /// of the reference. Objects that wait are written first; the reflogs of the reference and of
  /// HEAD get the message.
  ///
  /// - Parameters:
  ///   - expected: the commit it must lead to; nil if it must not exist.
  ///   - waitMilliseconds: how long to wait while another process holds the lock.
  /// - Throws: `GitError.moved` if it is elsewhere, `.locked` if the lock stays.
  package func updateReference(
    _ name: String, to id: ObjectID, expecting expected: ObjectID?, message: String,
    waitMilliseconds: Int = 2_000
  ) throws(GitError) {
    try flush()
    let transaction = try GitHandle.make(
      "update \(name)", free: { unsafe git_transaction_free($0) },
      { unsafe git_transaction_new(&$0, pointer) })
    var pause = BoundedWait(milliseconds: waitMilliseconds)
    while true {
      let status = unsafe git_transaction_lock_ref(transaction.pointer, name)
      if status >= 0 { break }
      if status == GIT_ELOCKED.rawValue {
        if pause.wait() { continue }
        throw .locked(path: lockPath(of: name))
      }
      // A branch `a` where `a/b` is wanted, or a name that is none.
      try check(status, "update \(name)")
    }
    guard reference(name) == expected else { throw .moved(reference: name) }
    var target = id.raw
    try check(
      unsafe git_transaction_set_target(transaction.pointer, name, &target, nil, oneLine(message)),
      "update \(name)")
    try check(unsafe git_transaction_commit(transaction.pointer), "update \(name)")
  }

  private func lockPath(of name: String) -> String {
    (name.hasPrefix("refs/") ? commonDirectory : gitDirectory) + name + ".lock"
  }

  private func oneLine(_ message: String) -> String {
    String(
      String.UnicodeScalarView(message.unicodeScalars.map { $0.value < 0x20 ? " " : $0 }))
  }
}

/// Waits for another process in growing steps, and not for ever.
struct BoundedWait {
  private var left: Int
  private var step = 5

  init(milliseconds: Int) {
    left = milliseconds
  }

  /// Waits a little; false if the time is used up.
  mutating func wait() -> Bool {
    guard left > 0 else { return false }
    let now = min(step, left)
    _ = poll(nil, 0, Int32(truncatingIfNeeded: now))
    left -= now
    step = min(step * 2, 100)
    return true
  }
}
