import CLibgit2
import Synchronization

/// The process-wide start of libgit2, once, when first needed.
package enum GitLibrary {
  private static let started: Int32 = git_libgit2_init()
  private static let durability = Mutex(false)

  static func start() throws(GitError) {
    try check(started, "start libgit2")
  }

  /// Whether objects are on the disk before a reference names them, and references before a write
  /// returns, so that a power cut loses nothing that was reported as done. Off costs nothing and
  /// leaves the order to the file system, as git itself does for loose objects.
  ///
  /// One setting for the process; it can be changed at any time between writes.
  package static var isDurable: Bool {
    get { durability.withLock { $0 } }
    set {
      durability.withLock { $0 = newValue }
      _ = almanac_git_option_int(
        Int32(GIT_OPT_ENABLE_FSYNC_GITDIR.rawValue), newValue ? 1 : 0)
    }
  }
}
