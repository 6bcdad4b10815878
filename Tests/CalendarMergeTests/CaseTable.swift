import CalendarMerge
import CalendarModel
import CivilTime
import TestSupport
import Testing

/// One row of a case table.
struct MergeCase: Sendable, CustomTestStringConvertible {
  let id: String
  let base: String
  let first: String
  let second: String
  let expected: String
  let conflict: String
  let about: String

  var testDescription: String { "\(id) \(about)" }

  static func load(_ file: String) -> [MergeCase] {
    rows(file).compactMap { cells in
      guard cells.count == 7 else { return nil }
      return MergeCase(
        id: cells[0], base: cells[1], first: cells[2], second: cells[3], expected: cells[4],
        conflict: cells[5], about: cells[6])
    }
  }

  static func rows(_ file: String) -> [[String]] {
    let path = Corpus.folder(beside: #filePath) + "/" + file
    let text = String(decoding: Corpus.bytes(path) ?? [], as: UTF8.self)
    return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map {
      $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }
  }

  /// The objects that cases start from, by name.
  static let bases: [String: ObjectVersion] = {
    var bases: [String: ObjectVersion] = [:]
    for cells in rows("bases.tsv") where cells.count == 2 {
      guard let members = try? JSONText.parse(Array(cells[1].utf8)) else { continue }
      let kind: FileKind = members["@type"] == "Task" ? .reminder : .event
      bases[cells[0]] = ObjectVersion(
        members: Normaliser.normalise(members, kind: kind), collection: "work")
    }
    return bases
  }()

  /// The object of the series-level values, and whether it is deleted at the start.
  var start: (object: ObjectVersion?, isDeleted: Bool) {
    base == "B1x" ? (MergeCase.bases["B1"], true) : (MergeCase.bases[base], false)
  }

  static let zones = TimeZoneDatabase(directory: "/usr/share/zoneinfo")
}

/// What is shown of an object in 2026, in the words of the tables.
struct ShownOccurrences {
  /// One line per occurrence, sorted by time.
  static func of(_ version: ObjectVersion?, comparedWith base: ObjectVersion) throws -> [String] {
    guard let version else { return ["(deleted)"] }
    let kind: CalendarObject.Kind = version.members["@type"] == "Task" ? .reminder : .event
    let series = try Series(CalendarObject(kind: kind, members: version.members))
    let occurrences = series.occurrences(
      from: Instant(seconds: 1_767_222_000), to: Instant(seconds: 1_798_758_000),
      zones: MergeCase.zones, floatingZone: .utc)
    let conflicts = version.members["conflicts"]?.objectValue
    return occurrences.map { occurrence in
      let id = occurrence.recurrenceID?.text ?? ""
      let isOrphan = conflicts?["recurrenceOverrides/\(id)/@orphan"] != nil
      let hour = occurrence.start.time.map { "\($0)".prefix(5) } ?? "day"
      var fields = differences(occurrence.object.members, base.members)
      if occurrence.timeZone != base.members["timeZone"]?.stringValue,
        let zone = occurrence.timeZone
      {
        fields.append("tz=\(zone)")
      }
      if version.collection != "work" { fields.append("calendar=\(version.collection)") }
      let date = occurrence.start.date.description.dropFirst(5)
      return "\(date)\(isOrphan ? "!" : "") @\(hour) \(fields.sorted())"
    }
  }

  private static func differences(_ shown: JSONObject, _ base: JSONObject) -> [String] {
    let (left, right) = (leaves(shown), leaves(base))
    return Set(left.keys).union(right.keys).filter { left[$0] != right[$0] }.map { path in
      "\(path)=\(CanonicalJSON.inline(left[path] ?? .null))"
    }
  }

  private static func leaves(_ object: JSONObject) -> [String: JSONValue] {
    let skipped: Set<String> = [
      "start", "due", "timeZone", "recurrenceRule", "recurrenceOverrides", "futureOverrides",
      "conflicts", "@type", "uid", "created",
    ]
    var result: [String: JSONValue] = [:]
    func add(_ value: JSONValue, _ path: String) {
      guard let inner = value.objectValue else {
        result[path] = value
        return
      }
      for member in inner.members { add(member.value, path + "/" + member.name) }
    }
    for member in object.members where !skipped.contains(member.name) {
      let value =
        member.name == "description"
        ? JSONValue.string(CalendarObject.text(member.value)) : member.value
      add(value, member.name)
    }
    return result
  }

  /// The same lines from the column "expected" of a table.
  static func parse(_ text: String) -> [String] {
    if text == "(deleted)" { return [text] }
    var groups = separated(text, by: " ; ")
    var calendar: String?
    if let last = groups.last, last.hasPrefix("calendar=") {
      calendar = last
      groups.removeLast()
    }
    var lines: [String] = []
    for group in groups {
      let parts = group.split(separator: " {", maxSplits: 1).map(String.init)
      var fields = parts.count > 1 ? separated(String(parts[1].dropLast()), by: ", ") : []
      fields.removeAll { $0 == "progress=\"needs-action\"" }
      fields = fields.map { field in
        if field.hasPrefix("tz=") { return field }
        let pieces = field.split(separator: "=", maxSplits: 1).map(String.init)
        let value = try? JSONText.parseValue(Array(pieces[1].utf8))
        return "\(pieces[0])=\(CanonicalJSON.inline(value ?? .null))"
      }
      if let calendar { fields.append(calendar) }
      let words = parts[0].split(separator: " ").map(String.init)
      guard let hour = words.last else { continue }
      for date in words.dropLast() { lines.append("\(date) \(hour) \(fields.sorted())") }
    }
    return lines
  }

  /// Pieces between separators that stand outside quotes, brackets and braces.
  static func separated(_ text: String, by separator: String) -> [String] {
    var pieces: [String] = [""]
    var depth = 0
    var isQuoted = false
    var rest = text[...]
    while let character = rest.first {
      if !isQuoted, depth == 0, rest.hasPrefix(separator) {
        pieces.append("")
        rest = rest.dropFirst(separator.count)
        continue
      }
      if character == "\"" { isQuoted.toggle() }
      if !isQuoted, "[{(".contains(character) { depth += 1 }
      if !isQuoted, "]})".contains(character) { depth -= 1 }
      pieces[pieces.count - 1].append(character)
      rest = rest.dropFirst()
    }
    return pieces
  }
}

/// What `conflicts` must list, in one form for table and file.
enum ListedConflicts {
  /// `pointer: values`, sorted; notes without values.
  static func of(_ version: ObjectVersion?) -> [String] {
    (version?.members["conflicts"]?.objectValue?.members ?? []).map { member in
      let entries = member.value.arrayValue ?? []
      if ["@orphan", "@combined", "@hidden"].contains(where: { member.name.hasSuffix($0) }) {
        return member.name.hasSuffix("@hidden") ? "@hidden" : member.name
      }
      let values = entries.map { CanonicalJSON.inline($0.objectValue?["value"] ?? .null) }
      return "\(member.name): \(values.joined(separator: " < "))"
    }.sorted()
  }

  /// The same from the column "conflict".
  static func parse(_ text: String) -> [String] {
    if text == "no" { return [] }
    return ShownOccurrences.separated(text, by: " ; ").map(entry).sorted()
  }

  private static func entry(_ text: String) -> String {
    let inner = String(text.drop { $0 != "(" }.dropFirst().dropLast())
    if text.hasPrefix("orphan") { return "recurrenceOverrides/2026-\(inner)/@orphan" }
    if text.hasPrefix("combined") { return "@combined" }
    if text.hasPrefix("hidden") { return "@hidden" }
    if text.hasPrefix("edit-delete") {
      if inner == "object" { return "@object: null" }
      if inner.hasPrefix("occ ") {
        return "recurrenceOverrides/2026-\(inner.dropFirst(4))/@occurrence: null"
      }
      return "\(inner)/@entry: null"
    }
    let parts = ShownOccurrences.separated(inner, by: ": ")
    let words = parts[0].split(separator: " ").map(String.init)
    let field = words[0]
    var pointer = field
    switch field {
    case "time+tz": pointer = "@hour"
    case "date+rule": pointer = "@day"
    case "end": pointer = "@end"
    case "calendar": pointer = "@calendar"
    default: break
    }
    if words.count > 1 {
      let date = words[1]
      pointer =
        date.hasSuffix("..")
        ? "futureOverrides/2026-\(date.dropLast(2))/\(pointer)"
        : "recurrenceOverrides/2026-\(date)/\(pointer)"
    }
    var values = ShownOccurrences.separated(parts[1], by: " + ")
    if values.count == 1 {
      values = ShownOccurrences.separated(parts[1], by: " < ").dropLast()
    }
    return "\(pointer): \(values.map { value(field, $0) }.joined(separator: " < "))"
  }

  private static func value(_ field: String, _ text: String) -> String {
    let words = text.split(separator: " ").map(String.init)
    var object = JSONObject()
    switch field {
    case "time+tz":
      object = ["time": .string(words[0] + ":00"), "timeZone": .string(words[1])]
    case "date+rule":
      let parts = words[0].split(separator: "+").map(String.init)
      object["date"] = .string("2026-" + parts[0])
      if parts[1] != "0d" { object["shift"] = .string("P" + parts[1].uppercased()) }
      if words.count > 1 { object["recurrenceRule"] = .object(EditLanguage.rule(words[1])) }
    case "end":
      let parts = text.split(separator: "=").map(String.init)
      object[parts[0]] = parts[0] == "count" ? .number(parts[1]) : .string("2026-" + parts[1])
    case "start":
      object = ["start": .string("2026-" + words[0] + ":00"), "timeZone": .string(words[1])]
    case "progress" where text == "\"needs-action\"": return "null"
    default:
      let json = EditLanguage.json(text)
      return CanonicalJSON.inline(json)
    }
    return CanonicalJSON.inline(.object(object))
  }
}
