/// A day of the week, Monday to Sunday, with the codes of RFC 5545 3.3.10 and RFC 8984.
public enum Weekday: Int, CaseIterable, Hashable, Comparable, Sendable {
  case monday = 0
  case tuesday, wednesday, thursday, friday, saturday, sunday

  /// Creates the weekday of a day number (days since 1970-01-01, a Thursday).
  @inlinable
  public init(dayNumber: Int) {
    let remainder = (dayNumber + 3) % 7
    let index = remainder < 0 ? remainder + 7 : remainder
    self = Weekday(rawValue: index) ?? .monday
  }

  /// Creates a weekday from its two-letter code in any case: `MO`, `tu`.
  public init?(code: some StringProtocol) {
    let lower = code.lowercased()
    guard let index = Weekday.codes.firstIndex(of: lower),
      let weekday = Weekday(rawValue: index)
    else { return nil }
    self = weekday
  }

  static let codes = ["mo", "tu", "we", "th", "fr", "sa", "su"]

  /// The two-letter code of JSCalendar, in lower case: `mo`.
  public var code: String { Weekday.codes[rawValue] }

  /// Days from this weekday forward to another, 0...6.
  @inlinable
  public func days(until other: Weekday) -> Int {
    (other.rawValue - rawValue + 7) % 7
  }

  @inlinable
  public static func < (left: Weekday, right: Weekday) -> Bool {
    left.rawValue < right.rawValue
  }
}
