/// What is wrong with a recurrence rule.
public struct RecurrenceRuleError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Where in the text, in bytes from 0; 0 if the rule did not come from text.
  public let offset: Int
  /// The part, such as `BYDAY`; empty if none is to blame.
  public let part: String
  /// The value and what was expected instead.
  public let reason: String

  init(offset: Int = 0, part: String = "", _ reason: String) {
    self.offset = offset
    self.part = part
    self.reason = reason
  }

  /// The same error at another place.
  func at(_ offset: Int) -> RecurrenceRuleError {
    RecurrenceRuleError(offset: offset, part: part, reason)
  }

  /// The message, without advice.
  public var description: String {
    part.isEmpty ? reason : "\(part): \(reason)"
  }
}
