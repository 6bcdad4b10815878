package import CalendarModel

/// Settles an open conflict: writes a value of a unit, whatever members it is made of, and removes
/// the entry.
package enum ConflictSettlement {
  /// What shall hold.
  package enum Choice: Sendable {
    /// What is shown.
    case shown
    /// One of the values that are not, by its place in the entry from 0.
    case other(index: Int)
    /// Another value; nil removes.
    case value(JSONValue?)
  }

  /// The object after a conflict is settled.
  package enum Settled: Hashable, Sendable {
    /// The object lives, maybe in another calendar.
    case version(ObjectVersion)
    /// The deletion was chosen.
    case deleted
  }

  /// Settles the conflict at a pointer.
  ///
  /// - Returns: nil if there is no such conflict or value.
  package static func settle(
    _ pointer: String, _ choice: Choice, in version: ObjectVersion, kind: FileKind
  ) -> Settled? {
    guard let entries = ConflictEntries.of(version)[pointer] else { return nil }
    let value: JSONValue?
    switch choice {
    case .shown: return .version(without(pointer, version))
    case .other(let index):
      guard entries.indices.contains(index) else { return nil }
      value = ConflictEntries.writes([entries[index]], node: 0).first?.value
    case .value(let given): value = given
    }
    if DerivedNote.isNote(pointer) { return .version(without(pointer, version)) }
    if pointer == Unit.object { return .deleted }
    let frame = Frame(kind: kind, versions: [version])
    let before = Decomposition(version, frame: frame).units
    var after = before
    write(value, pointer, &after)
    keepZones(before, &after, frame: frame, except: pointer)
    var result = Composition(frame: frame, units: after).version(identity: version.members)
    result.members["conflicts"] = version.members["conflicts"]
    return .version(without(pointer, result))
  }

  private static func write(_ value: JSONValue?, _ unit: String, _ units: inout [String: JSONValue])
  {
    let (scope, name) = Unit.split(unit)
    if name == "@occurrence" {
      units[unit] = "excluded"
    } else if name.hasSuffix("/@entry") {
      let entry = unit.dropLast(Unit.entry.count)
      for inner in units.keys where inner.hasPrefix(entry) { units[inner] = nil }
      if !scope.isEmpty { units[unit] = "removed" }
    } else {
      units[unit] = value
    }
  }

  /// Moved occurrences and segments stay where they are if the zone around them changes.
  private static func keepZones(
    _ before: [String: JSONValue], _ after: inout [String: JSONValue], frame: Frame,
    except unit: String
  ) {
    for (other, value) in before
    where ZoneFrame.inherits(other, anchorName: frame.anchorName) && other != unit {
      guard let now = after[other] else { continue }
      let was = ZoneFrame.spelledOut(value, other, in: before)
      if ZoneFrame.spelledOut(now, other, in: after) != was { after[other] = was }
    }
    guard ZoneFrame.inherits(unit, anchorName: frame.anchorName),
      var object = after[unit]?.objectValue
    else { return }
    // A zone that holds anyway is not written.
    if object["timeZone"] == ZoneFrame.around(unit, in: after).zone {
      object["timeZone"] = nil
      after[unit] = .object(object)
    }
  }

  private static func without(_ pointer: String, _ version: ObjectVersion) -> ObjectVersion {
    var result = version
    var conflicts = version.members["conflicts"]?.objectValue ?? JSONObject()
    conflicts[pointer] = nil
    result.members["conflicts"] = conflicts.isEmpty ? Optional.none : JSONValue.object(conflicts)
    return result
  }
}
