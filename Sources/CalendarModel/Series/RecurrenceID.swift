public import CivilTime

/// What tells one occurrence of a series from the others for life (RFC 5545 3.8.4.4): the date that
/// the rule gave it before any move, or the date-time in series that repeat within a day.
public struct RecurrenceID: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The date or date-time.
  public let value: DateOrDateTime

  /// Creates an ID.
  public init(_ value: DateOrDateTime) {
    self.value = value
  }

  /// Reads `2026-12-17` or `2026-12-17T17:30:00`; nil for anything else.
  public init?(_ text: some StringProtocol) {
    guard let value = DateOrDateTime(extended: text) else { return nil }
    self.value = value
  }

  /// The text form, as it stands in files.
  public var text: String { value.description }
  /// The text form.
  public var description: String { text }

  public static func < (left: RecurrenceID, right: RecurrenceID) -> Bool {
    left.value < right.value
  }
}
