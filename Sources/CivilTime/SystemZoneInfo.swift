#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Zone files in a folder, such as `/usr/share/zoneinfo`; the only I/O of this module.
public struct SystemZoneInfo: Sendable {
  /// Where Linux and macOS keep zone files.
  public static let defaultDirectory = "/usr/share/zoneinfo"

  /// The folder.
  public let directory: String

  /// Creates a source over a folder; the folder is not looked at until a zone is asked for.
  public init(directory: String = SystemZoneInfo.defaultDirectory) {
    self.directory = directory
  }

  /// The bytes of a zone's file.
  ///
  /// - Throws: `TimeZoneError.unknownZone` if there is no such file, `.unreadable` if it cannot be
  ///   read or is longer than 1 MiB.
  public func load(_ id: TimeZoneID) throws(TimeZoneError) -> [UInt8] {
    let path = directory + "/" + id.name
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw .unknownZone(id.name)
    }
    guard let bytes = SystemZoneInfo.contents(path, max: 1 << 20) else {
      throw .unreadable(id.name, reason: String(cString: strerror(errno)))
    }
    return bytes
  }

  /// The names of the zones and links that the folder's index `tzdata.zi` lists, else those of
  /// `zone1970.tab` and `zone.tab`; empty if there is none of them.
  public func names() -> [String] {
    if let index = SystemZoneInfo.contents(directory + "/tzdata.zi", max: 4 << 20) {
      return SystemZoneInfo.lines(index).compactMap { line in
        let fields = line.split(separator: " ")
        if fields.first == "Z", fields.count > 1 { return String(fields[1]) }
        if fields.first == "L", fields.count > 2 { return String(fields[2]) }
        return nil
      }
    }
    var names: Set<String> = ["UTC"]
    for table in ["zone1970.tab", "zone.tab"] {
      let bytes = SystemZoneInfo.contents(directory + "/" + table, max: 1 << 20) ?? []
      for line in SystemZoneInfo.lines(bytes) where !line.hasPrefix("#") {
        let fields = line.split(separator: "\t")
        if fields.count > 2 { names.insert(String(fields[2])) }
      }
    }
    return names.count > 1 ? Array(names) : []
  }

  private static func lines(_ bytes: [UInt8]) -> [Substring] {
    String(decoding: bytes, as: UTF8.self).split(separator: "\n")
  }

  private static func contents(_ path: String, max: Int) -> [UInt8]? {
    guard let file = fopen(path, "rb") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while bytes.count <= max {
      let count = fread(&buffer, 1, buffer.count, file)
      if count == 0 { return ferror(file) == 0 ? bytes : nil }
      bytes.append(contentsOf: buffer[..<count])
    }
    return nil
  }
}
