import Glibc

/// A folder of a test's own, removed when the value goes.
package final class TemporaryFolder {
  /// The path, without a slash at its end.
  package let path: String

  /// Creates an empty folder below the system's folder for temporary files.
  package init() {
    var base = "/tmp"
    if let variable = getenv("TMPDIR") { base = String(cString: variable) }
    var template = Array((base + "/almanac-test-XXXXXX").utf8CString)
    path =
      mkdtemp(&template) == nil
      ? base : String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    guard path.contains("almanac-test-") else { return }
    TemporaryFolder.remove(path)
  }

  private static func remove(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    if status.st_mode & S_IFMT == S_IFDIR {
      for name in Corpus.names(in: path) { remove(path + "/" + name) }
      rmdir(path)
    } else {
      unlink(path)
    }
  }

  /// Writes a file below the folder; folders on the way are made.
  package func write(_ name: String, _ text: String) {
    var prefix = path
    for part in name.split(separator: "/").dropLast() {
      prefix += "/" + part
      mkdir(prefix, 0o777)
    }
    guard let file = fopen(path + "/" + name, "wb") else { return }
    fputs(text, file)
    fclose(file)
  }

  /// The text of a file below the folder; nil if there is none.
  package func text(_ name: String) -> String? {
    Corpus.bytes(path + "/" + name).map { String(decoding: $0, as: UTF8.self) }
  }
}
