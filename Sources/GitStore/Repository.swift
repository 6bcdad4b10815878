import CLibgit2

/// One git repository. Not for use by several threads.
@safe package final class Repository {
  let pointer: OpaquePointer

  private init(_ pointer: OpaquePointer) {
    unsafe self.pointer = pointer
  }

  deinit {
    unsafe git_repository_free(pointer)
  }

  /// Opens the repository at a folder or at one of its parents.
  ///
  /// - Throws: `GitError.notARepository` if there is none; `.failed` if git refuses it.
  package static func open(_ path: String) throws(GitError) -> Repository {
    try GitLibrary.start()
    var pointer: OpaquePointer?
    let status = unsafe git_repository_open_ext(&pointer, path, 0, nil)
    if status == GIT_ENOTFOUND.rawValue { throw .notARepository(path) }
    try check(status, "open the repository at '\(path)'")
    guard let pointer = unsafe pointer else { throw .notARepository(path) }
    return unsafe Repository(pointer)
  }

  /// Creates a repository whose first branch is `main`.
  package static func create(_ path: String, bare: Bool = false) throws(GitError) -> Repository {
    try GitLibrary.start()
    var pointer: OpaquePointer?
    try check(
      unsafe git_repository_init(&pointer, path, bare ? 1 : 0),
      "create a repository at '\(path)'")
    guard let pointer = unsafe pointer else { throw .notARepository(path) }
    let repository = unsafe Repository(pointer)
    try check(
      unsafe git_repository_set_head(pointer, "refs/heads/main"), "set the first branch")
    return repository
  }

  /// The work tree with a trailing slash; nil if the repository is bare.
  package var workDirectory: String? {
    unsafe git_repository_workdir(pointer).map { unsafe String(cString: $0) }
  }

  /// The git directory of this work tree, with a trailing slash.
  package var gitDirectory: String {
    unsafe git_repository_path(pointer).map { unsafe String(cString: $0) } ?? ""
  }

  /// Whether the repository has no work tree.
  package var isBare: Bool { unsafe git_repository_is_bare(pointer) == 1 }

  // MARK: - Configuration

  /// A setting with git's precedence of files; nil if it is not set.
  package func config(_ name: String) -> String? {
    var config: OpaquePointer?
    guard unsafe git_repository_config_snapshot(&config, pointer) == 0 else { return nil }
    defer { unsafe git_config_free(config) }
    var value: UnsafePointer<CChar>?
    guard unsafe git_config_get_string(&value, config, name) == 0 else { return nil }
    return unsafe value.map { unsafe String(cString: $0) }
  }

  /// Writes a setting to the repository's own file.
  package func setConfig(_ name: String, _ value: String) throws(GitError) {
    var config: OpaquePointer?
    try check(unsafe git_repository_config(&config, pointer), "read the configuration")
    defer { unsafe git_config_free(config) }
    var local: OpaquePointer?
    try check(
      unsafe git_config_open_level(&local, config, GIT_CONFIG_LEVEL_LOCAL),
      "open the configuration")
    defer { unsafe git_config_free(local) }
    try check(unsafe git_config_set_string(local, name, value), "set \(name)")
  }

  // MARK: - References

  /// The full name of the branch that HEAD stands for, also before its first commit; `HEAD` itself
  /// if it is detached.
  package var headReference: String {
    var head: OpaquePointer?
    guard unsafe git_reference_lookup(&head, pointer, "HEAD") == 0 else { return "HEAD" }
    defer { unsafe git_reference_free(head) }
    guard let target = unsafe git_reference_symbolic_target(head) else { return "HEAD" }
    return unsafe String(cString: target)
  }

  /// The commit of HEAD; nil before the first commit.
  package var head: ObjectID? { reference(headReference) }

  /// The commit a reference leads to; nil if there is no such reference.
  package func reference(_ name: String) -> ObjectID? {
    var id = git_oid()
    guard unsafe git_reference_name_to_id(&id, pointer, name) == 0 else { return nil }
    return ObjectID(id)
  }

  /// The commit that a revision such as `HEAD~1`, a branch or an abbreviated ID means; nil if there
  /// is none.
  package func commit(named revision: String) -> ObjectID? {
    var object: OpaquePointer?
    guard unsafe git_revparse_single(&object, pointer, revision) == 0 else { return nil }
    defer { unsafe git_object_free(object) }
    var commit: OpaquePointer?
    guard unsafe git_object_peel(&commit, object, GIT_OBJECT_COMMIT) == 0 else { return nil }
    defer { unsafe git_object_free(commit) }
    guard let id = unsafe git_object_id(commit) else { return nil }
    return unsafe ObjectID(id.pointee)
  }

  /// Moves a reference if it still is where it is expected: compare-and-swap.
  ///
  /// - Parameter expected: the commit it must lead to; nil if it must not exist.
  /// - Throws: `GitError.moved` if it is elsewhere.
  package func updateReference(
    _ name: String, to id: ObjectID, expecting expected: ObjectID?, message: String
  ) throws(GitError) {
    var target = id.raw
    var reference: OpaquePointer?
    defer { unsafe git_reference_free(reference) }
    let status: Int32
    if let expected {
      var current = expected.raw
      status = unsafe git_reference_create_matching(
        &reference, pointer, name, &target, 1, &current, message)
    } else {
      status = unsafe git_reference_create(&reference, pointer, name, &target, 0, message)
    }
    let lost = [
      GIT_EMODIFIED.rawValue, GIT_EEXISTS.rawValue, GIT_ELOCKED.rawValue, GIT_ENOTFOUND.rawValue,
    ]
    if lost.contains(status) { throw .moved(reference: name) }
    try check(status, "update \(name)")
  }
}
