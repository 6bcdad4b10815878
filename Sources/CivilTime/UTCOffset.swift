/// Seconds that a wall clock is ahead of UTC; negative west of Greenwich.
public struct UTCOffset: Hashable, Comparable, Sendable {
  /// Seconds east of UTC.
  public var seconds: Int32

  /// Creates an offset from seconds east of UTC.
  @inlinable
  public init(seconds: Int32) {
    self.seconds = seconds
  }

  /// UTC itself.
  public static let zero = UTCOffset(seconds: 0)

  @inlinable
  public static func < (left: UTCOffset, right: UTCOffset) -> Bool {
    left.seconds < right.seconds
  }
}
