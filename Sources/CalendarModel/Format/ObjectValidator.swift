public import CivilTime

/// Checks the normalised members of one file (FORMAT.md section 3, codes E2xx to W4xx).
///
/// What needs more than one file is `StoreValidator`'s; so are W304 and W401, whose cost follows
/// the number of overrides.
public enum ObjectValidator {
  /// A finding without its place in the text.
  public struct Problem: Hashable, Sendable {
    /// The code, such as `E302`.
    public let code: String
    /// The member, as a pointer without the leading slash.
    public let pointer: String
    /// The value, the reason and what was expected.
    public let message: String
  }

  /// Everything that is wrong with or odd about the members.
  ///
  /// - Parameter zones: zone data for W301 and W303; nil leaves both unchecked.
  public static func problems(
    in members: JSONObject, kind: FileKind, zones: TimeZoneDatabase? = nil
  ) -> [Problem] {
    var check = ObjectCheck(members: members, kind: kind, zones: zones)
    check.run()
    return check.problems
  }
}

/// One run of the validator.
struct ObjectCheck {
  let members: JSONObject
  let kind: FileKind
  let zones: TimeZoneDatabase?
  var problems: [ObjectValidator.Problem] = []

  mutating func add(_ code: String, _ pointer: String, _ message: String) {
    problems.append(.init(code: code, pointer: pointer, message: message))
  }

  mutating func run() {
    guard checkType() else { return }
    checkIdentity()
    checkOldNames()
    check(members, MemberSchema.record(for: kind), at: "", isPatch: false)
    guard kind.objectKind != nil else { return checkCollection() }
    checkTimes()
    checkRule()
    checkOverrides()
    checkAlerts(members["alerts"], at: "alerts", points: Points(members))
    checkMainLocation(members, at: "")
    checkWarnings()
  }

  // MARK: - E2xx

  /// Whether the file is what its place says; if not, its members mean something else.
  private mutating func checkType() -> Bool {
    guard let type = members["@type"], type != .string(kind.rawValue) else { return true }
    if let name = type.stringValue, FileKind(rawValue: name) == nil {
      add("W204", "@type", "'\(name)' is nothing known here; the file is kept and not shown")
    } else {
      add("E201", "@type", "\(quoted(type)) in a place for '\(kind.rawValue)'")
    }
    return false
  }

  private mutating func checkIdentity() {
    guard let uid = members["uid"] else {
      add("W201", "", "no uid; 'check --fix' writes one")
      return
    }
    guard let text = uid.stringValue, !text.isEmpty else {
      add("E202", "uid", "\(quoted(uid)) is no uid; it must be a text that is not empty")
      return
    }
    if text.utf8.count > 1_024 {
      add("E202", "uid", "the uid has \(text.utf8.count) bytes; at most 1024 are allowed")
    }
    if text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) {
      add("E202", "uid", "the uid has control characters")
    }
    if kind.objectKind != nil, members["created"] == nil {
      add("W201", "", "no created; 'check --fix' writes the day it was added")
    }
  }

  private mutating func checkOldNames() {
    for name in ["excludedRecurrenceRules", "recurrenceRules", "replyTo", "timeZones"]
    where members[name] != nil {
      add(
        "E207", name, "'\(name)' is of JSCalendar 1.0 and has no effect; 'check --fix' converts it")
    }
    for name in ["added", "excluded", "extra", "method"] where members[name] != nil {
      add("E208", name, "'\(name)' has no meaning for a whole file")
    }
    if kind == .event, let end = members["end"] { checkEnd(end) }
  }

  /// An `end` that normalising could not turn into `duration`.
  private mutating func checkEnd(_ end: JSONValue) {
    if members["duration"] != nil {
      return add("W203", "end", "'end' is not used; 'duration' says how long the event is")
    }
    guard let end = moment(end) else {
      return add("E302", "end", ObjectCheck.badMoment(quoted(end)))
    }
    guard let start = moment("start") else { return }
    if start.isDate != end.isDate {
      add("E303", "end", "'start' and 'end' must both be dates or both have a time")
    } else if end < start, members["endTimeZone"] == nil {
      add("E305", "end", "the end \(end) is before the start \(start)")
    } else {
      add("E305", "end", "the length to \(end) in another zone is not known; give 'duration'")
    }
  }

  private mutating func checkCollection() {
    if members["conflicts"] != nil { warnOfConflicts() }
    if kind == .store {
      if members["format"] == nil { add("E204", "", "'format' is missing; this is format 1") }
      return
    }
    let name = members["name"]
    if name == nil || name?.stringValue.map({ !(1...255).contains($0.count) }) ?? false {
      add("E204", "name", "a name of 1 to 255 characters is needed")
    }
    for name in ["defaultAlertsWithTime", "defaultAlertsWithoutTime"] {
      checkAlerts(members[name], at: name, points: nil)
    }
  }

  /// A value as it stands in a message: on one line, quoted if it is text, cut if it is long.
  func quoted(_ value: JSONValue) -> String {
    let text = value.stringValue.map { "'\($0)'" } ?? CanonicalJSON.inline(value)
    return text.count > 60 ? text.prefix(57) + "..." : text
  }
}
