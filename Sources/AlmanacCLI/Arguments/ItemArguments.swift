import CalendarModel
import CivilTime
import Recurrence

/// What options of `add`, `remind` and `edit` say about an item, as changes of its members.
struct ItemArguments {
  let invocation: Invocation
  let kind: CalendarObject.Kind
  /// Reads typed dates, in the zone that is stored where one is named.
  let dates: DateArguments
  /// The zone that typed times are in.
  let typedZone: TimeZoneRules
  /// The zone to store.
  let storedZone: TimeZoneRules?

  /// The text members, tags, people, alerts and the rest that is not time.
  ///
  /// - Parameter current: the item as it is shown; empty for a new one.
  func plainChanges(
    current: CalendarObject, session: Session
  ) throws -> [(String, JSONValue?)] {
    var changes: [(String, JSONValue?)] = []
    if let title = invocation.value("title") { changes.append(("title", .string(title))) }
    if let notes = invocation.value("notes") {
      changes.append(
        ("description", notes.isEmpty ? Optional.none : CalendarObject.textValue(notes)))
    }
    if let place = invocation.value("location") { changes += location(place, current) }
    if let url = invocation.value("url") {
      let link: JSONValue = ["href": .string(url)]
      let hasLinks = current["links"] != nil
      changes.append(hasLinks ? ("links/url", link) : ("links", ["url": link]))
    }
    changes += entries(
      "keywords", invocation.all("tag").map { ($0, .bool(true)) }, current)
    changes += entries("alerts", try alerts(current), current)
    changes += try participants(current, session)
    if let text = invocation.value("priority") {
      let priority = try ItemArguments.priority(text)
      changes.append(("priority", priority == 0 ? Optional.none : .number(String(priority))))
    }
    if invocation.has("free"), invocation.has("busy") {
      throw CommandError.usage("--busy and --free exclude each other")
    }
    if invocation.has("free") { changes.append(("freeBusyStatus", "free")) }
    if invocation.has("busy") { changes.append(("freeBusyStatus", nil)) }
    if let parent = invocation.value("parent") {
      let uid = try session.item(parent).stored.uid
      changes.append(("relatedTo", .object([uid: ["relation": ["parent": true]]])))
    }
    return changes
  }

  /// Entries of a map: the whole map where there is none yet, else one entry each.
  private func entries(
    _ member: String, _ added: [(String, JSONValue)], _ current: CalendarObject
  ) -> [(String, JSONValue?)] {
    guard !added.isEmpty else { return [] }
    if current[member] != nil {
      return added.map { ("\(member)/\(Patch.escaped($0.0))", .some($0.1)) }
    }
    return [(member, .object(JSONObject(added)))]
  }

  private func location(_ place: String, _ current: CalendarObject) -> [(String, JSONValue?)] {
    if place.isEmpty { return [("locations", nil), ("mainLocationId", nil)] }
    let entry: JSONValue = ["name": .string(place)]
    if let locations = current["locations"]?.objectValue,
      let id = current["mainLocationId"]?.stringValue ?? locations.names.first,
      locations[id] != nil
    {
      return [("locations/\(Patch.escaped(id))", entry)]
    }
    return [("locations", .object([EntryID.content(entry, name: "locations"): entry]))]
  }

  private func alerts(_ current: CalendarObject) throws(CommandError) -> [(String, JSONValue)] {
    var result: [(String, JSONValue)] = []
    let fromEnd = kind == .reminder && current["start"] == nil && !invocation.has("start")
    for text in invocation.all("alert") {
      let offset = try DurationArgument.alertOffset(text)
      var trigger: JSONObject = ["offset": .string(offset.description)]
      if fromEnd { trigger["relativeTo"] = "end" }
      let alert: JSONObject = ["trigger": .object(trigger)]
      result.append((EntryID.alert(alert), .object(alert)))
    }
    return result
  }

  private func participants(
    _ current: CalendarObject, _ session: Session
  ) throws -> [(String, JSONValue?)] {
    var people: [(String, JSONValue)] = []
    for text in invocation.all("attendee") {
      let address = text.lowercased().hasPrefix("mailto:") ? String(text.dropFirst(7)) : text
      guard address.contains("@"), !address.contains(" ") else {
        throw CommandError.usage("--attendee cannot be '\(text)': it is no mail address")
      }
      people.append(
        (
          EntryID.participant(address: "mailto:" + address),
          [
            "calendarAddress": .string("mailto:" + address), "expectReply": true,
            "roles": ["required": true],
          ]
        ))
    }
    return entries("participants", people, current)
  }

  static func priority(_ text: String) throws(CommandError) -> Int {
    switch text.lowercased() {
    case "high": return 1
    case "medium": return 5
    case "low": return 9
    case "none": return 0
    default:
      guard let number = Int(text), (0...9).contains(number) else {
        throw .usage(
          "--priority cannot be '\(text)'", hint: "it is high, medium, low or a number from 0 to 9")
      }
      return number
    }
  }
}

// MARK: - Times

extension ItemArguments {
  /// A typed moment on the clock of the zone that is stored.
  func stored(_ moment: TypedMoment) -> DateOrDateTime {
    guard case .dateTime(let typed) = moment, let storedZone, storedZone.id != typedZone.id else {
      return moment.value
    }
    return .dateTime(storedZone.civil(at: typedZone.instant(of: typed)))
  }

  /// The duration of an event that ends at a typed moment; the last day of an all-day one is
  /// included.
  func duration(
    from start: DateOrDateTime, to text: String
  ) throws(CommandError) -> CalendarDuration {
    let moment = try dates.after(typed(start)).parse(text, for: "--end")
    switch (start, stored(moment)) {
    case (.date(let first), .date):
      let days = moment.lastDate.days(since: first) + 1
      guard days >= 1 else { throw inverted(text, start) }
      return CalendarDuration(days: days)
    case (.dateTime(let begin), .dateTime(let end)):
      guard end >= begin else { throw inverted(text, start) }
      let zone = storedZone ?? typedZone
      // Whole days are nominal, the rest is exact.
      let days = Int((end.civilSeconds - begin.civilSeconds) / 86_400)
      let afterDays = CivilDateTime(date: begin.date.adding(days: days), time: begin.time)
      let seconds = zone.instant(of: end).seconds - zone.instant(of: afterDays).seconds
      return CalendarDuration(days: days, seconds: max(0, seconds))
    case (.date, .dateTime):
      throw .usage("--end '\(text)' has a time, but the start is a whole day")
    case (.dateTime, .date):
      throw .usage(
        "--end '\(text)' has no time, but the start has one", hint: "such as --end '\(text) 18:00'")
    }
  }

  /// A stored start on the clock in which times are typed.
  private func typed(_ start: DateOrDateTime) -> CivilDateTime {
    guard let storedZone, storedZone.id != typedZone.id, !start.isDate else {
      return start.dateTime
    }
    return typedZone.civil(at: storedZone.instant(of: start.dateTime))
  }

  private func inverted(_ text: String, _ start: DateOrDateTime) -> CommandError {
    .usage("--end '\(text)' lies before the start, \(start)")
  }

  /// The rule in the form of the files: an UNTIL that is an instant becomes the date of the last
  /// occurrence it lets through, on the series' own clock.
  func storedRule(_ rule: RecurrenceRule, start: DateOrDateTime?) -> RecurrenceRule {
    var rule = rule
    switch rule.until {
    case .instant(let instant)?:
      let civil = (storedZone ?? typedZone).civil(at: instant)
      if rule.repeatsWithinDay {
        rule.until = .dateTime(civil)
      } else {
        let isBefore = (start?.time).map { civil.time < $0 } ?? false
        rule.until = .date(isBefore ? civil.date.adding(days: -1) : civil.date)
      }
    case .dateTime(let civil)? where !rule.repeatsWithinDay:
      let isBefore = (start?.time).map { civil.time < $0 } ?? false
      rule.until = .date(isBefore ? civil.date.adding(days: -1) : civil.date)
    default: break
    }
    return rule
  }
}
