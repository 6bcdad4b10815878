import CivilTime

/// Turns what people and other programs write into the form in which it is kept (FORMAT.md 2.1 and
/// 2.3). Values that cannot be read are left as they are, for the validator to report.
public enum Normaliser {
  /// The members of a file in normalised form; normalising twice changes nothing.
  public static func normalise(_ members: JSONObject, kind: FileKind) -> JSONObject {
    var object = members
    if object["version"] == "2.0" { object["version"] = nil }
    for name in object.names where object[name]?.isNull == true { object[name] = nil }
    if object["@type"] == nil { object["@type"] = .string(kind.rawValue) }
    if kind.objectKind != nil { foldEnd(&object, kind: kind) }
    object = record(object, context: Context(isPatch: false))
    if kind.objectKind != nil {
      dropDurationDefault(&object)
      let anchor = object["start"] ?? object["due"]
      let start = anchor?.stringValue.flatMap { DateOrDateTime(extended: $0) }
      normaliseSeries(&object, start: start)
    }
    return object
  }

  /// A patch of one occurrence or segment in normalised form; nothing counts as a default, since a
  /// patch may set one on purpose.
  public static func patch(_ members: JSONObject) -> JSONObject {
    record(members, context: Context(isPatch: true))
  }

  struct Context {
    var isPatch: Bool
  }

  // MARK: - Values

  /// The canonical text of a duration, or nil if it cannot be read.
  static func duration(_ text: String) -> String? {
    CalendarDuration(text)?.description
  }

  private static func moment(_ text: String) -> String? {
    if DateOrDateTime(extended: text) != nil { return text }
    // 2026-12-03T10:00 lacks its seconds.
    return DateOrDateTime(extended: text + ":00") == nil ? nil : text + ":00"
  }

  private static func color(_ text: String) -> String {
    let lower = text.lowercased()
    guard lower.hasPrefix("#"), lower.utf8.count == 4 else { return lower }
    return "#" + lower.dropFirst().map { "\($0)\($0)" }.joined()
  }

  private static func address(_ text: String) -> String {
    text.contains("@") && !text.contains(":") ? "mailto:" + text : text
  }

  private static func set(_ value: JSONValue) -> JSONValue {
    guard let elements = value.arrayValue else { return value }
    guard elements.allSatisfy({ $0.stringValue != nil }) else { return value }
    return .object(JSONObject(elements.map { (($0.stringValue ?? "").nfc, .bool(true)) }))
  }

  /// A number as the shortest whole one, if it is one.
  private static func integer(_ value: JSONValue) -> JSONValue {
    guard case .number(let token) = value, Int(token) == nil, let double = Double(token),
      double == double.rounded(), abs(double) < 1e15
    else { return value == "-0" ? 0 : value }
    return JSONValue(Int(double))
  }

  private static func text(_ value: JSONValue) -> JSONValue {
    switch value {
    case .string(let text)
    where text.contains("\n") || text.contains("\r") || text.contains("\r\n"):
      var lines: [[UInt8]] = [[]]
      var bytes = Array(text.utf8)[...]
      while let byte = bytes.popFirst() {
        if byte == 0x0D {
          if bytes.first == 0x0A { bytes.removeFirst() }
          lines.append([])
        } else if byte == 0x0A {
          lines.append([])
        } else {
          lines[lines.count - 1].append(byte)
        }
      }
      return .array(lines.map { .string(String(decoding: $0, as: UTF8.self)) })
    case .array(let lines) where lines.count == 1: return lines[0]
    default: return value
    }
  }

  // MARK: - Records

  /// Defaults that are not written, by member.
  private static let defaults: [String: JSONValue] = [
    "freeBusyStatus": "busy", "privacy": "public", "priority": 0, "progress": "needs-action",
    "percentComplete": 0, "sequence": 0, "showWithoutTime": false, "expectReply": false,
    "participationStatus": "needs-action", "descriptionContentType": "text/plain",
    "action": "display", "relativeTo": "start", "rel": "enclosure", "interval": 1,
    "firstDayOfWeek": "mo", "rscale": "gregorian", "skip": "omit", "readOnly": false,
    "includeInAvailability": "all", "title": "",
  ]

  /// The `@type` that JSCalendar 2.0 implies for a member's nested objects.
  private static let impliedTypes: Set<String> = [
    "Location", "VirtualLocation", "Link", "Relation", "Participant", "Alert", "OffsetTrigger",
    "RecurrenceRule", "NDay", "Event-patch",
  ]

  private static func record(_ object: JSONObject, context: Context) -> JSONObject {
    var result = JSONObject()
    for member in object.members {
      guard let value = value(member.value, name: member.name, context: context) else { continue }
      result[member.name] = value
    }
    return result
  }

  /// The normalised value of a member of a record; nil if it is not written.
  private static func value(_ value: JSONValue, name: String, context: Context) -> JSONValue? {
    if value.isNull { return context.isPatch ? value : nil }
    let isPointer = name.utf8.contains(UInt8(ascii: "/"))
    let parts = isPointer ? name.split(separator: "/").map(String.init) : [name]
    let leaf = parts.last ?? name
    let isEntry = parts.count == 2 && MemberShape.maps.contains(parts[0])
    if isEntry { return entry(value, of: parts[0], context: context) }
    guard MemberShape.places[leaf] != nil || ["end", "conflicts", "sequence"].contains(leaf) else {
      return value
    }
    let normalised = known(value, name: leaf, context: context)
    if context.isPatch { return normalised }
    if normalised == defaults[leaf] { return nil }
    if MemberShape.maps.contains(leaf), normalised == .object(JSONObject()) { return nil }
    return normalised
  }

  private static func known(_ value: JSONValue, name: String, context: Context) -> JSONValue {
    switch name {
    case "start", "due", "until":
      return value.stringValue.flatMap(moment).map(JSONValue.string) ?? value
    case "duration", "estimatedDuration", "offset", "shift", "refreshInterval":
      guard let text = value.stringValue else { return value }
      // A displacement is counted in days, so weeks stay days.
      if name == "shift" { return .string(CalendarDuration(text)?.dayText ?? text) }
      return .string(duration(text) ?? text)
    case "color": return value.stringValue.map { .string(color($0)) } ?? value
    case "description": return text(value)
    case "organizerCalendarAddress", "calendarAddress":
      return value.stringValue.map { .string(address($0)) } ?? value
    case "keywords", "categories", "roles", "features", "locationTypes", "relation", "display",
      "memberOf", "delegatedTo", "delegatedFrom", "extensions":
      return set(value)
    case "priority", "percentComplete", "sequence", "format", "interval", "count", "nthOfPeriod",
      "size":
      return integer(value)
    case "recurrenceRule": return value.objectValue.map { .object(rule($0)) } ?? value
    case "alerts", "defaultAlertsWithTime", "defaultAlertsWithoutTime":
      return alerts(value)
    case "locations", "virtualLocations", "links", "participants", "relatedTo":
      guard let map = value.objectValue else { return value }
      return .object(
        JSONObject(
          map.members.map { ($0.name, entry($0.value, of: name, context: .init(isPatch: false))) }))
    case "recurrenceOverrides", "futureOverrides":
      guard let map = value.objectValue else { return value }
      return .object(
        JSONObject(
          map.members.map { member in
            (member.name, member.value.objectValue.map { .object(patch($0)) } ?? member.value)
          }))
    case "trigger", "location":
      return value.objectValue.map { .object(nested($0)) } ?? value
    default: return value
    }
  }

  /// An entry of a map of records.
  private static func entry(_ value: JSONValue, of map: String, context: Context) -> JSONValue {
    if map == "alerts" { return alert(value) }
    guard let object = value.objectValue, MemberShape.maps.contains(map),
      !["keywords", "categories", "conflicts"].contains(map)
    else { return value }
    return .object(nested(object))
  }

  private static func nested(_ object: JSONObject) -> JSONObject {
    var object = object
    if let type = object["@type"]?.stringValue, impliedTypes.contains(type) {
      object["@type"] = nil
    }
    return record(object, context: Context(isPatch: false))
  }

  private static func alerts(_ value: JSONValue) -> JSONValue {
    if let map = value.objectValue {
      return .object(JSONObject(map.members.map { ($0.name, alert($0.value)) }))
    }
    guard let elements = value.arrayValue else { return value }
    var map = JSONObject()
    for element in elements {
      var object = element.objectValue ?? JSONObject()
      if let text = element.stringValue {
        object = ["trigger": ["offset": .string(text)]]
      } else if element.objectValue == nil {
        return value
      }
      guard let normalised = alert(.object(object)).objectValue else { return value }
      map[EntryID.alert(normalised)] = .object(normalised)
    }
    return .object(map)
  }

  private static func alert(_ value: JSONValue) -> JSONValue {
    value.objectValue.map { .object(nested($0)) } ?? value
  }

  /// A recurrence rule in normalised form.
  static func rule(_ object: JSONObject) -> JSONObject {
    var rule = nested(object)
    if let days = rule["byDay"]?.arrayValue {
      let elements = days.map { day -> JSONValue in
        if let text = day.stringValue, let code = Weekday(code: text.suffix(2)) {
          let prefix = text.dropLast(2)
          if prefix.isEmpty { return ["day": .string(code.code)] }
          if let number = Int(prefix) {
            return ["day": .string(code.code), "nthOfPeriod": JSONValue(number)]
          }
        }
        return day.objectValue.map { .object(nested($0)) } ?? day
      }
      func order(_ value: JSONValue) -> (Int, Int) {
        let weekday = value.objectValue?["day"]?.stringValue.flatMap { Weekday(code: $0) }
        return (value.objectValue?["nthOfPeriod"]?.integerValue ?? 0, weekday?.rawValue ?? 7)
      }
      rule["byDay"] = .array(unique(elements.sorted { order($0) < order($1) }))
    }
    if let months = rule["byMonth"]?.arrayValue {
      let texts = months.map { month -> JSONValue in
        if case .number(let token) = month { return .string(token) }
        return month
      }
      func order(_ value: JSONValue) -> (Int, String) {
        let text = value.stringValue ?? ""
        return (Int(text.hasSuffix("L") ? String(text.dropLast()) : text) ?? 99, text)
      }
      rule["byMonth"] = .array(unique(texts.sorted { order($0) < order($1) }))
    }
    for name in [
      "byMonthDay", "byYearDay", "byWeekNo", "byHour", "byMinute", "bySecond", "bySetPosition",
    ] {
      guard let values = rule[name]?.arrayValue?.map(integer),
        values.allSatisfy({ $0.integerValue != nil })
      else { continue }
      rule[name] = .array(
        unique(values.sorted { ($0.integerValue ?? 0) < ($1.integerValue ?? 0) }))
    }
    for (name, value) in [("frequency", rule["frequency"]), ("rscale", rule["rscale"])] {
      if let text = value?.stringValue { rule[name] = .string(text.lowercased()) }
    }
    if rule["rscale"] == "gregorian" { rule["rscale"] = nil }
    return rule
  }

  private static func unique(_ values: [JSONValue]) -> [JSONValue] {
    var result: [JSONValue] = []
    for value in values where result.last != value { result.append(value) }
    return result
  }

  // MARK: - The whole object

  /// Turns `end` of an event into `duration`.
  private static func foldEnd(_ object: inout JSONObject, kind: FileKind) {
    guard kind == .event, object["duration"] == nil,
      let start = object["start"]?.stringValue.flatMap(moment).flatMap({
        DateOrDateTime(extended: $0)
      }),
      let end = object["end"]?.stringValue.flatMap(moment).flatMap({ DateOrDateTime(extended: $0) }
      ),
      start.isDate == end.isDate, end >= start
    else { return }
    object["end"] = nil
    let seconds = end.dateTime.civilSeconds - start.dateTime.civilSeconds
    object["duration"] = .string(
      CalendarDuration(days: Int(seconds / 86_400), seconds: seconds % 86_400).description)
  }

  private static func dropDurationDefault(_ object: inout JSONObject) {
    guard let start = object["start"]?.stringValue, let duration = object["duration"]?.stringValue
    else { return }
    let isDate = CivilDate(extended: start) != nil
    if duration == (isDate ? "P1D" : "PT0S") { object["duration"] = nil }
  }

  /// Writes `until` and the keys of overrides as dates where they only repeat the series' time.
  private static func normaliseSeries(_ object: inout JSONObject, start: DateOrDateTime?) {
    guard let rule = object["recurrenceRule"]?.objectValue, let start else { return }
    let frequency = rule["frequency"]?.stringValue ?? ""
    guard !["hourly", "minutely", "secondly"].contains(frequency), rule["byHour"] == nil,
      rule["byMinute"] == nil, rule["bySecond"] == nil
    else { return }
    if let until = rule["until"]?.stringValue, let value = CivilDateTime(extended: until) {
      var rule = rule
      let reaches = start.time.map { value.time >= $0 } ?? true
      rule["until"] = .string(value.date.adding(days: reaches ? 0 : -1).description)
      object["recurrenceRule"] = .object(rule)
    }
    guard let time = start.time else { return }
    for name in ["recurrenceOverrides", "futureOverrides"] {
      guard let map = object[name]?.objectValue else { continue }
      var result = map
      for key in map.names {
        guard let value = CivilDateTime(extended: key), value.time == time,
          map[value.date.description] == nil
        else { continue }
        result[key] = nil
        result[value.date.description] = map[key]
      }
      object[name] = .object(result)
    }
  }
}

extension CalendarDuration {
  /// The duration in days alone, `P7D`, or nil if it has hours.
  var dayText: String? {
    seconds == 0 ? (days < 0 ? "-P\(-days)D" : "P\(days)D") : nil
  }
}
