import CivilTime
import Recurrence

/// An edit of many occurrences in the making.
struct Draft {
  let series: Series
  let policy: ExceptionPolicy
  private var object: CalendarObject
  private var kept: [KeptException] = []
  private var dropped: [RecurrenceID] = []

  init(series: Series, policy: ExceptionPolicy) {
    self.series = series
    self.policy = policy
    object = series.object
  }

  func outcome() -> SpanOutcome {
    SpanOutcome(object: object, changed: object != series.object, kept: kept, dropped: dropped)
  }

  // MARK: - All

  mutating func applyToAll(_ edit: SeriesEdit, at id: RecurrenceID?) throws(SpanError) {
    var edit = edit
    let ruleChange = takeRule(&edit)
    let written = edit.changes.map(\.pointer)
    try settle(written + (ruleChange == nil ? [] : ["recurrenceRule"]), from: nil)
    let times = takeTimes(&edit)
    for change in edit.changes { Patch.set(change.value, at: change.pointer, in: &object.members) }
    if let times { try moveAll(times, at: id) }
    if let ruleChange { try changeRuleOfAll(ruleChange) }
  }

  private mutating func changeRuleOfAll(_ value: JSONValue?) throws(SpanError) {
    guard let value else {
      for name in ["recurrenceRule", "futureOverrides"] { object[name] = nil }
      // One plain item stays; what concerned other dates has no place any more.
      for (id, patch) in series.overrides where patch["added"] != true {
        object.setOverride(id, nil)
      }
      return
    }
    object["recurrenceRule"] = value
    let rule = try checked(value)
    guard let anchor = object.anchor, rule.isEvaluable else { return }
    var matches = rule.withoutEnd.occurrences(start: anchor.dateTime)
    guard let first = matches.next() else {
      if matches.stop == .neverMatches { throw .ruleGeneratesNothing }
      return
    }
    if first != anchor.dateTime, !rule.repeatsWithinDay { setAnchor(to: first.date) }
  }

  private func checked(_ value: JSONValue) throws(SpanError) -> RecurrenceRule {
    let rule: RecurrenceRule?
    do throws(ModelError) {
      rule = try Series.rule(value, at: "recurrenceRule")
    } catch {
      throw .invalid(error)
    }
    guard let rule else { throw .invalid(ModelError(pointer: "recurrenceRule", "must be a rule")) }
    return rule
  }

  private mutating func setAnchor(to date: CivilDate) {
    guard let anchor = object.anchor else { return }
    let days = date.days(since: anchor.date)
    for name in ["start", "due"] {
      guard let moment = object.moment(name) else { continue }
      object[name] = .string(moment.adding(days: days).description)
    }
  }

  /// New start or due, as the caller sees the occurrence.
  private struct Times {
    var anchor: DateOrDateTime?
    var due: JSONValue??
    var timeZone: JSONValue??
  }

  private mutating func takeTimes(_ edit: inout SeriesEdit) -> Times? {
    let name = object.anchorName
    var times = Times()
    if case .some(.some(let value)) = edit[name] {
      times.anchor = value.stringValue.flatMap { DateOrDateTime(extended: $0) }
    }
    if name == "start" { times.due = edit["due"] }
    times.timeZone = edit["timeZone"]
    let pointers = [name, "timeZone"] + (name == "start" ? ["due"] : [])
    guard pointers.contains(where: { edit[$0] != nil }) else { return nil }
    edit.changes.removeAll { pointers.contains($0.pointer) }
    return times
  }

  private mutating func moveAll(_ times: Times, at id: RecurrenceID?) throws(SpanError) {
    let name = object.anchorName
    guard let anchor = object.anchor else {
      if let value = times.anchor { object[name] = .string(value.description) }
      return
    }
    if let zone = times.timeZone { object["timeZone"] = zone }
    if let due = times.due { object["due"] = due }
    guard let target = times.anchor else { return }
    let shown = id.flatMap { series.shownAnchor(at: $0) } ?? series.shownAnchorOfFirst ?? anchor
    let days = target.date.days(since: shown.date)
    if target.isDate != shown.isDate || target.time != shown.time {
      let moved: DateOrDateTime =
        target.time.map { .dateTime(CivilDateTime(date: anchor.date, time: $0)) }
        ?? .date(anchor.date)
      object[name] = .string(moved.description)
      if moved.isDate { object["timeZone"] = nil }
      shiftDue(from: anchor, to: moved, unless: times.due != nil)
    }
    guard days != 0 else { return }
    guard let rule = try? Series.rule(object["recurrenceRule"], at: "recurrenceRule") else {
      setAnchor(to: anchor.date.adding(days: days))
      return
    }
    switch rule.frequency {
    case .daily, .weekly:
      let date = id?.value.date ?? anchor.date
      try pinned(rule, from: shown.date, to: shown.date.adding(days: days))
      addShift(days, at: RecurrenceID(.date(anchor.date)), of: date)
    case .monthly, .yearly:
      let replaced = try replacing(rule, from: shown.date, to: target.date)
      object["recurrenceRule"] = .object(replaced.json)
      setAnchor(to: anchor.date.adding(days: days))
      if let moved = object.anchor {
        var matches = replaced.withoutEnd.occurrences(start: moved.dateTime)
        if let first = matches.next(), first.date != moved.date { setAnchor(to: first.date) }
      }
    default: setAnchor(to: anchor.date.adding(days: days))
    }
  }

  private mutating func shiftDue(
    from old: DateOrDateTime, to new: DateOrDateTime, unless given: Bool
  ) {
    guard !given, object.anchorName == "start", let due = object.moment("due") else { return }
    if new.isDate {
      object["due"] = .string(DateOrDateTime.date(due.date).description)
      return
    }
    let civil = due.dateTime.civilSeconds + new.dateTime.civilSeconds - old.dateTime.civilSeconds
    object["due"] = .string(CivilDateTime(civilSeconds: civil).description)
  }

  /// Adds a displacement by days at a key; one that comes to nothing goes.
  private mutating func addShift(_ days: Int, at key: RecurrenceID, of _: CivilDate) {
    var patch =
      Series.patches(object["futureOverrides"]).first { $0.id == key }?.patch ?? JSONObject()
    let before = patch["shift"]?.stringValue.flatMap { CalendarDuration($0)?.days } ?? 0
    let sum = before + days
    patch["shift"] = sum == 0 ? nil : .string(sum < 0 ? "-P\(-sum)D" : "P\(sum)D")
    object.setFuture(key, patch.isEmpty ? nil : patch)
  }

  // MARK: - From an occurrence on

  mutating func applyFrom(_ id: RecurrenceID, _ edit: SeriesEdit) throws(SpanError) {
    var edit = edit
    let ruleChange = takeRule(&edit)
    var written = edit.changes.map(\.pointer)
    if ruleChange != nil { written.append("recurrenceRule") }
    let own = series.override(id)
    let movesTime = Series.timeMembers.contains { edit[$0] != nil }
    if movesTime, own?["start"] != nil || own?["due"] != nil, policy != .reset {
      throw .invalidSpan(id)
    }
    try settle(written, from: id)
    let times = takeTimes(&edit)
    guard let inherited = series.values(at: id) else { throw .noSuchOccurrence(id) }
    if let ruleChange {
      try changeRule(ruleChange, from: id, times: times, inherited: inherited)
    } else if let times {
      try move(times, from: id, inherited: inherited)
    }
    guard !edit.changes.isEmpty else { return }
    let key = futureKey(at: id)
    var patch = future(key)
    let base = inheritedMembers(before: key)
    for change in edit.changes { Series.write(change, to: &patch, inherited: base) }
    setFuture(key, patch)
  }

  private func future(_ key: RecurrenceID) -> JSONObject {
    Series.patches(object["futureOverrides"]).first { $0.id == key }?.patch ?? JSONObject()
  }

  /// The key under which a change from an occurrence on is written: an existing one whose new rule
  /// begins with that occurrence, else the ID.
  private func futureKey(at id: RecurrenceID) -> RecurrenceID {
    let opening = Series.patches(object["futureOverrides"]).last { entry in
      let start = (entry.patch["start"] ?? entry.patch["due"])?.stringValue
      return entry.patch["recurrenceRule"] != nil && entry.id <= id
        && start.flatMap { DateOrDateTime(extended: $0) }?.date == id.value.date
    }
    return opening?.id ?? id
  }

  private mutating func setFuture(_ key: RecurrenceID, _ patch: JSONObject) {
    object.setFuture(key, patch.isEmpty ? nil : Normaliser.patch(patch))
  }

  /// The values in force just before a key.
  private func inheritedMembers(before key: RecurrenceID) -> JSONObject {
    var members = object.members
    for (id, patch) in Series.patches(object["futureOverrides"]) where id < key {
      members = Patch.applied(patch, to: members)
    }
    return members
  }

  private mutating func move(
    _ times: Times, from id: RecurrenceID, inherited: CalendarObject
  ) throws(SpanError) {
    let name = inherited.anchorName
    guard let shown = inherited.anchor else { throw .noSuchOccurrence(id) }
    let target = times.anchor ?? shown
    let days = target.date.days(since: shown.date)
    let key = futureKey(at: id)
    if days != 0 {
      let segment = series.segment(at: id)
      guard let rule = segment.flatMap({ series.runs[$0.run].rule }) else {
        throw .startConflictsWithRule(suggestion: nil)
      }
      switch rule.frequency {
      case .daily, .weekly:
        try pinned(rule, from: shown.date, to: target.date)
        var patch = future(key)
        let sum = (segment?.shiftDays ?? 0) + days
        patch["shift"] = .string(sum < 0 ? "-P\(-sum)D" : "P\(sum)D")
        setFuture(key, patch)
      case .monthly, .yearly:
        let replaced = try replacing(rule, from: shown.date, to: target.date)
        var patch = future(key)
        patch[name] = .string(target.description)
        patch["recurrenceRule"] = .object(replaced.json)
        object.setFuture(key, nil)
        setFuture(RecurrenceID(.date(min(id.value.date, target.date))), patch)
        return
      default: throw .startConflictsWithRule(suggestion: nil)
      }
    }
    let changesZone = times.timeZone.map { $0 != inherited["timeZone"] } ?? false
    guard target.time != shown.time || target.isDate != shown.isDate || changesZone else { return }
    var patch = future(key)
    let onKey: DateOrDateTime =
      target.time.map { .dateTime(CivilDateTime(date: id.value.date, time: $0)) }
      ?? .date(id.value.date)
    patch[name] = .string(onKey.description)
    if let zone = times.timeZone, changesZone { patch["timeZone"] = zone ?? .null }
    if target.isDate, inherited["timeZone"] != nil { patch["timeZone"] = .null }
    setFuture(key, patch)
  }

  private mutating func changeRule(
    _ value: JSONValue?, from id: RecurrenceID, times: Times?, inherited: CalendarObject
  ) throws(SpanError) {
    let name = inherited.anchorName
    let base = object["recurrenceRule"]?.objectValue ?? JSONObject()
    guard let shown = times?.anchor ?? inherited.anchor else { throw .noSuchOccurrence(id) }
    guard let value, var json = value.objectValue else {
      var patch = future(id)
      patch[name] = .string(shown.description)
      patch["recurrenceRule"] = .null
      setFuture(id, patch)
      dropFutures(after: id)
      return
    }
    let rule = try checked(value)
    var end = base
    end["count"] = json["count"]
    end["until"] = json["until"]
    if end != base { object["recurrenceRule"] = .object(end) }
    json["count"] = nil
    json["until"] = nil
    let current = series.segment(at: id).flatMap { series.runs[$0.run].rule }
    if current?.json == json { return }
    var matches = rule.withoutEnd.occurrences(start: shown.dateTime)
    guard let first = matches.next() else { throw .ruleGeneratesNothing }
    let start: DateOrDateTime = shown.isDate ? .date(first.date) : .dateTime(first)
    let key = RecurrenceID(
      series.repeatsWithinDay ? id.value : .date(min(id.value.date, first.date)))
    var patch = future(id)
    object.setFuture(id, nil)
    patch["shift"] = nil
    patch[name] = .string(start.description)
    patch["recurrenceRule"] = .object(json)
    if let zone = times?.timeZone { patch["timeZone"] = zone ?? .null }
    setFuture(key, patch)
  }

  private mutating func dropFutures(after id: RecurrenceID) {
    for (key, _) in Series.patches(object["futureOverrides"]) where key > id {
      object.setFuture(key, nil)
    }
  }

  // MARK: - More specific changes

  /// Applies the policy to overrides and later segments that have a value of their own for what is
  /// written.
  private mutating func settle(_ written: [String], from id: RecurrenceID?) throws(SpanError) {
    func concerned(_ patch: JSONObject) -> [String] {
      patch.names.filter { name in
        written.contains { pointer in
          pointer == name || pointer.hasPrefix(name + "/") || name.hasPrefix(pointer + "/")
            || (Series.timeMembers.contains(pointer) && ["start", "due"].contains(name))
        }
      }
    }
    var found: [KeptException] = []
    for (key, patch) in series.overrides where id.map({ key >= $0 }) ?? true {
      let fields = concerned(patch)
      if patch["excluded"] == nil, !fields.isEmpty {
        found.append(KeptException(id: key, isSegment: false, fields: fields))
      }
    }
    let isFirst = series.segments.first?.values.anchor.map { RecurrenceID(.date($0.date)) }
    for (key, patch) in Series.patches(series.object["futureOverrides"])
    where (id.map { key > $0 } ?? true) && key != isFirst {
      let fields = concerned(patch)
      if !fields.isEmpty { found.append(KeptException(id: key, isSegment: true, fields: fields)) }
    }
    switch policy {
    case .keep: kept = found
    case .refuse: if !found.isEmpty { throw .exceptionsInTheWay(found) }
    case .reset: reset(written, found, from: id)
    }
  }

  private mutating func reset(_ written: [String], _ found: [KeptException], from id: RecurrenceID?)
  {
    for (key, patch) in series.overrides where id.map({ key >= $0 }) ?? true {
      if patch["excluded"] != nil || patch["added"] == true { continue }
      var completion = JSONObject()
      for name in ["progress", "completed"] { completion[name] = patch[name] }
      if completion == patch { continue }
      object.setOverride(key, completion.isEmpty ? nil : completion)
      dropped.append(key)
    }
    for exception in found where exception.isSegment {
      var patch = future(exception.id)
      for field in exception.fields { patch[field] = nil }
      if written.contains("start") || written.contains("due") { patch["shift"] = nil }
      setFuture(exception.id, patch)
      dropped.append(exception.id)
    }
  }

  // MARK: - Rules and days

  /// Takes changes of the rule out of an edit: the whole new rule, `.some(nil)` for none.
  private func takeRule(_ edit: inout SeriesEdit) -> JSONValue?? {
    var result: JSONValue??
    var rule = object["recurrenceRule"]?.objectValue ?? JSONObject()
    for change in edit.changes {
      if change.pointer == "recurrenceRule" {
        result = .some(change.value)
        rule = change.value?.objectValue ?? JSONObject()
      } else if change.pointer.hasPrefix("recurrenceRule/") {
        Patch.set(change.value, at: String(change.pointer.dropFirst(15)), in: &rule)
        result = .some(.object(rule))
      }
    }
    edit.changes.removeAll { $0.pointer.split(separator: "/").first == "recurrenceRule" }
    if case .some(.some(let value)) = result, let json = value.objectValue {
      return .some(.object(Normaliser.rule(json)))
    }
    return result
  }

  /// Checks that a daily or weekly series may be displaced: it pins at most one weekday.
  private func pinned(
    _ rule: RecurrenceRule, from old: CivilDate, to new: CivilDate
  ) throws(SpanError) {
    guard rule.byDay.count > 1 || !rule.byMonthDay.isEmpty || !rule.byYearDay.isEmpty else {
      return
    }
    var suggestion = rule
    suggestion.byDay = rule.byDay.map {
      $0.weekday == old.weekday ? .init(new.weekday, ordinal: $0.ordinal) : $0
    }
    throw .startConflictsWithRule(suggestion: suggestion)
  }

  /// A monthly or yearly rule for a new date: the one value it pins that fits the old date is
  /// replaced.
  private func replacing(
    _ rule: RecurrenceRule, from old: CivilDate, to new: CivilDate
  ) throws(SpanError) -> RecurrenceRule {
    var replaced = rule.withoutEnd
    replaced.count = rule.count
    replaced.until = rule.until
    if rule.byMonthDay.count > 1 || rule.byDay.count > 1 || rule.byMonth.count > 1
      || !rule.byYearDay.isEmpty || !rule.byWeekNumber.isEmpty || !rule.bySetPosition.isEmpty
    {
      var suggestion = RecurrenceRule(frequency: rule.frequency)
      suggestion.interval = rule.interval
      throw .startConflictsWithRule(suggestion: suggestion)
    }
    if let day = rule.byMonthDay.first {
      let length = CivilDate.daysInMonth(old.month, year: old.year)
      guard day == old.day || day == old.day - length - 1 else {
        throw .startConflictsWithRule(suggestion: nil)
      }
      let newLength = CivilDate.daysInMonth(new.month, year: new.year)
      replaced.byMonthDay = [day > 0 ? new.day : new.day - newLength - 1]
    }
    if let day = rule.byDay.first {
      guard day.weekday == old.weekday else { throw .startConflictsWithRule(suggestion: nil) }
      let ordinal = day.ordinal.map { $0 > 0 ? (new.day - 1) / 7 + 1 : -1 }
      replaced.byDay = [.init(new.weekday, ordinal: ordinal)]
    }
    if let month = rule.byMonth.first {
      guard month.number == old.month else { throw .startConflictsWithRule(suggestion: nil) }
      replaced.byMonth = [.init(new.month)]
    }
    return replaced
  }
}

extension DateOrDateTime {
  /// The same kind of value a number of days later.
  func adding(days: Int) -> DateOrDateTime {
    switch self {
    case .date(let date): .date(date.adding(days: days))
    case .dateTime(let value):
      .dateTime(CivilDateTime(date: value.date.adding(days: days), time: value.time))
    }
  }
}

extension Series {
  /// The start or due of an occurrence as it is shown.
  func shownAnchor(at id: RecurrenceID) -> DateOrDateTime? {
    guard var object = values(at: id, isAdded: override(id)?["added"] == true) else { return nil }
    if let patch = override(id) { object.members = Patch.applied(patch, to: object.members) }
    return object.anchor
  }

  /// The start or due of the first occurrence, overrides aside.
  var shownAnchorOfFirst: DateOrDateTime? {
    guard let anchor = object.anchor else { return nil }
    return values(at: RecurrenceID(repeatsWithinDay ? anchor : .date(anchor.date)))?.anchor
  }
}
