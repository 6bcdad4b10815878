public import CivilTime
import Recurrence

/// Checks the normalised members of one file (FORMAT.md section 3, codes E2xx to W4xx).
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

  /// Everything that is wrong with or odd about the members, in the order of the codes' groups.
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
    checkIdentity()
    checkNames(members, at: "")
    checkTypes(members, at: "")
    // Rules about values make no sense on values of the wrong type.
    guard !problems.contains(where: { $0.code.hasPrefix("E") }) else { return }
    guard kind.objectKind != nil else { return checkCollection() }
    checkTimes()
    checkRule()
    checkOverrides()
    checkAlerts(members["alerts"]?.objectValue, at: "alerts")
    checkPlacesAndLinks()
    checkWarnings()
  }

  // MARK: - E2xx

  private mutating func checkIdentity() {
    if let type = members["@type"], type != .string(kind.rawValue) {
      let found = type.stringValue.map { "'\($0)'" } ?? "no text"
      add("E201", "@type", "\(found) in a place for '\(kind.rawValue)'")
    }
    guard let uid = members["uid"] else {
      add("W201", "", "no uid; 'check --fix' writes one")
      return
    }
    guard let text = uid.stringValue, !text.isEmpty else {
      add("E202", "uid", "the uid must be a text that is not empty")
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

  private static let known: [String] =
    Array(MemberShape.places.keys)
    + ["sequence", "updated", "recurrenceId", "recurrenceIdTimeZone", "iCalendar", "conflicts"]
  private static let lowercased: [String: String] = Dictionary(
    known.map { ($0.lowercased(), $0) }, uniquingKeysWith: { first, _ in first })

  private mutating func checkNames(_ object: JSONObject, at path: String) {
    for name in object.names {
      let pointer = path + name
      if let real = ObjectCheck.lowercased[name.lowercased()], real != name {
        add("E206", pointer, "'\(name)' differs from '\(real)' only in case")
      } else if ["recurrenceRules", "excludedRecurrenceRules", "replyTo", "timeZones"].contains(
        name)
      {
        add("E207", pointer, "'\(name)' is of JSCalendar 1.0; 'check --fix' converts it")
      } else if path.isEmpty, ["excluded", "added", "method", "extra"].contains(name) {
        add("E208", pointer, "'\(name)' has no meaning for a whole object")
      } else if path.isEmpty, !ObjectCheck.lowercased.keys.contains(name.lowercased()),
        !name.contains(":"), let near = ObjectCheck.near(name)
      {
        add("W203", pointer, "'\(name)' is not known; did you mean '\(near)'?")
      }
    }
  }

  /// A known name one edit away.
  private static func near(_ name: String) -> String? {
    known.filter { abs($0.utf8.count - name.utf8.count) <= 1 && $0.utf8.count > 3 }.sorted()
      .first { distanceIsOne(Array($0.utf8), Array(name.utf8)) }
  }

  private static func distanceIsOne(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    let common = zip(left, right).prefix { $0 == $1 }.count
    let (left, right) = (left.dropFirst(common), right.dropFirst(common))
    return left.dropFirst().elementsEqual(right.dropFirst())
      || left.dropFirst().elementsEqual(right)
      || left.elementsEqual(right.dropFirst())
  }

  private static let strings: Set<String> = [
    "title", "name", "start", "due", "timeZone", "endTimeZone", "duration", "estimatedDuration",
    "status", "progress", "completed", "order", "freeBusyStatus", "privacy", "color",
    "descriptionContentType", "locale", "mainLocationId", "organizerCalendarAddress", "created",
    "updated", "recurrenceId", "recurrenceIdTimeZone", "source", "refreshInterval", "shift",
    "includeInAvailability", "defaultCalendar", "defaultList",
  ]
  private static let maps: Set<String> = [
    "recurrenceRule", "recurrenceOverrides", "futureOverrides", "keywords", "categories",
    "locations", "virtualLocations", "links", "relatedTo", "participants", "alerts", "conflicts",
    "extensions", "iCalendar", "defaultAlertsWithTime", "defaultAlertsWithoutTime",
  ]
  private static let numbers: [String: ClosedRange<Int>] = [
    "priority": 0...9, "percentComplete": 0...100, "sequence": 0...Int(Int32.max),
    "format": 1...1_000,
  ]

  /// Types and ranges of the known members of a record, also of a patch.
  mutating func checkTypes(_ object: JSONObject, at path: String) {
    for member in object.members {
      let pointer = path + member.name
      let value = member.value
      if value.isNull { continue }
      if ObjectCheck.strings.contains(member.name), value.stringValue == nil {
        add("E204", pointer, "'\(member.name)' must be text")
      } else if ObjectCheck.maps.contains(member.name), value.objectValue == nil {
        add("E204", pointer, "'\(member.name)' must be an object")
      } else if ["showWithoutTime", "readOnly"].contains(member.name), value.boolValue == nil {
        add("E204", pointer, "'\(member.name)' must be true or false")
      } else if let range = ObjectCheck.numbers[member.name] {
        guard let number = value.integerValue else {
          add("E204", pointer, "'\(member.name)' must be a whole number")
          continue
        }
        if !range.contains(number) {
          add("E205", pointer, "\(number) is out of \(range.lowerBound)...\(range.upperBound)")
        }
      } else if member.name == "description" {
        let isText =
          value.stringValue != nil
          || value.arrayValue?.allSatisfy { $0.stringValue != nil } ?? false
        if !isText { add("E204", pointer, "'description' must be text or a list of lines") }
      } else if let map = value.objectValue, ObjectCheck.maps.contains(member.name) {
        checkEntries(map, of: member.name, at: pointer + "/")
      }
    }
  }

  private mutating func checkEntries(_ map: JSONObject, of name: String, at path: String) {
    switch name {
    case "keywords", "categories", "extensions":
      for member in map.members where member.value != true {
        add("E204", path + member.name, "an entry of '\(name)' must be true")
      }
    case "locations", "virtualLocations", "links", "relatedTo", "participants", "alerts",
      "recurrenceOverrides", "futureOverrides", "defaultAlertsWithTime", "defaultAlertsWithoutTime":
      for member in map.members where member.value.objectValue == nil {
        add("E204", path + member.name, "an entry of '\(name)' must be an object")
      }
    case "conflicts":
      for member in map.members where member.value.arrayValue == nil {
        add("E204", path + member.name, "an entry of 'conflicts' must be a list")
      }
    default: break
    }
  }

  private mutating func checkCollection() {
    if kind == .store {
      if members["format"] == nil { add("E204", "", "'format' is missing; this is format 1") }
      return
    }
    guard let name = members["name"]?.stringValue, (1...255).contains(name.count) else {
      return add("E204", "name", "'name' must be a text of 1 to 255 characters")
    }
    checkOrder()
  }

  mutating func checkOrder() {
    guard let order = members["order"]?.stringValue else { return }
    let bytes = order.utf8
    let valid = bytes.allSatisfy {
      ($0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9"))
        || ($0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "z"))
    }
    if !valid || bytes.isEmpty || bytes.last == UInt8(ascii: "0") {
      add("E361", "order", "'\(order)' is no order key: digits and small letters, not ending in 0")
    }
  }

  // MARK: - Places, links, warnings

  private mutating func checkPlacesAndLinks() {
    if let main = members["mainLocationId"]?.stringValue,
      members["locations"]?.objectValue?[main] == nil
    {
      add("E331", "mainLocationId", "'\(main)' names no entry of 'locations'")
    }
    for member in members["links"]?.objectValue?.members ?? [] {
      guard let href = member.value.objectValue?["href"]?.stringValue else {
        add("E341", "links/\(member.name)", "a link needs 'href'")
        continue
      }
      if !ObjectCheck.isLink(href) {
        add(
          "E341", "links/\(member.name)/href",
          "'\(href)' is neither an absolute URI nor a file below files/")
      }
    }
    checkOrder()
  }

  static func isLink(_ href: String) -> Bool {
    if href.hasPrefix("files/") {
      return !href.split(separator: "/", omittingEmptySubsequences: false).contains {
        $0 == ".." || $0 == "." || $0.isEmpty
      }
    }
    guard let colon = href.firstIndex(of: ":"), colon > href.startIndex else { return false }
    let scheme = href[..<colon].lowercased()
    let valid = scheme.utf8.allSatisfy {
      ($0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "z"))
        || ($0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9")) || "+-.".utf8.contains($0)
    }
    return valid && scheme != "file"
  }

  private static let values: [String: Set<String>] = [
    "status": ["confirmed", "tentative", "cancelled"],
    "progress": ["needs-action", "in-process", "completed", "failed", "cancelled"],
    "freeBusyStatus": ["free", "busy", "tentative", "unavailable"],
    "privacy": ["public", "private", "secret"],
  ]

  private mutating func checkWarnings() {
    for (name, allowed) in ObjectCheck.values.sorted(by: { $0.key < $1.key }) {
      if let value = members[name]?.stringValue, !allowed.contains(value) {
        add("W204", name, "'\(value)' is no \(name) known here; it is kept")
      }
    }
    if let texts = [members["title"], members["description"]] as [JSONValue?]?,
      texts.contains(where: { ObjectCheck.hasUnbalancedDirection(CalendarObject.text($0)) })
    {
      add("W102", "title", "direction marks in the text are not balanced")
    }
    if members["completed"] != nil, members["progress"] != "completed" {
      add("W402", "completed", "'completed' without progress 'completed'")
    }
    if members["conflicts"] != nil {
      add("W406", "conflicts", "conflicts wait; 'almanac conflicts' lists them")
    }
    let people = members["participants"]?.objectValue?.members ?? []
    if people.contains(where: { $0.value.objectValue?["calendarAddress"] != nil }),
      members["organizerCalendarAddress"] == nil
    {
      add("W407", "participants", "participants with addresses, and no organizer")
    }
    if let created = members["created"]?.stringValue, let updated = members["updated"]?.stringValue,
      let first = Instant(extended: created), let second = Instant(extended: updated),
      second < first
    {
      add("W408", "updated", "updated before it was created")
    }
    if let overrides = members["recurrenceOverrides"]?.objectValue, overrides.count > 2_000 {
      add("W403", "recurrenceOverrides", "\(overrides.count) overrides; more than 2000 are slow")
    }
  }

  private static func hasUnbalancedDirection(_ text: String) -> Bool {
    var depth = 0
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x202A, 0x202B, 0x202D, 0x202E, 0x2066, 0x2067, 0x2068: depth += 1
      case 0x202C, 0x2069: depth -= 1
      case 0xFFFE, 0xFFFF: return true
      default: break
      }
      if depth < 0 { return true }
    }
    return depth != 0
  }
}
