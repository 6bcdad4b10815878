import CalendarModel
import CivilTime

/// Puts the units of an object together again.
struct Composition {
  let frame: Frame
  let units: [String: JSONValue]

  /// The object the units make, without `conflicts`.
  ///
  /// - Parameter identity: a version of the object, for the members that never change.
  func version(identity: JSONObject) -> ObjectVersion {
    var members = JSONObject()
    for name in Unit.identity { members[name] = identity[name] }
    var scopes: [String: [String: JSONValue]] = [:]
    for (unit, value) in units {
      let (scope, name) = Unit.split(unit)
      if scope.isEmpty {
        addBase(unit, value, to: &members)
      } else {
        scopes[String(scope), default: [:]][String(name)] = value
      }
    }
    if frame.isSeries {
      addTimes(to: &members)
      addPatches(scopes, to: &members)
    }
    members = Normaliser.normalise(members, kind: frame.kind)
    return ObjectVersion(members: members, collection: units[Unit.calendar]?.stringValue ?? "")
  }

  // MARK: - The series

  private func addBase(_ unit: String, _ value: JSONValue, to members: inout JSONObject) {
    if unit.hasPrefix("@") { return }
    if let entry = Unit.entry(of: unit) {
      let existence = entry + "/" + Unit.entry
      guard units[existence] != nil else { return }
      if unit == existence {
        // An entry may have no members at all.
        if Patch.value(at: entry, in: members) == nil {
          Patch.set([:], at: entry, in: &members)
        }
        return
      }
      if value == .object(JSONObject()), Patch.value(at: unit, in: members) != nil { return }
    }
    Patch.set(value, at: unit, in: &members)
  }

  private func addTimes(to members: inout JSONObject) {
    let hour = units[Unit.hour]?.objectValue
    let day = units[Unit.day]?.objectValue
    if let date = day?["date"]?.stringValue, let hour, let time = hour["time"] {
      members[frame.anchorName] = moment(date, time)
    }
    members["timeZone"] = hour?["timeZone"]
    if var rule = day?["recurrenceRule"]?.objectValue {
      for member in units[Unit.end]?.objectValue?.members ?? [] { rule[member.name] = member.value }
      members["recurrenceRule"] = .object(rule)
    }
  }

  private func moment(_ date: String, _ time: JSONValue) -> JSONValue {
    .string(time.stringValue.map { "\(date)T\($0)" } ?? date)
  }

  /// Whether the date and the hour of the series are both there or both missing.
  var hasWholeAnchor: Bool {
    (units[Unit.day]?.objectValue?["date"] == nil)
      == (units[Unit.hour]?.objectValue?["time"] == nil)
  }

  // MARK: - Patches

  private func addPatches(_ scopes: [String: [String: JSONValue]], to members: inout JSONObject) {
    let base = members
    var contexts: [(key: String, members: JSONObject)] = []
    var context = base
    var inherited = units[Unit.hour]?.objectValue ?? JSONObject()
    var future = JSONObject()
    if let shift = units[Unit.day]?.objectValue?["shift"], let first = members.firstID {
      future[first] = ["shift": shift]
    }
    for scope in sorted(scopes.keys, prefix: Unit.futureScope) {
      let key = Unit.key(ofScope: scope)
      guard let parts = scopes[scope], parts[Unit.segment] != "dropped" else { continue }
      let patch = segment(key, parts, context, &inherited)
      if patch.isEmpty { continue }
      context = Patch.applied(patch, to: context)
      contexts.append((key, context))
      add(patch, at: key, first: members.firstID, to: &future)
    }
    if !future.isEmpty { members["futureOverrides"] = .object(future) }
    var overrides = JSONObject()
    for scope in sorted(scopes.keys, prefix: Unit.occurrenceScope) {
      let key = Unit.key(ofScope: scope)
      guard let parts = scopes[scope] else { continue }
      let around = contexts.last { !Decomposition.precedes(key, $0.key) }?.members ?? base
      let patch = occurrence(parts, around)
      if !patch.isEmpty { overrides[key] = .object(patch) }
    }
    if !overrides.isEmpty { members["recurrenceOverrides"] = .object(overrides) }
  }

  private func sorted(_ scopes: some Sequence<String>, prefix: String) -> [String] {
    scopes.filter { $0.hasPrefix(prefix) }.sorted {
      Decomposition.precedes(Unit.key(ofScope: $0), Unit.key(ofScope: $1))
    }
  }

  /// Adds a segment's patch. At the first ID only a displacement may stand (E316), so a segment that
  /// a merge left there opens a day earlier, which holds for all as well.
  private func add(
    _ patch: JSONObject, at key: String, first: String?, to future: inout JSONObject
  ) {
    var (key, patch) = (key, patch)
    if key == first, let date = DateOrDateTime(extended: key)?.date,
      patch.names.contains(where: { $0 != "shift" }), patch["recurrenceRule"] == nil
    {
      let earlier = date.adding(days: -1)
      if let start = patch.moment(frame.anchorName), start.date == date {
        patch[frame.anchorName] = .string(
          (start.time.map { .dateTime(CivilDateTime(date: earlier, time: $0)) }
            ?? DateOrDateTime.date(earlier)).description)
      }
      key = earlier.description
    }
    let there = future[key]?.objectValue ?? JSONObject()
    future[key] = .object(JSONObject((there.members + patch.members).map { ($0.name, $0.value) }))
  }

  private func segment(
    _ key: String, _ parts: [String: JSONValue], _ context: JSONObject,
    _ inherited: inout JSONObject
  ) -> JSONObject {
    var patch = changes(parts, context)
    let day = parts[Unit.day]?.objectValue
    let hour = parts[Unit.hour]?.objectValue
    let date = DateOrDateTime(extended: key)?.date.description ?? key
    if let shift = day?["shift"] { patch["shift"] = shift }
    if let rule = day?["recurrenceRule"] {
      patch["recurrenceRule"] = rule
      if let own = day?["date"]?.stringValue, let time = hour?["time"] ?? inherited["time"] {
        patch[frame.anchorName] = moment(own, time)
      }
    } else if let time = hour?["time"] {
      patch[frame.anchorName] = moment(date, time)
    }
    if let zone = hour?["timeZone"] { patch["timeZone"] = zone }
    if let hour {
      inherited["time"] = hour["time"]
      if let zone = hour["timeZone"] { inherited["timeZone"] = zone.nonNull }
    }
    return patch
  }

  private func occurrence(_ parts: [String: JSONValue], _ context: JSONObject) -> JSONObject {
    switch parts[Unit.occurrence] {
    case "excluded": return ["excluded": true]
    case "removed", "dropped": return [:]
    default: break
    }
    var parts = parts
    var patch = JSONObject()
    if parts[Unit.occurrence] == "added" { patch["added"] = true }
    if let start = parts[frame.anchorName]?.objectValue {
      for member in start.members { patch[member.name] = member.value }
      parts[frame.anchorName] = nil
    }
    for member in changes(parts, context).members { patch[member.name] = member.value }
    return patch
  }

  /// The members of a patch that have no unit of their own kind.
  private func changes(_ parts: [String: JSONValue], _ context: JSONObject) -> JSONObject {
    var tree = PatchTree()
    for (name, value) in parts where !name.hasPrefix("@") {
      if name.hasSuffix("/@entry") {
        tree.insert(name.split(separator: "/").dropLast(), flag: value.stringValue)
      } else {
        tree.insert(name.split(separator: "/")[...], value: value)
      }
    }
    var patch = JSONObject()
    for (name, child) in tree.children {
      child.emit(
        at: name, depth: 1, context: context[Patch.unescaped(name)], parentExists: true,
        carried: carried, into: &patch)
    }
    return patch
  }

  /// What is remembered of an entry that the series no longer has.
  private func carried(_ pointer: String) -> JSONObject {
    var object = JSONObject()
    for (unit, value) in units where unit.hasPrefix(pointer + "/") {
      let inner = String(unit.dropFirst(pointer.count + 1))
      if !inner.hasSuffix(Unit.entry) { Patch.set(value, at: inner, in: &object) }
    }
    return object
  }
}

/// Changes of a patch by the parts of their pointers.
private struct PatchTree {
  var value: JSONValue?
  var flag: String?
  var children: [String: PatchTree] = [:]

  mutating func insert(
    _ parts: ArraySlice<Substring>, value: JSONValue? = nil, flag: String? = nil
  ) {
    guard let first = parts.first else {
      if let value { self.value = value }
      if let flag { self.flag = flag }
      return
    }
    children[String(first), default: PatchTree()].insert(
      parts.dropFirst(), value: value, flag: flag)
  }

  /// Adds the changes at a pointer and below to a patch: as they were written, or as a whole where
  /// the series has nothing that could be changed.
  func emit(
    at pointer: String, depth: Int, context: JSONValue?, parentExists: Bool,
    carried: (String) -> JSONObject, into patch: inout JSONObject
  ) {
    if flag == "removed" {
      patch[pointer] = .null
      return
    }
    if flag == "whole" {
      patch[pointer] = .object(collected())
      return
    }
    if let value, !value.isNull || children.isEmpty {
      if parentExists || !value.isNull { patch[pointer] = value }
      return
    }
    let isMapToBe = depth == 1 && (Unit.entryMaps.contains(pointer) || Unit.sets.contains(pointer))
    if context?.objectValue == nil, !isMapToBe {
      var object = carried(pointer)
      merge(into: &object)
      if !object.isEmpty { patch[pointer] = .object(object) }
      return
    }
    for (name, child) in children {
      child.emit(
        at: pointer + "/" + name, depth: depth + 1,
        context: context?.objectValue?[Patch.unescaped(name)],
        parentExists: context?.objectValue != nil, carried: carried, into: &patch)
    }
  }

  private func collected() -> JSONObject {
    var object = JSONObject()
    merge(into: &object)
    return object
  }

  private func merge(into object: inout JSONObject) {
    for (name, child) in children {
      let member = Patch.unescaped(name)
      if let value = child.value, child.children.isEmpty {
        object[member] = value.nonNull
      } else if child.flag == "removed" {
        object[member] = nil
      } else {
        var inner = object[member]?.objectValue ?? JSONObject()
        child.merge(into: &inner)
        object[member] = .object(inner)
      }
    }
  }
}
