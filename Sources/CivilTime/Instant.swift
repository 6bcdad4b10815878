/// A point on the time line: whole seconds since 1970-01-01T00:00:00Z (RFC 5545 3.3.5 form 2,
/// RFC 8984 UTCDateTime), leap seconds not counted.
public struct Instant: Hashable, Comparable, Sendable {
  /// Seconds since 1970-01-01T00:00:00Z.
  public var seconds: Int64

  /// Creates the instant a number of seconds after 1970-01-01T00:00:00Z.
  @inlinable
  public init(seconds: Int64) {
    self.seconds = seconds
  }

  /// Creates the instant at which UTC clocks show a date-time.
  @inlinable
  public init(utc: CivilDateTime) {
    seconds = utc.civilSeconds
  }

  /// What a clock in UTC shows.
  @inlinable
  public var utc: CivilDateTime { CivilDateTime(civilSeconds: seconds) }

  /// Returns the instant a number of seconds later; saturates.
  @inlinable
  public func adding(seconds delta: Int64) -> Instant {
    let (sum, overflow) = seconds.addingReportingOverflow(delta)
    return Instant(seconds: overflow ? (delta < 0 ? .min : .max) : sum)
  }

  @inlinable
  public static func < (left: Instant, right: Instant) -> Bool {
    left.seconds < right.seconds
  }
}

extension Instant: CustomStringConvertible {
  /// The extended ISO 8601 form in UTC, `2026-12-03T17:00:00Z`.
  public var description: String { "\(utc)Z" }
}
