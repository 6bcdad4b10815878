import CivilTime
import Recurrence

/// Why a component cannot be imported.
struct ComponentError: Error {
  let line: Int
  let reason: String
}

/// A date or time of a property with its zone.
struct ZonedMoment {
  var moment: DateOrDateTime
  /// The IANA zone; nil for dates and floating times.
  var zone: String?
}

/// Turns one VEVENT or VTODO into members, without rule dates and overrides.
struct ComponentConverter {
  let component: ICalendarComponent
  let kind: CalendarObject.Kind
  var matcher: ZoneMatcher
  var members = JSONObject()
  var warnings: [ICalendarWarning] = []
  /// Properties without a member of ours, as jCal.
  private var leftProperties: [JSONValue] = []
  private var leftComponents: [JSONValue] = []

  init(_ component: ICalendarComponent, kind: CalendarObject.Kind, matcher: ZoneMatcher) {
    self.component = component
    self.kind = kind
    self.matcher = matcher
  }

  mutating func warn(_ line: Int, _ message: String) {
    warnings.append(.init(line: line, message: message))
  }

  mutating func convert() throws(ComponentError) {
    members["@type"] = .string(kind.rawValue)
    try convertTimes()
    for property in component.properties { convert(property) }
    convertPeople()
    for child in component.children {
      if child.name == "VALARM" { convertAlarm(child) } else { leftComponents.append(jCal(child)) }
    }
    for malformed in component.malformed { warn(malformed.line, "left out: " + malformed.reason) }
    var left = JSONObject()
    if !leftProperties.isEmpty { left["properties"] = .array(leftProperties) }
    if !leftComponents.isEmpty { left["components"] = .array(leftComponents) }
    if !left.isEmpty { members["iCalendar"] = .object(left) }
  }

  // MARK: - Times

  private var year: Int {
    let text = component.first("DTSTART")?.value ?? component.first("DUE")?.value ?? ""
    let year = Int(text.trimmed.prefix(4)) ?? 2_026
    return min(max(year, 1_970), 2_100)
  }

  /// Reads a date or date-time of a property.
  mutating func moment(_ line: ContentLine, value: String? = nil) throws(ComponentError)
    -> ZonedMoment
  {
    let text = (value ?? line.value).trimmed
    if let date = CivilDate(basic: text) ?? CivilDate(extended: text) {
      return ZonedMoment(moment: .date(date), zone: nil)
    }
    if let instant = Instant(basic: text) ?? Instant(extended: text) {
      return ZonedMoment(moment: .dateTime(instant.utc), zone: "Etc/UTC")
    }
    guard let civil = CivilDateTime(basic: text) ?? CivilDateTime(extended: text) else {
      throw ComponentError(
        line: line.line, reason: "\(line.name): '\(text)' is no date or date-time")
    }
    guard let id = line.parameter("TZID"), !id.trimmed.isEmpty else {
      return ZonedMoment(moment: .dateTime(civil), zone: nil)
    }
    if let zone = matcher.zone(id, near: year) {
      return ZonedMoment(moment: .dateTime(civil), zone: zone)
    }
    if component.first("RRULE") == nil, component.first("RDATE") == nil,
      let offset = matcher.offset(id, at: civil)
    {
      warn(line.line, "the time zone '\(id)' is no zone known here; the time is kept in UTC")
      let utc = CivilDateTime(civilSeconds: civil.civilSeconds - Int64(offset))
      return ZonedMoment(moment: .dateTime(utc), zone: "Etc/UTC")
    }
    throw ComponentError(
      line: line.line,
      reason: "the time zone '\(id)' is not known and has no VTIMEZONE that fits one")
  }

  private func rules(_ zone: String?) -> TimeZoneRules {
    zone.flatMap { matcher.zones.rules(named: $0) } ?? .utc
  }

  private mutating func convertTimes() throws(ComponentError) {
    let startLine = component.first("DTSTART")
    var start: ZonedMoment?
    if let startLine { start = try moment(startLine) }
    if kind == .event {
      guard let start else { throw ComponentError(line: component.line, reason: "no DTSTART") }
      set(start, as: "start")
      try convertEnd(of: start)
      return
    }
    var due: ZonedMoment?
    if let line = component.first("DUE") {
      due = try moment(line)
    } else if let start, let line = component.first("DURATION"),
      let duration = CalendarDuration(line.value.trimmed)
    {
      let civil = rules(start.zone).civil(
        at: duration.added(to: start.moment.dateTime, in: rules(start.zone)))
      due = ZonedMoment(
        moment: start.moment.isDate ? .date(civil.date) : .dateTime(civil), zone: start.zone)
    }
    if let due { set(due, as: "due") }
    guard var begin = start else { return }
    if let due {
      // Start and due are of one kind and in one zone; the due date decides.
      if begin.moment.isDate != due.moment.isDate {
        warn(startLine?.line ?? component.line, "DTSTART was made the same kind of value as DUE")
        begin.moment =
          due.moment.isDate ? .date(begin.moment.date) : .dateTime(begin.moment.dateTime)
        begin.zone = due.zone
      } else if begin.zone != due.zone, !begin.moment.isDate {
        let instant = rules(begin.zone).instant(of: begin.moment.dateTime)
        begin = ZonedMoment(moment: .dateTime(rules(due.zone).civil(at: instant)), zone: due.zone)
      }
      if due.moment < begin.moment {
        warn(startLine?.line ?? component.line, "DTSTART after DUE was left out")
        return
      }
    }
    set(begin, as: "start")
  }

  private mutating func set(_ value: ZonedMoment, as name: String) {
    members[name] = .string(value.moment.description)
    if let zone = value.zone { members["timeZone"] = .string(zone) }
  }

  private mutating func convertEnd(of start: ZonedMoment) throws(ComponentError) {
    if let line = component.first("DURATION") {
      guard let duration = CalendarDuration(line.value.trimmed), !duration.isNegative else {
        warn(line.line, "DURATION '\(line.value)' is no duration and was left out")
        return
      }
      members["duration"] = .string(duration.description)
      return
    }
    guard let line = component.first("DTEND") else { return }
    var end: ZonedMoment
    do throws(ComponentError) {
      end = try moment(line)
    } catch {
      warn(line.line, "DTEND was left out: \(error.reason)")
      return
    }
    if start.moment.isDate != end.moment.isDate {
      warn(line.line, "DTEND was made the same kind of value as DTSTART")
      end.moment = start.moment.isDate ? .date(end.moment.date) : .dateTime(end.moment.dateTime)
      end.zone = start.zone
    }
    var start = start
    if !start.moment.isDate, start.zone == nil || end.zone == nil {
      // A time without a zone beside one with a zone is meant in that zone.
      if start.zone == nil { start.zone = end.zone } else { end.zone = start.zone }
      if members["timeZone"] == nil { start.zone = nil; end.zone = nil }
    }
    if start.moment.isDate {
      let days = end.moment.date.days(since: start.moment.date)
      if days < 0 { return warn(line.line, "DTEND before DTSTART was left out") }
      members["duration"] = .string(CalendarDuration(days: max(days, 1)).description)
      return
    }
    let first = rules(start.zone)
    let last = rules(end.zone)
    let endInstant = last.instant(of: end.moment.dateTime)
    let endCivil = first.civil(at: endInstant)
    let seconds = endCivil.civilSeconds - start.moment.dateTime.civilSeconds
    guard endInstant >= first.instant(of: start.moment.dateTime) else {
      return warn(line.line, "DTEND before DTSTART was left out")
    }
    // Whole days follow the calendar, the rest is exact.
    let days = max(0, Int(seconds / 86_400))
    let base = CivilDateTime(
      date: start.moment.date.adding(days: days), time: start.moment.dateTime.time)
    let rest = endInstant.seconds - first.instant(of: base).seconds
    let duration =
      rest >= 0
      ? CalendarDuration(days: days, seconds: rest)
      : CalendarDuration(
        seconds: endInstant.seconds - first.instant(of: start.moment.dateTime).seconds)
    members["duration"] = .string(duration.description)
    if let zone = end.zone, zone != start.zone, start.zone != nil {
      members["endTimeZone"] = .string(zone)
    }
  }

  // MARK: - Properties

  /// Handled elsewhere, or without meaning of their own.
  private static let handled: Set<String> = [
    "DTSTART", "DTEND", "DUE", "DURATION", "RRULE", "EXDATE", "RDATE", "RECURRENCE-ID", "EXRULE",
    "ORGANIZER", "ATTENDEE", "UID",
  ]

  private mutating func convert(_ line: ContentLine) {
    if ComponentConverter.handled.contains(line.name) { return }
    let text = line.text
    switch line.name {
    case "SUMMARY": members["title"] = .string(text.replacing("\n", with: " "))
    case "DESCRIPTION":
      members["description"] = CalendarObject.textValue(text.replacing("\r", with: ""))
    case "CATEGORIES":
      var set = members["keywords"]?.objectValue ?? JSONObject()
      for tag in line.texts.map(\.trimmed) where !tag.isEmpty { set[tag.nfc] = true }
      members["keywords"] = .object(set)
    case "LOCATION" where !text.trimmed.isEmpty:
      setLocation("name", .string(text.replacing("\n", with: ", ")))
    case "GEO":
      let parts = text.split { $0 == ";" || $0 == "," }.map { String($0).trimmed }
      guard parts.count == 2, Double(parts[0]) != nil, Double(parts[1]) != nil else {
        return keep(line)
      }
      setLocation("coordinates", .string("geo:\(parts[0]),\(parts[1])"))
    case "URL": addURL(line, text)
    case "ATTACH", "IMAGE": addAttachment(line)
    case "CONFERENCE":
      let value: JSONObject = ["uri": .string(line.value.trimmed)]
      add(value, to: "virtualLocations")
    case "STATUS": convertStatus(line)
    case "TRANSP": if text.uppercased() == "TRANSPARENT" { members["freeBusyStatus"] = "free" }
    case "X-MICROSOFT-CDO-BUSYSTATUS":
      let values: [String: JSONValue] = [
        "FREE": "free", "TENTATIVE": "tentative", "OOF": "unavailable",
      ]
      if let value = values[text.uppercased()] { members["freeBusyStatus"] = value }
    case "CLASS":
      let values: [String: JSONValue] = [
        "PRIVATE": "private", "CONFIDENTIAL": "secret", "PUBLIC": "public",
      ]
      if let value = values[text.uppercased()] { members["privacy"] = value } else { keep(line) }
    case "PRIORITY": setNumber("priority", line, 0...9)
    case "PERCENT-COMPLETE": setNumber("percentComplete", line, 0...100)
    case "SEQUENCE": setNumber("sequence", line, 0...Int(Int32.max))
    case "COLOR": members["color"] = .string(text.lowercased())
    case "CREATED": setInstant("created", line)
    case "LAST-MODIFIED": setInstant("updated", line)
    case "DTSTAMP": if component.first("LAST-MODIFIED") == nil { setInstant("updated", line) }
    case "COMPLETED":
      setInstant("completed", line)
      if component.first("STATUS") == nil { members["progress"] = "completed" }
    case "RELATED-TO":
      let type = line.parameter("RELTYPE")?.lowercased() ?? "parent"
      var map = members["relatedTo"]?.objectValue ?? JSONObject()
      map[text.nfc] = ["relation": .object([type: true])]
      members["relatedTo"] = .object(map)
    default: keep(line)
    }
  }

  /// Keeps a property that has no member of ours as jCal (RFC 7265 3.4).
  private mutating func keep(_ line: ContentLine) { leftProperties.append(jCal(line)) }

  private func jCal(_ line: ContentLine) -> JSONValue {
    var parameters = JSONObject()
    for (name, values) in line.parameters where name != "VALUE" {
      parameters[name.lowercased().nfc] =
        values.count == 1 ? .string(values[0]) : .array(values.map { .string($0) })
    }
    let type = line.parameter("VALUE")?.lowercased() ?? "unknown"
    return .array([
      .string(line.name.lowercased()), .object(parameters), .string(type), .string(line.value),
    ])
  }

  private func jCal(_ child: ICalendarComponent) -> JSONValue {
    .array([
      .string(child.name.lowercased()), .array(child.properties.map(jCal)),
      .array(child.children.map(jCal)),
    ])
  }

  private mutating func setLocation(_ member: String, _ value: JSONValue) {
    var entry = members["locations"]?.objectValue?.members.first?.value.objectValue ?? JSONObject()
    entry[member] = value
    members["locations"] = .object([
      EntryID.content(.object(entry), name: "locations/x"): .object(entry)
    ])
  }

  private mutating func add(_ entry: JSONObject, to map: String) {
    var object = members[map]?.objectValue ?? JSONObject()
    object[EntryID.content(.object(entry), name: map + "/x")] = .object(entry)
    members[map] = .object(object)
  }

  private mutating func addURL(_ line: ContentLine, _ text: String) {
    let href = text.trimmed
    guard ObjectCheck.isLink(href) else { return keep(line) }
    var links = members["links"]?.objectValue ?? JSONObject()
    links["url"] = ["href": .string(href), "rel": "describedby"]
    members["links"] = .object(links)
  }

  private mutating func addAttachment(_ line: ContentLine) {
    let href = line.value.trimmed
    guard line.parameter("VALUE")?.uppercased() != "BINARY", line.parameter("ENCODING") == nil,
      ObjectCheck.isLink(href), !href.hasPrefix("files/")
    else { return keep(line) }
    var entry: JSONObject = ["href": .string(href)]
    entry["contentType"] = line.parameter("FMTTYPE").map { .string($0) }
    entry["title"] = (line.parameter("FILENAME") ?? line.parameter("X-FILENAME")).map {
      .string($0)
    }
    if line.name == "IMAGE" { entry["rel"] = "icon" }
    add(entry, to: "links")
  }

  private mutating func convertStatus(_ line: ContentLine) {
    let word = line.text.trimmed.uppercased()
    if kind == .event {
      let values: [String: JSONValue] = [
        "CONFIRMED": "confirmed", "TENTATIVE": "tentative", "CANCELLED": "cancelled",
        "CANCELED": "cancelled",
      ]
      if let value = values[word] { members["status"] = value } else { keep(line) }
    } else {
      let values: [String: JSONValue] = [
        "NEEDS-ACTION": "needs-action", "IN-PROCESS": "in-process", "COMPLETED": "completed",
        "CANCELLED": "cancelled", "FAILED": "failed",
      ]
      if let value = values[word] { members["progress"] = value } else { keep(line) }
    }
  }

  private mutating func setNumber(_ member: String, _ line: ContentLine, _ range: ClosedRange<Int>)
  {
    guard let number = Int(line.value.trimmed), range.contains(number) else { return keep(line) }
    members[member] = JSONValue(number)
  }

  private mutating func setInstant(_ member: String, _ line: ContentLine) {
    guard let value = try? moment(line) else { return keep(line) }
    let instant = rules(value.zone).instant(of: value.moment.dateTime)
    guard instant.utc.date.isPrintable else { return keep(line) }
    members[member] = .string(instant.description)
  }

  // MARK: - People

  private mutating func convertPeople() {
    var people = JSONObject()
    if let line = component.first("ORGANIZER") {
      let address = line.value.trimmed
      if !address.isEmpty { members["organizerCalendarAddress"] = .string(address) }
      if component.first("ATTENDEE") != nil || line.parameter("CN") != nil {
        add(line, to: &people, owner: true)
      }
    }
    for line in component.all("ATTENDEE") { add(line, to: &people, owner: false) }
    if !people.isEmpty { members["participants"] = .object(people) }
  }

  private mutating func add(_ line: ContentLine, to people: inout JSONObject, owner: Bool) {
    let address = line.value.trimmed
    let key = EntryID.participant(address: address.isEmpty ? line.parameter("CN") ?? "" : address)
    var person = people[key]?.objectValue ?? JSONObject()
    if !address.isEmpty { person["calendarAddress"] = .string(address) }
    if let name = line.parameter("CN"), !name.isEmpty { person["name"] = .string(name) }
    person["email"] = line.parameter("EMAIL").map { .string($0) } ?? person["email"]
    var roles = person["roles"]?.objectValue ?? JSONObject()
    if owner { roles["owner"] = true }
    let role: [String: String] = [
      "CHAIR": "chair", "REQ-PARTICIPANT": "required", "OPT-PARTICIPANT": "optional",
      "NON-PARTICIPANT": "informational",
    ]
    if let name = line.parameter("ROLE").flatMap({ role[$0.uppercased()] }) { roles[name] = true }
    if !roles.isEmpty { person["roles"] = .object(roles) }
    if let status = line.parameter("PARTSTAT")?.lowercased(), !owner {
      person["participationStatus"] = .string(status)
    }
    if line.parameter("RSVP")?.uppercased() == "TRUE" { person["expectReply"] = true }
    let kinds: [String: String] = [
      "ROOM": "location", "RESOURCE": "resource", "GROUP": "group", "INDIVIDUAL": "individual",
    ]
    if let kind = line.parameter("CUTYPE").flatMap({ kinds[$0.uppercased()] }) {
      person["kind"] = .string(kind)
    }
    for (parameter, member) in [
      ("DELEGATED-TO", "delegatedTo"), ("DELEGATED-FROM", "delegatedFrom"), ("MEMBER", "memberOf"),
    ] {
      guard let values = line.parameters.first(where: { $0.name == parameter })?.values else {
        continue
      }
      person[member] = .object(JSONObject(values.map { ($0.nfc, .bool(true)) }))
    }
    people[key] = .object(person)
  }

  // MARK: - Alarms

  /// Whether an alarm says more than its alert keeps; then it stays in `iCalendar`, too.
  private func hasMore(_ alarm: ICalendarComponent) -> Bool {
    let usual = ["", "reminder", "alarm", "event reminder", "this is an event reminder"]
    return !alarm.children.isEmpty
      || alarm.properties.contains { line in
        switch line.name {
        case "TRIGGER", "ACTION", "ACKNOWLEDGED": false
        case "DESCRIPTION":
          !usual.contains(line.text.trimmed.lowercased())
            && line.text != component.first("SUMMARY")?.text
        default: true
        }
      }
  }

  private mutating func convertAlarm(_ alarm: ICalendarComponent) {
    guard let line = alarm.first("TRIGGER") else {
      leftComponents.append(jCal(alarm))
      return warn(alarm.line, "a VALARM without TRIGGER is kept, not used")
    }
    var alert = JSONObject()
    let text = line.value.trimmed
    if let duration = CalendarDuration(text) {
      let fromEnd = line.parameter("RELATED")?.uppercased() == "END"
      var trigger: JSONObject = ["offset": .string(duration.description)]
      let isDueOnly = kind == .reminder && members["start"] == nil
      if fromEnd || isDueOnly { trigger["relativeTo"] = "end" }
      if members["start"] == nil && members["due"] == nil
        || fromEnd && kind == .reminder && members["due"] == nil
      {
        leftComponents.append(jCal(alarm))
        return warn(alarm.line, "a VALARM without a date to count from is kept, not used")
      }
      alert["trigger"] = .object(trigger)
    } else if let value = try? moment(line) {
      let instant = rules(value.zone).instant(of: value.moment.dateTime)
      alert["trigger"] = ["@type": "AbsoluteTrigger", "when": .string(instant.description)]
    } else {
      leftComponents.append(jCal(alarm))
      return warn(line.line, "TRIGGER '\(text)' is kept, not used")
    }
    if let action = alarm.first("ACTION")?.text.lowercased(), action != "display", !action.isEmpty {
      alert["action"] = .string(action)
    }
    if let line = alarm.first("ACKNOWLEDGED"), let instant = Instant(basic: line.value.trimmed) {
      alert["acknowledged"] = .string(instant.description)
    }
    if hasMore(alarm) { leftComponents.append(jCal(alarm)) }
    var alerts = members["alerts"]?.objectValue ?? JSONObject()
    var key = EntryID.alert(alert)
    if let other = alerts[key], other != .object(alert) {
      key = EntryID.content(.object(alert), name: "alerts/x")
    }
    alerts[key] = .object(alert)
    members["alerts"] = .object(alerts)
  }
}
