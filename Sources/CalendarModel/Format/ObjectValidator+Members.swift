import CivilTime

// Names and values of single members, wherever they stand.
extension ObjectCheck {
  /// Checks the members of a record, nested ones too.
  mutating func check(
    _ object: JSONObject, _ record: MemberSchema.Record, at path: String, isPatch: Bool
  ) {
    for member in object.members {
      if let schema = record.members[member.name] {
        check(member.value, schema, at: path + member.name, isPatch: isPatch)
      } else if !isPatch || !member.name.utf8.contains(UInt8(ascii: "/")) {
        checkName(member.name, record, at: path + member.name)
      }
    }
    if let required = record.required, object[required.name] == nil {
      let place = path.hasSuffix("/") ? String(path.dropLast()) : path
      add(required.code, place, "'\(required.name)' is missing")
    }
  }

  /// E206 and W203 for a name that is not known where it stands.
  mutating func checkName(_ name: String, _ record: MemberSchema.Record, at pointer: String) {
    guard !name.utf8.contains(UInt8(ascii: ":")), name != "@type" else { return }
    let lower = name.lowercased()
    let known = record.members.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    if let real = known.first(where: { $0.lowercased() == lower }) {
      add("E206", pointer, "'\(name)' differs from '\(real)' only in case")
    } else if let near = known.first(where: { ObjectCheck.isNear($0, name) }) {
      add("W203", pointer, "'\(name)' is not known; did you mean '\(near)'?")
    }
  }

  /// Whether two names of some length are one edit or one swap of neighbours apart.
  private static func isNear(_ known: String, _ name: String) -> Bool {
    let left = Array(known.utf8)
    let right = Array(name.utf8)
    guard left.count > 3, abs(left.count - right.count) <= 1 else { return false }
    let common = zip(left, right).prefix { $0 == $1 }.count
    let (first, second) = (left.dropFirst(common), right.dropFirst(common))
    if first.count >= 2, second.count >= 2,
      first.prefix(2).elementsEqual(second.prefix(2).reversed())
    {
      return first.dropFirst(2).elementsEqual(second.dropFirst(2))
    }
    return first.dropFirst().elementsEqual(second.dropFirst())
      || first.dropFirst().elementsEqual(second) || first.elementsEqual(second.dropFirst())
  }

  /// Checks one value; in a patch `null` removes and a wrong type is E315.
  mutating func check(
    _ value: JSONValue, _ schema: MemberSchema, at pointer: String, isPatch: Bool
  ) {
    if isPatch && value.isNull { return }
    switch schema {
    case .anything: return
    case .flag:
      if value.boolValue == nil { wrong(value, "true or false", pointer, isPatch) }
    case .whole(let range): checkNumber(value, range, at: pointer, isPatch: isPatch)
    case .lines: checkLines(value, at: pointer, isPatch: isPatch)
    case .set, .map, .record, .object, .conflicts:
      guard let object = value.objectValue else {
        return wrong(value, "an object", pointer, isPatch)
      }
      checkObject(object, schema, at: pointer, isPatch: isPatch)
    default:
      guard let text = value.stringValue else { return wrong(value, "text", pointer, isPatch) }
      checkText(text, schema, at: pointer)
    }
  }

  private mutating func wrong(
    _ value: JSONValue, _ expected: String, _ pointer: String, _ isPatch: Bool
  ) {
    add(isPatch ? "E315" : "E204", pointer, "\(quoted(value)) must be \(expected)")
  }

  private mutating func checkNumber(
    _ value: JSONValue, _ range: ClosedRange<Int>, at pointer: String, isPatch: Bool
  ) {
    guard case .number(let token) = value else {
      return wrong(value, "a whole number", pointer, isPatch)
    }
    guard let number = value.integerValue else {
      let isWhole = !token.utf8.contains { ".eE".utf8.contains($0) }
      return isWhole
        ? add("E205", pointer, "\(token) is out of range")
        : wrong(value, "a whole number", pointer, isPatch)
    }
    if !range.contains(number) {
      let expected =
        range.upperBound > 1_000_000
        ? "at least \(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
      add("E205", pointer, "\(number) is out of range, which is \(expected)")
    }
  }

  private mutating func checkLines(_ value: JSONValue, at pointer: String, isPatch: Bool) {
    let isText =
      value.stringValue != nil
      || value.arrayValue?.allSatisfy { $0.stringValue != nil } ?? false
    guard isText else { return wrong(value, "text or a list of lines", pointer, isPatch) }
    checkDirection(CalendarObject.text(value), at: pointer)
  }

  private mutating func checkObject(
    _ object: JSONObject, _ schema: MemberSchema, at pointer: String, isPatch: Bool
  ) {
    switch schema {
    case .set:
      for member in object.members where member.value != true {
        wrong(member.value, "true", "\(pointer)/\(member.name)", isPatch)
      }
    case .map(let entry):
      for member in object.members {
        check(member.value, entry, at: "\(pointer)/\(member.name)", isPatch: false)
      }
    case .record(let record): check(object, record, at: pointer + "/", isPatch: false)
    case .conflicts:
      for member in object.members where member.value.arrayValue == nil {
        wrong(member.value, "a list of values", "\(pointer)/\(member.name)", isPatch)
      }
    default: return
    }
  }

  private mutating func checkText(_ text: String, _ schema: MemberSchema, at pointer: String) {
    switch schema {
    case .text: checkDirection(text, at: pointer)
    case .moment:
      if DateOrDateTime(extended: text) == nil {
        add("E302", pointer, ObjectCheck.badMoment("'\(text)'"))
      }
    case .instant:
      if Instant(extended: text) == nil {
        add("E302", pointer, "'\(text)' is no instant such as 2026-11-28T16:55:20Z")
      }
    case .duration:
      guard let duration = CalendarDuration(text) else {
        return add("E302", pointer, "'\(text)' is no duration such as PT45M or P1D")
      }
      if duration.isNegative { add("E305", pointer, "the duration \(text) is below zero") }
    case .zone: checkZone(text, at: pointer)
    case .color:
      if !ColorName.isColor(text) {
        add("W204", pointer, "'\(text)' is no colour known here (teal, #2f4b8f); it is kept")
      }
    case .order: checkOrder(text, at: pointer)
    case .href:
      if !ObjectCheck.isLink(text) {
        add("E341", pointer, "'\(text)' is neither an absolute URI nor a file below files/")
      }
    case .coordinates:
      if Coordinates(geo: text) == nil {
        add("W204", pointer, "'\(text)' is no place such as geo:52.4848,13.4409;u=150")
      }
    case .choice(let known):
      if !known.contains(text) {
        add("W204", pointer, "'\(text)' is not known here; it is kept")
      }
    default: return
    }
  }

  private mutating func checkZone(_ name: String, at pointer: String) {
    guard let id = TimeZoneID(name) else {
      return add("W301", pointer, "'\(name)' is no name of a time zone such as Europe/Berlin")
    }
    guard let zones else { return }
    if (try? zones.rules(for: id)) == nil {
      add("W301", pointer, "'\(name)' is not in the zone data here")
    }
  }

  private mutating func checkOrder(_ order: String, at pointer: String) {
    if !OrderKey.isValid(order) {
      add(
        "E361", pointer,
        "'\(order)' is no order key: digits and small letters, not ending in 0, at most 128")
    }
  }

  static func badMoment(_ quoted: String) -> String {
    "\(quoted) is no date (2026-12-24) and no local date-time (2026-12-24T18:00:00)"
  }

  static func isLink(_ href: String) -> Bool {
    let bytes = href.utf8
    if bytes.contains(where: { $0 <= 0x20 || $0 == 0x7F }) { return false }
    if href.hasPrefix("files/") {
      return !href.split(separator: "/", omittingEmptySubsequences: false).contains {
        $0 == ".." || $0 == "." || $0.isEmpty
      }
    }
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return false }
    let scheme = href[..<colon].lowercased()
    guard let first = scheme.utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first),
      bytes.index(after: colon) < bytes.endIndex
    else { return false }
    let valid = scheme.utf8.allSatisfy {
      ($0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "z"))
        || ($0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9")) || "+-.".utf8.contains($0)
    }
    return valid && scheme != "file"
  }

  /// W102: direction marks that are opened and not closed, and code points that are no characters.
  private mutating func checkDirection(_ text: String, at pointer: String) {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return }
    var embeddings = 0
    var isolates = 0
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x202A, 0x202B, 0x202D, 0x202E: embeddings += 1
      case 0x202C: embeddings -= 1
      case 0x2066, 0x2067, 0x2068: isolates += 1
      case 0x2069: isolates -= 1
      case let value where value & 0xFFFE == 0xFFFE || (0xFDD0...0xFDEF).contains(value):
        let code = String(value, radix: 16, uppercase: true)
        return add("W102", pointer, "U+\(code) is no character")
      default: break
      }
      if embeddings < 0 || isolates < 0 { break }
    }
    if embeddings != 0 || isolates != 0 {
      add("W102", pointer, "direction marks in the text are not balanced")
    }
  }
}
