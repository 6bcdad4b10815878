import CLibgit2

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// How a file of the work tree differs from the index.
package struct WorkTreeChange: Hashable, Sendable {
  /// What happened to it.
  package enum Kind: Hashable, Sendable {
    case added, modified, removed
  }

  /// The path from the root of the work tree.
  package let path: String
  /// What happened.
  package let kind: Kind

  /// Creates a change.
  package init(path: String, kind: Kind) {
    self.path = path
    self.kind = kind
  }
}

extension Repository {
  /// What the index knows of one path.
  private struct Known {
    let blob: ObjectID
    /// The file is as it was when the index was written, so its contents need not be read.
    let isCurrent: Bool
    /// There is a file or a link.
    let exists: Bool
    /// The user promised to add it, or a merge of it is unfinished.
    let isOpen: Bool
  }

  /// Whether an operation of git such as a merge or a rebase is half done in this work tree.
  package var isBusyWithMerge: Bool {
    unsafe git_repository_state(pointer) != Int32(GIT_REPOSITORY_STATE_NONE.rawValue)
  }

  /// The files below folders that differ from the index, by path; contents are read only where the
  /// stat data differ, or are as young as the index. An unfinished `moveHead` is finished first.
  ///
  /// - Parameter folders: with a slash at the end; without, a single file; the empty one is all.
  package func workTreeChanges(below folders: [String]) throws(GitError) -> [WorkTreeChange] {
    guard workDirectory != nil else { return [] }
    try recoverWorkTree()
    let entries = try indexEntries(below: folders)
    var changes: Set<WorkTreeChange> = []
    for (path, entry) in entries where !entry.isCurrent {
      if !entry.exists {
        changes.insert(WorkTreeChange(path: path, kind: .removed))
        continue
      }
      let isChanged = entry.isOpen ? true : try differs(path, from: entry.blob)
      if isChanged {
        changes.insert(WorkTreeChange(path: path, kind: .modified))
      }
    }
    for folder in folders {
      if folder.hasSuffix("/") || folder.isEmpty {
        for path in plainFiles(below: folder) where entries[path] == nil && !isIgnored(path) {
          changes.insert(WorkTreeChange(path: path, kind: .added))
        }
      } else if entries[folder] == nil, try exists(folder) {
        changes.insert(WorkTreeChange(path: folder, kind: .added))
      }
    }
    return changes.sorted { $0.path < $1.path }
  }

  /// Whether a path of the work tree differs from the index.
  package func isModified(_ path: String) throws(GitError) -> Bool {
    try !workTreeChanges(below: [path]).isEmpty
  }

  private func exists(_ path: String) throws(GitError) -> Bool {
    guard let root = workDirectory, (try? refuseLinks(path)) != nil else { return false }
    var status = stat()
    return unsafe lstat(root + path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  private func isIgnored(_ path: String) -> Bool {
    var ignored: Int32 = 0
    return unsafe git_ignore_path_is_ignored(&ignored, pointer, path) == 0 && ignored == 1
  }

  private func differs(_ path: String, from blob: ObjectID) throws(GitError) -> Bool {
    // What cannot be read is not what was committed.
    guard let bytes = (try? workFile(path)) ?? nil else { return true }
    return try blobID(of: bytes) != blob
  }

  private func indexEntries(below folders: [String]) throws(GitError) -> [String: Known] {
    guard let root = workDirectory else { return [:] }
    let index = try GitHandle.make(
      "open the index", free: { unsafe git_index_free($0) },
      { unsafe git_repository_index(&$0, pointer) })
    try check(unsafe git_index_read(index.pointer, 0), "read the index")
    var indexStatus = stat()
    let indexTime: FileTime =
      unsafe lstat(gitDirectory + "index", &indexStatus) == 0
      ? FileTime(indexStatus.st_mtim) : FileTime(timespec())
    var entries: [String: Known] = [:]
    for position in 0..<(unsafe git_index_entrycount(index.pointer)) {
      guard let entry = unsafe git_index_get_byindex(index.pointer, position) else { continue }
      let path = unsafe String(cString: entry.pointee.path)
      let isWanted = folders.contains { folder in
        folder.hasSuffix("/") || folder.isEmpty ? path.hasPrefix(folder) : path == folder
      }
      guard isWanted, unsafe FileMode(number: entry.pointee.mode).isFile else { continue }
      let flags = unsafe (UInt32(entry.pointee.flags), UInt32(entry.pointee.flags_extended))
      let isLeftOut =
        flags.0 & GIT_INDEX_ENTRY_VALID.rawValue != 0
        || flags.1 & GIT_INDEX_ENTRY_SKIP_WORKTREE.rawValue != 0
      let isOpen =
        flags.0 & UInt32(GIT_INDEX_ENTRY_STAGEMASK) != 0
        || flags.1 & GIT_INDEX_ENTRY_INTENT_TO_ADD.rawValue != 0
      var status = stat()
      let exists = unsafe lstat(root + path, &status) == 0
      let isCurrent =
        unsafe isLeftOut
        || (exists && !isOpen && FileTime(status.st_mtim) < indexTime
          && entry.pointee.agrees(with: status))
      entries[path] = unsafe Known(
        blob: ObjectID(entry.pointee.id), isCurrent: isCurrent, exists: exists, isOpen: isOpen)
    }
    return entries
  }
}

/// A file time in the width that the index keeps.
private struct FileTime: Comparable {
  let seconds: Int64
  let nanoseconds: Int64

  init(_ time: timespec) {
    seconds = Int64(time.tv_sec)
    nanoseconds = Int64(time.tv_nsec)
  }

  static func < (left: FileTime, right: FileTime) -> Bool {
    (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
  }
}

extension git_index_entry {
  /// Whether a file still has the size, place and times that the index noted.
  fileprivate func agrees(with file: stat) -> Bool {
    unsafe file.st_mode & S_IFMT == S_IFREG
      && mtime.seconds == Int32(truncatingIfNeeded: file.st_mtim.tv_sec)
      && mtime.nanoseconds == UInt32(truncatingIfNeeded: file.st_mtim.tv_nsec)
      && ctime.seconds == Int32(truncatingIfNeeded: file.st_ctim.tv_sec)
      && ctime.nanoseconds == UInt32(truncatingIfNeeded: file.st_ctim.tv_nsec)
      && file_size == UInt32(truncatingIfNeeded: file.st_size)
      && ino == UInt32(truncatingIfNeeded: file.st_ino)
  }
}
