/// The name of a time zone in the IANA database, such as `Europe/Berlin`, checked for its form.
///
/// That the zone exists is known only to a `TimeZoneDatabase`.
public struct TimeZoneID: Hashable, Sendable {
  /// The name as it was given.
  public let name: String

  /// Creates an ID, or returns nil if the text cannot be a zone name: empty, longer than 255
  /// bytes, with a character outside `A-Za-z0-9_+-/.`, or with an empty or dotted path part.
  public init?(_ name: some StringProtocol) {
    let bytes = Array(name.utf8)
    guard !bytes.isEmpty, bytes.count <= 255 else { return nil }
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "+"),
        UInt8(ascii: "-"), UInt8(ascii: "/"), UInt8(ascii: "."):
        continue
      default: return nil
      }
    }
    for part in bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    where part.isEmpty || part.first == UInt8(ascii: ".") {
      return nil
    }
    self.name = String(name)
  }

  init(unchecked name: String) {
    self.name = name
  }

  /// Coordinated Universal Time.
  public static let utc = TimeZoneID(unchecked: "UTC")
}

extension TimeZoneID: CustomStringConvertible {
  /// The name.
  public var description: String { name }
}
