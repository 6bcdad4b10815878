public import CivilTime

/// An event or a reminder as its file describes it: the members of the JSON object in normalised
/// form, with typed access to those that have a meaning here.
///
/// Members that are not known are kept with everything else. A value of this type need not be
/// valid; `ObjectValidator` says what is wrong with it.
public struct CalendarObject: Hashable, Sendable {
  /// What an object is.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// A VEVENT (RFC 5545 3.6.1); `"@type": "Event"`.
    case event = "Event"
    /// A VTODO (RFC 5545 3.6.2); `"@type": "Task"`.
    case reminder = "Task"
  }

  /// What the object is; the same as the member `@type`.
  public let kind: Kind

  /// All members, in normalised form, `@type` and `uid` among them.
  public var members: JSONObject

  /// Creates an object from normalised members; `@type` is set to the kind.
  public init(kind: Kind, members: JSONObject) {
    self.kind = kind
    self.members = members
    self.members["@type"] = .string(kind.rawValue)
  }

  /// The value of a member, or nil if it is absent; setting nil removes it.
  public subscript(name: String) -> JSONValue? {
    get { members[name] }
    set { members[name] = newValue }
  }

  /// The identity of the object in every replica; empty if the file has none.
  public var uid: String {
    get { members["uid"]?.stringValue ?? "" }
    set { members["uid"] = .string(newValue) }
  }

  /// The title; empty if there is none.
  public var title: String { members["title"]?.stringValue ?? "" }

  /// The member that anchors the object in time: `start`, or `due` of a reminder without one.
  public var anchorName: String {
    kind == .reminder && members["start"] == nil ? "due" : "start"
  }

  /// The first occurrence's start, else due; nil if there is neither or it cannot be read.
  public var anchor: DateOrDateTime? { moment(anchorName) }

  /// A member read as a date or local date-time; nil if absent or malformed.
  public func moment(_ name: String) -> DateOrDateTime? {
    members[name]?.stringValue.flatMap { DateOrDateTime(extended: $0) }
  }

  /// The name of the zone, or nil if the object is all-day or floating.
  public var timeZone: String? { members["timeZone"]?.stringValue }

  /// The description with line breaks between its lines; empty if there is none.
  public var notes: String { CalendarObject.text(members["description"]) }

  /// Joins the lines of a text member (FORMAT.md 1.6); empty for anything that is no text.
  public static func text(_ value: JSONValue?) -> String {
    switch value {
    case .string(let text): text
    case .array(let lines): lines.map { $0.stringValue ?? "" }.joined(separator: "\n")
    default: ""
    }
  }

  /// The value of a text member for a text: a string, or an array of lines if it has line breaks.
  public static func textValue(_ text: String) -> JSONValue {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.count < 2 ? .string(text) : .array(lines.map { .string(String($0)) })
  }
}
