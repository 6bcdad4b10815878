import Almanac
import CalendarModel
import CivilTime
import Recurrence

/// What an item says, in words.
enum ItemText {
  /// The name of the main place; nil if it has none.
  static func place(_ object: CalendarObject) -> String? {
    guard let locations = object["locations"]?.objectValue else { return nil }
    let main = object["mainLocationId"]?.stringValue.flatMap { locations[$0] }
    let name = (main ?? locations.members.first?.value)?.objectValue?["name"]?.stringValue
    return name.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The UID of the reminder that a subtask belongs to.
  static func parent(_ object: CalendarObject) -> String? {
    object["relatedTo"]?.objectValue?.members.first { member in
      let relation = member.value.objectValue?["relation"]?.objectValue
      return relation.map { $0.isEmpty || $0["parent"] == true } ?? true
    }?.name
  }

  /// Whether an open conflict concerns an occurrence, or the item if none is named.
  static func isConflicted(_ object: CalendarObject, at id: RecurrenceID?) -> Bool {
    guard let conflicts = object["conflicts"]?.objectValue else { return false }
    return conflicts.names.contains { pointer in
      let parts = pointer.split(separator: "/")
      guard parts.first == "recurrenceOverrides", parts.count > 1, let id else { return true }
      return parts[1] == id.text
    }
  }

  /// When an occurrence is: `Thu 17 December 17:30–20:30`, `Thu 24 December, all day`.
  static func when(
    _ occurrence: SeriesOccurrence, zone: TimeZoneRules, now: CivilDate
  ) -> String {
    guard !occurrence.start.isDate else {
      let first = occurrence.start.date
      let end = zone.civil(at: occurrence.endInstant).date.adding(days: -1)
      if end <= first { return Words.day(first, now: now) + ", all day" }
      return "\(Words.day(first, now: now)) to \(Words.day(end, now: now)), all day"
    }
    let start = zone.civil(at: occurrence.startInstant)
    let end = zone.civil(at: occurrence.endInstant)
    var text = Words.moment(.dateTime(start), now: now)
    if end > start {
      text +=
        end.date == start.date
        ? "–" + Words.time(end.time) : " to " + Words.moment(.dateTime(end), now: now)
    }
    if let name = occurrence.timeZone, name != zone.id.name {
      text += " (\(Words.time(occurrence.start.dateTime.time)) in \(name))"
    }
    return text
  }

  /// The details of an item below its title, as names and values.
  static func details(_ object: CalendarObject, now: CivilDate) -> [(String, String)] {
    var rows: [(String, String)] = []
    func add(_ name: String, _ text: String?) {
      if let text, !text.isEmpty { rows.append((name, text)) }
    }
    for member in object["locations"]?.objectValue?.members ?? [] {
      add("place", member.value.objectValue?["name"]?.stringValue)
    }
    for member in object["virtualLocations"]?.objectValue?.members ?? [] {
      add("call", member.value.objectValue?["uri"]?.stringValue)
    }
    for member in object["links"]?.objectValue?.members ?? [] {
      add("link", member.value.objectValue?["href"]?.stringValue)
    }
    for member in object["participants"]?.objectValue?.members ?? [] {
      let person = member.value.objectValue
      let address = person?["calendarAddress"]?.stringValue
      let name = person?["name"]?.stringValue ?? address ?? member.name
      let status = person?["participationStatus"]?.stringValue
      add("person", name + (status.map { " (\($0))" } ?? ""))
    }
    add("tags", object["keywords"]?.objectValue?.names.joined(separator: ", "))
    for member in object["alerts"]?.objectValue?.members ?? [] {
      add("alert", alert(member.value.objectValue?["trigger"]?.objectValue))
    }
    add("status", object["status"]?.stringValue ?? object["progress"]?.stringValue)
    add("completed", object["completed"]?.stringValue)
    if let priority = object["priority"]?.integerValue {
      add(
        "priority",
        priority <= 4 ? "high (\(priority))" : priority == 5 ? "medium" : "low (\(priority))")
    }
    add("availability", object["freeBusyStatus"]?.stringValue)
    add("privacy", object["privacy"]?.stringValue)
    add("parent", parent(object))
    return rows
  }

  private static func alert(_ trigger: JSONObject?) -> String? {
    guard let trigger else { return nil }
    if let when = trigger["when"]?.stringValue { return "at \(when)" }
    if let place = trigger["location"]?.objectValue {
      let name = place["name"]?.stringValue ?? place["coordinates"]?.stringValue ?? "a place"
      return trigger["proximity"] == "depart" ? "when leaving \(name)" : "when arriving at \(name)"
    }
    guard let text = trigger["offset"]?.stringValue, let offset = CalendarDuration(text) else {
      return nil
    }
    let anchor = trigger["relativeTo"] == "end" ? "the end" : "the start"
    if offset.isZero { return "at \(anchor)" }
    return Words.length(offset) + (offset.isNegative ? " before " : " after ") + anchor
  }
}
