import CivilTime
import Recurrence

// Moves of start and due.
extension Draft {
  /// New start or due, as the caller sees the occurrence.
  struct Times {
    /// The start, else due, before and after.
    var shown: DateOrDateTime
    var target: DateOrDateTime
    /// The due date of an item that also has a start: nil if it goes along.
    var due: JSONValue??
    /// A start given to an item that had only a due date.
    var start: JSONValue?
    var timeZone: JSONValue??
    var givesDuration = false

    var days: Int { target.date.days(since: shown.date) }
    var changesKind: Bool { target.isDate != shown.isDate }
    var changesHour: Bool {
      target.time != shown.time || timeZone != nil || due != nil || start != nil
    }
  }

  mutating func takeTimes(
    _ edit: inout SeriesEdit, _ inherited: CalendarObject
  ) throws(SpanError) -> Times? {
    let name = inherited.anchorName
    guard Series.timeMembers.contains(where: { edit[$0] != nil }), let shown = inherited.anchor
    else { return nil }
    var times = Times(shown: shown, target: shown)
    if case .some(let value) = edit[name] {
      guard let target = value?.stringValue.flatMap({ DateOrDateTime(extended: $0) }) else {
        throw .invalid(ModelError(pointer: name, "a repeating item needs a date here"))
      }
      times.target = target
    }
    if name == "start" { times.due = edit["due"] }
    if name == "due", case .some(.some(let value)) = edit["start"] {
      // The IDs of the series are dates of `due`; they stay only if `start` is on the same day.
      let start = value.stringValue.flatMap { DateOrDateTime(extended: $0) }
      guard let start, start.date == times.target.date, start.isDate == times.target.isDate else {
        throw .invalid(
          ModelError(pointer: "start", "must be on the day of 'due' in a series without a start"))
      }
      times.start = value
    }
    times.timeZone = edit["timeZone"]
    times.givesDuration = edit["duration"] != nil
    edit.changes.removeAll { Series.timeMembers.contains($0.pointer) }
    return times
  }

  /// The members that say when, with the occurrence placed on a date.
  private func members(
    _ times: Times, on date: CivilDate, _ inherited: CalendarObject
  ) -> [(name: String, value: JSONValue?)] {
    let days = date.days(since: times.target.date)
    func moved(_ value: JSONValue?) -> JSONValue? {
      guard let moment = value?.stringValue.flatMap({ DateOrDateTime(extended: $0) }) else {
        return value
      }
      return .string(moment.adding(days: days).description)
    }
    let name = inherited.anchorName
    var result: [(name: String, value: JSONValue?)] = []
    result.append((name, .string(times.target.adding(days: days).description)))
    if let start = times.start { result.append(("start", moved(start))) }
    if let due = times.due {
      result.append(("due", moved(due)))
    } else if name == "start", times.changesKind, let due = inherited.moment("due") {
      let kind: DateOrDateTime =
        times.target.time.map { .dateTime(CivilDateTime(date: due.date, time: $0)) }
        ?? .date(due.date)
      let span = times.target.date.days(since: times.shown.date) + days
      result.append(("due", .string(kind.adding(days: span).description)))
    }
    if times.target.isDate {
      result.append(("timeZone", nil))
      result.append(("endTimeZone", nil))
      if times.changesKind, !times.givesDuration, inherited["duration"] != nil {
        let days = inherited.duration.wholeDays
        let text = CalendarDuration(days: days).description
        result.append(("duration", days == 1 ? nil : .string(text)))
      }
    } else if let zone = times.timeZone {
      result.append(("timeZone", zone))
      if zone == nil { result.append(("endTimeZone", nil)) }
    }
    return result
  }

  // MARK: - All

  mutating func moveAll(
    _ times: Times, _ inherited: CalendarObject, replacesRule: Bool
  ) throws(SpanError) {
    guard let anchor = object.anchor else { return }
    if series.repeatsWithinDay, times.target != times.shown {
      try moveWithinDay(times)
      return
    }
    if times.changesHour {
      var before = object
      let values = members(times, on: anchor.date, inherited)
      for (name, value) in values { object[name] = value }
      before[before.anchorName] = .string(anchor.description)
      if times.due == nil, !times.changesKind { Series.keepLength(of: before, in: &object) }
    }
    guard times.days != 0 else { return }
    let rule = try baseRule()
    guard !replacesRule, let rule else {
      setAnchor(to: anchor.date.adding(days: times.days))
      return
    }
    switch rule.frequency {
    case .daily, .weekly:
      try pinned(rule, from: times.shown.date, to: times.target.date)
      let first = RecurrenceID(.date(anchor.date))
      var days = times.days
      if policy == .reset, let id, series.segment(at: id)?.run == 0 {
        // Displacements of later segments go, so the whole way is that of the series.
        let before = future(first)["shift"]?.stringValue.flatMap { CalendarDuration($0)?.days } ?? 0
        days = times.target.date.days(since: id.value.date) - before
      }
      addShift(days, at: first)
    default:
      let replaced = try replacing(rule, from: times.shown.date, to: times.target.date)
      object["recurrenceRule"] = .object(replaced.json)
      setAnchor(to: anchor.date.adding(days: times.days))
      if let moved = object.anchor {
        var matches = replaced.withoutEnd.occurrences(start: moved.dateTime)
        if let first = matches.next(), first.date != moved.date { setAnchor(to: first.date) }
      }
      rekeyOwn(to: times.target.date)
      rekeyFutures(days: times.days)
    }
  }

  /// What the edited occurrence has of its own goes with it to its new ID.
  private mutating func rekeyOwn(to date: CivilDate) {
    guard let id, !series.repeatsWithinDay, date != id.value.date,
      let own = object["recurrenceOverrides"]?.objectValue?[id.text]?.objectValue,
      own["added"] != true || series.generates(id)
    else { return }
    let place = RecurrenceID(.date(date))
    guard series.override(place) == nil else { return }
    object.setOverride(id, nil)
    object.setOverride(place, own)
  }

  func baseRule() throws(SpanError) -> RecurrenceRule? {
    do throws(ModelError) {
      return try Series.rule(object["recurrenceRule"], at: "recurrenceRule")
    } catch {
      throw .invalid(error)
    }
  }

  /// Moves a series whose IDs are date-times: the IDs move along, with everything kept under them.
  private mutating func moveWithinDay(_ times: Times) throws(SpanError) {
    let rule = try baseRule()
    let pinsTime =
      rule.map { !$0.byHour.isEmpty || !$0.byMinute.isEmpty || !$0.bySecond.isEmpty } ?? false
    let isPlain = Series.patches(object["futureOverrides"]).isEmpty
    guard let anchor = object.anchor, !pinsTime, !times.changesKind, isPlain else {
      throw .startConflictsWithRule(suggestion: nil)
    }
    let seconds = times.target.dateTime.civilSeconds - times.shown.dateTime.civilSeconds
    func moved(_ value: CivilDateTime) -> DateOrDateTime {
      .dateTime(CivilDateTime(civilSeconds: value.civilSeconds + seconds))
    }
    var before = object
    before[before.anchorName] = .string(anchor.description)
    object[object.anchorName] = .string(moved(anchor.dateTime).description)
    if case .some(let zone) = times.timeZone { object["timeZone"] = zone }
    Series.keepLength(of: before, in: &object)
    if var json = object["recurrenceRule"]?.objectValue,
      let until = json["until"]?.stringValue.flatMap({ DateOrDateTime(extended: $0) }),
      !until.isDate
    {
      json["until"] = .string(moved(until.dateTime).description)
      object["recurrenceRule"] = .object(json)
    }
    for (id, _) in series.overrides { object.setOverride(id, nil) }
    for (id, patch) in series.overrides {
      let isExtra = patch["added"] == true && !series.generates(id)
      object.setOverride(isExtra ? id : RecurrenceID(moved(id.value.dateTime)), patch)
    }
  }

  mutating func setAnchor(to date: CivilDate) {
    guard let anchor = object.anchor else { return }
    let days = date.days(since: anchor.date)
    for name in ["start", "due"] {
      guard let moment = object.moment(name) else { continue }
      object[name] = .string(moment.adding(days: days).description)
    }
  }

  /// Moves the keys of segments that have no rule of their own along with the series' dates.
  private mutating func rekeyFutures(days: Int) {
    let patches = Series.patches(object["futureOverrides"])
    let plain = patches.prefix { $0.patch["recurrenceRule"] == nil }
    for (key, _) in plain { object.setFuture(key, nil) }
    for (key, patch) in plain {
      var patch = patch
      for name in ["start", "due"] {
        let moment = patch[name]?.stringValue.flatMap { DateOrDateTime(extended: $0) }
        if let moment { patch[name] = .string(moment.adding(days: days).description) }
      }
      setFuture(RecurrenceID(key.value.adding(days: days)), patch)
    }
  }

  /// Adds a displacement by days at a key; one that comes to nothing goes.
  private mutating func addShift(_ days: Int, at key: RecurrenceID) {
    var patch = future(key)
    let sum = (patch["shift"]?.stringValue.flatMap { CalendarDuration($0)?.days } ?? 0) + days
    patch["shift"] = sum == 0 ? nil : .string(Series.shiftText(sum))
    setFuture(key, patch)
  }

  // MARK: - From an occurrence on

  /// Writes new times from an occurrence on.
  ///
  /// - Returns: the key of the segment.
  mutating func move(
    _ times: Times, from id: RecurrenceID, _ inherited: CalendarObject
  ) throws(SpanError) -> RecurrenceID {
    if series.repeatsWithinDay, times.target != times.shown {
      throw .startConflictsWithRule(suggestion: nil)
    }
    let key = futureKey(at: id)
    if times.days != 0, let reanchored = try moveDays(times, from: id, key, inherited) {
      return reanchored
    }
    guard times.changesHour else { return key }
    var patch = future(key)
    let opensRun = patch["recurrenceRule"] != nil
    let before = valuesBefore(key)
    let place = opensRun ? id.value.date : key.value.date
    var frame = before
    if let anchor = before.anchor {
      let date = place.days(since: anchor.date)
      for name in ["start", "due"] {
        let moment = before.moment(name)?.adding(days: date)
        if let moment { frame[name] = .string(moment.description) }
      }
    }
    let values = members(
      times, on: series.repeatsWithinDay ? times.target.date : place, inherited)
    for (name, value) in values {
      patch[name] = nil
      if value != frame[name] { patch[name] = value ?? .null }
    }
    // A zone stands with its start; the first date of a new rule is always said.
    if opensRun || patch["timeZone"] != nil {
      patch[inherited.anchorName] = values.first { $0.name == inherited.anchorName }?.value
    }
    setFuture(key, patch)
    return key
  }

  /// Moves by days.
  ///
  /// - Returns: the key, if the segment was anchored anew and nothing is left to do; nil if the days
  ///   are a displacement.
  private mutating func moveDays(
    _ times: Times, from id: RecurrenceID, _ key: RecurrenceID, _ inherited: CalendarObject
  ) throws(SpanError) -> RecurrenceID? {
    var patch = future(key)
    let segment = series.segment(at: id)
    guard let rule = segment.flatMap({ series.runs[$0.run].rule }) else {
      // One last occurrence: it is where it is put.
      guard patch["recurrenceRule"] != nil else { throw .startConflictsWithRule(suggestion: nil) }
      return try reanchor(nil, times, from: id, key, inherited)
    }
    switch rule.frequency {
    case .daily, .weekly:
      try pinned(rule, from: times.shown.date, to: times.target.date)
      if patch["recurrenceRule"] != nil {
        return try reanchor(rule.rotated(days: times.days), times, from: id, key, inherited)
      }
      let sum = (segment?.shiftDays ?? 0) + times.days
      let before = segmentBefore(key)?.shiftDays ?? 0
      patch["shift"] = sum == before ? nil : .string(Series.shiftText(sum))
      setFuture(key, patch)
      return nil
    case .monthly, .yearly:
      let replaced = try replacing(rule, from: times.shown.date, to: times.target.date)
      return try reanchor(replaced, times, from: id, key, inherited)
    default: throw .startConflictsWithRule(suggestion: nil)
    }
  }

  /// Opens a segment with a rule and a first occurrence of its own.
  ///
  /// - Returns: its key: the earlier of the ID and the new start's date.
  mutating func reanchor(
    _ rule: RecurrenceRule?, _ times: Times, from id: RecurrenceID, _ oldKey: RecurrenceID,
    _ inherited: CalendarObject
  ) throws(SpanError) -> RecurrenceID {
    let key =
      series.repeatsWithinDay
      ? id : RecurrenceID(.date(min(id.value.date, times.target.date)))
    // Nothing that stays may lie behind the new beginning.
    var earlier = Series.IDs(series: series, from: key.value.dateTime)
    if let next = earlier.next(), series.id(of: next) < id { throw .invalidSpan(id) }
    var patch = future(oldKey)
    object.setFuture(oldKey, nil)
    patch["shift"] = nil
    let values = members(times, on: times.target.date, inherited)
    let before = valuesBefore(key)
    for (name, value) in values where name == inherited.anchorName || value != before[name] {
      patch[name] = value ?? .null
    }
    patch["recurrenceRule"] = rule.map { .object($0.withoutEnd.json) } ?? .null
    setFuture(key, patch)
    rekeyOwn(to: times.target.date)
    return key
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

extension RecurrenceRule {
  /// The same pattern a number of days later: the weekdays it names move along.
  func rotated(days: Int) -> RecurrenceRule {
    guard byDay.contains(where: { $0.ordinal == nil }) else { return self }
    var rule = self
    let anyDay = CivilDate.epoch
    func moved(_ weekday: Weekday) -> Weekday {
      let distance = (0..<7).first { anyDay.adding(days: $0).weekday == weekday } ?? 0
      return anyDay.adding(days: distance + days).weekday
    }
    rule.byDay = byDay.map { .init(moved($0.weekday), ordinal: $0.ordinal) }
    if interval > 1 { rule.weekStart = moved(weekStart) }
    return rule
  }
}
