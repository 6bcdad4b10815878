import CalendarModel

/// What a merge of some heads shows.
struct Resolution {
  /// The merged object; nil if it is deleted.
  var version: ObjectVersion?
  /// The units, also those that are carried unseen.
  var shown: [String: JSONValue]
  /// The entries of `conflicts` by pointer.
  var conflicts: [String: [JSONValue]]
}

/// Computes the merge of some heads from the writes that are alive at them.
struct Resolver {
  let history: ObjectHistory
  let heads: [Int]
  let live: [String: [Write]]
  /// The units as they will be shown, carried ones among them.
  var shown: [String: JSONValue]
  /// The write whose value is shown, for units written since the common state.
  var chosen: [String: Write] = [:]
  /// Writes whose values are not shown, by unit.
  var rivals: [String: [Write]] = [:]
  /// Derived notes and who made them necessary.
  var notes: [String: [JSONValue]] = [:]
  /// Live edits by what they are inside of: the object, an occurrence's scope, a map entry.
  private var edits: [String: [Write]] = [:]

  init(history: ObjectHistory, heads: [Int], live: [String: [Write]]) {
    self.history = history
    self.heads = heads
    self.live = live
    shown = history.nodes[0].units
  }

  var frame: Frame { history.frame }

  /// Whether a unit was written since the common state.
  func isWritten(_ unit: String) -> Bool { live[unit]?.contains { $0.node != 0 } ?? false }

  mutating func resolve() -> Resolution {
    edits = containerEdits()
    let written = live.keys.filter { isWritten($0) && !DerivedNote.isNote($0) }.sorted()
    for unit in written {
      switch UnitRule.of(unit) {
      case .end: break
      case .text: pickText(unit)
      case .existence:
        if !unit.hasSuffix(Unit.occurrence), !unit.hasSuffix(Unit.segment) { pickExistence(unit) }
      case let rule:
        guard let writes = live[unit] else { continue }
        let (value, rivals) = PropertyMerge.pick(rule, writes)
        choose(unit, value, writes, rivals: rivals)
      }
    }
    for unit in written where unit.hasSuffix("/@segment") { pickExistence(unit) }
    if isWritten(Unit.end) { pickEnd() }
    for unit in written where unit.hasSuffix("/@occurrence") { pickExistence(unit) }
    restoreDropped()
    noteEntriesPatchedFurtherDown()
    pinZones()
    guard shown[Unit.object] != nil else {
      return Resolution(version: nil, shown: shown, conflicts: [:])
    }
    repairImpossible()
    derive()
    return finish()
  }

  /// Shows a value and remembers who wrote it and who wrote something else.
  mutating func choose(_ unit: String, _ value: JSONValue?, _ writes: [Write], rivals: [Write]) {
    shown[unit] = value
    chosen[unit] = writes.filter { $0.value == value }.inOrder.last
    self.rivals[unit] = rivals.isEmpty ? nil : rivals
  }

  // MARK: - Existence

  /// Edits that keep what they are inside of alive: everything but skips, cuts and what a cut drops.
  private func containerEdits() -> [String: [Write]] {
    var edits: [String: [Write]] = [:]
    for (unit, writes) in live where unit != Unit.object && !DerivedNote.isNote(unit) {
      let writes = writes.filter { write in
        write.node != 0 && !write.isCut
          && !(write.isRemoval && !unit.hasSuffix("/@entry"))
      }
      if writes.isEmpty { continue }
      edits[Unit.object, default: []] += writes
      let (scope, name) = Unit.split(unit)
      if scope.isEmpty {
        if let entry = Unit.entry(of: unit), unit != entry + "/@entry" {
          edits[entry, default: []] += writes
        }
        if unit == "mainLocationId" {
          // A choice of a place keeps the place.
          for write in writes {
            guard let id = write.value?.stringValue else { continue }
            edits["locations/" + Patch.escaped(id), default: []].append(write)
          }
        }
      } else {
        if name != "@occurrence", name != "@segment" {
          edits[String(scope), default: []] += writes
        }
        var prefix = name
        while let slash = prefix.lastIndex(of: "/") {
          prefix = prefix[..<slash]
          if name != prefix + "/@entry" { edits["\(scope)\(prefix)", default: []] += writes }
        }
      }
    }
    return edits
  }

  /// Decides whether something is there: an edit that the removal has not seen keeps it.
  private mutating func pickExistence(_ unit: String) {
    guard let writes = live[unit] else { return }
    let removals = writes.filter(\.isRemoval)
    let others = writes.filter { !$0.isRemoval }
    guard !removals.isEmpty else {
      guard let last = others.inOrder.last else { return }
      return choose(unit, last.value, writes, rivals: [])
    }
    let container: String
    if unit == Unit.object {
      container = unit
    } else if unit.hasSuffix("/@entry") {
      container = String(unit.dropLast("/@entry".count))
    } else {
      container = String(Unit.split(unit).scope)
    }
    let unseen = ((edits[container] ?? []) + others).filter { edit in
      removals.allSatisfy { !history.hasSeen($0.node, edit.node) }
    }
    guard let latest = unseen.inOrder.last else {
      let order: [JSONValue] = ["excluded", "removed", "dropped"]
      let value = order.first { candidate in removals.contains { $0.value == candidate } }
      return choose(unit, value, writes, rivals: [])
    }
    let kept = others.inOrder.last?.value ?? history.nodes[latest.node].units[unit]
    choose(unit, kept, writes, rivals: removals.filter { $0.value != "dropped" })
    if others.isEmpty { chosen[unit] = nil }
  }

  /// Brings back what a cut dropped, if the series ends by another end than the cut's.
  private mutating func restoreDropped() {
    for (unit, value) in shown where value == "dropped" {
      guard let drop = chosen[unit], let ends = live[Unit.end],
        let cut = ends.first(where: { $0.node == drop.node }), cut.value != shown[Unit.end]
      else { continue }
      shown[unit] = drop.restores
    }
  }

  /// Notes entries that were removed from the series while a patch further down was made without
  /// knowing of that.
  private mutating func noteEntriesPatchedFurtherDown() {
    for (unit, writes) in live where unit.hasSuffix("/@entry") && Unit.split(unit).scope.isEmpty {
      let removals = writes.filter { $0.isRemoval && $0.node != 0 }
      guard shown[unit] == nil, !removals.isEmpty else { continue }
      let inner = "/" + unit.dropLast(Unit.entry.count)
      for (other, patches) in live where other.contains(inner) && !Unit.split(other).scope.isEmpty {
        let isNoted = patches.contains { patch in
          patch.value != nil && removals.contains { history.areConcurrent($0, patch) }
        }
        if isNoted { rivals[unit] = removals }
      }
    }
  }

  // MARK: - The end of the series, and zones

  /// Chooses the end: of several cuts the earliest, else the latest write.
  private mutating func pickEnd() {
    guard let writes = live[Unit.end] else { return }
    if !writes.agree, writes.allSatisfy(\.isCut) {
      let order = SeriesEnd(composed().members, kind: frame.kind)
      var best = writes.inOrder[0]
      for write in writes.inOrder.dropFirst()
      where !order.isEarlier(best.value, than: write.value) {
        best = write
      }
      return choose(Unit.end, best.value, writes, rivals: [])
    }
    let (value, rivals) = PropertyMerge.pick(.end, writes)
    choose(Unit.end, value, writes, rivals: rivals)
    guard shown[Unit.day]?.objectValue?["recurrenceRule"] == nil else { return }
    // Without a rule there is no place for an end: one that the rule's removal has not seen waits.
    let unseen = writes.filter { write in
      !(live[Unit.day] ?? []).contains { history.hasSeen($0.node, write.node) }
    }
    self.rivals[Unit.end] = unseen.isEmpty ? nil : unseen
  }

  /// Spells out the zone of hours and starts that were set under another zone than the merged one.
  private mutating func pinZones() {
    let units = shown.keys.filter { ZoneFrame.inherits($0, anchorName: frame.anchorName) }
    let order = units.sorted { left, right in
      let (first, second) = (left.hasPrefix(Unit.futureScope), right.hasPrefix(Unit.futureScope))
      if first != second { return first }
      return Decomposition.precedes(
        Unit.key(ofScope: Unit.split(left).scope), Unit.key(ofScope: Unit.split(right).scope))
    }
    for unit in order {
      guard let value = shown[unit]?.objectValue else { continue }
      shown[unit] = .object(pinned(value, unit))
    }
  }

  private func pinned(_ value: JSONObject, _ unit: String) -> JSONObject {
    let around = ZoneFrame.around(unit, in: shown)
    let zoneWrite = chosen[around.governing]
    let write = chosen[unit]
    var source = write?.node ?? zoneWrite?.node ?? 0
    if let write, let zoneWrite, history.hasSeen(zoneWrite.node, write.node) {
      source = zoneWrite.node
    }
    func core(_ object: JSONObject?) -> JSONObject? {
      var object = object
      object?["timeZone"] = nil
      return object
    }
    var units = history.nodes[source].units
    if core(units[unit]?.objectValue) != core(value) {
      // The one who changed the zone has not seen this value after all.
      units = history.nodes[write?.node ?? 0].units
    }
    guard let raw = units[unit]?.objectValue, core(raw) == core(value) else { return value }
    var result = core(value) ?? value
    let zone = ZoneFrame.spelledOut(.object(raw), unit, in: units).objectValue?["timeZone"]
    let isAllDay = value["time"]?.isNull ?? false || value.moment(frame.anchorName)?.isDate ?? false
    if raw["timeZone"] != nil {
      result["timeZone"] = raw["timeZone"]
    } else if !isAllDay, zone != around.zone {
      result["timeZone"] = zone ?? .null
    }
    return result
  }

  /// The series as the units shown so far make it.
  func composed() -> ObjectVersion {
    Composition(frame: frame, units: shown).version(identity: identity)
  }

  /// The members that say which object this is, from any version that has them.
  private var identity: JSONObject {
    let candidates = heads + [0]
    for node in candidates {
      if let version = history.nodes[node].version { return version.members }
    }
    return history.nodes.compactMap(\.version).first?.members ?? JSONObject()
  }
}
