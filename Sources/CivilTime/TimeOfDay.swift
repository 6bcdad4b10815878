/// A wall-clock time of day in whole seconds; no leap second, no fraction.
public struct TimeOfDay: Hashable, Comparable, Sendable {
  /// Seconds since midnight, 0...86 399.
  public let secondOfDay: Int32

  /// Creates a time from seconds since midnight.
  ///
  /// - Precondition: `secondOfDay` is in 0...86 399.
  @inlinable
  public init(secondOfDay: Int) {
    precondition(secondOfDay >= 0 && secondOfDay < 86_400, "second of day out of 0...86399")
    self.secondOfDay = Int32(truncatingIfNeeded: secondOfDay)
  }

  /// Creates a time from parts, or returns nil if one is out of range.
  ///
  /// - Parameters:
  ///   - hour: 0...23.
  ///   - minute: 0...59.
  ///   - second: 0...59.
  public init?(hour: Int, minute: Int, second: Int = 0) {
    guard (0...23).contains(hour), (0...59).contains(minute), (0...59).contains(second) else {
      return nil
    }
    self.init(secondOfDay: hour * 3_600 + minute * 60 + second)
  }

  /// 00:00:00.
  public static let midnight = TimeOfDay(secondOfDay: 0)

  /// The hour, 0...23.
  public var hour: Int { Int(secondOfDay) / 3_600 }
  /// The minute, 0...59.
  public var minute: Int { Int(secondOfDay) / 60 % 60 }
  /// The second, 0...59.
  public var second: Int { Int(secondOfDay) % 60 }

  @inlinable
  public static func < (left: TimeOfDay, right: TimeOfDay) -> Bool {
    left.secondOfDay < right.secondOfDay
  }
}

extension TimeOfDay: CustomStringConvertible {
  /// The extended ISO 8601 form, `18:00:00`.
  public var description: String {
    var text = ""
    text.appendPadded(hour, width: 2)
    text.append(":")
    text.appendPadded(minute, width: 2)
    text.append(":")
    text.appendPadded(second, width: 2)
    return text
  }
}
