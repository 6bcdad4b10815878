/// A day of the proleptic Gregorian calendar, without time or zone (RFC 5545 3.3.4 DATE).
///
/// Stored as a day number, so that comparison and arithmetic are integer operations. The years
/// that can be made from parts or text are 0...9999; arithmetic may pass beyond them, and
/// `isPrintable` tells whether a date still has a four-digit text form.
public struct CivilDate: Hashable, Comparable, Sendable {
  /// Days since 1970-01-01, which is day 0; earlier days are negative.
  public var dayNumber: Int32

  /// Creates the date with the given day number (days since 1970-01-01).
  @inlinable
  public init(dayNumber: Int32) {
    self.dayNumber = dayNumber
  }

  /// Creates a date from parts, or returns nil if there is no such day.
  ///
  /// - Parameters:
  ///   - year: 0...9999.
  ///   - month: 1...12.
  ///   - day: 1...31, within the month.
  public init?(year: Int, month: Int, day: Int) {
    guard (0...9999).contains(year), (1...12).contains(month),
      day >= 1, day <= CivilDate.daysInMonth(month, year: year)
    else { return nil }
    self.init(dayNumber: Int32(CivilDate.dayNumber(year: year, month: month, day: day)))
  }

  /// 1970-01-01.
  public static let epoch = CivilDate(dayNumber: 0)
  /// The last date with a text form, 9999-12-31.
  public static let last = CivilDate(dayNumber: 2_932_896)
  /// The first date with a text form, 0000-01-01.
  public static let first = CivilDate(dayNumber: -719_528)

  /// Whether the year is in 0...9999, so that the date can be written as text.
  public var isPrintable: Bool {
    self >= .first && self <= .last
  }

  /// Year, month 1...12 and day 1...31.
  @inlinable
  public var parts: (year: Int, month: Int, day: Int) {
    CivilDate.parts(ofDayNumber: Int(dayNumber))
  }

  /// The year; 0 is the year before 1.
  public var year: Int { parts.year }
  /// The month, 1...12.
  public var month: Int { parts.month }
  /// The day of the month, 1...31.
  public var day: Int { parts.day }

  /// The day of the year, 1...366.
  public var dayOfYear: Int {
    let year = parts.year
    return Int(dayNumber) - CivilDate.dayNumber(year: year, month: 1, day: 1) + 1
  }

  /// The weekday.
  @inlinable
  public var weekday: Weekday {
    Weekday(dayNumber: Int(dayNumber))
  }

  /// Returns the date a number of days later, or earlier if negative; saturates at the ends of
  /// the day number's range.
  @inlinable
  public func adding(days: Int) -> CivilDate {
    CivilDate(dayNumber: Int32(clamping: Int(dayNumber) + days))
  }

  /// The number of days from another date to this one; negative if this one is earlier.
  @inlinable
  public func days(since other: CivilDate) -> Int {
    Int(dayNumber) - Int(other.dayNumber)
  }

  @inlinable
  public static func < (left: CivilDate, right: CivilDate) -> Bool {
    left.dayNumber < right.dayNumber
  }

  /// Whether a year has 366 days.
  @inlinable
  public static func isLeap(_ year: Int) -> Bool {
    year & 3 == 0 && (year % 100 != 0 || year % 400 == 0)
  }

  /// The number of days in a month (1...12) of a year.
  @inlinable
  public static func daysInMonth(_ month: Int, year: Int) -> Int {
    month == 2 ? (isLeap(year) ? 29 : 28) : 30 + ((month + (month >> 3)) & 1)
  }

  /// The number of days in a year, 365 or 366.
  @inlinable
  public static func daysInYear(_ year: Int) -> Int {
    isLeap(year) ? 366 : 365
  }

  /// The day number of year, month and day; the parts are not checked, and days beyond the month
  /// count on into the next.
  @inlinable
  public static func dayNumber(year: Int, month: Int, day: Int) -> Int {
    // Counts years from March, so that the leap day is the last day of a year.
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let monthFromMarch = (month + 9) % 12
    let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  /// Year, month and day of a day number.
  @inlinable
  public static func parts(ofDayNumber dayNumber: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = dayNumber + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }
}

extension CivilDate: CustomStringConvertible {
  /// The extended ISO 8601 form, `2026-12-03`.
  public var description: String {
    let (year, month, day) = parts
    var text = ""
    text.reserveCapacity(10)
    text.appendPadded(year, width: 4)
    text.append("-")
    text.appendPadded(month, width: 2)
    text.append("-")
    text.appendPadded(day, width: 2)
    return text
  }
}

extension String {
  /// Appends a number with leading zeros.
  package mutating func appendPadded(_ value: Int, width: Int) {
    if value < 0 { append("-") }
    let digits = String(value.magnitude)
    for _ in digits.utf8.count..<max(width, digits.utf8.count) { append("0") }
    append(digits)
  }
}
