import CivilTime

// Alerts, the main place, and warnings about an item as a whole.
extension ObjectCheck {
  /// The points in time that an item has for alerts to count from.
  struct Points {
    var hasStart: Bool
    var hasDue: Bool

    init(_ members: JSONObject) {
      hasStart = members["start"] != nil
      hasDue = members["due"] != nil
    }
  }

  /// Checks a map of alerts; without points (defaults for new items) offsets may count from any.
  mutating func checkAlerts(_ alerts: JSONValue?, at path: String, points: Points?) {
    for member in alerts?.objectValue?.members ?? [] where member.value.objectValue != nil {
      checkAlert(member.value, at: "\(path)/\(member.name)", points: points)
    }
  }

  mutating func checkAlert(_ alert: JSONValue, at pointer: String, points: Points?) {
    guard let value = alert.objectValue?["trigger"] else {
      return add("E321", pointer, "an alert needs 'trigger'")
    }
    // One that is no object has been reported as such.
    guard let trigger = value.objectValue else { return }
    let place = pointer + "/trigger"
    switch trigger["@type"]?.stringValue {
    case nil, "OffsetTrigger": checkOffset(trigger, at: place, points: points)
    case "AbsoluteTrigger":
      let when = trigger["when"]
      if when?.stringValue.flatMap({ Instant(extended: $0) }) == nil {
        let found = when.map { "\(quoted($0)) is no instant" } ?? "'when' is missing"
        add("E321", place, "\(found); it looks like 2026-10-16T16:00:00Z")
      }
    case "ProximityTrigger": checkProximity(trigger, at: place)
    default: break
    }
  }

  private mutating func checkOffset(_ trigger: JSONObject, at place: String, points: Points?) {
    let offset = trigger["offset"]
    guard offset?.stringValue.flatMap({ CalendarDuration($0) }) != nil else {
      let found = offset.map { "\(quoted($0)) is no offset" } ?? "a trigger needs 'offset'"
      return add("E321", place, "\(found); it is a duration such as -PT15M")
    }
    guard let points else { return }
    let fromEnd = trigger["relativeTo"] == "end"
    if fromEnd, kind == .reminder, !points.hasDue {
      add("E321", place, "the reminder has no 'due' to count from")
    } else if !fromEnd, kind == .reminder, !points.hasStart {
      let hint = points.hasDue ? "; to count from 'due' give \"relativeTo\": \"end\"" : ""
      add("E321", place, "the reminder has no 'start' to count from\(hint)")
    }
  }

  private mutating func checkProximity(_ trigger: JSONObject, at place: String) {
    let text = trigger["location"]?.objectValue?["coordinates"]?.stringValue
    guard let text else {
      return add("E322", place, "a trigger at a place needs 'location' with 'coordinates'")
    }
    guard let coordinates = Coordinates(geo: text) else {
      return add("E322", place, "'\(text)' is no place such as geo:52.4848,13.4409;u=150")
    }
    if let radius = coordinates.radiusMetres, radius <= 0 {
      add("E322", place, "the radius in '\(text)' must be more than 0 metres")
    }
  }

  /// E331: of the item itself, or of a patch that names the main place.
  mutating func checkMainLocation(_ object: JSONObject, at path: String) {
    guard let main = object["mainLocationId"]?.stringValue else { return }
    let isKnown = [members, object].contains { $0["locations"]?.objectValue?[main] != nil }
    let isAdded = object["locations/" + Patch.escaped(main)]?.objectValue != nil
    let isInSegment = (members["futureOverrides"]?.objectValue?.members ?? []).contains {
      let patch = $0.value.objectValue
      return patch?["locations/" + Patch.escaped(main)]?.objectValue != nil
        || patch?["locations"]?.objectValue?[main] != nil
    }
    if isKnown || isAdded || (!path.isEmpty && isInSegment) { return }
    add("E331", path + "mainLocationId", "'\(main)' names no entry of 'locations'")
  }

  mutating func warnOfConflicts() {
    let count = members["conflicts"]?.objectValue?.count ?? 0
    add(
      "W406", "conflicts",
      count == 1
        ? "one conflict waits; 'almanac conflicts' shows it"
        : "\(count) conflicts wait; 'almanac conflicts' lists them")
  }

  mutating func checkWarnings() {
    if members["completed"] != nil, members["progress"] != "completed" {
      add("W402", "completed", "'completed' without progress 'completed'")
    }
    if members["conflicts"] != nil { warnOfConflicts() }
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
      add("W408", "updated", "updated \(updated) is before created \(created)")
    }
    if let overrides = members["recurrenceOverrides"]?.objectValue, overrides.count > 2_000 {
      add("W403", "recurrenceOverrides", "\(overrides.count) overrides; more than 2000 are slow")
    }
  }
}
