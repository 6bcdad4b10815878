/// What the value of a member must be, and under which code a wrong one is reported (FORMAT.md 1.6,
/// 1.7 and section 3).
indirect enum MemberSchema: Sendable {
  /// Text for people; its direction marks are checked.
  case text
  /// Text for programs.
  case token
  /// `true` or `false`.
  case flag
  /// A whole number in a range.
  case whole(ClosedRange<Int>)
  /// A date or local date-time.
  case moment
  /// An instant in UTC.
  case instant
  /// A duration that is not negative.
  case duration
  /// Days by which a segment is displaced.
  case shift
  /// The name of a time zone.
  case zone
  /// A colour.
  case color
  /// An order key.
  case order
  /// What a link leads to.
  case href
  /// A place on Earth.
  case coordinates
  /// A name from a list that may grow; others are kept.
  case choice(Set<String>)
  /// A string, or an array of lines.
  case lines
  /// A map to `true`.
  case set
  /// A map of values of one kind.
  case map(MemberSchema)
  /// An object with known members.
  case record(Record)
  /// An object whose members are checked elsewhere.
  case object
  /// Lists of rival values.
  case conflicts
  /// Anything; checked elsewhere or not at all.
  case anything

  /// The members of an object that have a meaning.
  struct Record: Sendable {
    var members: [String: MemberSchema]
    /// A member that must be there, and the code if it is not.
    var required: (name: String, code: String)?

    init(_ members: [String: MemberSchema], required: (name: String, code: String)? = nil) {
      self.members = members
      self.required = required
    }
  }

  static let relation = Record(["relation": .set])
  static let link = Record(
    [
      "title": .text, "href": .href, "rel": .token, "contentType": .token,
      "size": .whole(0...Int.max), "display": .set,
    ], required: ("href", "E341"))
  static let location = Record([
    "name": .text, "coordinates": .coordinates, "locationTypes": .set,
    "links": .map(.record(link)),
  ])
  static let virtualLocation = Record(["name": .text, "uri": .token, "features": .set])
  static let participant = Record([
    "name": .text, "calendarAddress": .token, "email": .token,
    "kind": .choice(["individual", "group", "resource", "location"]), "roles": .set,
    "participationStatus": .choice([
      "needs-action", "accepted", "declined", "tentative", "delegated",
    ]), "expectReply": .flag, "progress": .choice(progress), "percentComplete": .whole(0...100),
    "delegatedTo": .set, "delegatedFrom": .set, "memberOf": .set,
  ])
  static let trigger = Record([
    "offset": .anything, "when": .anything, "relativeTo": .choice(["start", "end"]),
    "proximity": .choice(["arrive", "depart"]), "location": .record(location),
  ])
  static let alert = Record([
    "trigger": .record(trigger), "action": .choice(["display", "email", "audio"]),
    "sound": .token, "acknowledged": .instant, "relatedTo": .map(.record(relation)),
  ])
  static let progress: Set<String> = [
    "needs-action", "in-process", "completed", "failed", "cancelled",
  ]

  /// Members of an event or reminder.
  static let item = Record([
    "@type": .anything, "uid": .anything, "title": .text, "start": .moment, "due": .moment,
    "timeZone": .zone, "endTimeZone": .zone, "duration": .duration, "estimatedDuration": .duration,
    "showWithoutTime": .flag, "recurrenceRule": .object, "futureOverrides": .map(.object),
    "recurrenceOverrides": .map(.object),
    "status": .choice(["confirmed", "tentative", "cancelled"]), "progress": .choice(progress),
    "completed": .instant, "percentComplete": .whole(0...100), "priority": .whole(0...9),
    "order": .order,
    "freeBusyStatus": .choice(["free", "busy", "tentative", "unavailable"]),
    "privacy": .choice(["public", "private", "secret"]), "color": .color, "description": .lines,
    "descriptionContentType": .token, "locale": .token, "keywords": .set, "categories": .set,
    "mainLocationId": .token, "locations": .map(.record(location)),
    "virtualLocations": .map(.record(virtualLocation)), "links": .map(.record(link)),
    "relatedTo": .map(.record(relation)), "organizerCalendarAddress": .token,
    "participants": .map(.record(participant)), "alerts": .map(.record(alert)),
    "conflicts": .conflicts, "sequence": .whole(0...9_007_199_254_740_991), "updated": .instant,
    "recurrenceId": .moment, "recurrenceIdTimeZone": .zone, "iCalendar": .anything,
    "created": .instant,
  ])

  /// Members of `calendar.json` and `list.json`.
  static let collection = Record([
    "@type": .anything, "uid": .anything, "name": .text, "order": .order, "color": .color,
    "readOnly": .flag, "includeInAvailability": .choice(["all", "attending", "none"]),
    "source": .token, "refreshInterval": .duration, "timeZone": .zone, "description": .lines,
    "keywords": .set, "links": .map(.record(link)),
    "defaultAlertsWithTime": .map(.record(alert)),
    "defaultAlertsWithoutTime": .map(.record(alert)), "conflicts": .conflicts,
    "created": .instant, "updated": .instant, "iCalendar": .anything,
  ])

  /// Members of `almanac.json`.
  static let store = Record([
    "@type": .anything, "uid": .anything, "name": .text, "format": .whole(1...1_000_000),
    "extensions": .set, "timeZone": .zone, "defaultCalendar": .token, "defaultList": .token,
    "description": .lines, "conflicts": .conflicts, "created": .instant, "iCalendar": .anything,
  ])

  /// The members of a file of a kind.
  static func record(for kind: FileKind) -> Record {
    switch kind {
    case .store: store
    case .calendar, .list: collection
    case .event, .reminder: item
    }
  }

  /// What stands at a pointer below an item; `anything` where nothing is known.
  static func at(_ parts: [String]) -> MemberSchema {
    var schema = MemberSchema.record(item)
    for part in parts {
      switch schema {
      case .record(let record): schema = record.members[part] ?? .anything
      case .map(let entry): schema = entry
      case .set: schema = .flag
      default: return .anything
      }
    }
    return schema
  }
}
