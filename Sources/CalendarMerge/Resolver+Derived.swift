import CalendarModel

extension Resolver {
  // MARK: - Impossible combinations

  private static let timeCodes: Set<String> = ["E303", "E304", "E306", "E307"]

  /// Where units of both sides together make times that cannot be: the units of the later write are
  /// shown as it saw them.
  mutating func repairImpossible() {
    guard frame.isSeries else { return }
    for _ in 0..<3 {
      let composition = Composition(frame: frame, units: shown)
      let codes = problems(composed().members).intersection(Resolver.timeCodes.union(["E317"]))
      var groups: [[String]] = []
      if !codes.isDisjoint(with: Resolver.timeCodes) || !composition.hasWholeAnchor {
        groups.append([Unit.day, Unit.hour, "due", "endTimeZone"])
      }
      if codes.contains("E317") {
        groups.append(
          Set(live.keys).union(shown.keys).filter { unit in
            unit == Unit.day || unit.hasPrefix(Unit.futureScope) && unit.hasSuffix("/@day")
          }.sorted())
      }
      var changed = false
      for group in groups where showLatest(of: group) { changed = true }
      if !changed { return }
    }
  }

  /// The codes of the errors in some members.
  private func problems(_ members: JSONObject) -> Set<String> {
    Set(
      ObjectValidator.problems(in: members, kind: frame.kind).map(\.code)
        .filter { $0.hasPrefix("E") })
  }

  /// Shows some units as the latest write of any of them saw them.
  private mutating func showLatest(of group: [String]) -> Bool {
    let writes = group.flatMap { live[$0] ?? [] }.filter { $0.node != 0 }
    guard let latest = writes.inOrder.last else { return false }
    let units = history.nodes[latest.node].units
    var changed = false
    for unit in group where units[unit] != shown[unit] {
      show(units[unit], for: unit)
      changed = true
    }
    return changed
  }

  /// Shows a value; the values of live writes that differ become rivals.
  private mutating func show(_ value: JSONValue?, for unit: String) {
    let writes = (live[unit] ?? []).filter { $0.node != 0 }
    choose(unit, value, writes, rivals: writes.filter { $0.value != value })
  }

  // MARK: - Notes

  /// Makes extra dates of edited occurrences that the rule no longer makes, and notes what nobody
  /// chose.
  mutating func derive() {
    guard frame.isSeries else { return }
    keepRootNotes()
    noteCombined()
    let hasPatches = shown.keys.contains {
      $0.hasPrefix(Unit.occurrenceScope) || $0.hasPrefix(Unit.futureScope)
    }
    guard hasPatches else { return }
    let end = SeriesEnd(composed().members, kind: frame.kind)
    detachOrphans(end)
    noteHidden(end)
  }

  /// Notes of the common state stay until a unit they name is written.
  private mutating func keepRootNotes() {
    for (unit, entries) in ConflictEntries.of(history.nodes[0].version)
    where DerivedNote.isNote(unit) && live[unit] != nil {
      let scope = String(Unit.split(unit).scope)
      let isTouched = live.keys.contains { other in
        guard isWritten(other) else { return false }
        if other == Unit.day || other == Unit.end { return true }
        return scope.isEmpty ? other == Unit.hour : other.hasPrefix(scope)
      }
      if !isTouched { notes[unit] = entries }
    }
  }

  private mutating func noteCombined() {
    guard shown[Unit.day]?.objectValue?["recurrenceRule"] == nil,
      let pair = DerivedNote.pairs(Unit.combined, live: live, frame: frame, history: history)
    else { return }
    let writers = (live[Unit.day] ?? []) + (live[Unit.hour] ?? [])
    let isSomeones = writers.contains { write in
      let units = history.nodes[write.node].units
      return units[Unit.day] == shown[Unit.day] && units[Unit.hour] == shown[Unit.hour]
    }
    // A move that lost to another is listed with that unit already.
    if !isSomeones { notes[Unit.combined] = ConflictEntries.note(pair) }
  }

  private mutating func detachOrphans(_ end: SeriesEnd) {
    var contents: [String: Bool] = [:]
    for unit in shown.keys where unit.hasPrefix(Unit.occurrenceScope) {
      let (scope, name) = Unit.split(unit)
      if scope.isEmpty { continue }
      let isContent = name != "@occurrence" && DerivedNote.isContent(unit)
      contents[String(scope), default: false] = contents[String(scope)] ?? false || isContent
    }
    for (scope, hasContent) in contents {
      let unit = scope + Unit.occurrence
      let note = scope + Unit.orphan
      let key = Unit.key(ofScope: scope)
      let state = shown[unit]
      let wasDerived =
        state == "added" && !isWritten(unit)
        && ConflictEntries.of(history.nodes[0].version)[note] != nil
      guard state == nil || wasDerived else {
        notes[note] = nil
        continue
      }
      if end.generates(key) {
        shown[unit] = nil
        notes[note] = nil
        continue
      }
      guard hasContent else { continue }
      let pair = DerivedNote.pairs(note, live: live, frame: frame, history: history)
      if let pair { notes[note] = ConflictEntries.note(pair) }
      let isAdded = heads.contains { history.nodes[$0].units[unit] == "added" }
      if pair != nil || isAdded { shown[unit] = "added" }
    }
  }

  private mutating func noteHidden(_ end: SeriesEnd) {
    var scopes: Set<String> = []
    for unit in shown.keys where unit.hasPrefix(Unit.futureScope) {
      let scope = String(Unit.split(unit).scope)
      if shown[scope + Unit.segment] != "dropped" { scopes.insert(scope) }
    }
    for scope in scopes where !scope.isEmpty {
      let note = scope + Unit.hidden
      guard end.endsBefore(Unit.key(ofScope: scope)) else {
        notes[note] = nil
        continue
      }
      if let pair = DerivedNote.pairs(note, live: live, frame: frame, history: history) {
        notes[note] = ConflictEntries.note(pair)
      }
    }
  }

  // MARK: - The result

  /// The merged version with its conflicts. If it has errors that no head has, the version of the
  /// latest write stands whole, and everything else that is alive is listed.
  mutating func finish() -> Resolution {
    var version = composed()
    let known = heads.compactMap { history.nodes[$0].version }
    if !known.contains(where: { $0.members == version.members }) {
      let errors = problems(version.members)
      if !errors.isEmpty,
        !errors.isSubset(of: known.reduce(into: []) { $0.formUnion(problems($1.members)) })
      {
        showLatestVersion()
        version = composed()
      }
    }
    let conflicts = entries()
    if !conflicts.isEmpty {
      version.members["conflicts"] = .object(
        JSONObject(conflicts.map { ($0.key, .array($0.value)) }))
    }
    return Resolution(version: version, shown: shown, conflicts: conflicts)
  }

  private mutating func showLatestVersion() {
    let writes = live.values.flatMap { $0 }.filter {
      $0.node != 0 && history.nodes[$0.node].version != nil
    }
    guard let latest = writes.inOrder.last else { return }
    let units = history.nodes[latest.node].units
    for unit in Set(shown.keys).union(units.keys) where units[unit] != shown[unit] {
      show(units[unit], for: unit)
    }
    notes = [:]
  }

  private func entries() -> [String: [JSONValue]] {
    var result = notes
    for (unit, entries) in ConflictEntries.of(history.nodes[0].version)
    where !DerivedNote.isNote(unit) && live[unit] != nil && !isWritten(unit) {
      result[unit] = entries
    }
    for (unit, rivals) in rivals where !rivals.isEmpty {
      if case .existence = UnitRule.of(unit) {
        // What lost is that it should be gone.
        let removals = rivals.map { Write(node: $0.node, stamp: $0.stamp, value: nil) }
        result[unit] = ConflictEntries.entries(removals)
      } else {
        let isPatch = !Unit.split(unit).scope.isEmpty
        result[unit] = ConflictEntries.entries(rivals, isPatch: isPatch)
      }
    }
    return result
  }
}
