import CLibgit2

/// What went wrong with a repository.
package enum GitError: Error, Sendable, Equatable {
  /// A call of libgit2 failed: the operation, git's code and its message.
  case failed(operation: String, code: Int32, message: String)
  /// A reference was not where it was expected to be; somebody else was faster.
  case moved(reference: String)
  /// There is no repository at a path.
  case notARepository(String)
  /// The repository belongs to another user of this machine, and git's `safe.directory` does not
  /// name it.
  case foreignOwner(path: String)
  /// The repository uses a feature that libgit2 cannot read, such as SHA-256 names.
  case unsupported(path: String, reason: String)
  /// Another process holds a lock file, or one died and left it; waiting did not help.
  case locked(path: String)
  /// A file of the work tree could not be read or written, or a path cannot stand in a repository.
  case file(path: String, reason: String)
  /// The `git` program is missing or could not be started.
  case gitMissing(String)
  /// The `git` program failed: its arguments, exit status and what it said.
  case program(arguments: [String], status: Int32, message: String)
}

extension GitError: CustomStringConvertible {
  /// The message, without advice.
  package var description: String {
    switch self {
    case .failed(let operation, _, let message): "\(operation): \(message)"
    case .moved(let reference): "\(reference) was moved by another process"
    case .notARepository(let path): "'\(path)' is no git repository"
    case .foreignOwner(let path):
      "'\(path)' belongs to another user and git's safe.directory does not name it"
    case .unsupported(let path, let reason): "'\(path)' cannot be read: \(reason)"
    case .locked(let path):
      "'\(path)' is there: another git program is at work, or one ended and left it"
    case .file(let path, let reason): "'\(path)': \(reason)"
    case .gitMissing(let reason): "the git program could not be started: \(reason)"
    case .program(let arguments, let status, let message):
      "git \(arguments.first ?? "") failed with status \(status): \(message)"
    }
  }
}

/// Turns a status of libgit2 into an error with the operation's name.
@discardableResult
func check(_ status: Int32, _ operation: String) throws(GitError) -> Int32 {
  guard status < 0 else { return status }
  throw .failed(operation: operation, code: status, message: lastMessage() ?? "error \(status)")
}

/// What libgit2 says about the last failure on this thread.
func lastMessage() -> String? {
  guard let error = unsafe git_error_last(), let text = unsafe error.pointee.message else {
    return nil
  }
  return unsafe String(cString: text)
}
