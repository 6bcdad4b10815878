/// A date, or a wall-clock date and time: the value of DTSTART and DUE (RFC 5545 3.8.2.4), where
/// a plain date means all-day.
public enum DateOrDateTime: Hashable, Sendable {
  /// All-day: a date alone.
  case date(CivilDate)
  /// A date with a time of day.
  case dateTime(CivilDateTime)

  /// The date, with or without a time.
  public var date: CivilDate {
    switch self {
    case .date(let date): date
    case .dateTime(let dateTime): dateTime.date
    }
  }

  /// The time of day, or nil for a plain date.
  public var time: TimeOfDay? {
    switch self {
    case .date: nil
    case .dateTime(let dateTime): dateTime.time
    }
  }

  /// Whether this is a plain date.
  public var isDate: Bool { time == nil }

  /// The date-time, a plain date read as its midnight.
  public var dateTime: CivilDateTime {
    CivilDateTime(date: date, time: time ?? .midnight)
  }
}

extension DateOrDateTime: Comparable {
  /// Orders by date and time; a plain date comes before every time of its day.
  public static func < (left: DateOrDateTime, right: DateOrDateTime) -> Bool {
    if left.dateTime != right.dateTime { return left.dateTime < right.dateTime }
    return left.isDate && !right.isDate
  }
}

extension DateOrDateTime: CustomStringConvertible {
  /// The extended ISO 8601 form, `2026-12-03` or `2026-12-03T18:00:00`.
  public var description: String {
    switch self {
    case .date(let date): date.description
    case .dateTime(let dateTime): dateTime.description
    }
  }
}
