import Almanac
import CalendarModel
import CivilTime

/// JSON of occurrences and reminders, as `docs/reference/cli.md` describes it.
enum OccurrenceJSON {
  /// One occurrence of an event or a reminder.
  static func occurrence(
    _ occurrence: SeriesOccurrence, of stored: StoredObject, repeats: Bool
  ) -> JSONValue {
    var json = common(occurrence.object, occurrence.recurrenceID, of: stored, repeats: repeats)
    let isDate = occurrence.start.isDate
    json["calendar"] = .string(stored.collection)
    json["start"] = .string(occurrence.start.description)
    json["timeZone"] = isDate ? Optional.none : occurrence.timeZone.map { .string($0) }
    if stored.object.kind == .event {
      json["duration"] = occurrence.object["duration"] ?? (isDate ? "P1D" : "PT0S")
    }
    if !isDate {
      json["startUTC"] = .string(occurrence.startInstant.description)
      json["endUTC"] = .string(occurrence.endInstant.description)
    }
    json["location"] = ItemText.place(occurrence.object).map { .string($0) }
    json["allDay"] = .bool(isDate)
    json["detached"] = .bool(occurrence.isDetached)
    return .object(json)
  }

  /// One reminder, or one occurrence of a repeating one.
  static func reminder(_ row: ReminderRow) -> JSONValue {
    let object = row.object
    var json = common(object, row.recurrenceID, of: row.stored, repeats: row.repeats)
    json["list"] = .string(row.stored.collection)
    for name in ["start", "due", "timeZone", "priority", "order", "completed"] {
      json[name] = object[name]
    }
    json["progress"] = object["progress"] ?? "needs-action"
    json["priority"] = object["priority"] ?? 0
    if let due = row.dueInstant, object.moment("due")?.isDate == false {
      json["dueUTC"] = .string(due.description)
    }
    json["parent"] = ItemText.parent(object).map { .string($0) }
    json["allDay"] = .bool(object.anchor?.isDate ?? false)
    json["detached"] = .bool(row.isDetached)
    return .object(json)
  }

  private static func common(
    _ object: CalendarObject, _ id: RecurrenceID?, of stored: StoredObject, repeats: Bool
  ) -> JSONObject {
    var json: JSONObject = [
      "id": .string(stored.uid), "title": .string(object.title),
      "kind": stored.object.kind == .event ? "event" : "reminder", "repeats": .bool(repeats),
      "conflicted": .bool(ItemText.isConflicted(stored.object, at: id)),
    ]
    json["recurrenceId"] = id.map { .string($0.text) }
    json["occurrence"] = .string(id.map { "\(stored.uid)@\($0)" } ?? stored.uid)
    return json
  }
}
