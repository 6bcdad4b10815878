public import CalendarModel

/// How an open conflict is settled.
public enum Settlement: Sendable {
  /// The value that is shown stays.
  case shown
  /// One of the others, by its number from 1, takes its place.
  case other(number: Int)
  /// A new value takes its place.
  case value(JSONValue)
}

extension Replica {
  /// Settles open conflicts of an object, as one action.
  ///
  /// - Parameter pointers: the units, as `ConflictInfo` names them.
  /// - Throws: `ReplicaError.notFound` if there is no such object or conflict, `.invalid` if the
  ///   result would be wrong.
  public func settle(
    _ uid: String, pointers: [String], _ settlement: Settlement, dryRun: Bool = false
  ) throws(ReplicaError) -> WriteOutcome {
    func attempt(_ snapshot: Snapshot) throws(ReplicaError) -> (
      [String: [UInt8]?], String, WriteOutcome
    ) {
      guard let stored = snapshot.object(uid: uid) else { throw .notFound(uid) }
      var object = stored.object
      for pointer in pointers {
        guard let open = snapshot.conflicts(of: stored).first(where: { $0.pointer == pointer })
        else { throw .notFound(pointer) }
        switch settlement {
        case .shown: break
        case .other(let number):
          guard open.others.indices.contains(number - 1) else {
            throw .notFound("value \(number) of \(pointer)")
          }
          try write(open.others[number - 1].value, at: pointer, in: &object)
        case .value(let value): try write(value, at: pointer, in: &object)
        }
        var rest = object["conflicts"]?.objectValue ?? JSONObject()
        rest[pointer] = nil
        object["conflicts"] = rest.isEmpty ? Optional.none : JSONValue.object(rest)
      }
      object.members = Normaliser.normalise(object.members, kind: object.kind.fileKind)
      let problems = ObjectValidator.problems(
        in: object.members, kind: object.kind.fileKind, zones: environment.zones)
      if let problem = problems.first(where: { $0.code.hasPrefix("E") }) {
        throw .invalid(
          path: stored.path,
          finding: Finding(code: problem.code, pointer: problem.pointer, message: problem.message))
      }
      var outcome = WriteOutcome()
      outcome.updated = [uid]
      let names = pointers.joined(separator: ", ")
      return (
        [stored.path: CanonicalJSON.bytes(object.members)],
        "settle \(names) of \(ActionWords.title(object))", outcome
      )
    }
    if dryRun { return try attempt(try snapshot()).2 }
    return try transact(op: "resolve", attempt)
  }

  /// Writes a value of a unit: a member, or a unit of several (MERGE.md).
  private func write(
    _ value: JSONValue?, at pointer: String, in object: inout CalendarObject
  ) throws(ReplicaError) {
    let parts = pointer.split(separator: "/").map(String.init)
    if let last = parts.last, last.hasPrefix("@") {
      guard parts.count == 1 else { throw unsettled(pointer) }
      return try writeUnit(last, value?.objectValue, in: &object)
    }
    let maps = ["recurrenceOverrides", "futureOverrides"]
    guard parts.count > 2, maps.contains(parts[0]) else {
      Patch.set(value, at: pointer, in: &object.members)
      return
    }
    // What follows the recurrence ID is one name inside the patch.
    var map = object[parts[0]]?.objectValue ?? JSONObject()
    var patch = map[parts[1]]?.objectValue ?? JSONObject()
    patch[parts[2...].joined(separator: "/")] = value
    map[parts[1]] = .object(patch)
    object[parts[0]] = .object(map)
  }

  private func unsettled(_ pointer: String) -> ReplicaError {
    .repositoryState("'\(pointer)' can only keep what is shown; edit the item to change it")
  }

  private func writeUnit(
    _ unit: String, _ value: JSONObject?, in object: inout CalendarObject
  ) throws(ReplicaError) {
    let anchor = object.anchorName
    guard let value, let current = object.anchor else { throw unsettled(unit) }
    switch unit {
    case "@hour":
      let time = value["time"]?.stringValue
      object[anchor] = .string(current.date.description + (time.map { "T" + $0 } ?? ""))
      object["timeZone"] = time == nil ? Optional.none : value["timeZone"]
    case "@day":
      guard let date = value["date"]?.stringValue else { throw unsettled(unit) }
      object[anchor] = .string(date + (current.time.map { "T\($0)" } ?? ""))
      guard var rule = value["recurrenceRule"]?.objectValue else { return }
      let old = object["recurrenceRule"]?.objectValue
      for name in ["count", "until"] { rule[name] = old?[name] }
      object["recurrenceRule"] = .object(rule)
    case "@end":
      guard var rule = object["recurrenceRule"]?.objectValue else { throw unsettled(unit) }
      for name in ["count", "until"] { rule[name] = value[name] }
      object["recurrenceRule"] = .object(rule)
    default: throw unsettled(unit)
    }
  }
}
