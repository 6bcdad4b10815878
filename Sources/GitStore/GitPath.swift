/// What a path in a repository may look like, whatever file system it is checked out on.
package enum GitPath {
  /// Why a path cannot stand in a repository; nil if it can.
  ///
  /// Refused are absolute paths, empty parts, `.` and `..`, control characters, names of more than
  /// 255 bytes, and every spelling that some file system takes for `.git`.
  package static func problem(_ path: String) -> String? {
    guard !path.isEmpty else { return "a path cannot be empty" }
    guard path.utf8.count <= 4_000 else { return "this path is longer than 4000 bytes" }
    for part in path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
      if part.isEmpty { return "a path has no empty parts and does not begin with a slash" }
      if part.count > 255 { return "a part of this path is longer than 255 bytes" }
      if part.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
        return "a path has no control characters"
      }
      let name = Substring(part)
      if name == "." || name == ".." { return "a path has no parts '.' and '..'" }
      if meansGitFolder(name) { return "a path does not lead into the git folder" }
    }
    return nil
  }

  /// Throws if a path cannot stand in a repository.
  static func require(_ path: String) throws(GitError) {
    if let reason = problem(path) { throw .file(path: path, reason: reason) }
  }

  /// Whether a name is `.git`, or becomes it on a file system that ignores case (all but ext4),
  /// trailing dots and spaces, stream names and short names (NTFS) or invisible characters (HFS+).
  private static func meansGitFolder(_ name: Substring) -> Bool {
    guard let first = name.utf8.first,
      first == UInt8(ascii: ".") || first >= 0x80
        || first | 0x20 == UInt8(ascii: "g")
    else { return false }
    var plain = String.UnicodeScalarView()
    for scalar in name.unicodeScalars where !isIgnoredByHFS(scalar) {
      if scalar == ":" { break }
      if scalar == "\\" { break }
      plain.append(scalar)
    }
    while let last = plain.last, last == "." || last == " " { plain.removeLast() }
    let lowered = String(plain).lowercased()
    return lowered == ".git" || lowered == "git~1"
  }

  private static func isIgnoredByHFS(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x200C...0x200F, 0x202A...0x202E, 0x206A...0x206F, 0xFEFF: true
    default: false
    }
  }
}
