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

  /// What is known of a member by its name.
  struct Place {
    /// The block at top level, 1 to 13.
    var block = 12
    /// The place among all known members; those that are not known come after them by their bytes.
    var place = Place.unknown
    /// The shape of the value.
    var shape = MemberShape.plain

    static let unknown = 5_000
    /// The place at top level, where the members for nested objects have none.
    var topPlace: Int { block == 12 ? Place.unknown : place }
  }

  /// Block, place and shape of every known member.
  static let places: [String: Place] = {
    var places: [String: Place] = [:]
    var place = 0
    func add(_ name: String, block: Int) {
      places[name] = Place(block: block, place: place, shape: maps.contains(name) ? .map : .record)
      place += 1
    }
    for (index, block) in blocks.enumerated() {
      for name in block { add(name, block: index + 1) }
    }
    for name in nested { add(name, block: 12) }
    place = 10_000
    for name in ["created", "uid"] { add(name, block: 13) }
    return places
  }()

  /// Members of block 12 whose keys are data.
  private static let unplaced: [String: Place] = Dictionary(
    uniqueKeysWithValues: maps.filter { places[$0] == nil }.map { ($0, Place(shape: .map)) })

  /// What is known of a member of a record.
  static func place(of name: String) -> Place {
    if let place = places[name] ?? unplaced[name] { return place }
    guard name.utf8.contains(UInt8(ascii: "/")) else { return Place() }
    // A pointer in a patch: its value counts by where it leads.
    var shape = MemberShape.record
    for part in name.split(separator: "/") { shape = shape.inner(String(part)) }
    return Place(shape: shape)
  }

  /// The shape of the value of a member of a record; a pointer counts by where it leads.
  static func ofValue(named name: String) -> MemberShape { place(of: name).shape }

  /// The shape of the value of a member of an object of this shape.
  func inner(_ name: String) -> MemberShape {
    switch self {
    case .record: MemberShape.place(of: name).shape
    case .map: .record
    case .plain: .plain
    }
  }
}

/// Collects canonical text.
private struct CanonicalWriter {
  var bytes: [UInt8] = []

  /// A member with what orders it and what its value is.
  private struct Entry {
    var index: Int
    var order: Int
    var place: MemberShape.Place
  }

  mutating func writeFile(_ object: JSONObject) {
    bytes.reserveCapacity(2_048)
    append("{\n")
    let entries = entries(of: object, .record, atTopLevel: true)
    var previous: Int?
    for (number, entry) in entries.enumerated() {
      if let previous, previous != entry.place.block { append("\n") }
      previous = entry.place.block
      append("  ")
      let member = object.members[entry.index]
      writeString(member.name)
      append(": ")
      writeTopLevel(member.value, entry.place.shape)
      append(number == entries.count - 1 ? "\n" : ",\n")
    }
    append("}\n")
  }

  /// The members of an object in the order in which they are written.
  private func entries(
    of object: JSONObject, _ shape: MemberShape, atTopLevel: Bool = false
  ) -> [Entry] {
    var entries: [Entry] = []
    entries.reserveCapacity(object.count)
    for (index, member) in object.members.enumerated() {
      switch shape {
      case .plain: entries.append(Entry(index: index, order: index, place: .init()))
      case .map: entries.append(Entry(index: index, order: index, place: .init(shape: .record)))
      case .record:
        let place = MemberShape.place(of: member.name)
        let order = atTopLevel ? place.topPlace : place.place
        // The members are in byte order, which the index keeps for those without a place.
        let entry = Entry(
          index: index, order: order == MemberShape.Place.unknown ? order + index : order,
          place: place)
        let slot = entries.lastIndex { $0.order <= entry.order }.map { $0 + 1 } ?? 0
        entries.insert(entry, at: slot)
      }
    }
    return entries
  }

  private mutating func writeTopLevel(_ value: JSONValue, _ shape: MemberShape) {
    switch value {
    case .object(let object) where !object.isEmpty:
      append("{\n")
      let entries = entries(of: object, shape)
      for (number, entry) in entries.enumerated() {
        append("    ")
        write(object.members[entry.index], entry.place.shape)
        append(number == entries.count - 1 ? "\n" : ",\n")
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

  private mutating func write(_ member: JSONObject.Member, _ shape: MemberShape) {
    writeString(member.name)
    append(": ")
    writeInline(member.value, shape)
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
      for (number, entry) in entries(of: object, shape).enumerated() {
        if number > 0 { append(", ") }
        write(object.members[entry.index], entry.place.shape)
      }
      append(" }")
    }
  }

  private mutating func writeString(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    var text = text
    text.withUTF8 { utf8 in
      // Runs that need no escape are copied whole.
      var begin = 0
      var index = 0
      while index < utf8.count {
        let byte = utf8[index]
        if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
          bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[begin..<index]))
          writeEscape(byte)
          begin = index + 1
        }
        index += 1
      }
      bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[begin...]))
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func writeEscape(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"):
      bytes.append(UInt8(ascii: "\\"))
      bytes.append(byte)
    case 0x08: append("\\b")
    case 0x09: append("\\t")
    case 0x0A: append("\\n")
    case 0x0C: append("\\f")
    case 0x0D: append("\\r")
    default:
      append(byte < 16 ? "\\u000" : "\\u00")
      bytes.append(contentsOf: String(byte, radix: 16).utf8)
    }
  }

  private mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }
}
