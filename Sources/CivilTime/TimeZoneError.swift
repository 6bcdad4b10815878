/// What can go wrong when the rules of a time zone are loaded.
public enum TimeZoneError: Error, Hashable, Sendable {
  /// The zone data has no zone of this name.
  case unknownZone(String)
  /// The zone file is there and cannot be read.
  case unreadable(String, reason: String)
  /// The zone file is damaged; the offset in bytes says where, the reason what was expected.
  case malformed(String, offset: Int, reason: String)
}

extension TimeZoneError: CustomStringConvertible {
  /// The message, without advice.
  public var description: String {
    switch self {
    case .unknownZone(let name): "unknown time zone '\(name)'"
    case .unreadable(let name, let reason): "cannot read time zone '\(name)': \(reason)"
    case .malformed(let name, let offset, let reason):
      "time zone file '\(name)' is damaged at byte \(offset): \(reason)"
    }
  }
}
