public import CivilTime
import Recurrence

/// What `check --fix` writes: the repairs that are safe (E207, W101, W201, W402).
public enum ObjectRepair {
  /// The canonical bytes of a file with its repairs; nil if it is canonical already, or cannot be
  /// read, or has errors that remain.
  ///
  /// - Parameters:
  ///   - uid: makes the UID of a file without one.
  ///   - created: the instant for an object without one, when it was added.
  public static func repaired(
    _ bytes: [UInt8], kind: FileKind, zones: TimeZoneDatabase? = nil, uid: () -> String,
    created: Instant
  ) -> [UInt8]? {
    guard let raw = try? JSONText.parse(bytes) else { return nil }
    var members = Normaliser.normalise(converted(raw) ?? raw, kind: kind, zones: zones)
    guard members["@type"] == .string(kind.rawValue) else { return nil }
    if members["uid"] == nil { members["uid"] = .string(uid()) }
    if kind.objectKind != nil {
      if members["created"] == nil { members["created"] = .string(created.description) }
      complete(&members)
    }
    let problems = ObjectValidator.problems(in: members, kind: kind, zones: zones)
    if problems.contains(where: { $0.code.hasPrefix("E") }) { return nil }
    let canonical = CanonicalJSON.bytes(members)
    return canonical == bytes ? nil : canonical
  }

  /// W402: what has a time of completion is completed, if nothing else was said.
  private static func complete(_ members: inout JSONObject) {
    if members["completed"] != nil, members["progress"] == nil {
      members["progress"] = "completed"
    }
    guard var map = members["recurrenceOverrides"]?.objectValue else { return }
    for member in map.members {
      guard var patch = member.value.objectValue, patch["completed"]?.stringValue != nil,
        patch["progress"] == nil, members["progress"] == nil
      else { continue }
      patch["progress"] = "completed"
      map[member.name] = .object(patch)
    }
    members["recurrenceOverrides"] = .object(map)
  }

  // MARK: - JSCalendar 1.0

  /// The most exclusions that are written for an excluded rule.
  private static let exclusionsMax = 1_000

  /// The members of a JSCalendar 1.0 object (RFC 8984) in the terms of 2.0; nil if there is nothing
  /// to convert, or something that cannot be without loss: several rules, excluded rules without
  /// end, ways to reply other than mail, custom time zones in use.
  public static func converted(_ members: JSONObject) -> JSONObject? {
    let old = ["recurrenceRules", "excludedRecurrenceRules", "replyTo", "timeZones"]
    guard old.contains(where: { members[$0] != nil }) else { return nil }
    var result = members
    for name in old { result[name] = nil }
    guard convertRule(members["recurrenceRules"], &result),
      convertExclusions(members["excludedRecurrenceRules"], &result),
      convertReply(members["replyTo"], &result)
    else { return nil }
    if let zones = members["timeZones"], !zones.isNull {
      let used = ["timeZone", "endTimeZone"].contains {
        members[$0]?.stringValue?.hasPrefix("/") ?? false
      }
      if used { return nil }
    }
    return result
  }

  private static func convertRule(_ value: JSONValue?, _ result: inout JSONObject) -> Bool {
    guard let value, !value.isNull else { return true }
    guard let rules = value.arrayValue, rules.count < 2 else { return false }
    guard let rule = rules.first else { return true }
    if let present = result["recurrenceRule"], present != rule { return false }
    result["recurrenceRule"] = rule
    return true
  }

  private static func convertReply(_ value: JSONValue?, _ result: inout JSONObject) -> Bool {
    guard let value, !value.isNull else { return true }
    guard let ways = value.objectValue else { return false }
    if ways.isEmpty { return true }
    guard ways.count == 1, let address = ways["imip"]?.stringValue else { return false }
    if let present = result["organizerCalendarAddress"] { return present == .string(address) }
    result["organizerCalendarAddress"] = .string(address)
    return true
  }

  /// Writes the dates that excluded rules make as exclusions, one by one.
  private static func convertExclusions(_ value: JSONValue?, _ result: inout JSONObject) -> Bool {
    guard let value, !value.isNull else { return true }
    guard let rules = value.arrayValue else { return false }
    if rules.isEmpty { return true }
    let normalised = Normaliser.normalise(result, kind: .event)
    guard let start = (normalised["start"] ?? normalised["due"])?.stringValue,
      let anchor = DateOrDateTime(extended: start),
      let base = normalised["recurrenceRule"]?.objectValue.flatMap({
        try? RecurrenceRule(json: $0)
      }), base.isEvaluable
    else { return false }
    var overrides = normalised["recurrenceOverrides"]?.objectValue ?? JSONObject()
    for rule in rules {
      guard
        let excluded = rule.objectValue.flatMap({
          try? RecurrenceRule(json: Normaliser.rule($0))
        }), excluded.isEvaluable, excluded.isFinite || base.isFinite
      else { return false }
      let last = base.lastOccurrence(start: anchor.dateTime)
      var count = 0
      for occurrence in excluded.occurrences(start: anchor.dateTime) {
        if base.isFinite, last.map({ occurrence > $0 }) ?? true { break }
        guard base.matches(occurrence, start: anchor.dateTime) else { continue }
        count += 1
        if count > exclusionsMax { return false }
        let key = base.repeatsWithinDay ? occurrence.description : occurrence.date.description
        overrides[key] = ["excluded": true]
      }
    }
    if !overrides.isEmpty { result["recurrenceOverrides"] = .object(overrides) }
    return true
  }
}
