#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// `open` of the C library, which members named `open` would hide.
func openPath(_ path: String, _ flags: Int32, mode: mode_t = 0o666) -> Int32 {
  unsafe open(path, flags, mode)
}

/// The error that the last call of the C library on a file left.
func fileError(_ path: String) -> GitError {
  .file(path: path, reason: unsafe String(cString: strerror(errno)))
}

/// Writes all bytes to an open file.
func writeAll(_ bytes: [UInt8], to descriptor: Int32, path: String) throws(GitError) {
  var written = 0
  while written < bytes.count {
    let count = unsafe bytes[written...].withUnsafeBytes {
      unsafe write(descriptor, $0.baseAddress, $0.count)
    }
    if count < 0 && errno == EINTR { continue }
    guard count > 0 else { throw fileError(path) }
    written += count
  }
}

/// Reads a plain file; a symbolic link at its end is not followed.
///
/// - Parameter name: the path in errors.
func readAll(_ path: String, _ name: String) throws(GitError) -> [UInt8] {
  let descriptor = openPath(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
  guard descriptor >= 0 else { throw fileError(name) }
  defer { close(descriptor) }
  var status = stat()
  guard unsafe fstat(descriptor, &status) == 0 else { throw fileError(name) }
  guard status.st_mode & S_IFMT == S_IFREG else {
    throw .file(path: name, reason: "it is no plain file")
  }
  var bytes = [UInt8](repeating: 0, count: max(Int(status.st_size), 0) + 1)
  var filled = 0
  while true {
    // One byte of room tells the end of the file from a file that has grown.
    if filled == bytes.count { bytes += [UInt8](repeating: 0, count: filled) }
    let count = unsafe bytes[filled...].withUnsafeMutableBytes {
      unsafe read(descriptor, $0.baseAddress, $0.count)
    }
    if count < 0 && errno == EINTR { continue }
    guard count >= 0 else { throw fileError(name) }
    if count == 0 { break }
    filled += count
  }
  bytes.removeLast(bytes.count - filled)
  return bytes
}

/// The names in a folder with what each is (`DT_REG`, `DT_DIR`, …), unsorted; empty if it cannot be
/// read.
func folderEntries(_ path: String) -> [(name: String, type: UInt8)] {
  guard let stream = unsafe opendir(path) else { return [] }
  defer { unsafe closedir(stream) }
  var names: [(name: String, type: UInt8)] = []
  while let entry = unsafe readdir(stream) {
    let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
      unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
    }
    if name == "." || name == ".." { continue }
    var type = unsafe entry.pointee.d_type
    var status = stat()
    if type == UInt8(DT_UNKNOWN), unsafe lstat(path + "/" + name, &status) == 0 {
      switch status.st_mode & S_IFMT {
      case S_IFREG: type = UInt8(DT_REG)
      case S_IFDIR: type = UInt8(DT_DIR)
      case S_IFLNK: type = UInt8(DT_LNK)
      default: break
      }
    }
    names.append((name, type))
  }
  return names
}
