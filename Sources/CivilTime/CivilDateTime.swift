/// A wall-clock date and time without a zone (RFC 5545 3.3.5 form 1, RFC 8984 LocalDateTime).
public struct CivilDateTime: Hashable, Comparable, Sendable {
  /// The date.
  public var date: CivilDate
  /// The time of day.
  public var time: TimeOfDay

  /// Creates a date-time from a date and a time of day; midnight if left out.
  @inlinable
  public init(date: CivilDate, time: TimeOfDay = .midnight) {
    self.date = date
    self.time = time
  }

  /// Creates the date-time a number of seconds after 1970-01-01T00:00:00 on the wall clock;
  /// saturates at the ends of the day number's range.
  @inlinable
  public init(civilSeconds: Int64) {
    var day = civilSeconds / 86_400
    var second = civilSeconds % 86_400
    if second < 0 {
      second += 86_400
      day -= 1
    }
    date = CivilDate(dayNumber: Int32(clamping: day))
    time = TimeOfDay(secondOfDay: Int(second))
  }

  /// Seconds since 1970-01-01T00:00:00 on the wall clock, every day counted as 86 400 seconds.
  @inlinable
  public var civilSeconds: Int64 {
    Int64(date.dayNumber) * 86_400 + Int64(time.secondOfDay)
  }

  @inlinable
  public static func < (left: CivilDateTime, right: CivilDateTime) -> Bool {
    left.date != right.date ? left.date < right.date : left.time < right.time
  }
}

extension CivilDateTime: CustomStringConvertible {
  /// The extended ISO 8601 form, `2026-12-03T18:00:00`.
  public var description: String { "\(date)T\(time)" }
}
