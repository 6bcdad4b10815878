import CivilTime
public import Recurrence

/// Which occurrences an edit covers (SPANS.md).
public enum EditSpan: String, Hashable, Sendable, CaseIterable {
  /// This occurrence only.
  case this
  /// This occurrence and all later ones.
  case thisAndFuture
  /// The whole series.
  case all
}

/// What an edit does to more specific changes that are there already.
public enum ExceptionPolicy: String, Hashable, Sendable {
  /// They keep their own values; the outcome lists them.
  case keep
  /// Overrides in scope go whole, later segments lose the members that are written; exclusions and
  /// completions stay.
  case reset
  /// The edit fails if there are any.
  case refuse
}

/// A field-wise change of an occurrence as it is shown: only what is listed is written.
public struct SeriesEdit: Hashable, Sendable {
  /// A member, as a pointer without the leading slash, and its new value; nil removes it.
  public struct Change: Hashable, Sendable {
    /// The member, such as `title` or `locations/hall/name`.
    public var pointer: String
    /// The new value in normalised form; nil removes the member.
    public var value: JSONValue?
  }

  /// The changes, each pointer once.
  public var changes: [Change]

  /// Creates an edit.
  public init(_ changes: [(String, JSONValue?)] = []) {
    self.changes = changes.map { Change(pointer: $0.0, value: $0.1) }
  }

  /// The value that a pointer is set to: nil if it is not part of the edit, `.some(nil)` if it is
  /// removed.
  public subscript(pointer: String) -> JSONValue?? {
    changes.last { $0.pointer == pointer }.map(\.value)
  }

  /// Sets a member, or removes it (nil).
  public mutating func set(_ pointer: String, _ value: JSONValue?) {
    changes.removeAll { $0.pointer == pointer }
    changes.append(Change(pointer: pointer, value: value))
  }
}

/// Why an edit cannot be made; nothing has changed. Numbers are EventKit's error codes.
public enum SpanError: Error, Hashable, Sendable {
  /// There is no such occurrence.
  case noSuchOccurrence(RecurrenceID)
  /// A series needs an occurrence for a span other than all.
  case occurrenceNeeded
  /// The rule cannot change for one occurrence only (39).
  case recurrenceChangeNeedsSpan
  /// The occurrence was moved on its own; its start cannot hold for later ones.
  case invalidSpan(RecurrenceID)
  /// The end lies before the start (4).
  case datesInverted
  /// The new date does not fit the rule; the rule that would.
  case startConflictsWithRule(suggestion: RecurrenceRule?)
  /// The rule can never make an occurrence.
  case ruleGeneratesNothing
  /// More specific changes stand in the way of policy refuse.
  case exceptionsInTheWay([KeptException])
  /// The occurrence would lie on or behind another one, in a store that does not allow it (10).
  case outOfOrder(RecurrenceID)
  /// A value is wrong.
  case invalid(ModelError)

  /// The number that EventKit gives this error; nil if it has none.
  public var eventKitCode: Int? {
    switch self {
    case .datesInverted: 4
    case .outOfOrder: 10
    case .invalidSpan: 13
    case .recurrenceChangeNeedsSpan: 39
    default: nil
    }
  }
}

/// A more specific change that kept its own values.
public struct KeptException: Hashable, Sendable {
  /// The occurrence, or the ID at which a later segment opens.
  public let id: RecurrenceID
  /// Whether it is a segment rather than an occurrence.
  public let isSegment: Bool
  /// The members that kept their own value.
  public let fields: [String]
}

/// What an edit did.
public struct SpanOutcome: Sendable {
  /// The object afterwards; nil if the whole series is gone.
  public var object: CalendarObject?
  /// Whether anything changed.
  public var changed: Bool
  /// More specific changes that kept their own values.
  public var kept: [KeptException] = []
  /// Occurrences that the rule no longer makes and that stay, detached.
  public var detached: [RecurrenceID] = []
  /// Overrides that are gone.
  public var dropped: [RecurrenceID] = []
  /// Things to know, in words: `reordered`, `collides`.
  public var warnings: [String] = []
}
