/// Writes objects in the one canonical form of format 1 (FORMAT.md section 2): the same members
/// always give the same bytes.
public enum CanonicalJSON {
  /// The text of a file: UTF-8, ending in one line feed.
  public static func bytes(_ object: JSONObject) -> [UInt8] {
    var writer = CanonicalWriter()
    writer.writeFile(object)
    return writer.bytes
  }

  /// The text of a value on one line, as it stands inside a member of this name.
  public static func inline(_ value: JSONValue, name: String = "") -> String {
    var writer = CanonicalWriter()
    writer.writeInline(value, MemberShape.ofValue(named: name))
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

/// How the members of an object are ordered.
enum MemberShape {
  /// By the table of format 1.
  case record
  /// By their bytes, since the names are data; the values are records.
  case map
  /// By their bytes, all the way down: the value of a member that is not known.
  case plain

  /// Blocks of members as they follow each other at top level; 12 is everything else.
  static let blocks: [[String]] = [
    ["@type", "excluded", "added", "name", "title"],
    [
      "format", "start", "due", "shift", "timeZone", "endTimeZone", "duration",
      "estimatedDuration", "showWithoutTime", "recurrenceRule",
    ],
    ["futureOverrides"],
    ["recurrenceOverrides"],
    [
      "status", "progress", "completed", "percentComplete", "priority", "order",
      "freeBusyStatus", "privacy", "color", "readOnly", "includeInAvailability",
      "defaultCalendar", "defaultList", "source", "refreshInterval",
    ],
    ["description", "descriptionContentType", "locale"],
    ["keywords", "categories"],
    ["mainLocationId", "locations", "virtualLocations"],
    ["links", "relatedTo"],
    ["organizerCalendarAddress", "participants"],
    ["alerts", "defaultAlertsWithTime", "defaultAlertsWithoutTime"],
  ]

  /// Members of nested objects, after those of the blocks.
  static let nested = [
    "frequency", "interval", "byDay", "byMonthDay", "byMonth", "byYearDay", "byWeekNo", "byHour",
    "byMinute", "bySecond", "bySetPosition", "firstDayOfWeek", "rscale", "skip", "count", "until",
    "day", "nthOfPeriod", "trigger", "offset", "relativeTo", "when", "proximity", "location",
    "action", "sound", "acknowledged", "coordinates", "locationTypes", "uri", "features", "href",
    "rel", "contentType", "size", "display", "relation", "calendarAddress", "email", "kind",
    "roles", "participationStatus", "expectReply",
  ]

  /// Members whose keys are data.
  static let maps: Set<String> = [
    "keywords", "categories", "locations", "virtualLocations", "links", "participants", "alerts",
    "relatedTo", "relation", "roles", "features", "display", "locationTypes", "delegatedTo",
    "delegatedFrom", "memberOf", "recurrenceOverrides", "futureOverrides",
    "defaultAlertsWithTime", "defaultAlertsWithoutTime", "conflicts", "extensions",
  ]

  /// Block and place of every known member.
  static let places: [String: (block: Int, place: Int)] = {
    var places: [String: (block: Int, place: Int)] = [:]
    var place = 0
    for (index, block) in blocks.enumerated() {
      for name in block {
        places[name] = (index + 1, place)
        place += 1
      }
    }
    for name in nested {
      places[name] = (12, place)
      place += 1
    }
    places["created"] = (13, 10_000)
    places["uid"] = (13, 10_001)
    return places
  }()

  /// The shape of the value of a member of a record; a pointer counts by where it leads.
  static func ofValue(named name: String) -> MemberShape {
    if name.utf8.contains(UInt8(ascii: "/")) {
      let parts = name.split(separator: "/")
      guard let root = parts.first, maps.contains(String(root)) else { return .plain }
      if parts.count == 2 { return .record }
      return parts.last.map { ofValue(named: String($0)) } ?? .plain
    }
    if maps.contains(name) { return .map }
    return places[name] != nil ? .record : .plain
  }

  /// The members of an object in the order in which they are written.
  func sorted(_ object: JSONObject, atTopLevel: Bool) -> [JSONObject.Member] {
    guard case .record = self, object.count > 1 else { return object.members }
    // The members are in byte order, which a stable sort keeps for those without a place.
    return object.members.enumerated().map { index, member -> (Int, JSONObject.Member) in
      guard let (block, place) = MemberShape.places[member.name] else {
        return (5_000 + index, member)
      }
      return (block == 12 && atTopLevel ? 5_000 + index : place, member)
    }.sorted { $0.0 < $1.0 }.map(\.1)
  }
}

/// Collects canonical text.
private struct CanonicalWriter {
  var bytes: [UInt8] = []

  mutating func writeFile(_ object: JSONObject) {
    bytes.reserveCapacity(1_024)
    append("{\n")
    let members = MemberShape.record.sorted(object, atTopLevel: true)
    var previous: Int?
    for (index, member) in members.enumerated() {
      let block = MemberShape.places[member.name]?.block ?? 12
      if let previous, previous != block { append("\n") }
      previous = block
      append("  ")
      writeString(member.name)
      append(": ")
      writeTopLevel(member.value, MemberShape.ofValue(named: member.name))
      append(index == members.count - 1 ? "\n" : ",\n")
    }
    append("}\n")
  }

  private mutating func writeTopLevel(_ value: JSONValue, _ shape: MemberShape) {
    switch value {
    case .object(let object) where !object.isEmpty:
      append("{\n")
      let members = shape.sorted(object, atTopLevel: false)
      for (index, member) in members.enumerated() {
        append("    ")
        writeString(member.name)
        append(": ")
        writeInline(member.value, shape.inner(member.name))
        append(index == members.count - 1 ? "\n" : ",\n")
      }
      append("  }")
    case .array(let elements) where !elements.isEmpty:
      append("[\n")
      for (index, element) in elements.enumerated() {
        append("    ")
        writeInline(element, shape)
        append(index == elements.count - 1 ? "\n" : ",\n")
      }
      append("  ]")
    default: writeInline(value, shape)
    }
  }

  mutating func writeInline(_ value: JSONValue, _ shape: MemberShape) {
    switch value {
    case .null: append("null")
    case .bool(let flag): append(flag ? "true" : "false")
    case .number(let token): bytes.append(contentsOf: token.utf8)
    case .string(let text): writeString(text)
    case .array(let elements):
      append("[")
      for (index, element) in elements.enumerated() {
        if index > 0 { append(", ") }
        writeInline(element, shape)
      }
      append("]")
    case .object(let object):
      if object.isEmpty { return append("{}") }
      append("{ ")
      for (index, member) in shape.sorted(object, atTopLevel: false).enumerated() {
        if index > 0 { append(", ") }
        writeString(member.name)
        append(": ")
        writeInline(member.value, shape.inner(member.name))
      }
      append(" }")
    }
  }

  private mutating func writeString(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case 0x08: append("\\b")
      case 0x09: append("\\t")
      case 0x0A: append("\\n")
      case 0x0C: append("\\f")
      case 0x0D: append("\\r")
      case 0..<0x20:
        append(byte < 16 ? "\\u000" : "\\u00")
        bytes.append(contentsOf: String(byte, radix: 16).utf8)
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }
}

extension MemberShape {
  /// The shape of the value of a member of an object of this shape.
  fileprivate func inner(_ name: String) -> MemberShape {
    switch self {
    case .record: MemberShape.ofValue(named: name)
    case .map: .record
    case .plain: .plain
    }
  }
}
