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
}

/// `open` of the C library, which `Repository.open` would hide.
private func openFile(_ path: String, _ flags: Int32) -> Int32 {
  unsafe open(path, flags, 0o666)
}

extension Repository {
  /// The bytes of a file of the work tree; nil if it is missing.
  ///
  /// - Throws: `GitError.file` if it cannot be read, is no plain file, is reached through a
  ///   symbolic link, or is longer than `bytesMax`.
  package func workFile(
    _ path: String, bytesMax: Int = 64 << 20
  ) throws(GitError) -> [UInt8]? {
    guard let root = workDirectory else { return nil }
    try refuseLinks(path)
    let full = root + path
    var status = stat()
    guard unsafe lstat(full, &status) == 0 else { return nil }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw .file(path: path, reason: "it is no plain file")
    }
    guard status.st_size <= bytesMax else {
      throw .file(
        path: path, reason: "it has \(status.st_size) bytes; at most \(bytesMax) are read")
    }
    let descriptor = openFile(full, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw Repository.fileError(path) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Int(status.st_size))
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe read(descriptor, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw Repository.fileError(path) }
      if count == 0 { return bytes }
      bytes.append(contentsOf: buffer[..<count])
    }
  }

  private static func fileError(_ path: String) -> GitError {
    .file(path: path, reason: unsafe String(cString: strerror(errno)))
  }

  /// Refuses paths that lead out of the work tree, through a link on the way or by their spelling.
  private func refuseLinks(_ path: String) throws(GitError) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard !path.isEmpty,
      parts.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." && $0 != ".git" })
    else { throw .file(path: path, reason: "this path leads out of the store") }
    guard let root = workDirectory else { return }
    var prefix = root
    for part in parts.dropLast() {
      prefix += part
      var status = stat()
      guard unsafe lstat(prefix, &status) == 0 else { return }
      if status.st_mode & S_IFMT == S_IFLNK {
        throw .file(path: path, reason: "'\(part)' is a symbolic link")
      }
      prefix += "/"
    }
  }

  /// Writes (or removes, nil) a file of the work tree: a temporary file beside it, then a rename,
  /// so that nobody ever sees half of it.
  package func setWorkFile(_ path: String, _ bytes: [UInt8]?) throws(GitError) {
    guard let root = workDirectory else { return }
    try refuseLinks(path)
    let full = root + path
    guard let bytes else {
      if unsafe unlink(full) != 0 && errno != ENOENT { throw Repository.fileError(path) }
      removeEmptyFolders(above: path)
      return
    }
    try makeFolders(above: path)
    let temporary = full + ".tmp-\(getpid())"
    let descriptor = openFile(
      temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw Repository.fileError(path) }
    var written = 0
    var failure: GitError?
    while written < bytes.count {
      let count = unsafe bytes[written...].withUnsafeBytes {
        unsafe write(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0 && errno == EINTR { continue }
      if count < 0 {
        failure = Repository.fileError(path)
        break
      }
      written += count
    }
    close(descriptor)
    if failure == nil, unsafe rename(temporary, full) != 0 { failure = Repository.fileError(path) }
    if let failure {
      _ = unsafe unlink(temporary)
      throw failure
    }
  }

  private func makeFolders(above path: String) throws(GitError) {
    guard var prefix = workDirectory else { return }
    for part in path.split(separator: "/").dropLast() {
      prefix += part
      if unsafe mkdir(prefix, 0o777) != 0 && errno != EEXIST { throw Repository.fileError(path) }
      prefix += "/"
    }
  }

  private func removeEmptyFolders(above path: String) {
    guard let root = workDirectory else { return }
    var parts = path.split(separator: "/").dropLast()
    while parts.count > 1, unsafe rmdir(root + parts.joined(separator: "/")) == 0 {
      parts = parts.dropLast()
    }
  }

  // MARK: - Index

  /// Brings the index entries of paths to blobs (nil removes), each with the stat data of its file,
  /// so that `git status` is clean; other entries stay as they are.
  package func setIndex(_ changes: [(path: String, blob: ObjectID?)]) throws(GitError) {
    guard let root = workDirectory, !changes.isEmpty else { return }
    let index = unsafe try lockedIndex()
    defer { unsafe git_index_free(index) }
    for change in changes {
      guard let blob = change.blob else {
        _ = unsafe git_index_remove_bypath(index, change.path)
        continue
      }
      var entry = unsafe git_index_entry()
      var status = stat()
      if unsafe lstat(root + change.path, &status) == 0 {
        unsafe entry.ctime = git_index_time(
          seconds: Int32(truncatingIfNeeded: status.st_ctim.tv_sec),
          nanoseconds: UInt32(status.st_ctim.tv_nsec))
        unsafe entry.mtime = git_index_time(
          seconds: Int32(truncatingIfNeeded: status.st_mtim.tv_sec),
          nanoseconds: UInt32(status.st_mtim.tv_nsec))
        unsafe entry.dev = UInt32(truncatingIfNeeded: status.st_dev)
        unsafe entry.ino = UInt32(truncatingIfNeeded: status.st_ino)
        unsafe entry.uid = status.st_uid
        unsafe entry.gid = status.st_gid
        unsafe entry.file_size = UInt32(truncatingIfNeeded: status.st_size)
      }
      unsafe entry.mode = UInt32(GIT_FILEMODE_BLOB.rawValue)
      unsafe entry.id = blob.raw
      let result = unsafe change.path.withCString { path in
        unsafe entry.path = path
        return unsafe git_index_add(index, &entry)
      }
      try check(result, "add '\(change.path)' to the index")
    }
    try check(unsafe git_index_write(index), "write the index")
  }

  private func lockedIndex() throws(GitError) -> OpaquePointer {
    var index: OpaquePointer?
    try check(unsafe git_repository_index(&index, pointer), "open the index")
    guard let index = unsafe index else {
      throw .failed(operation: "open the index", code: -1, message: "there is none")
    }
    let status = unsafe git_index_read(index, 0)
    if status < 0 {
      unsafe git_index_free(index)
      try check(status, "read the index")
    }
    return unsafe index
  }

  /// The blob that the index holds for each path below a folder, and whether the file's stat data
  /// still are those of the index.
  private func indexEntries(
    below folder: String
  ) throws(GitError) -> [String: (blob: ObjectID, isCurrent: Bool)] {
    guard let root = workDirectory else { return [:] }
    let index = unsafe try lockedIndex()
    defer { unsafe git_index_free(index) }
    var indexStatus = stat()
    let indexTime: Int64 =
      unsafe lstat(gitDirectory + "index", &indexStatus) == 0
      ? Int64(indexStatus.st_mtim.tv_sec) * 1_000_000_000 + Int64(indexStatus.st_mtim.tv_nsec) : 0
    var entries: [String: (blob: ObjectID, isCurrent: Bool)] = [:]
    for position in 0..<(unsafe git_index_entrycount(index)) {
      guard let entry = unsafe git_index_get_byindex(index, position) else { continue }
      let path = unsafe String(cString: entry.pointee.path)
      guard path.hasPrefix(folder) else { continue }
      var status = stat()
      var isCurrent = false
      if unsafe lstat(root + path, &status) == 0 {
        let modified = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
        let recorded =
          unsafe Int64(entry.pointee.mtime.seconds) * 1_000_000_000
          + Int64(entry.pointee.mtime.nanoseconds)
        // A file written after the index could have changed within the clock's resolution.
        isCurrent =
          unsafe modified == recorded && modified < indexTime
          && entry.pointee.file_size == UInt32(truncatingIfNeeded: status.st_size)
          && entry.pointee.ino == UInt32(truncatingIfNeeded: status.st_ino)
      }
      entries[path] = unsafe (ObjectID(entry.pointee.id), isCurrent)
    }
    return entries
  }

  /// The files below folders that differ from the index, by path; contents are read only where the
  /// stat data differ.
  package func workTreeChanges(below folders: [String]) throws(GitError) -> [WorkTreeChange] {
    guard let root = workDirectory else { return [] }
    var changes: [WorkTreeChange] = []
    for folder in folders {
      let entries = try indexEntries(below: folder)
      for (path, entry) in entries where !entry.isCurrent {
        var status = stat()
        guard unsafe lstat(root + path, &status) == 0 else {
          changes.append(WorkTreeChange(path: path, kind: .removed))
          continue
        }
        let bytes = (try? workFile(path)) ?? nil
        let current = try blobID(of: bytes ?? [])
        if bytes == nil || current != entry.blob {
          changes.append(WorkTreeChange(path: path, kind: .modified))
        }
      }
      if folder.hasSuffix("/") || folder.isEmpty {
        for path in plainFiles(below: folder) where entries[path] == nil {
          changes.append(WorkTreeChange(path: path, kind: .added))
        }
      } else if entries[folder] == nil, unsafe access(root + folder, F_OK) == 0 {
        changes.append(WorkTreeChange(path: folder, kind: .added))
      }
    }
    return changes.sorted { $0.path < $1.path }
  }

  /// The plain files below a folder of the work tree, links not followed.
  package func plainFiles(below folder: String) -> [String] {
    guard let root = workDirectory, let stream = unsafe opendir(root + folder) else { return [] }
    defer { unsafe closedir(stream) }
    var files: [String] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if name == "." || name == ".." || name == ".git" || name.contains(".tmp-") { continue }
      var status = stat()
      guard unsafe lstat(root + folder + name, &status) == 0 else { continue }
      switch status.st_mode & S_IFMT {
      case S_IFREG: files.append(folder + name)
      case S_IFDIR: files += plainFiles(below: folder + name + "/")
      default: continue
      }
    }
    return files
  }

  // MARK: - Many objects at once

  /// Writes many blobs as one pack through `git fast-import`; few are written as loose objects.
  ///
  /// - Returns: their IDs in order.
  package func writeBlobs(_ blobs: [[UInt8]]) throws(GitError) -> [ObjectID] {
    guard blobs.count > 64 else {
      var ids: [ObjectID] = []
      for blob in blobs { ids.append(try writeBlob(blob)) }
      return ids
    }
    var stream: [UInt8] = []
    stream.reserveCapacity(blobs.reduce(0) { $0 + $1.count + 32 })
    var ids: [ObjectID] = []
    for blob in blobs {
      ids.append(try blobID(of: blob))
      stream.append(contentsOf: "blob\ndata \(blob.count)\n".utf8)
      stream.append(contentsOf: blob)
      stream.append(UInt8(ascii: "\n"))
    }
    try GitProgram(directory: gitDirectory).require(
      ["fast-import", "--quiet"], input: stream, environment: ["GIT_DIR": gitDirectory])
    try refreshObjects()
    return ids
  }
}
