import CivilTime
import Recurrence

/// An edit of many occurrences in the making: from one on, or all.
struct Draft {
  let series: Series
  let policy: ExceptionPolicy
  /// The occurrence that was edited; nil if the series itself was.
  let id: RecurrenceID?
  /// Whether the edit holds from `id` on only.
  let isFuture: Bool
  var object: CalendarObject
  var kept: [KeptException] = []
  var dropped: [RecurrenceID] = []

  init(series: Series, policy: ExceptionPolicy, id: RecurrenceID?, isFuture: Bool) {
    self.series = series
    self.policy = policy
    self.id = id
    self.isFuture = isFuture && id != nil
    object = series.object
  }

  func outcome() -> SpanOutcome {
    SpanOutcome(
      object: object, changed: object != series.object, kept: kept,
      dropped: Array(Set(dropped)).sorted())
  }

  /// What an edit writes, in the units that exceptions can hold against it.
  struct Written {
    var pointers: [String] = []
    var hour = false
    var day = false
    var rule = false
  }

  mutating func apply(_ edit: SeriesEdit, promote: Bool) throws(SpanError) {
    var edit = promote ? promoted(edit) : edit
    let inherited = try inheritedValues()
    let shown = shownMembers(inherited)
    edit.changes.removeAll { Patch.value(at: $0.pointer, in: shown) == $0.value }
    let rule = try takeRule(&edit)
    let times = try takeTimes(&edit, inherited)
    try refuseMovedOccurrence(times, inherited)
    var written = Written(pointers: edit.changes.map(\.pointer), rule: rule?.rule != nil)
    if let times {
      written.day = times.days != 0
      written.hour = times.changesHour
    }
    if edit.changes.isEmpty, times == nil, rule == nil { return }
    let found = try settle(written)
    if isFuture {
      try applyFrom(edit, rule, times, inherited)
    } else {
      try applyToAll(edit, rule, times, inherited)
    }
    if policy == .reset { reset(found, written, times) }
    settleOwn(edit)
    tidyFutures()
  }

  // MARK: - What is there before

  /// The override of the edited occurrence.
  private var own: JSONObject? { id.flatMap { series.override($0) } }

  /// The values that the edited occurrence has from the series and its segments.
  private func inheritedValues() throws(SpanError) -> CalendarObject {
    guard let first = series.firstID else {
      throw .invalid(ModelError(pointer: object.anchorName, "a repeating item needs a date"))
    }
    let place = id ?? first
    let isAdded = series.override(place)?["added"] == true && !series.generates(place)
    guard let values = series.values(at: place, isAdded: isAdded) else {
      throw .noSuchOccurrence(place)
    }
    return values
  }

  /// The members as the caller saw them.
  private func shownMembers(_ inherited: CalendarObject) -> JSONObject {
    var members = inherited.members
    if let own, !promotes { members = Patch.applied(own, to: members) }
    members["recurrenceRule"] = object["recurrenceRule"]
    if isFuture, let id, let segment = series.segment(at: id), segment.run > 0 {
      members["recurrenceRule"] = ruleInForce().map { .object($0) }
    }
    return members
  }

  /// The rule that holds for the edited occurrence, with the end of the series.
  func ruleInForce() -> JSONObject? {
    let base = object["recurrenceRule"]?.objectValue
    guard isFuture, let id, let segment = series.segment(at: id), segment.run > 0 else {
      return base
    }
    guard var json = series.runs[segment.run].rule?.json else { return nil }
    json["count"] = base?["count"]
    json["until"] = base?["until"]
    return json
  }

  /// The edit with what the occurrence has of its own made part of it.
  private mutating func promoted(_ edit: SeriesEdit) -> SeriesEdit {
    guard let id, let own else { return edit }
    var completion = JSONObject()
    var result = SeriesEdit()
    for member in own.members where member.name != "added" {
      if Series.completion.contains(member.name) {
        completion[member.name] = member.value
      } else {
        let value: JSONValue? = member.value
        result.set(member.name, member.value.isNull ? JSONValue?.none : value)
      }
    }
    for change in edit.changes { result.set(change.pointer, change.value) }
    if own["added"] == true { completion["added"] = true }
    object.setOverride(id, completion.isEmpty ? nil : completion)
    promotes = true
    return result
  }

  /// Whether the edited occurrence's own values became part of the edit.
  private var promotes = false

  /// An occurrence that was moved on its own cannot hand its start to others by a plain edit.
  private func refuseMovedOccurrence(
    _ times: Draft.Times?, _ inherited: CalendarObject
  ) throws(SpanError) {
    guard let times, let id else { return }
    let isMoved = own.map { own in Series.timeMembers.contains { own[$0] != nil } } ?? false
    let staysMoved = policy != .reset || own?["added"] == true
    if isMoved, staysMoved, !promotes { throw .invalidSpan(id) }
    // An extra date is where its ID says; its day cannot hold for others, nor its own hour.
    guard own?["added"] == true, !series.generates(id) else { return }
    if times.days != 0 || (id.value.time != nil && times.changesHour) { throw .invalidSpan(id) }
  }

  // MARK: - All

  private mutating func applyToAll(
    _ edit: SeriesEdit, _ rule: RuleChange?, _ times: Times?, _ inherited: CalendarObject
  ) throws(SpanError) {
    for change in edit.changes { Patch.set(change.value, at: change.pointer, in: &object.members) }
    if let times { try moveAll(times, inherited, replacesRule: rule?.rule != nil) }
    if let rule { try changeRuleOfAll(rule) }
    keepEarlierExtras()
  }

  /// Extra dates before the edited occurrence keep what they had, if the edit began at the first
  /// date of the rule.
  private mutating func keepEarlierExtras() {
    guard let id, keepsEarlier, let after = try? Series(object) else { return }
    for (extra, patch) in series.overrides where extra < id && patch["added"] == true {
      guard let old = series.values(at: extra, isAdded: true),
        let new = after.values(at: extra, isAdded: true)
      else { continue }
      let before = Patch.applied(patch, to: old.members)
      let now = Patch.applied(patch, to: new.members)
      var pinned = patch
      for name in Set(before.names).union(now.names) where before[name] != now[name] {
        if Series.neverPatched.contains(name) { continue }
        for pointer in pinned.names where pointer.hasPrefix(name + "/") { pinned[pointer] = nil }
        pinned[name] = before[name] ?? .null
      }
      if pinned["timeZone"] != nil, pinned["start"] == nil, pinned["due"] == nil {
        pinned[old.anchorName] = before[old.anchorName]
      }
      object.setOverride(extra, pinned)
    }
  }

  /// Whether occurrences before the edited one keep their values although all are edited.
  var keepsEarlier = false

  // MARK: - From an occurrence on

  private mutating func applyFrom(
    _ edit: SeriesEdit, _ rule: RuleChange?, _ times: Times?, _ inherited: CalendarObject
  ) throws(SpanError) {
    guard let id else { return }
    var key = futureKey(at: id)
    if let rule {
      key = try changeRule(rule, from: id, times: times, inherited) ?? key
      if rule.rule == nil, let times { key = try move(times, from: id, inherited) }
    } else if let times {
      key = try move(times, from: id, inherited)
    }
    guard !edit.changes.isEmpty else { return }
    var patch = future(key)
    let base = valuesBefore(key).members
    for change in edit.changes { Series.write(change, to: &patch, inherited: base) }
    setFuture(key, patch)
  }

  func future(_ key: RecurrenceID) -> JSONObject {
    object["futureOverrides"]?.objectValue?[key.text]?.objectValue ?? JSONObject()
  }

  mutating func setFuture(_ key: RecurrenceID, _ patch: JSONObject) {
    object.setFuture(key, patch.isEmpty ? nil : Normaliser.patch(patch))
  }

  /// The key under which a change from an occurrence on is written: an existing one whose new rule
  /// begins with that occurrence, else the ID.
  func futureKey(at id: RecurrenceID) -> RecurrenceID {
    let opening = Series.patches(object["futureOverrides"]).last { entry in
      let start = (entry.patch["start"] ?? entry.patch["due"])?.stringValue
      return entry.patch["recurrenceRule"] != nil && entry.id <= id
        && start.flatMap { DateOrDateTime(extended: $0) }?.date == id.value.date
    }
    return opening?.id ?? id
  }

  /// The segment in force just before a key.
  func segmentBefore(_ key: RecurrenceID) -> SeriesSegment? {
    series.segments.last { segment in segment.key.map { $0 < key } ?? true }
  }

  func valuesBefore(_ key: RecurrenceID) -> CalendarObject {
    segmentBefore(key)?.values ?? object
  }

  /// The edited occurrence shows what was written to it, whatever it had of its own.
  private mutating func settleOwn(_ edit: SeriesEdit) {
    guard let id, let own = object["recurrenceOverrides"]?.objectValue?[id.text]?.objectValue,
      let after = try? Series(object),
      let values = after.values(at: id, isAdded: own["added"] == true)
    else { return }
    var patch = own
    for change in edit.changes {
      let concerns = patch.names.contains { Series.overlap($0, change.pointer) }
      if concerns { Series.write(change, to: &patch, inherited: values.members) }
    }
    if patch != own { object.setOverride(id, patch.isEmpty ? nil : patch) }
  }

  /// Takes away displacements that no daily or weekly rule carries any more, and empty patches.
  private mutating func tidyFutures() {
    var frequency = object["recurrenceRule"]?.objectValue?["frequency"]?.stringValue
    for (key, patch) in Series.patches(object["futureOverrides"]) {
      var patch = patch
      if let rule = patch["recurrenceRule"] {
        frequency = rule.objectValue?["frequency"]?.stringValue
        patch["shift"] = nil
      }
      if frequency != "daily", frequency != "weekly", patch["shift"] != nil {
        patch["shift"] = nil
        dropped.append(key)
      }
      if patch != future(key) || patch.isEmpty { setFuture(key, patch) }
    }
  }
}
