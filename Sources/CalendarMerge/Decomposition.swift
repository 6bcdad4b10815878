import CalendarModel
import CivilTime

/// A version of an object taken apart into its units.
struct Decomposition {
  /// The units that are there and their values.
  var units: [String: JSONValue] = [:]
  /// Values that a version repeats without saying that they are its own: the hour in the start of
  /// a segment that only changes the rule.
  var implied: [String: JSONValue] = [:]

  private let frame: Frame

  /// Takes a version apart; one that does not exist has no units.
  init(_ version: ObjectVersion?, frame: Frame) {
    self.frame = frame
    guard let version else { return }
    units[Unit.object] = true
    units[Unit.calendar] = .string(version.collection)
    for member in version.members.members {
      addMember(member.name, member.value)
    }
    if frame.isSeries { addTimes(version.members) }
  }

  // MARK: - The series

  private mutating func addMember(_ name: String, _ value: JSONValue) {
    if name == "conflicts" || Unit.identity.contains(name) { return }
    if frame.isSeries {
      switch name {
      case frame.anchorName, "timeZone", "recurrenceRule", "futureOverrides",
        "recurrenceOverrides":
        return
      default: break
      }
    }
    let pointer = Patch.escaped(name)
    guard let map = value.objectValue, !frame.isAtomic(pointer) else {
      units[pointer] = value
      return
    }
    if Unit.sets.contains(name) {
      for member in map.members { units[pointer + "/" + Patch.escaped(member.name)] = member.value }
    } else if Unit.entryMaps.contains(name) {
      for member in map.members {
        addEntry(pointer + "/" + Patch.escaped(member.name), member.value)
      }
    } else {
      addEntry(pointer, value)
    }
  }

  private mutating func addEntry(_ pointer: String, _ value: JSONValue) {
    units[pointer + "/" + Unit.entry] = true
    guard let object = value.objectValue, !frame.isAtomic(pointer) else {
      units[pointer] = value
      return
    }
    flatten(object, prefix: "", pointer: pointer)
  }

  private mutating func flatten(_ object: JSONObject, prefix: String, pointer: String) {
    for member in object.members {
      let inner = pointer + "/" + Patch.escaped(member.name)
      if let object = member.value.objectValue, !object.isEmpty, !frame.isAtomic(inner) {
        flatten(object, prefix: prefix, pointer: inner)
      } else {
        units[prefix + inner] = member.value
      }
    }
  }

  private mutating func addTimes(_ members: JSONObject) {
    var hour = JSONObject()
    var day = JSONObject()
    if let anchor = members.moment(frame.anchorName) {
      hour["time"] = anchor.time.map { .string($0.description) } ?? .null
      day["date"] = .string(anchor.date.description)
    } else if let value = members[frame.anchorName] {
      units[frame.anchorName] = value
    }
    hour["timeZone"] = members["timeZone"]
    if let rule = members["recurrenceRule"]?.objectValue {
      var rule = rule
      var end = JSONObject()
      for name in ["count", "until"] {
        end[name] = rule[name]
        rule[name] = nil
      }
      day["recurrenceRule"] = .object(rule)
      if !end.isEmpty { units[Unit.end] = .object(end) }
    } else if let value = members["recurrenceRule"] {
      units["recurrenceRule"] = value
    }
    let firstID = members.firstID
    var inherited = hour
    for (key, patch) in Self.patches(members["futureOverrides"]) {
      guard let patch = patch.objectValue else {
        units[Unit.futureScope + key] = patch
        continue
      }
      if key == firstID, let shift = patch["shift"] { day["shift"] = shift }
      addSegment(key, patch, isFirst: key == firstID, inherited: &inherited)
    }
    if !hour.isEmpty { units[Unit.hour] = .object(hour) }
    if !day.isEmpty { units[Unit.day] = .object(day) }
    for (key, patch) in Self.patches(members["recurrenceOverrides"]) {
      guard let patch = patch.objectValue else {
        units[Unit.occurrenceScope + key] = patch
        continue
      }
      addOccurrence(Unit.occurrenceScope + key + "/", patch)
    }
  }

  /// The patches of a map by date.
  static func patches(_ value: JSONValue?) -> [(key: String, patch: JSONValue)] {
    (value?.objectValue?.members ?? []).map { ($0.name, $0.value) }.sorted {
      Self.precedes($0.0, $1.0)
    }
  }

  /// Whether a key comes before another: by date, keys that are none last.
  static func precedes(_ left: String, _ right: String) -> Bool {
    switch (DateOrDateTime(extended: left), DateOrDateTime(extended: right)) {
    case (let first?, let second?): first == second ? left < right : first < second
    case (nil, nil): left < right
    case (let first, _): first != nil
    }
  }

  // MARK: - Segments and occurrences

  private mutating func addSegment(
    _ key: String, _ patch: JSONObject, isFirst: Bool, inherited: inout JSONObject
  ) {
    let scope = Unit.futureScope + key + "/"
    let moment = patch.moment(frame.anchorName)
    var hour = JSONObject()
    var day = JSONObject()
    if let moment {
      hour["time"] = moment.time.map { .string($0.description) } ?? .null
      hour["timeZone"] = patch["timeZone"]
    }
    if let rule = patch["recurrenceRule"] {
      day["recurrenceRule"] = rule
      if let moment { day["date"] = .string(moment.date.description) }
      if !hour.isEmpty, hour["timeZone"] == nil, hour["time"] == inherited["time"] {
        implied[scope + Unit.hour] = .object(hour)
        hour = JSONObject()
      }
    } else if let moment, let date = DateOrDateTime(extended: key)?.date, moment.date != date,
      patch["shift"] == nil
    {
      // A start on another date is day and hour in one.
      let days = moment.date.days(since: date)
      day["shift"] = .string(days < 0 ? "-P\(-days)D" : "P\(days)D")
    }
    if !isFirst, let shift = patch["shift"] { day["shift"] = shift }
    if !hour.isEmpty {
      units[scope + Unit.hour] = .object(hour)
      inherited["time"] = hour["time"]
      if let zone = hour["timeZone"] { inherited["timeZone"] = zone.nonNull }
    }
    if !day.isEmpty { units[scope + Unit.day] = .object(day) }
    addChanges(patch, scope: scope, hasMoment: moment != nil)
  }

  private mutating func addOccurrence(_ scope: String, _ patch: JSONObject) {
    if patch["excluded"] == true {
      units[scope + Unit.occurrence] = "excluded"
      return
    }
    if patch["added"] == true { units[scope + Unit.occurrence] = "added" }
    if patch.moment(frame.anchorName) != nil {
      var start = JSONObject()
      start[frame.anchorName] = patch[frame.anchorName]
      start["timeZone"] = patch["timeZone"]
      units[scope + frame.anchorName] = .object(start)
    }
    addChanges(patch, scope: scope, hasMoment: patch.moment(frame.anchorName) != nil)
  }

  /// The members of a patch that have no unit of their own kind.
  private mutating func addChanges(_ patch: JSONObject, scope: String, hasMoment: Bool) {
    for member in patch.members {
      let name = member.name
      switch name {
      case frame.anchorName where hasMoment: continue
      case "timeZone" where hasMoment: continue
      case "shift" where scope.hasPrefix(Unit.futureScope): continue
      case "recurrenceRule" where scope.hasPrefix(Unit.futureScope): continue
      case "added" where member.value == true: continue
      default: break
      }
      if let object = member.value.objectValue, !frame.isAtomic(name) {
        units[scope + name + "/" + Unit.entry] = "whole"
        flatten(object, prefix: scope, pointer: name)
      } else if member.value.isNull, frame.isObject(name) {
        units[scope + name + "/" + Unit.entry] = "removed"
      } else {
        units[scope + name] = member.value
      }
    }
  }
}

/// Time zones in force in the units of a version.
enum ZoneFrame {
  /// The zone around a unit of a segment or an occurrence: that of the last segment before it which
  /// has one of its own, else of the series.
  ///
  /// - Returns: the zone, and the hour unit that gives it.
  static func around(
    _ unit: String, in units: [String: JSONValue]
  ) -> (zone: JSONValue?, governing: String) {
    let scope = Unit.split(unit).scope
    let isSegment = scope.hasPrefix(Unit.futureScope)
    let key = Unit.key(ofScope: scope)
    var best: (key: String, unit: String, zone: JSONValue)?
    for (candidate, value) in units
    where candidate.hasPrefix(Unit.futureScope) && candidate.hasSuffix("/@hour") {
      guard let zone = value.objectValue?["timeZone"] else { continue }
      let other = Unit.key(ofScope: Unit.split(candidate).scope)
      if isSegment ? !Decomposition.precedes(other, key) : Decomposition.precedes(key, other) {
        continue
      }
      if units[Unit.futureScope + other + "/" + Unit.segment] == "dropped" { continue }
      if let best, Decomposition.precedes(other, best.key) { continue }
      best = (other, candidate, zone)
    }
    if let best { return (best.zone.nonNull, best.unit) }
    return (units[Unit.hour]?.objectValue?["timeZone"], Unit.hour)
  }

  /// Whether a unit's value takes the zone around it if it has none of its own.
  static func inherits(_ unit: String, anchorName: String) -> Bool {
    let (scope, name) = Unit.split(unit)
    if scope.isEmpty { return false }
    return scope.hasPrefix(Unit.futureScope) ? name == "@hour" : name == anchorName
  }

  /// The value of such a unit with the zone in force spelled out; all-day ones have none.
  static func spelledOut(
    _ value: JSONValue, _ unit: String, in units: [String: JSONValue]
  ) -> JSONValue {
    guard var object = value.objectValue else { return value }
    let isAllDay =
      object["time"]?.isNull ?? false
      || object.moment("start")?.isDate ?? object.moment("due")?.isDate ?? false
    if isAllDay {
      object["timeZone"] = nil
    } else {
      let zone = object["timeZone"] ?? around(unit, in: units).zone
      object["timeZone"] = zone?.nonNull
    }
    return .object(object)
  }
}
