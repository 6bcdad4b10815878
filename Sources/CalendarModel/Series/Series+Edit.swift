import CivilTime
import Recurrence

extension Series {
  /// Members that only state when something happens.
  static let timeMembers: Set<String> = ["start", "due", "timeZone"]

  /// Applies a field-wise edit to this occurrence, this and future ones, or all (SPANS.md).
  ///
  /// What an edit lists counts against the occurrence as it is shown: a value that is the same is
  /// no change.
  ///
  /// - Parameters:
  ///   - edit: changes of the occurrence, with its own `start` or `due`; for `.all` without `id`, of
  ///     the first one.
  ///   - id: the occurrence; may be nil for `.all` and for objects that do not repeat.
  ///   - promote: whether what the occurrence has of its own becomes part of the edit, so that it
  ///     holds for the others too.
  ///   - strictOrder: whether an occurrence may not be moved onto or past another one.
  /// - Throws: `SpanError`; nothing has changed then.
  public func applying(
    _ edit: SeriesEdit, span: EditSpan, at id: RecurrenceID? = nil,
    policy: ExceptionPolicy = .keep, promote: Bool = false, strictOrder: Bool = false
  ) throws(SpanError) -> SpanOutcome {
    guard repeats else {
      try check(edit, against: object.members, inPatch: false)
      return try finished(editedSingle(edit), detaching: false)
    }
    if span != .all, id == nil { throw .occurrenceNeeded }
    if let id, !isVisible(id) { throw .noSuchOccurrence(id) }
    if span == .this, let id {
      return try applyingToOne(edit, id, strictOrder: strictOrder)
    }
    let shown = (id ?? firstID).flatMap { values(at: $0)?.members } ?? object.members
    let opensSeries = id.map { !hasVisible(before: $0) } ?? true
    // Nothing can hold from the first ID on but a change of all; extra dates before it are kept.
    let isFirst = id.flatMap { id in firstID.map { id <= $0 } } ?? false
    let isFuture = span == .thisAndFuture && !opensSeries && !isFirst
    try check(edit, against: shown, inPatch: isFuture)
    var draft = Draft(series: self, policy: policy, id: id, isFuture: isFuture)
    draft.keepsEarlier = span == .thisAndFuture && !opensSeries && isFirst
    try draft.apply(edit, promote: promote)
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
      outcome.dropped = overrides.filter { $0.id >= id && $0.patch["excluded"] == nil }.map(\.id)
      guard hasVisible(before: id) else { return outcome }
      cut(&changed, from: id)
    }
    changed.members = Series.normalised(changed)
    let series = try Series.made(changed)
    var visible = series.visibleIDs()
    outcome.object = visible.next() == nil ? nil : changed
    return outcome
  }

  /// Ends the series before an occurrence.
  private func cut(_ changed: inout CalendarObject, from id: RecurrenceID) {
    var end = id
    for (key, patch) in Series.patches(object["futureOverrides"]) {
      var ids = visibleIDs(from: key)
      let isEmpty = ids.next().map { $0 >= id } ?? true
      if key >= id || isEmpty { changed.setFuture(key, nil) }
      // Without its new rule the one before would go on behind the key.
      if isEmpty, patch["recurrenceRule"] != nil { end = min(end, key) }
    }
    var rest = IDs(series: self, from: civil(of: end))
    if rest.next() != nil, var rule = object["recurrenceRule"]?.objectValue {
      rule["count"] = nil
      rule["until"] = .string(previousID(before: end).text)
      changed["recurrenceRule"] = .object(rule)
    }
    for (key, _) in overrides where key >= id { changed.setOverride(key, nil) }
    // The anchor always occurs; behind the end it has to be excluded.
    if let firstID, firstID >= id { changed.setOverride(firstID, ["excluded": true]) }
  }

  // MARK: - Questions

  static func made(_ object: CalendarObject) throws(SpanError) -> Series {
    do throws(ModelError) {
      return try Series(object)
    } catch {
      throw .invalid(error)
    }
  }

  /// The ID of the first occurrence, shown or not; nil if there is no date.
  var firstID: RecurrenceID? { runs.first.map { id(of: $0.anchor) } }

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
  func previousID(before id: RecurrenceID) -> RecurrenceID {
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

  /// Refuses pointers that lead nowhere, and members that cannot change for some occurrences only.
  private func check(
    _ edit: SeriesEdit, against members: JSONObject, inPatch: Bool
  ) throws(SpanError) {
    for change in edit.changes {
      let parts = change.pointer.split(separator: "/", omittingEmptySubsequences: false)
      guard !parts.contains("") else {
        throw .invalid(ModelError(pointer: change.pointer, "no slash at an end, no empty part"))
      }
      for length in 1..<max(parts.count, 1) {
        let prefix = parts.prefix(length).joined(separator: "/")
        if let value = Patch.value(at: prefix, in: members), value.objectValue == nil {
          throw .invalid(
            ModelError(pointer: change.pointer, "'\(prefix)' has no members to be changed"))
        }
      }
      let isAddress =
        parts.count == 3 && parts[0] == "participants" && parts[2] == "calendarAddress"
      if inPatch, isAddress || Series.neverPatched.contains(String(parts[0])) {
        throw .invalid(
          ModelError(pointer: change.pointer, "cannot change for some occurrences only"))
      }
      if ["@type", "uid", "recurrenceOverrides", "futureOverrides"].contains(parts[0]) {
        throw .invalid(ModelError(pointer: change.pointer, "cannot be changed by an edit"))
      }
    }
  }

  // MARK: - One occurrence

  private func editedSingle(_ edit: SeriesEdit) -> SpanOutcome {
    var changed = object
    for change in edit.changes { Patch.set(change.value, at: change.pointer, in: &changed.members) }
    changed.members = Series.normalised(changed)
    return SpanOutcome(object: changed, changed: changed != object)
  }

  static func normalised(_ object: CalendarObject) -> JSONObject {
    let kind: FileKind = object.kind == .event ? .event : .reminder
    return Normaliser.normalise(object.members, kind: kind)
  }

  private func applyingToOne(
    _ edit: SeriesEdit, _ id: RecurrenceID, strictOrder: Bool
  ) throws(SpanError) -> SpanOutcome {
    if edit.changes.contains(where: { Series.overlap($0.pointer, "recurrenceRule") }) {
      throw .recurrenceChangeNeedsSpan
    }
    let before = override(id) ?? JSONObject()
    let isAdded = before["added"] == true
    guard let inherited = values(at: id, isAdded: isAdded && !generates(id)) else {
      throw .noSuchOccurrence(id)
    }
    try check(edit, against: Patch.applied(before, to: inherited.members), inPatch: true)
    var patch = before
    for change in edit.changes {
      Series.write(change, to: &patch, inherited: inherited.members)
    }
    Series.tidyTimes(&patch, inherited: inherited, givesDuration: edit["duration"] != nil)
    var changed = object
    changed.setOverride(id, patch.isEmpty ? nil : Normaliser.patch(patch))
    var outcome = SpanOutcome(object: changed, changed: changed != object)
    if outcome.changed, Series.timeMembers.contains(where: { edit[$0] != nil }) {
      outcome.warnings = try orderWarnings(of: id, in: changed)
      if strictOrder, !outcome.warnings.isEmpty { throw .outOfOrder(id) }
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
      let same = Patch.value(at: prefix, in: inherited) == .object(entry)
      patch[prefix] = same ? nil : .object(entry)
      return
    }
    for name in patch.names where name.hasPrefix(change.pointer + "/") { patch[name] = nil }
    let current = Patch.value(at: change.pointer, in: inherited)
    if current == change.value {
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

  /// Keeps the times of a patch together: a zone needs its start beside it, an all-day one has no
  /// zone and no hours, and a start that is the inherited one in the inherited zone is none.
  static func tidyTimes(
    _ patch: inout JSONObject, inherited: CalendarObject, givesDuration: Bool
  ) {
    let name = inherited.anchorName
    func moment(_ name: String) -> DateOrDateTime? {
      patch[name]?.stringValue.flatMap { DateOrDateTime(extended: $0) }
    }
    if let start = moment(name), let before = inherited.anchor, start.isDate != before.isDate {
      for zone in ["timeZone", "endTimeZone"] where start.isDate {
        patch[zone] = nil
        if inherited[zone] != nil { patch[zone] = .null }
      }
      if start.isDate, !givesDuration, patch["duration"] == nil, inherited["duration"] != nil {
        let text = CalendarDuration(days: inherited.duration.wholeDays).description
        patch["duration"] = text == "P1D" ? .null : .string(text)
      }
      if name == "start", patch["due"] == nil, let due = inherited.moment("due") {
        let date = due.date.adding(days: start.date.days(since: before.date))
        let kept = start.time.map { DateOrDateTime.dateTime(CivilDateTime(date: date, time: $0)) }
        patch["due"] = .string((kept ?? .date(date)).description)
      }
    }
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
    let series = try Series.made(changed)
    try checkLengths(series)
    try checkRule(of: changed)
    if detaching {
      for (id, patch) in series.overrides where patch["added"] != true {
        guard Series.hasContent(patch), generates(id), !series.generates(id) else { continue }
        var patch = patch
        patch["added"] = true
        changed.setOverride(id, patch)
        outcome.detached.append(id)
      }
    }
    changed.members = Series.normalised(changed)
    outcome.object = changed
    outcome.changed = changed != object
    if !outcome.changed { (outcome.kept, outcome.dropped) = ([], []) }
    return outcome
  }

  /// Refuses an end before its start, wherever the edit wrote.
  private func checkLengths(_ after: Series) throws(SpanError) {
    func isInverted(_ object: CalendarObject) -> Bool {
      if let text = object["duration"]?.stringValue, let duration = CalendarDuration(text),
        duration.isNegative
      {
        return true
      }
      guard let start = object.moment("start"), let due = object.moment("due") else { return false }
      return start.isDate == due.isDate && due < start
    }
    if isInverted(after.object) { throw .datesInverted }
    for segment in after.segments where segment.key.map({ future($0) != after.future($0) }) ?? true
    {
      if isInverted(segment.values) { throw .datesInverted }
    }
    for (id, patch) in after.overrides where patch["excluded"] == nil && patch != override(id) {
      guard let values = after.values(at: id, isAdded: patch["added"] == true) else { continue }
      var shown = values
      shown.members = Patch.applied(patch, to: values.members)
      if patch["start"] != nil, patch["due"] == nil { Series.keepLength(of: values, in: &shown) }
      if isInverted(shown) { throw .datesInverted }
    }
  }

  private func future(_ key: RecurrenceID) -> JSONObject? {
    object["futureOverrides"]?.objectValue?[key.text]?.objectValue
  }

  private func checkRule(of changed: CalendarObject) throws(SpanError) {
    guard changed["recurrenceRule"] != object["recurrenceRule"] || changed.anchor != object.anchor,
      let rule = try? Series.rule(changed["recurrenceRule"], at: "recurrenceRule"),
      let anchor = changed.anchor, rule.isEvaluable
    else { return }
    var occurrences = rule.occurrences(start: anchor.dateTime)
    if occurrences.next() == nil, occurrences.stop == .neverMatches { throw .ruleGeneratesNothing }
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
