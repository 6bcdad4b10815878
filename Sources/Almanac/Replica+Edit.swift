public import CalendarModel
import CivilTime
import GitStore

/// What an edit of one object did.
public struct EditOutcome: Sendable {
  /// The object as it is now; nil if it is gone.
  public let object: CalendarObject?
  /// The object as it was.
  public let before: CalendarObject
  /// What the edit did to the series.
  public let span: SpanOutcome
  /// What was written.
  public let write: WriteOutcome
  /// The action in words, as it stands in the history.
  public let subject: String
}

/// Why an edit was not made.
public enum EditError: Error, Sendable {
  /// The store could not do it.
  case replica(ReplicaError)
  /// The series does not allow it.
  case span(SpanError)
}

extension Replica {
  /// Adds objects to a calendar or list; each gets `created` and, if it has none, a UID.
  public func add(
    _ objects: [CalendarObject], to collection: CollectionInfo, dryRun: Bool = false
  ) throws(ReplicaError) -> (objects: [CalendarObject], write: WriteOutcome) {
    let now = environment.now().description
    var added: [CalendarObject] = []
    var files: [String: [UInt8]?] = [:]
    for object in objects {
      var object = object
      if object.uid.isEmpty { object.uid = environment.newUID() }
      if object["created"] == nil { object["created"] = .string(now) }
      object.members = Normaliser.normalise(object.members, kind: object.kind.fileKind)
      try require(object)
      files[try newPath(of: object, in: collection)] = .some(CanonicalJSON.bytes(object.members))
      added.append(object)
    }
    let subject =
      added.count == 1
      ? "add \(ActionWords.title(added[0]))" : "add \(added.count) items to \(collection.name)"
    let uids = added.map(\.uid)
    guard !dryRun else {
      var outcome = WriteOutcome()
      outcome.created = uids
      return (added, outcome)
    }
    let write = try transact(op: "add") { _ throws(ReplicaError) in
      var outcome = WriteOutcome()
      outcome.created = uids
      return (files, subject, outcome)
    }
    return (added, write)
  }

  private func newPath(
    of object: CalendarObject, in collection: CollectionInfo
  ) throws(ReplicaError) -> String {
    if collection.isReadOnly { throw .readOnly(collection.name) }
    return ObjectPath.path(
      kind: object.kind, collection: collection.slug, uid: object.uid,
      recurrenceID: object["recurrenceId"]?.stringValue)
  }

  /// Refuses an object with an error.
  private func require(_ object: CalendarObject) throws(ReplicaError) {
    let problems = ObjectValidator.problems(
      in: object.members, kind: object.kind.fileKind, zones: environment.zones)
    guard let problem = problems.first(where: { $0.code.hasPrefix("E") }) else { return }
    throw .invalid(
      path: "",
      finding: Finding(code: problem.code, pointer: problem.pointer, message: problem.message))
  }

  /// Changes an object for a span; only what the edit lists is written.
  ///
  /// - Parameter find: finds the object in the current snapshot; it may be called again if another
  ///   process was faster.
  public func edit(
    _ uid: String, _ edit: SeriesEdit, span: EditSpan, at id: RecurrenceID? = nil,
    policy: ExceptionPolicy = .keep, dryRun: Bool = false
  ) throws(EditError) -> EditOutcome {
    try change(uid, op: "edit", dryRun: dryRun) { series throws(SpanError) in
      let outcome = try series.applying(edit, span: span, at: id, policy: policy)
      let subject = ActionWords.edit(
        series.object, edit, span: span, at: id, repeats: series.repeats, now: today)
      return (outcome, subject)
    }
  }

  /// Removes an object, or a span of its occurrences.
  public func remove(
    _ uid: String, span: EditSpan, at id: RecurrenceID? = nil, dryRun: Bool = false
  ) throws(EditError) -> EditOutcome {
    try change(uid, op: "remove", dryRun: dryRun) { series throws(SpanError) in
      let outcome = try series.removing(span: span, at: id)
      let whole = outcome.object == nil
      let subject = ActionWords.remove(
        series.object, span: whole ? .all : span, at: id, repeats: series.repeats, now: today)
      return (outcome, subject)
    }
  }

  /// Today on the local clock.
  var today: CivilDate { environment.localZone.civil(at: environment.now()).date }

  private func change(
    _ uid: String, op: String, dryRun: Bool,
    _ body: (Series) throws(SpanError) -> (SpanOutcome, String)
  ) throws(EditError) -> EditOutcome {
    var result: (before: CalendarObject, span: SpanOutcome, subject: String)?
    var failure: EditError?
    func attempt(_ snapshot: Snapshot) throws(ReplicaError) -> (
      [String: [UInt8]?], String, WriteOutcome
    ) {
      guard let stored = snapshot.object(uid: uid) else { throw .notFound(uid) }
      if let info = snapshot.collections.first(where: {
        $0.slug == stored.collection && $0.kind == stored.object.kind
      }),
        info.isReadOnly
      {
        throw .readOnly(info.name)
      }
      do throws(SpanError) {
        let series = try Series.make(stored.object)
        let (outcome, subject) = try body(series)
        result = (stored.object, outcome, subject)
      } catch {
        failure = .span(error)
        return ([:], "", WriteOutcome())
      }
      guard let result else { return ([:], "", WriteOutcome()) }
      var outcome = WriteOutcome()
      guard var object = result.span.object else {
        outcome.removed = [uid]
        let gone: [String: [UInt8]?] = [stored.path: nil]
        return (gone, result.subject, outcome)
      }
      guard result.span.changed else { return ([:], result.subject, outcome) }
      // What came with an invitation is no longer what it was (FORMAT.md 1.13).
      object["updated"] = nil
      try require(object)
      outcome.updated = [uid]
      return ([stored.path: CanonicalJSON.bytes(object.members)], result.subject, outcome)
    }
    let write: WriteOutcome
    do throws(ReplicaError) {
      if dryRun {
        write = try attempt(try snapshot()).2
      } else {
        write = try transact(op: op, attempt)
      }
    } catch {
      throw .replica(error)
    }
    if let failure { throw failure }
    guard let result else { throw .replica(.notFound(uid)) }
    return EditOutcome(
      object: result.span.object, before: result.before, span: result.span, write: write,
      subject: result.subject)
  }

  /// Makes a calendar or list.
  public func addCollection(
    _ kind: CalendarObject.Kind, name: String, color: String? = nil
  ) throws(ReplicaError) -> CollectionInfo {
    let slug = ObjectPath.slug(for: name)
    var members: JSONObject = [
      "@type": .string(kind == .event ? "Calendar" : "TaskList"), "name": .string(name),
      "created": .string(environment.now().description), "uid": .string(environment.newUID()),
    ]
    members["color"] = color.map { .string($0) }
    members = Normaliser.normalise(members, kind: kind == .event ? .calendar : .list)
    let path = ObjectPath.metadataPath(kind: kind, collection: slug)
    _ = try transact(op: "calendar") { snapshot throws(ReplicaError) in
      if snapshot.blob(path) != nil { throw .collectionExists(name) }
      return (
        [path: .some(CanonicalJSON.bytes(members))],
        "add \(kind == .event ? "calendar" : "list") \"\(name)\"", WriteOutcome()
      )
    }
    return CollectionInfo(slug: slug, kind: kind, members: members)
  }
}

extension Series {
  /// The series of an object, errors as those of an edit.
  static func make(_ object: CalendarObject) throws(SpanError) -> Series {
    do throws(ModelError) {
      return try Series(object)
    } catch {
      throw .invalid(error)
    }
  }
}
