import Glibc

/// Files of test data.
package enum Corpus {
  /// The folder `Corpus` beside a test file.
  package static func folder(beside filePath: String) -> String {
    filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast()
      .joined(separator: "/") + "/Corpus"
  }

  /// The shared specification's folder beside the project, or nil where there is none (a clone on
  /// its own). Tests that need it print how many cases they skip.
  package static func sharedFolder(from filePath: String) -> String? {
    var parts = filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    while !parts.isEmpty {
      let candidate = parts.joined(separator: "/") + "/shared"
      if access(candidate + "/corpus/recurrence.json", R_OK) == 0 { return candidate }
      parts = parts.dropLast()
    }
    return nil
  }

  /// The bytes of a file, or nil if it cannot be read.
  package static func bytes(_ path: String) -> [UInt8]? {
    guard let file = fopen(path, "rb") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = fread(&buffer, 1, buffer.count, file)
      if count == 0 { break }
      bytes.append(contentsOf: buffer[..<count])
    }
    return bytes
  }

  /// The names in a folder, sorted; empty if it cannot be read.
  package static func names(in folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }
}
