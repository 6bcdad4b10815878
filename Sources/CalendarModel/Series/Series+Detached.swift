import CivilTime
import Recurrence

extension Series {
  /// Takes away what an occurrence has of its own, so that it is like its series again. Completions
  /// stay; so does an extra date, which has nothing but its ID then.
  ///
  /// - Throws: `SpanError.noSuchOccurrence`.
  public func reattaching(_ id: RecurrenceID) throws(SpanError) -> SpanOutcome {
    guard repeats, isVisible(id) else { throw .noSuchOccurrence(id) }
    var rest = JSONObject()
    let own = override(id) ?? JSONObject()
    for name in Series.completion { rest[name] = own[name] }
    if own["added"] == true, !generates(id) { rest["added"] = true }
    var changed = object
    changed.setOverride(id, rest.isEmpty ? nil : rest)
    changed.members = Series.normalised(changed)
    return SpanOutcome(object: changed, changed: changed != object)
  }

  /// What becomes of a series when one of its occurrences is taken out.
  public struct Extraction: Sendable {
    /// The series without the occurrence; nil if nothing is left of it.
    public var series: CalendarObject?
    /// The occurrence as an object of its own.
    public var single: CalendarObject
  }

  /// Takes an occurrence out of its series: it is excluded there, and a copy stands alone.
  ///
  /// - Parameters:
  ///   - uid: the identity of the copy.
  ///   - linked: whether the copy names the series in `relatedTo`, as the first of what it was part
  ///     of.
  /// - Throws: `SpanError`.
  public func extracting(
    _ id: RecurrenceID, uid: String, linked: Bool = false
  ) throws(SpanError) -> Extraction {
    guard repeats, isVisible(id) else { throw .noSuchOccurrence(id) }
    guard var single = shownValues(at: id) else { throw .noSuchOccurrence(id) }
    single.uid = uid
    for name in ["conflicts", "sequence", "updated", "created"] { single[name] = nil }
    if linked { single.relate(to: object.uid, "first") }
    single.members = Series.normalised(single)
    return Extraction(series: try removing(span: .this, at: id).object, single: single)
  }

  /// The values of an occurrence as it is shown, its override among them.
  func shownValues(at id: RecurrenceID) -> CalendarObject? {
    let patch = override(id) ?? JSONObject()
    let isAdded = patch["added"] == true && !generates(id)
    guard let values = values(at: id, isAdded: isAdded) else { return nil }
    var shown = values
    shown.members = Patch.applied(patch, to: values.members)
    if patch["start"] != nil, patch["due"] == nil { Series.keepLength(of: values, in: &shown) }
    return shown
  }

  /// A series cut in two.
  public struct Split: Sendable {
    /// What comes before, under the old identity; nil if the whole series went over.
    public var head: CalendarObject?
    /// The future part; under the old identity if there is no head.
    public var tail: CalendarObject
  }

  /// Cuts a series in two, for a future part that goes to another calendar (FORMAT.md 1.9). The
  /// recurrence IDs stay as they are; overrides and exclusions go with their dates. The new UID
  /// follows from the old one and the ID, so that two replicas doing it make one object.
  ///
  /// - Throws: `SpanError`.
  public func splitting(at id: RecurrenceID) throws(SpanError) -> Split {
    guard repeats, isVisible(id) else { throw .noSuchOccurrence(id) }
    guard hasVisible(before: id) else { return Split(head: nil, tail: object) }
    guard generates(id), let segment = segment(at: id) else { throw .invalidSpan(id) }
    guard var head = try removing(span: .thisAndFuture, at: id).object else {
      return Split(head: nil, tail: object)
    }
    let run = runs[segment.run]
    let anchor: DateOrDateTime =
      repeatsWithinDay
      ? id.value
      : segment.time.map { .dateTime(CivilDateTime(date: id.value.date, time: $0)) }
        ?? .date(id.value.date)
    var tail = Series.placed(segment.values, at: anchor)
    tail["conflicts"] = nil
    if var rule = run.rule {
      // Later segments may have rules of their own; what is left of the count is theirs too.
      rule.count = run.countMax.map { max(1, $0 - run.idCount(before: id.value.dateTime)) }
      var json = rule.json
      if object["recurrenceRule"]?.objectValue?["until"] != nil {
        json["until"] = object["recurrenceRule"]?.objectValue?["until"]
      }
      tail["recurrenceRule"] = .object(json)
    }
    if segment.shiftDays != 0 {
      tail.setFuture(id, ["shift": .string(Series.shiftText(segment.shiftDays))])
    }
    for (key, patch) in Series.patches(object["futureOverrides"]) where key > id {
      tail.setFuture(key, patch)
    }
    for (key, patch) in overrides where key >= id { tail.setOverride(key, patch) }
    tail.uid = ObjectPath.derivedUUID(
      namespace: ObjectPath.namespace, name: object.uid + "/" + id.text)
    tail.relate(to: object.uid, "first")
    head.relate(to: tail.uid, "next")
    tail.members = Series.normalised(tail)
    head.members = Series.normalised(head)
    return Split(head: head, tail: tail)
  }
}

extension CalendarObject {
  /// Adds a relation to another object.
  fileprivate mutating func relate(to uid: String, _ relation: String) {
    var map = members["relatedTo"]?.objectValue ?? JSONObject()
    var entry = map[uid]?.objectValue ?? JSONObject()
    var relations = entry["relation"]?.objectValue ?? JSONObject()
    relations[relation] = true
    entry["relation"] = .object(relations)
    map[uid] = .object(entry)
    members["relatedTo"] = .object(map)
  }
}
