import CivilTime
import Recurrence

extension Series {
  /// Members that only state when something happens.
  static let timeMembers: Set<String> = ["start", "due", "timeZone"]

  /// Applies a field-wise edit to this occurrence, this and future ones, or all (SPANS.md).
  ///
  /// - Parameters:
  ///   - edit: changes against the occurrence as it is shown; for `.all` without `id`, against the
  ///     series itself.
  ///   - id: the occurrence; may be nil for `.all` and for objects that do not repeat.
  /// - Throws: `SpanError`; nothing has changed then.
  public func applying(
    _ edit: SeriesEdit, span: EditSpan, at id: RecurrenceID? = nil,
    policy: ExceptionPolicy = .keep
  ) throws(SpanError) -> SpanOutcome {
    guard repeats else { return try finished(editedSingle(edit), detaching: false) }
    if span != .all {
      guard let id else { throw .occurrenceNeeded }
      guard isVisible(id) else { throw .noSuchOccurrence(id) }
    } else if let id, !isVisible(id) {
      throw .noSuchOccurrence(id)
    }
    if span == .this, let id { return try applyingToOne(edit, id) }
    var draft = Draft(series: self, policy: policy)
    let opensSeries = id.map { !hasVisible(before: $0) } ?? true
    if span == .all || opensSeries {
      try draft.applyToAll(edit, at: id)
    } else if let id {
      try draft.applyFrom(id, edit)
    }
    return try finished(draft.outcome(), detaching: true)
  }

  /// Removes this occurrence, this and future ones, or all.
  ///
  /// - Returns: an outcome whose object is nil if nothing of the series is left.
  /// - Throws: `SpanError`.
  public func removing(
    span: EditSpan, at id: RecurrenceID? = nil
  ) throws(SpanError) -> SpanOutcome {
    guard repeats, span != .all else { return SpanOutcome(object: nil, changed: true) }
    guard let id else { throw .occurrenceNeeded }
    guard isVisible(id) else { throw .noSuchOccurrence(id) }
    var changed = object
    var outcome = SpanOutcome(object: nil, changed: true)
    if span == .this {
      let isExtra = override(id)?["added"] == true && !generates(id)
      changed.setOverride(id, isExtra ? nil : ["excluded": true])
    } else {
      guard hasVisible(before: id) else { return outcome }
      var rule = object["recurrenceRule"]?.objectValue ?? JSONObject()
      rule["count"] = nil
      rule["until"] = .string(previousID(before: id).text)
      changed["recurrenceRule"] = .object(rule)
      outcome.dropped = overrides.filter { $0.id >= id && $0.patch["excluded"] == nil }.map(\.id)
      for (key, _) in overrides where key >= id { changed.setOverride(key, nil) }
      for (key, _) in Series.patches(object["futureOverrides"]) where key >= id {
        changed.setFuture(key, nil)
      }
    }
    let series = try Series.made(changed)
    var visible = series.visibleIDs()
    outcome.object = visible.next() == nil ? nil : changed
    return outcome
  }

  // MARK: - Questions

  static func made(_ object: CalendarObject) throws(SpanError) -> Series {
    do throws(ModelError) {
      return try Series(object)
    } catch {
      throw .invalid(error)
    }
  }

  /// Whether an occurrence is shown.
  func isVisible(_ id: RecurrenceID) -> Bool {
    let patch = override(id)
    return patch?["excluded"] == nil && (patch?["added"] == true || generates(id))
  }

  /// Whether an occurrence is shown before an ID.
  func hasVisible(before id: RecurrenceID) -> Bool {
    var ids = visibleIDs()
    return ids.next().map { $0 < id } ?? false
  }

  /// The day before an ID; in series that repeat within a day the ID before it.
  private func previousID(before id: RecurrenceID) -> RecurrenceID {
    guard repeatsWithinDay else { return RecurrenceID(.date(id.value.date.adding(days: -1))) }
    var previous = id
    for civil in IDs(series: self, from: CivilDateTime(date: id.value.date.adding(days: -1))) {
      if self.id(of: civil) >= id { break }
      previous = self.id(of: civil)
    }
    if previous < id { return previous }
    let earlier = id.value.dateTime.civilSeconds - 1
    return RecurrenceID(.dateTime(CivilDateTime(civilSeconds: earlier)))
  }

  // MARK: - One occurrence

  private func editedSingle(_ edit: SeriesEdit) throws(SpanError) -> SpanOutcome {
    var changed = object
    for change in edit.changes { Patch.set(change.value, at: change.pointer, in: &changed.members) }
    changed.members = Series.normalised(changed)
    return SpanOutcome(object: changed, changed: changed != object)
  }

  static func normalised(_ object: CalendarObject) -> JSONObject {
    let kind: FileKind = object.kind == .event ? .event : .reminder
    return Normaliser.normalise(object.members, kind: kind)
  }

  private func applyingToOne(_ edit: SeriesEdit, _ id: RecurrenceID) throws(SpanError)
    -> SpanOutcome
  {
    if edit.changes.contains(where: { $0.pointer.split(separator: "/").first == "recurrenceRule" })
    {
      throw .recurrenceChangeNeedsSpan
    }
    let before = override(id) ?? JSONObject()
    let isAdded = before["added"] == true
    guard let inherited = values(at: id, isAdded: isAdded) else { throw .noSuchOccurrence(id) }
    var patch = before
    for change in edit.changes {
      Series.write(change, to: &patch, inherited: inherited.members)
    }
    Series.tidyTimes(&patch, inherited: inherited)
    var changed = object
    changed.setOverride(id, patch.isEmpty ? nil : patch)
    changed.members = Series.normalised(changed)
    var outcome = SpanOutcome(object: changed, changed: changed != object)
    if edit["start"] != nil || edit["due"] != nil {
      outcome.warnings = try orderWarnings(of: id, in: changed)
    }
    return try finished(outcome, detaching: false)
  }

  /// Writes a change into a patch; what only repeats the inherited value goes.
  static func write(
    _ change: SeriesEdit.Change, to patch: inout JSONObject, inherited: JSONObject
  ) {
    // A change inside an entry that the patch holds whole goes there.
    let parts = change.pointer.split(separator: "/").map(String.init)
    for length in stride(from: parts.count - 1, to: 0, by: -1) {
      let prefix = parts.prefix(length).joined(separator: "/")
      guard var entry = patch[prefix]?.objectValue else { continue }
      let rest = parts.dropFirst(length).joined(separator: "/")
      Patch.set(change.value, at: rest, in: &entry)
      patch[prefix] = .object(entry)
      return
    }
    for name in patch.names where name.hasPrefix(change.pointer + "/") { patch[name] = nil }
    let current = Patch.value(at: change.pointer, in: inherited)
    if current == change.value {
      patch[change.pointer] = nil
      return
    }
    if change.value == nil, current == nil {
      patch[change.pointer] = nil
      return
    }
    // The parent of a deep pointer must exist; otherwise its nearest missing entry is written whole.
    for length in 1..<max(parts.count, 1) {
      let prefix = parts.prefix(length).joined(separator: "/")
      guard Patch.value(at: prefix, in: inherited) == nil, let value = change.value else {
        continue
      }
      let isMap = length == 1 && MemberShape.maps.contains(prefix) && parts.count > 1
      if isMap && parts.count == 2 { break }
      let at = isMap ? parts.prefix(2).joined(separator: "/") : prefix
      var entry = JSONObject()
      let rest = parts.dropFirst(isMap ? 2 : length).joined(separator: "/")
      Patch.set(value, at: rest, in: &entry)
      patch[at] = .object(entry)
      return
    }
    patch[change.pointer] = change.value ?? .null
  }

  /// Keeps start and zone of a patch together: a zone needs its start beside it, and a start that
  /// is the inherited one in the inherited zone is none.
  static func tidyTimes(_ patch: inout JSONObject, inherited: CalendarObject) {
    let name = inherited.anchorName
    if patch["timeZone"] != nil, patch["start"] == nil, patch["due"] == nil {
      patch[name] = inherited[name]
    }
    if let start = patch[name], start == inherited[name], patch["timeZone"] == nil {
      patch[name] = nil
    }
  }

  private func orderWarnings(
    of id: RecurrenceID, in changed: CalendarObject
  ) throws(SpanError) -> [String] {
    let series = try Series.made(changed)
    let place = Placement(
      zones: TimeZoneDatabase { id throws(TimeZoneError) in
        throw .unknownZone(id.name)
      }, floatingZone: .utc)
    guard let moved = series.occurrence(id, patch: series.override(id), place) else { return [] }
    let near = RecurrenceID(.date(id.value.date.adding(days: -370)))
    var warnings: [String] = []
    var seen = 0
    for other in series.visibleIDs(from: near) {
      seen += 1
      if seen > 800 || other.value.date.days(since: id.value.date) > 370 { break }
      guard other != id,
        let neighbour = series.occurrence(other, patch: series.override(other), place)
      else { continue }
      if neighbour.start == moved.start {
        warnings.append("collides")
      } else if (other < id) != (neighbour.start < moved.start) {
        warnings.append("reordered")
      }
    }
    return Array(Set(warnings)).sorted()
  }

  // MARK: - The end of an edit

  /// Checks the result, detaches what the edit orphaned, and says whether anything changed.
  private func finished(
    _ outcome: SpanOutcome, detaching: Bool
  ) throws(SpanError) -> SpanOutcome {
    var outcome = outcome
    guard var changed = outcome.object else { return outcome }
    if let text = changed["duration"]?.stringValue, let duration = CalendarDuration(text),
      duration.isNegative
    {
      throw .datesInverted
    }
    if let start = changed.moment("start"), let due = changed.moment("due"), due < start {
      throw .datesInverted
    }
    for (_, patch) in Series.patches(changed["recurrenceOverrides"])
      + Series.patches(changed["futureOverrides"])
    {
      if let text = patch["duration"]?.stringValue, CalendarDuration(text)?.isNegative == true {
        throw .datesInverted
      }
    }
    let series = try Series.made(changed)
    if let rule = try? Series.rule(changed["recurrenceRule"], at: "recurrenceRule"),
      let anchor = changed.anchor, rule.isEvaluable
    {
      var occurrences = rule.occurrences(start: anchor.dateTime)
      if occurrences.next() == nil, occurrences.stop == .neverMatches {
        throw .ruleGeneratesNothing
      }
    }
    if detaching {
      for (id, patch) in series.overrides where patch["excluded"] == nil && patch["added"] == nil {
        guard generates(id), !series.generates(id) else { continue }
        let content = patch.names.filter { !["progress", "completed"].contains($0) }
        if content.isEmpty { continue }
        var patch = patch
        patch["added"] = true
        changed.setOverride(id, patch)
        outcome.detached.append(id)
      }
    }
    changed.members = Series.normalised(changed)
    outcome.object = changed
    outcome.changed = changed != object
    return outcome
  }
}

extension CalendarObject {
  /// Sets or removes (nil) the override of an occurrence.
  mutating func setOverride(_ id: RecurrenceID, _ patch: JSONObject?) {
    setPatch(patch, of: id, in: "recurrenceOverrides")
  }

  /// Sets or removes (nil) the patch that opens a segment.
  mutating func setFuture(_ id: RecurrenceID, _ patch: JSONObject?) {
    setPatch(patch, of: id, in: "futureOverrides")
  }

  private mutating func setPatch(_ patch: JSONObject?, of id: RecurrenceID, in name: String) {
    var map = members[name]?.objectValue ?? JSONObject()
    map[id.text] = patch.map { .object($0) }
    members[name] = map.isEmpty ? nil : .object(map)
  }
}
