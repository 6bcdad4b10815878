import CLibgit2

/// One git repository. Not for use by several threads.
///
/// Objects that are written wait in memory until a reference moves, `flush()` is called or git has
/// to see them; then they go out together, many as one pack, few as loose objects. Whatever a
/// reference names is there before the reference is.
@safe package final class Repository {
  let pointer: OpaquePointer

  /// Objects that are not in the object database yet, in the order of writing.
  var pending = PendingObjects()

  private init(_ pointer: OpaquePointer) {
    unsafe self.pointer = pointer
  }

  deinit {
    unsafe git_repository_free(pointer)
  }

  /// Opens the repository at a folder or at one of its parents; bare ones, linked work trees and
  /// separate git folders too.
  ///
  /// - Throws: `GitError.notARepository` if there is none, `.foreignOwner` if it belongs to
  ///   somebody else, `.unsupported` if it needs a newer git library.
  package static func open(_ path: String) throws(GitError) -> Repository {
    try GitLibrary.start()
    var pointer: OpaquePointer?
    let status = unsafe git_repository_open_ext(&pointer, path, 0, nil)
    // libgit2 1.5 says "not found" of the setting `safe.directory` when it means the owner.
    let isForeign = status == GIT_ENOTFOUND.rawValue && lastMessage()?.contains("safe.dir") ?? false
    if status == GIT_ENOTFOUND.rawValue && !isForeign { throw .notARepository(path) }
    if isForeign || status == GIT_EOWNER.rawValue { throw .foreignOwner(path: path) }
    if status < 0, let message = lastMessage(),
      message.hasPrefix("unsupported") || message.contains("repository version")
    {
      throw .unsupported(path: path, reason: message)
    }
    try check(status, "open the repository at '\(path)'")
    guard let pointer = unsafe pointer else { throw .notARepository(path) }
    return unsafe Repository(pointer)
  }

  /// Creates a repository whose first branch is `main`, with the folders above it. One that is
  /// already there is opened and keeps its branch.
  package static func create(_ path: String, bare: Bool = false) throws(GitError) -> Repository {
    try GitLibrary.start()
    var options = unsafe git_repository_init_options()
    try check(
      unsafe git_repository_init_options_init(
        &options, UInt32(GIT_REPOSITORY_INIT_OPTIONS_VERSION)), "create a repository")
    unsafe options.flags =
      GIT_REPOSITORY_INIT_MKPATH.rawValue | (bare ? GIT_REPOSITORY_INIT_BARE.rawValue : 0)
    var pointer: OpaquePointer?
    let status = unsafe "main".withCString { branch in
      unsafe options.initial_head = branch
      return unsafe git_repository_init_ext(&pointer, path, &options)
    }
    if status == GIT_EOWNER.rawValue { throw .foreignOwner(path: path) }
    try check(status, "create a repository at '\(path)'")
    guard let pointer = unsafe pointer else { throw .notARepository(path) }
    return unsafe Repository(pointer)
  }

  /// The work tree with a trailing slash; nil if the repository is bare.
  package var workDirectory: String? {
    unsafe git_repository_workdir(pointer).map { unsafe String(cString: $0) }
  }

  /// The git directory of this work tree, with a trailing slash; `git rev-parse --git-path NAME`
  /// is this and a name for what belongs to one work tree.
  package var gitDirectory: String {
    unsafe git_repository_path(pointer).map { unsafe String(cString: $0) } ?? ""
  }

  /// The git directory that all work trees of the repository share, with a trailing slash.
  package var commonDirectory: String {
    unsafe git_repository_commondir(pointer).map { unsafe String(cString: $0) } ?? gitDirectory
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

  /// A setting that is yes or no in any of git's spellings; nil if it is neither or not set.
  package func configBool(_ name: String) -> Bool? {
    var config: OpaquePointer?
    guard unsafe git_repository_config_snapshot(&config, pointer) == 0 else { return nil }
    defer { unsafe git_config_free(config) }
    var value: Int32 = 0
    guard unsafe git_config_get_bool(&value, config, name) == 0 else { return nil }
    return value != 0
  }

  /// Writes a setting to the repository's own file.
  package func setConfig(_ name: String, _ value: String) throws(GitError) {
    let config = try GitHandle.make(
      "read the configuration", free: { unsafe git_config_free($0) },
      { unsafe git_repository_config(&$0, pointer) })
    let local = try GitHandle.make(
      "open the configuration", free: { unsafe git_config_free($0) },
      { unsafe git_config_open_level(&$0, config.pointer, GIT_CONFIG_LEVEL_LOCAL) })
    let status = unsafe git_config_set_string(local.pointer, name, value)
    if status == GIT_ELOCKED.rawValue { throw .locked(path: commonDirectory + "config.lock") }
    try check(status, "set \(name)")
  }
}
