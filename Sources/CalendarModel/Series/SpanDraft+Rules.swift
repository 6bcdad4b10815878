import CivilTime
import Recurrence

// Changes of the rule.
extension Draft {
  /// A change of the rule, told apart from one of the end of the series.
  struct RuleChange {
    /// The new rule without its end; nil if only the end changed, `.some(nil)` for none.
    var rule: JSONObject??
    /// The new `count` and `until`; nil if they stay.
    var end: JSONObject?
  }

  /// Takes changes of the rule out of an edit; nil if there are none.
  mutating func takeRule(_ edit: inout SeriesEdit) throws(SpanError) -> RuleChange? {
    let concerns = edit.changes.contains {
      Series.overlap($0.pointer, "recurrenceRule")
    }
    guard concerns else { return nil }
    let current = ruleInForce().map { Normaliser.rule($0) }
    var json = current
    for change in edit.changes {
      if change.pointer == "recurrenceRule" {
        json = change.value?.objectValue
        if change.value != nil, json == nil {
          throw .invalid(ModelError(pointer: "recurrenceRule", "must be a rule"))
        }
      } else if change.pointer.hasPrefix("recurrenceRule/") {
        var rule = json ?? JSONObject()
        Patch.set(change.value, at: String(change.pointer.dropFirst(15)), in: &rule)
        json = rule
      }
    }
    edit.changes.removeAll { $0.pointer.split(separator: "/").first == "recurrenceRule" }
    guard let changed = json.map({ Normaliser.rule($0) }) else {
      return current == nil ? nil : RuleChange(rule: .some(nil))
    }
    _ = try checked(changed)
    var (pattern, before) = (changed, current ?? JSONObject())
    var (end, oldEnd) = (JSONObject(), JSONObject())
    for name in ["count", "until"] {
      end[name] = changed[name]
      oldEnd[name] = before[name]
      pattern[name] = nil
      before[name] = nil
    }
    var result = RuleChange()
    if pattern != before { result.rule = .some(pattern) }
    if end != oldEnd { result.end = end }
    return result.rule == nil && result.end == nil ? nil : result
  }

  private func checked(_ json: JSONObject) throws(SpanError) -> RecurrenceRule {
    do throws(ModelError) {
      guard let rule = try Series.rule(.object(json), at: "recurrenceRule") else {
        throw ModelError(pointer: "recurrenceRule", "must be a rule")
      }
      return rule
    } catch {
      throw .invalid(error)
    }
  }

  /// Writes the one end of the series.
  private mutating func changeEnd(_ end: JSONObject?) {
    guard let end, var json = object["recurrenceRule"]?.objectValue else { return }
    for name in ["count", "until"] { json[name] = end[name] }
    object["recurrenceRule"] = .object(json)
  }

  /// An end that is set from an occurrence on must not cut off those before it.
  private func checkEnd(_ end: JSONObject?, after id: RecurrenceID) throws(SpanError) {
    if case .number(let text)? = end?["count"], let count = Int64(text) {
      let earlier = series.runs.reduce(Int64(0)) { sum, run in
        sum + run.idCount(before: min(run.end ?? id.value.dateTime, id.value.dateTime))
      }
      guard count <= earlier else { return }
      throw .invalid(
        ModelError(
          pointer: "recurrenceRule/count", "\(earlier) occurrences come before this one already"))
    }
    if let until = end?["until"]?.stringValue.flatMap({ DateOrDateTime(extended: $0) }),
      until.date < id.value.date
    {
      throw .invalid(
        ModelError(pointer: "recurrenceRule/until", "\(until) is before this occurrence"))
    }
  }

  /// The rule and the end it has in the base.
  private func withEnd(_ json: JSONObject) -> JSONObject {
    var json = json
    let base = object["recurrenceRule"]?.objectValue
    for name in ["count", "until"] { json[name] = base?[name] }
    return json
  }

  // MARK: - All

  mutating func changeRuleOfAll(_ change: RuleChange) throws(SpanError) {
    changeEnd(change.end)
    guard case .some(let json) = change.rule else { return }
    guard let json else {
      try removeRule()
      return
    }
    let old = try baseRule()
    let hadNone = object["recurrenceRule"] == nil
    object["recurrenceRule"] = .object(withEnd(json))
    if hadNone, let end = change.end { changeEnd(end) }
    let rule = try checked(json)
    guard let anchor = object.anchor, rule.isEvaluable else { return }
    let firstKey = RecurrenceID(.date(anchor.date))
    let staysDisplaced =
      (rule.frequency == .daily || rule.frequency == .weekly) && old?.hasSameDays(as: rule) ?? false
    if !staysDisplaced, !rule.repeatsWithinDay, let days = segmentShift(at: firstKey) {
      // The new rule speaks of the dates as they are shown.
      var patch = future(firstKey)
      patch["shift"] = nil
      setFuture(firstKey, patch)
      setAnchor(to: anchor.date.adding(days: days))
    }
    guard let start = object.anchor else { return }
    var matches = rule.withoutEnd.occurrences(start: start.dateTime)
    guard let first = matches.next() else {
      if matches.stop == .neverMatches { throw .ruleGeneratesNothing }
      return
    }
    if first.date != start.date, !rule.repeatsWithinDay { setAnchor(to: first.date) }
    if staysDisplaced, let shift = future(firstKey)["shift"], let now = object.anchor {
      object.setFuture(firstKey, nil)
      setFuture(RecurrenceID(.date(now.date)), ["shift": shift])
    }
  }

  private func segmentShift(at key: RecurrenceID) -> Int? {
    future(key)["shift"]?.stringValue.flatMap { CalendarDuration($0)?.days }
  }

  /// One plain item stays, the first that is shown; what has content for other dates stays as extra
  /// dates, the rest has no place any more.
  private mutating func removeRule() throws(SpanError) {
    let current = try Series.made(object)
    var ids = series.visibleIDs()
    object["recurrenceRule"] = nil
    guard let first = ids.next(), current.generates(first), let values = current.values(at: first)
    else {
      stripFutures(after: nil)
      return
    }
    for (id, patch) in current.overrides where id != first {
      if patch["added"] != true, policy == .reset || !Series.hasContent(patch) {
        object.setOverride(id, nil)
      }
    }
    object.setOverride(first, nil)
    let rest = (object["recurrenceOverrides"], object["futureOverrides"])
    object.members = values.members
    (object["recurrenceOverrides"], object["futureOverrides"]) = rest
    for (key, _) in Series.patches(object["futureOverrides"]) where key <= first {
      object.setFuture(key, nil)
    }
    stripFutures(after: nil)
    guard let own = current.override(first) else { return }
    if object["recurrenceOverrides"] == nil {
      object.members = Patch.applied(own, to: object.members)
    } else if let anchor = object.anchor {
      object.setOverride(RecurrenceID(.date(anchor.date)), own)
    }
  }

  /// Takes rules and displacements out of later segments, and those away that hold for nothing.
  private mutating func stripFutures(after key: RecurrenceID?) {
    let last = Series.patches(object["recurrenceOverrides"]).last {
      $0.patch["added"] == true || Series.hasContent($0.patch)
    }?.id
    for (later, patch) in Series.patches(object["futureOverrides"]) {
      if let key, later <= key { continue }
      guard let last, later <= last else {
        object.setFuture(later, nil)
        continue
      }
      var patch = patch
      patch["shift"] = nil
      patch["recurrenceRule"] = nil
      for name in ["start", "due"] {
        let moment = patch[name]?.stringValue.flatMap { DateOrDateTime(extended: $0) }
        guard let moment else { continue }
        let days = later.value.date.days(since: moment.date)
        patch[name] = .string(moment.adding(days: days).description)
      }
      setFuture(later, patch)
    }
  }

  // MARK: - From an occurrence on

  /// Writes a new rule from an occurrence on.
  ///
  /// - Returns: the key of the segment, or nil if only the end changed.
  mutating func changeRule(
    _ change: RuleChange, from id: RecurrenceID, times: Times?, _ inherited: CalendarObject
  ) throws(SpanError) -> RecurrenceID? {
    try checkEnd(change.end, after: id)
    changeEnd(change.end)
    guard case .some(let json) = change.rule, let shown = inherited.anchor else { return nil }
    var times = times ?? Times(shown: shown, target: shown)
    let oldKey = futureKey(at: id)
    guard let json else {
      let key = try reanchor(nil, times, from: id, oldKey, inherited)
      stripFutures(after: key)
      return key
    }
    var rule = try checked(json)
    guard rule.repeatsWithinDay == series.repeatsWithinDay else {
      throw .invalid(
        ModelError(
          pointer: "recurrenceRule",
          "a series cannot change between repeating by day and within the day halfway"))
    }
    let segment = series.segment(at: id)
    if let shift = segment?.shiftDays, shift != 0, times.days == 0,
      let old = segment.flatMap({ series.runs[$0.run].rule }), old.hasSameDays(as: rule),
      rule.frequency == .daily || rule.frequency == .weekly
    {
      // The days of the rule are those before the displacement; the new rule says them as shown.
      rule = rule.rotated(days: shift)
    }
    var matches = rule.withoutEnd.occurrences(start: times.target.dateTime)
    guard let first = matches.next() else { throw .ruleGeneratesNothing }
    times.target = times.target.isDate ? .date(first.date) : .dateTime(first)
    return try reanchor(rule, times, from: id, oldKey, inherited)
  }

  // MARK: - Days

  /// Checks that a daily or weekly series may be displaced: it pins at most one weekday.
  func pinned(
    _ rule: RecurrenceRule, from old: CivilDate, to new: CivilDate
  ) throws(SpanError) {
    guard rule.byDay.count > 1 || !rule.byMonthDay.isEmpty || !rule.byYearDay.isEmpty else {
      return
    }
    throw .startConflictsWithRule(suggestion: rule.suggestion(from: old, to: new))
  }

  /// A monthly or yearly rule for a new date: the one value it pins that fits the old date is
  /// replaced.
  func replacing(
    _ rule: RecurrenceRule, from old: CivilDate, to new: CivilDate
  ) throws(SpanError) -> RecurrenceRule {
    let suggestion = rule.suggestion(from: old, to: new)
    let pinsSeveral =
      rule.byMonthDay.count > 1 || rule.byDay.count > 1 || rule.byMonth.count > 1
      || !rule.byYearDay.isEmpty || !rule.byWeekNumber.isEmpty || !rule.bySetPosition.isEmpty
      || (!rule.byDay.isEmpty && !rule.byMonthDay.isEmpty)
    guard !pinsSeveral, let suggestion else {
      throw .startConflictsWithRule(suggestion: suggestion)
    }
    return suggestion
  }
}

extension RecurrenceRule {
  /// Whether two rules pick days by the same parts.
  func hasSameDays(as other: RecurrenceRule) -> Bool {
    byDay == other.byDay && byMonthDay == other.byMonthDay && byYearDay == other.byYearDay
      && byWeekNumber == other.byWeekNumber && byMonth == other.byMonth
      && bySetPosition == other.bySetPosition
  }

  /// The rule with every value that stands for one date replaced by that for another; nil if a part
  /// names none that does.
  func suggestion(from old: CivilDate, to new: CivilDate) -> RecurrenceRule? {
    guard byYearDay.isEmpty, byWeekNumber.isEmpty, bySetPosition.isEmpty else { return nil }
    var rule = self
    let length = CivilDate.daysInMonth(old.month, year: old.year)
    let newLength = CivilDate.daysInMonth(new.month, year: new.year)
    if !byMonthDay.isEmpty {
      guard
        let index = byMonthDay.firstIndex(where: { $0 == old.day || $0 == old.day - length - 1 })
      else { return nil }
      rule.byMonthDay[index] = byMonthDay[index] > 0 ? new.day : new.day - newLength - 1
    }
    if !byDay.isEmpty {
      guard let index = byDay.firstIndex(where: { $0.weekday == old.weekday }) else { return nil }
      let inYear = frequency == .yearly && byMonth.isEmpty
      let ordinal = byDay[index].ordinal.map { old in
        let day = inYear ? new.dayOfYear : new.day
        let days = inYear ? (CivilDate.isLeap(new.year) ? 366 : 365) : newLength
        return old > 0 ? (day - 1) / 7 + 1 : -((days - day) / 7 + 1)
      }
      rule.byDay[index] = .init(new.weekday, ordinal: ordinal)
    }
    if !byMonth.isEmpty, frequency == .yearly {
      guard let index = byMonth.firstIndex(where: { $0.number == old.month }) else { return nil }
      rule.byMonth[index] = .init(new.month)
    }
    return rule
  }
}
