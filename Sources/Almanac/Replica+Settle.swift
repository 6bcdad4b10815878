import CalendarMerge
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
      let names = pointers.joined(separator: ", ")
      let subject = "settle \(names) of \(ActionWords.title(stored.object))"
      var outcome = WriteOutcome()
      guard let version = try settled(stored, pointers, settlement) else {
        outcome.removed = [uid]
        return ([stored.path: nil], subject, outcome)
      }
      let kind = stored.object.kind.fileKind
      let problems = ObjectValidator.problems(
        in: version.members, kind: kind, zones: environment.zones)
      if let problem = problems.first(where: { $0.code.hasPrefix("E") }) {
        throw .invalid(
          path: stored.path,
          finding: Finding(code: problem.code, pointer: problem.pointer, message: problem.message))
      }
      outcome.updated = [uid]
      var files: [String: [UInt8]?] = [:]
      var path = stored.path
      if version.collection != stored.collection {
        let parts = path.split(separator: "/").map(String.init)
        files[path] = .some(nil)
        path = ([parts[0], version.collection] + parts.dropFirst(2)).joined(separator: "/")
      }
      files[path] = CanonicalJSON.bytes(version.members)
      return (files, subject, outcome)
    }
    if dryRun { return try attempt(try snapshot()).2 }
    return try transact(op: "resolve", attempt)
  }

  /// An object with conflicts settled; nil if its deletion was chosen.
  private func settled(
    _ stored: StoredObject, _ pointers: [String], _ settlement: Settlement
  ) throws(ReplicaError) -> ObjectVersion? {
    let choice: ConflictSettlement.Choice =
      switch settlement {
      case .shown: .shown
      case .other(let number): .other(index: number - 1)
      case .value(let value): .value(value.nonNull)
      }
    var version = ObjectVersion(members: stored.object.members, collection: stored.collection)
    for pointer in pointers {
      switch ConflictSettlement.settle(
        pointer, choice, in: version, kind: stored.object.kind.fileKind)
      {
      case nil: throw .notFound(pointer)
      case .deleted?: return nil
      case .version(let next)?: version = next
      }
    }
    return version
  }
}
