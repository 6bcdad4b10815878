import CalendarModel

/// Names of units: JSON pointers without the leading slash, as `conflicts` spells them (FORMAT.md
/// 1.14). A unit of a segment or an occurrence begins with the path of its patch, its scope.
enum Unit {
  static let object = "@object"
  static let calendar = "@calendar"
  static let hour = "@hour"
  static let day = "@day"
  static let end = "@end"
  /// An entry of a map is there. In a patch: what is done to it, `whole` or `removed`.
  static let entry = "@entry"
  /// Nothing (the rule decides), `added`, `excluded`, `removed` (an extra date that is gone), or
  /// `dropped` (an override that went with a cut).
  static let occurrence = "@occurrence"
  /// Nothing, or `dropped`.
  static let segment = "@segment"
  static let combined = "@combined"
  static let orphan = "@orphan"
  static let hidden = "@hidden"

  static let futureScope = "futureOverrides/"
  static let occurrenceScope = "recurrenceOverrides/"

  /// Maps whose entries are records.
  static let entryMaps: Set<String> = [
    "participants", "locations", "virtualLocations", "links", "alerts", "relatedTo",
    "defaultAlertsWithTime", "defaultAlertsWithoutTime",
  ]
  /// Maps of names to true.
  static let sets: Set<String> = ["keywords", "categories", "extensions"]
  /// Members that say which object this is; they never change.
  static let identity: Set<String> = ["@type", "uid", "recurrenceId", "recurrenceIdTimeZone"]

  /// The scope a unit is in and its name there; the scope of the series is empty.
  static func split(_ unit: String) -> (scope: Substring, name: Substring) {
    guard unit.hasPrefix(futureScope) || unit.hasPrefix(occurrenceScope) else {
      return ("", unit[...])
    }
    let bytes = unit.utf8
    guard let first = bytes.firstIndex(of: UInt8(ascii: "/")),
      let second = bytes[bytes.index(after: first)...].firstIndex(of: UInt8(ascii: "/"))
    else { return ("", unit[...]) }
    let start = bytes.index(after: second)
    return (unit[..<start], unit[start...])
  }

  /// The recurrence ID or key in a scope such as `futureOverrides/2026-06-22/`.
  static func key(ofScope scope: some StringProtocol) -> String {
    let parts = scope.split(separator: "/")
    return parts.count == 2 ? String(parts[1]) : ""
  }

  /// The map entry of the series that a unit without scope is a part of; nil if it is no such part.
  static func entry(of unit: String) -> String? {
    guard !unit.hasPrefix("@"), let slash = unit.utf8.firstIndex(of: UInt8(ascii: "/")) else {
      return nil
    }
    let map = String(unit[..<slash])
    if sets.contains(map) { return nil }
    guard entryMaps.contains(map) else { return map }
    let rest = unit[unit.utf8.index(after: slash)...]
    guard let next = rest.utf8.firstIndex(of: UInt8(ascii: "/")) else { return unit }
    return String(unit[..<next])
  }

  /// The last part of a unit's name.
  static func last(_ unit: String) -> Substring {
    guard let slash = unit.utf8.lastIndex(of: UInt8(ascii: "/")) else { return unit[...] }
    return unit[unit.utf8.index(after: slash)...]
  }
}

/// How the value shown is chosen among concurrent ones.
enum UnitRule {
  /// The latest; a conflict if they differ.
  case latest
  /// The latest, never a conflict.
  case quiet
  /// The greatest, never a conflict.
  case greatest
  /// The smallest, never a conflict.
  case smallest
  /// Cancelled, confirmed, tentative, then the latest.
  case status
  /// Completed, cancelled, failed, in-process, needs-action.
  case progress
  /// Both texts.
  case text
  /// The end of the series.
  case end
  /// Something is there or not.
  case existence

  /// The rule of a unit.
  static func of(_ unit: String) -> UnitRule {
    let name = Unit.split(unit).name
    switch name {
    case "@object": return .existence
    case "@end": return .end
    case "@occurrence", "@segment": return .existence
    case "description": return .text
    case "status": return .status
    case "progress": return .progress
    case "completed", "sequence", "updated": return .greatest
    case "created": return .smallest
    case "order": return .quiet
    default: break
    }
    switch Unit.last(unit) {
    case "@entry": return .existence
    case "acknowledged": return .greatest
    default: return .latest
    }
  }
}
