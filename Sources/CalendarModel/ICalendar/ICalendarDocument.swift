/// What an iCalendar file holds, as objects of ours.
public struct ICalendarDocument: Sendable {
  /// The calendar's name (NAME, X-WR-CALNAME).
  public internal(set) var name: String?
  /// Its colour.
  public internal(set) var color: String?
  /// Its zone (X-WR-TIMEZONE).
  public internal(set) var timeZone: String?
  /// The objects, in the order of the file.
  public internal(set) var items: [ImportedItem] = []
  /// What was not imported.
  public internal(set) var refusals: [ICalendarRefusal] = []
  /// What is odd about the file as a whole.
  public internal(set) var warnings: [ICalendarWarning] = []
}

/// One object that was read, from one component or from a series and its overrides.
public struct ImportedItem: Sendable {
  /// The object, normalised and without errors.
  public let object: CalendarObject
  /// The line of its first BEGIN.
  public let line: Int
  /// How many components went into it.
  public let components: Int
  /// What could not be kept as it was.
  public let warnings: [ICalendarWarning]
}

/// Something that was changed or left out on the way in.
public struct ICalendarWarning: Hashable, Sendable, CustomStringConvertible {
  /// The line, from 1.
  public let line: Int
  /// What happened, in words.
  public let message: String

  /// The line and the message.
  public var description: String { "line \(line): \(message)" }
}

/// A component that was not imported.
public struct ICalendarRefusal: Hashable, Sendable, CustomStringConvertible {
  /// The line of its BEGIN, from 1.
  public let line: Int
  /// Its name, such as `VEVENT`; empty for lines outside of any component.
  public let component: String
  /// Its UID, if it has one.
  public let uid: String?
  /// Why.
  public let reason: String

  /// The line, the component and the reason.
  public var description: String {
    "line \(line): \(component.isEmpty ? "" : component + ": ")\(reason)"
  }
}
