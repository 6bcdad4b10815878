import CLibgit2

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The git index, locked against all other programs while it is read and written: the lock file is
/// a copy that takes the place of the index at the end, so that what others staged meanwhile cannot
/// be lost.
@safe final class IndexLock {
  private let repository: OpaquePointer
  private let index: OpaquePointer
  private let indexPath: String
  private let lockPath: String
  private var isHeld = true
  private var isChanged = false
  private let hasConflicts: Bool

  /// Locks the index of a repository with a work tree.
  ///
  /// - Throws: `GitError.locked` if another process holds it all the time.
  init(_ owner: Repository, waitMilliseconds: Int) throws(GitError) {
    unsafe repository = owner.pointer
    indexPath = owner.gitDirectory + "index"
    lockPath = indexPath + ".lock"
    var pause = BoundedWait(milliseconds: waitMilliseconds)
    var descriptor = openPath(lockPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC)
    while descriptor < 0 {
      guard errno == EEXIST else { throw fileError(lockPath) }
      guard pause.wait() else { throw .locked(path: lockPath) }
      descriptor = openPath(lockPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC)
    }
    do throws(GitError) {
      defer { close(descriptor) }
      unsafe index = try IndexLock.copy(from: indexPath, to: lockPath, descriptor)
      hasConflicts = unsafe git_index_has_conflicts(index) == 1
    } catch {
      _ = unsafe unlink(lockPath)
      throw error
    }
    // The index must know the repository to recognise files changed in the same instant.
    let status = unsafe git_repository_set_index(repository, index)
    if status < 0 {
      release()
      try check(status, "open the index")
    }
  }

  deinit {
    release()
    unsafe git_index_free(index)
  }

  private static func copy(
    from path: String, to lockPath: String, _ descriptor: Int32
  ) throws(GitError) -> OpaquePointer {
    var status = stat()
    let exists = unsafe lstat(path, &status) == 0
    if exists, status.st_size > 0 {
      try writeAll(try readAll(path, path), to: descriptor, path: lockPath)
      // Files newer than the index may differ though their times agree; the copy must keep that.
      let times = [status.st_atim, status.st_mtim]
      _ = unsafe futimens(descriptor, times)
    } else {
      var bytes: [UInt8] = Array("DIRC".utf8) + [0, 0, 0, 2, 0, 0, 0, 0]
      var checksum = SHA1()
      checksum.update(bytes)
      bytes += checksum.finish()
      try writeAll(bytes, to: descriptor, path: lockPath)
    }
    var index: OpaquePointer?
    try check(unsafe git_index_open(&index, lockPath), "read the index")
    guard let index = unsafe index else {
      throw .failed(operation: "read the index", code: -1, message: "it is missing")
    }
    return unsafe index
  }

  /// What the index holds at a path; nil if it holds nothing, or a conflict.
  func entry(_ path: String) -> (id: ObjectID, mode: FileMode)? {
    guard let entry = unsafe git_index_get_bypath(index, path, 0) else { return nil }
    return unsafe (ObjectID(entry.pointee.id), FileMode(number: entry.pointee.mode))
  }

  /// Whether git notes an unfinished merge of this path.
  func isConflicted(_ path: String) -> Bool {
    guard hasConflicts else { return false }
    return (1...3).contains { unsafe git_index_get_bypath(index, path, $0) != nil }
  }

  /// Takes a path out of the index.
  func remove(_ path: String) {
    if unsafe git_index_remove(index, path, 0) == 0 { isChanged = true }
  }

  /// Sets a path to an object; with the stat data of a file that holds it, git need not read the
  /// file again.
  func set(_ path: String, _ id: ObjectID, _ mode: FileMode, file: stat?) throws(GitError) {
    var entry = unsafe git_index_entry()
    if let file {
      unsafe entry.ctime = git_index_time(
        seconds: Int32(truncatingIfNeeded: file.st_ctim.tv_sec),
        nanoseconds: UInt32(truncatingIfNeeded: file.st_ctim.tv_nsec))
      unsafe entry.mtime = git_index_time(
        seconds: Int32(truncatingIfNeeded: file.st_mtim.tv_sec),
        nanoseconds: UInt32(truncatingIfNeeded: file.st_mtim.tv_nsec))
      unsafe entry.dev = UInt32(truncatingIfNeeded: file.st_dev)
      unsafe entry.ino = UInt32(truncatingIfNeeded: file.st_ino)
      unsafe entry.uid = file.st_uid
      unsafe entry.gid = file.st_gid
      unsafe entry.file_size = UInt32(truncatingIfNeeded: file.st_size)
      unsafe entry.flags_extended = UInt16(GIT_INDEX_ENTRY_UPTODATE.rawValue)
    }
    unsafe entry.mode = mode.rawValue
    unsafe entry.id = id.raw
    let status = unsafe path.withCString { path in
      unsafe entry.path = path
      return unsafe git_index_add(index, &entry)
    }
    try check(status, "add '\(path)' to the index")
    isChanged = true
  }

  /// Puts the changed copy in the place of the index and ends the lock.
  func commit() throws(GitError) {
    guard isHeld else { return }
    defer { release() }
    guard isChanged else { return }
    try check(unsafe git_index_write(index), "write the index")
    guard unsafe rename(lockPath, indexPath) == 0 else { throw fileError(indexPath) }
    isHeld = false
    _ = unsafe git_repository_set_index(repository, nil)
  }

  /// Ends the lock; changes that were not committed are dropped.
  func release() {
    guard isHeld else { return }
    isHeld = false
    _ = unsafe git_repository_set_index(repository, nil)
    _ = unsafe unlink(lockPath)
  }
}
