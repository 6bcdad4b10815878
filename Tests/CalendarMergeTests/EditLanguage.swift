import CalendarMerge
import CalendarModel
import CivilTime
import Recurrence

/// The edits of the case tables, applied to objects in format 1 the way an editor does it.
struct EditLanguage {
  struct Failure: Error {
    let edit: String
  }

  var version: ObjectVersion?
  /// What `undelete` brings back.
  var deleted: ObjectVersion?

  private var kind: FileKind {
    version?.members["@type"] == "Task" ? .reminder : .event
  }

  /// Applies one edit, such as `from 06-22 time=14:00`.
  mutating func apply(_ edit: String) throws {
    let words = edit.split(separator: " ", maxSplits: 1).map(String.init)
    let rest = words.count > 1 ? words[1] : ""
    if words[0] == "undelete" {
      version = version ?? deleted
      return
    }
    if version == nil, words[0] == "all" { version = deleted }
    guard let before = version else { throw Failure(edit: edit) }
    var members = before.members
    switch words[0] {
    case "delete":
      deleted = before
      version = nil
      return
    case "cal": version?.collection = rest
    case "all":
      let (field, value) = split(rest)
      try writeAll(field, value, &members)
    case "from":
      let (date, field, value) = splitDate(rest)
      try writeFrom(date, field, value, &members)
    case "on":
      let (date, field, value) = splitDate(rest)
      writeOn(date, field, value, &members)
    case "skip": setOverride(day(rest), ["excluded": true], &members)
    case "unskip": setOverride(day(rest), nil, &members)
    case "add": setOverride(day(rest), ["added": true], &members)
    case "done": writeOn(day(rest), "progress", "completed", &members)
    case "undone": writeOn(day(rest), "progress", nil, &members)
    case "drop": Patch.set(nil, at: String(rest.dropFirst("all ".count)), in: &members)
    case "end": cut(day(rest), &members)
    case "settle": settle(rest, &members)
    default:
      let (field, value) = split(edit)
      guard var rule = members["recurrenceRule"]?.objectValue, let value else {
        throw Failure(edit: edit)
      }
      rule["count"] = nil
      rule["until"] = nil
      rule[field] = field == "count" ? .number(value) : .string(day(value))
      members["recurrenceRule"] = .object(rule)
      settle("@end", &members)
    }
    let normalised = Normaliser.normalise(members, kind: kind)
    version?.members = normalised
  }

  // MARK: - Reading edits

  /// `06-22` as a date.
  func day(_ text: String) -> String { "2026-" + text }

  private func split(_ text: String) -> (field: String, value: String?) {
    guard let equals = text.firstIndex(of: "=") else { return (text, nil) }
    let value = String(text[text.index(after: equals)...])
    return (String(text[..<equals]), value == "null" ? nil : value)
  }

  private func splitDate(_ text: String) -> (date: String, field: String, value: String?) {
    let parts = text.split(separator: " ", maxSplits: 1).map(String.init)
    let (field, value) = split(parts[1])
    return (day(parts[0]), field, value)
  }

  /// A value as JSON: what parses as such, else text.
  static func json(_ text: String?) -> JSONValue {
    guard let text else { return .null }
    if let value = try? JSONText.parseValue(Array(text.utf8)), !text.hasPrefix("2026") {
      if let string = value.stringValue, string.contains("\n") {
        return CalendarObject.textValue(string)
      }
      return value
    }
    return .string(text)
  }

  /// A rule such as `weekly/1:mo,th`.
  static func rule(_ text: String) -> JSONObject {
    let parts = text.split(separator: ":").map(String.init)
    let head = parts[0].split(separator: "/").map(String.init)
    var rule: JSONObject = ["frequency": .string(head[0])]
    if head.count > 1, head[1] != "1" { rule["interval"] = .number(head[1]) }
    if parts.count > 1 {
      rule["byDay"] = .array(
        parts[1].split(separator: ",").map { ["day": .string(String($0))] })
    }
    return rule
  }

  private func shift(_ text: String) -> JSONValue {
    .string("P" + text.replacing("+", with: "").uppercased())
  }

  // MARK: - Writing

  private func settle(_ unit: String, _ members: inout JSONObject) {
    guard var conflicts = members["conflicts"]?.objectValue else { return }
    conflicts[unit] = nil
    members["conflicts"] = conflicts.isEmpty ? nil : .object(conflicts)
  }

  private func writeAll(_ field: String, _ value: String?, _ members: inout JSONObject) throws {
    let anchor = members["start"] == nil ? "due" : "start"
    let start = members[anchor]?.stringValue ?? ""
    let date = start.prefix(10)
    switch field {
    case "time", "tz", "time+tz":
      let words = (value ?? "").split(separator: " ").map(String.init)
      if field != "time", let zone = words.last {
        keepZones(of: members["timeZone"], &members)
        members["timeZone"] = .string(zone)
      }
      if field != "tz" {
        members[anchor] = .string(value == nil ? String(date) : "\(date)T\(words[0]):00")
        if value == nil { members["timeZone"] = nil }
      }
      settle("@hour", &members)
    case "shift":
      Patch.set(shift(value ?? ""), at: "futureOverrides/\(date)/shift", in: &members)
      settle("@day", &members)
    case "date":
      members[anchor] = .string(day(value ?? "") + start.dropFirst(10))
      settle("@day", &members)
    case "rule":
      var rule = EditLanguage.rule(value ?? "")
      for name in ["count", "until"] {
        rule[name] = members["recurrenceRule"]?.objectValue?[name]
      }
      members["recurrenceRule"] = .object(rule)
      settle("@day", &members)
    default:
      let json = EditLanguage.json(value)
      Patch.set(json.nonNull, at: field, in: &members)
      settle(field, &members)
    }
  }

  /// Spells out the zone of moved occurrences before the zone of the series changes.
  private func keepZones(of zone: JSONValue?, _ members: inout JSONObject) {
    for member in members["recurrenceOverrides"]?.objectValue?.members ?? [] {
      guard let patch = member.value.objectValue, patch["start"] != nil, patch["timeZone"] == nil
      else { continue }
      Patch.set(zone, at: "recurrenceOverrides/\(member.name)/timeZone", in: &members)
    }
  }

  private func writeFrom(
    _ date: String, _ field: String, _ value: String?, _ members: inout JSONObject
  ) throws {
    var patch = members["futureOverrides"]?.objectValue?[date]?.objectValue ?? JSONObject()
    let words = (value ?? "").split(separator: " ").map(String.init)
    switch field {
    case "time": patch["start"] = .string("\(date)T\(words[0]):00")
    case "time+tz":
      patch["start"] = .string("\(date)T\(words[0]):00")
      patch["timeZone"] = .string(words[1])
    case "shift": patch["shift"] = shift(value ?? "")
    case "rule":
      let json = EditLanguage.rule(value ?? "")
      let rule = try RecurrenceRule(json: json)
      let time = members["start"]?.stringValue?.dropFirst(10) ?? ""
      guard case .dateTime(let from)? = DateOrDateTime(extended: date + time) else {
        throw Failure(edit: field)
      }
      var matches = rule.occurrences(start: from)
      patch["recurrenceRule"] = .object(json)
      patch["start"] = .string((matches.next() ?? from).description)
    default:
      // An entry that is not there is added whole.
      let parts = field.split(separator: "/").map(String.init)
      let entry = parts.prefix(2).joined(separator: "/")
      if parts.count > 2, Patch.value(at: entry, in: members) == nil {
        var whole = JSONObject()
        Patch.set(
          EditLanguage.json(value), at: parts.dropFirst(2).joined(separator: "/"), in: &whole)
        patch[entry] = .object(whole)
      } else {
        patch[field] = EditLanguage.json(value)
      }
    }
    var map = members["futureOverrides"]?.objectValue ?? JSONObject()
    map[date] = .object(patch)
    members["futureOverrides"] = .object(map)
    settle("futureOverrides/\(date)/\(field)", &members)
  }

  private func writeOn(
    _ date: String, _ field: String, _ value: String?, _ members: inout JSONObject
  ) {
    var patch = members["recurrenceOverrides"]?.objectValue?[date]?.objectValue ?? JSONObject()
    patch["excluded"] = nil
    if field == "start" {
      patch["start"] = .string(day(value ?? "") + ":00")
    } else if field == "progress", value == nil {
      patch["progress"] = nil
    } else {
      patch[field] = EditLanguage.json(value)
    }
    setOverride(date, patch.isEmpty ? nil : patch, &members)
    settle("recurrenceOverrides/\(date)/\(field)", &members)
  }

  private func setOverride(_ date: String, _ patch: JSONObject?, _ members: inout JSONObject) {
    let date = date.hasPrefix("2026-2026") ? String(date.dropFirst(5)) : date
    var map = members["recurrenceOverrides"]?.objectValue ?? JSONObject()
    map[date] = patch.map { .object($0) }
    members["recurrenceOverrides"] = map.isEmpty ? nil : .object(map)
  }

  /// Deletes a date and all that follow.
  private func cut(_ date: String, _ members: inout JSONObject) {
    guard var rule = members["recurrenceRule"]?.objectValue, let first = CivilDate(extended: date)
    else { return }
    rule["count"] = nil
    rule["until"] = .string(first.adding(days: -1).description)
    members["recurrenceRule"] = .object(rule)
    for name in ["recurrenceOverrides", "futureOverrides"] {
      guard let map = members[name]?.objectValue else { continue }
      let left = JSONObject(map.members.filter { $0.name < date }.map { ($0.name, $0.value) })
      members[name] = left.isEmpty ? nil : .object(left)
    }
    settle("@end", &members)
  }
}
