import CLibgit2

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension Repository {
  /// The bytes of a file of the work tree as git would store them (line ends converted where the
  /// attributes say so); nil if it is missing.
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
    guard unsafe lstat(full, &status) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw fileError(path)
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw .file(path: path, reason: "it is no plain file")
    }
    guard status.st_size <= bytesMax else {
      throw .file(
        path: path, reason: "it has \(status.st_size) bytes; at most \(bytesMax) are read")
    }
    return try filtered(try readAll(full, path), path, GIT_FILTER_TO_ODB)
  }

  /// Converts line ends between the work tree and the repository as the attributes of a path say.
  func filtered(
    _ bytes: [UInt8], _ path: String, _ direction: git_filter_mode_t
  ) throws(GitError) -> [UInt8] {
    let mark = direction == GIT_FILTER_TO_ODB ? UInt8(ascii: "\r") : UInt8(ascii: "\n")
    guard bytes.contains(mark) else { return bytes }
    var filters: OpaquePointer?
    try check(
      unsafe git_filter_list_load(
        &filters, pointer, nil, path, direction, GIT_FILTER_ALLOW_UNSAFE.rawValue),
      "read the attributes of '\(path)'")
    guard let filters = unsafe filters else { return bytes }
    defer { unsafe git_filter_list_free(filters) }
    var buffer = unsafe git_buf()
    defer { unsafe git_buf_dispose(&buffer) }
    try check(
      unsafe bytes.withUnsafeBytes {
        unsafe git_filter_list_apply_to_buffer(
          &buffer, filters, $0.bindMemory(to: CChar.self).baseAddress, $0.count)
      }, "convert the lines of '\(path)'")
    guard let start = unsafe buffer.ptr, unsafe buffer.size > 0 else { return [] }
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: buffer.size))
  }

  /// Refuses paths that lead out of the work tree, through a link on the way or by their spelling.
  func refuseLinks(_ path: String) throws(GitError) {
    try GitPath.require(path)
    guard var prefix = workDirectory else { return }
    for part in path.split(separator: "/").dropLast() {
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
  /// so that nobody ever sees half of it. Folders are made, and removed when they become empty.
  package func setWorkFile(_ path: String, _ bytes: [UInt8]?) throws(GitError) {
    guard let root = workDirectory else { return }
    try refuseLinks(path)
    guard let bytes else { return try removeWorkFile(path) }
    try makeFolders(above: path)
    try replaceFile(root + path, path, bytes, isExecutable: false)
  }

  func removeWorkFile(_ path: String) throws(GitError) {
    guard let root = workDirectory else { return }
    if unsafe unlink(root + path) != 0 && errno != ENOENT && errno != ENOTDIR {
      throw fileError(path)
    }
    var parts = path.split(separator: "/").dropLast()
    while parts.count > 1, unsafe rmdir(root + parts.joined(separator: "/")) == 0 {
      parts = parts.dropLast()
    }
  }

  func makeFolders(above path: String) throws(GitError) {
    guard var prefix = workDirectory else { return }
    for part in path.split(separator: "/").dropLast() {
      prefix += part
      if unsafe mkdir(prefix, 0o777) != 0 && errno != EEXIST { throw fileError(path) }
      prefix += "/"
    }
  }

  /// The start of the names of temporary files.
  static let temporaryPrefix = ".tmp-"

  func replaceFile(
    _ full: String, _ path: String, _ bytes: [UInt8], isExecutable: Bool
  ) throws(GitError) {
    let folder = full.lastIndex(of: "/").map { full[...$0] } ?? ""
    var temporary = ""
    var descriptor: Int32 = -1
    for attempt in 0..<100 where descriptor < 0 {
      temporary = "\(folder)\(Repository.temporaryPrefix)\(getpid())-\(attempt)"
      descriptor = openPath(
        temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
        mode: isExecutable ? 0o777 : 0o666)
      if descriptor < 0 && errno != EEXIST { throw fileError(path) }
    }
    guard descriptor >= 0 else { throw fileError(path) }
    do throws(GitError) {
      defer { close(descriptor) }
      try writeAll(bytes, to: descriptor, path: path)
    } catch {
      _ = unsafe unlink(temporary)
      throw error
    }
    if unsafe rename(temporary, full) != 0 {
      let error = fileError(path)
      _ = unsafe unlink(temporary)
      throw error
    }
  }

  /// The plain files of the work tree below a folder (with a slash at its end, or empty), links not
  /// followed, other repositories not entered.
  package func plainFiles(below folder: String) -> [String] {
    guard let root = workDirectory,
      folder.isEmpty || GitPath.problem(String(folder.dropLast())) == nil
    else { return [] }
    if !folder.isEmpty {
      guard (try? refuseLinks(folder + "x")) != nil else { return [] }
    }
    var files: [String] = []
    collectFiles(root, folder, depth: 0, into: &files)
    return files
  }

  private func collectFiles(
    _ root: String, _ folder: String, depth: Int, into files: inout [String]
  ) {
    guard depth < Repository.depthMax else { return }
    for (name, type) in folderEntries(root + folder) {
      if name == ".git" || name.hasPrefix(Repository.temporaryPrefix) { continue }
      switch Int(type) {
      case Int(DT_REG): files.append(folder + name)
      case Int(DT_DIR):
        let inner = folder + name + "/"
        if unsafe access(root + inner + ".git", F_OK) == 0 { continue }
        collectFiles(root, inner, depth: depth + 1, into: &files)
      default: continue
      }
    }
  }
}
