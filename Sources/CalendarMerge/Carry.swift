import CalendarModel

/// What a version does not show but does not change either: the units of an object, occurrence or
/// entry that is gone keep their last values, so that bringing it back can be compared with them.
struct Carry {
  /// The units of the version before.
  let parent: [String: JSONValue]
  /// Whether a cut of this version leaves an ID or a key behind the end.
  let isBehindCut: (String) -> Bool

  /// Adds the carried units to those of a version.
  func complete(_ decomposition: Decomposition) -> [String: JSONValue] {
    var units = decomposition.units
    if units[Unit.object] == nil {
      units = parent
      units[Unit.object] = nil
      return units
    }
    var scopes: Set<String> = []
    var removed: [String] = []
    for (unit, value) in decomposition.units {
      let (scope, name) = Unit.split(unit)
      if !scope.isEmpty { scopes.insert(String(scope)) }
      if !scope.isEmpty, value == "removed", name.hasSuffix("/@entry") {
        removed.append(String(unit.dropLast(Unit.entry.count)))
      }
    }
    let hasRule = units[Unit.day]?.objectValue?["recurrenceRule"] != nil
    for (unit, value) in parent where units[unit] == nil {
      let (part, name) = Unit.split(unit)
      let scope = String(part)
      if scope.isEmpty {
        if unit == Unit.end ? !hasRule : isInMissingEntry(unit, decomposition.units) {
          units[unit] = value
        }
      } else if decomposition.implied[unit] == value {
        units[unit] = value
      } else if removed.contains(where: { unit.hasPrefix($0) }) {
        units[unit] = value
      } else if !scopes.contains(scope) || units[scope + Unit.occurrence] == "excluded" {
        carry(
          unit, value, scope: scope, isState: name.hasPrefix("@oc") || name.hasPrefix("@seg"),
          &units)
      }
    }
    return units
  }

  private func isInMissingEntry(_ unit: String, _ units: [String: JSONValue]) -> Bool {
    guard let entry = Unit.entry(of: unit) else { return false }
    let existence = entry + "/" + Unit.entry
    return unit != existence && units[existence] == nil && units[entry] == nil
  }

  /// Carries a unit of an occurrence or segment that the version has no patch for.
  private func carry(
    _ unit: String, _ value: JSONValue, scope: String, isState: Bool,
    _ units: inout [String: JSONValue]
  ) {
    let isOccurrence = scope.hasPrefix(Unit.occurrenceScope)
    let stateUnit = scope + (isOccurrence ? Unit.occurrence : Unit.segment)
    if units[stateUnit] == "excluded" {
      if !isState { units[unit] = value }
      return
    }
    let before = parent[stateUnit]
    let after: JSONValue?
    if before == "removed" || before == "dropped" {
      after = before
    } else if isBehindCut(Unit.key(ofScope: scope)) {
      after = "dropped"
    } else if before == "added" {
      after = "removed"
    } else {
      return
    }
    units[stateUnit] = after
    if !isState { units[unit] = value }
  }
}
