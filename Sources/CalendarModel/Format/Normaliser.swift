public import CivilTime

/// Turns what people and other programs write into the form in which it is kept (FORMAT.md 2.1 and
/// 2.3). Values that cannot be read are left as they are, for the validator to report.
public enum Normaliser {
  /// The members of a file in normalised form; normalising twice changes nothing.
  ///
  /// - Parameter zones: zone data for the length of an event whose `end` is given and lies across a
  ///   change of the clock, or in another zone. Without it an `end` in another zone stays.
  public static func normalise(
    _ members: JSONObject, kind: FileKind, zones: TimeZoneDatabase? = nil
  ) -> JSONObject {
    var object = members
    if object["version"] == "2.0" { object["version"] = nil }
    if object.members.contains(where: { $0.value.isNull }) {
      for name in object.names where object[name]?.isNull == true { object[name] = nil }
    }
    if object["@type"] == nil { object["@type"] = .string(kind.rawValue) }
    // The members of a type that is not known mean nothing here.
    guard object["@type"]?.stringValue.map({ FileKind(rawValue: $0) != nil }) ?? true else {
      return object
    }
    if kind == .event { foldEnd(&object, zones: zones) }
    object = record(object, isPatch: false)
    if kind.objectKind != nil {
      if kind == .event { dropDurationDefault(&object) }
      normaliseSeries(&object)
    }
    return object
  }

  /// A patch of one occurrence or segment in normalised form; nothing counts as a default, since a
  /// patch may set one on purpose.
  public static func patch(_ members: JSONObject) -> JSONObject {
    record(members, isPatch: true)
  }

  // MARK: - Members

  /// How the value of a member is written.
  private enum Form {
    case asIs, moment, duration, shift, color, text, address, set, integer
    case rule, alerts, entries, patches, nested
  }

  /// What there is to know of a member.
  private struct Known {
    var form: Form
    /// The default, which is not written.
    var standard: JSONValue?
    /// Whether it is left out when empty.
    var isMap: Bool
  }

  /// Forms by member; other known members stay as they are.
  private static let forms: [(form: Form, names: [String])] = [
    (.moment, ["start", "due", "until", "recurrenceId"]),
    (.duration, ["duration", "estimatedDuration", "offset", "refreshInterval"]),
    (.shift, ["shift"]), (.color, ["color"]), (.text, ["description"]),
    (.address, ["organizerCalendarAddress", "calendarAddress"]),
    (
      .set,
      [
        "keywords", "categories", "roles", "features", "locationTypes", "relation", "display",
        "memberOf", "delegatedTo", "delegatedFrom", "extensions",
      ]
    ),
    (
      .integer,
      [
        "priority", "percentComplete", "sequence", "format", "interval", "count", "nthOfPeriod",
        "size",
      ]
    ),
    (.rule, ["recurrenceRule"]),
    (.alerts, ["alerts", "defaultAlertsWithTime", "defaultAlertsWithoutTime"]),
    (.entries, ["locations", "virtualLocations", "links", "participants", "relatedTo"]),
    (.patches, ["recurrenceOverrides", "futureOverrides"]), (.nested, ["trigger", "location"]),
    (.asIs, ["conflicts"]),
  ]

  /// Defaults that are not written, by member.
  private static let defaults: [String: JSONValue] = [
    "freeBusyStatus": "busy", "privacy": "public", "priority": 0, "progress": "needs-action",
    "sequence": 0, "showWithoutTime": false, "expectReply": false,
    "participationStatus": "needs-action", "descriptionContentType": "text/plain",
    "action": "display", "relativeTo": "start", "rel": "enclosure", "interval": 1,
    "firstDayOfWeek": "mo", "rscale": "gregorian", "skip": "omit", "readOnly": false,
    "includeInAvailability": "all", "title": "", "description": "",
  ]

  /// Everything known by name, so that a member is looked up once.
  private static let known: [String: Known] = {
    var known: [String: Known] = [:]
    func add(_ name: String, _ form: Form) {
      known[name] = Known(
        form: form, standard: defaults[name], isMap: MemberShape.maps.contains(name))
    }
    for name in MemberShape.places.keys { add(name, .asIs) }
    for (form, names) in forms { for name in names { add(name, form) } }
    return known
  }()

  /// The `@type` that JSCalendar 2.0 implies for the entries of a map, and for nested objects.
  private static let impliedTypes: [String: String] = [
    "locations": "Location", "virtualLocations": "VirtualLocation", "links": "Link",
    "relatedTo": "Relation", "participants": "Participant", "alerts": "Alert",
    "defaultAlertsWithTime": "Alert", "defaultAlertsWithoutTime": "Alert",
    "trigger": "OffsetTrigger", "location": "Location", "recurrenceRule": "RecurrenceRule",
    "byDay": "NDay",
  ]

  private static func record(_ object: JSONObject, isPatch: Bool) -> JSONObject {
    var members: [JSONObject.Member] = []
    members.reserveCapacity(object.count)
    for member in object.members {
      guard let value = value(member.value, name: member.name, isPatch: isPatch) else { continue }
      members.append(.init(name: member.name, value: value))
    }
    return JSONObject(unsorted: members) ?? object
  }

  /// The normalised value of a member of a record; nil if it is not written.
  private static func value(_ value: JSONValue, name: String, isPatch: Bool) -> JSONValue? {
    var leaf = name
    if name.utf8.contains(UInt8(ascii: "/")) {
      let parts = Patch.parts(name)
      guard MemberShape.places[parts[0]] != nil else { return value }
      if parts.count == 2, MemberShape.maps.contains(parts[0]) {
        return value.isNull ? value : entry(value, of: parts[0])
      }
      leaf = parts[parts.count - 1]
    }
    guard let known = known[leaf] else { return value }
    // Not as one expression with '?', in which `nil` would be the JSON value.
    if value.isNull && !isPatch { return nil }
    if value.isNull { return value }
    let normalised = written(value, known.form, name: leaf)
    if isPatch { return normalised }
    if let standard = known.standard, normalised == standard { return nil }
    if known.isMap, normalised.objectValue?.isEmpty == true { return nil }
    return normalised
  }

  private static func written(_ value: JSONValue, _ form: Form, name: String) -> JSONValue {
    func text(_ transform: (String) -> String?) -> JSONValue {
      value.stringValue.flatMap(transform).map(JSONValue.string) ?? value
    }
    switch form {
    case .asIs: return value
    case .moment: return text(momentText)
    case .duration: return text(duration)
    case .shift:
      // A displacement is counted in days, so weeks stay days.
      return text { CalendarDuration($0)?.dayText ?? duration($0) }
    case .color: return text(color)
    case .text: return self.text(value)
    case .address: return text(address)
    case .set: return set(value)
    case .integer: return integer(value)
    case .rule: return value.objectValue.map { .object(rule($0)) } ?? value
    case .alerts: return alerts(value)
    case .entries: return mapped(value) { entry($0, of: name) }
    case .patches: return mapped(value) { $0.objectValue.map { .object(patch($0)) } ?? $0 }
    case .nested: return value.objectValue.map { .object(nested($0, in: name)) } ?? value
    }
  }

  private static func mapped(
    _ value: JSONValue, _ transform: (JSONValue) -> JSONValue
  ) -> JSONValue {
    guard let map = value.objectValue else { return value }
    let members = map.members.map { member in
      JSONObject.Member(name: member.name, value: transform(member.value))
    }
    return JSONObject(unsorted: members).map(JSONValue.object) ?? value
  }

  /// An entry of a map of records; other entries stay.
  private static func entry(_ value: JSONValue, of map: String) -> JSONValue {
    guard impliedTypes[map] != nil, let object = value.objectValue else { return value }
    return .object(nested(object, in: map))
  }

  /// A nested object without the `@type` that its place implies.
  static func nested(_ object: JSONObject, in place: String) -> JSONObject {
    var object = object
    if let type = object["@type"]?.stringValue, impliedTypes[place] == type {
      object["@type"] = nil
    }
    return record(object, isPatch: false)
  }

  /// Alerts as a map; a list of offsets or alerts gets keys that follow from the content.
  private static func alerts(_ value: JSONValue) -> JSONValue {
    guard let elements = value.arrayValue else { return mapped(value) { entry($0, of: "alerts") } }
    var map = JSONObject()
    for element in elements {
      let object: JSONObject
      if let text = element.stringValue {
        object = ["trigger": ["offset": .string(text)]]
      } else if let alert = element.objectValue {
        object = alert
      } else {
        return value
      }
      let alert = JSONValue.object(nested(object, in: "alerts"))
      var key = EntryID.alert(alert.objectValue ?? object)
      // Another alert at the same distance, such as from the end.
      if let other = map[key], other != alert { key = EntryID.content(alert, name: "alerts/x") }
      map[key] = alert
    }
    return .object(map)
  }
}
