#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Files with expected text.
enum Golden {
  /// Whether they are to be written anew.
  static var isUpdating: Bool { getenv("UPDATE_GOLDEN") != nil }

  static func write(_ text: String, to path: String) {
    guard let file = fopen(path, "wb") else { return }
    defer { fclose(file) }
    let bytes = Array(text.utf8)
    fwrite(bytes, 1, bytes.count, file)
  }
}
