#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Paths of the file system.
enum FilePath {
  static func absolute(_ path: String) -> String {
    var full = path
    if !path.hasPrefix("/") {
      var buffer = [CChar](repeating: 0, count: 4_096)
      guard getcwd(&buffer, buffer.count) != nil else { return path }
      let end = buffer.firstIndex(of: 0) ?? buffer.count
      let current = String(decoding: buffer[..<end].map { UInt8(bitPattern: $0) }, as: UTF8.self)
      full = path == "." || path.isEmpty ? current : current + "/" + path
    }
    while full.count > 1 && full.hasSuffix("/") { full.removeLast() }
    return full
  }

  /// The path with links and dots resolved; the path itself if it does not exist.
  static func resolved(_ path: String) -> String {
    guard let buffer = realpath(path, nil) else { return absolute(path) }
    defer { free(buffer) }
    return String(cString: buffer)
  }

  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  static func last(_ path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }

  static func parent(_ path: String) -> String {
    let parts = path.split(separator: "/").dropLast()
    return "/" + parts.joined(separator: "/")
  }

  static func makeFolders(_ path: String) {
    var prefix = ""
    for part in path.split(separator: "/") {
      prefix += "/" + part
      mkdir(prefix, 0o777)
    }
  }

  static func contents(_ path: String) -> [UInt8]? {
    guard let file = fopen(path, "rb") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = fread(&buffer, 1, buffer.count, file)
      if count == 0 { return ferror(file) == 0 ? bytes : nil }
      bytes.append(contentsOf: buffer[..<count])
    }
  }

  static func write(_ path: String, _ bytes: [UInt8]) {
    guard let file = fopen(path + ".tmp", "wb") else { return }
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
    rename(path + ".tmp", path)
  }

  /// The program that runs now.
  static func executable() -> String {
    var buffer = [CChar](repeating: 0, count: 4_096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    guard count > 0 else { return "almanac" }
    return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
