import CivilTime
import Recurrence

// More specific changes that an edit meets.
extension Draft {
  /// Applies the policy to overrides and later segments that have a value of their own for what is
  /// written.
  ///
  /// - Returns: those found.
  mutating func settle(_ written: Written) throws(SpanError) -> [KeptException] {
    var found: [KeptException] = []
    for (key, patch) in series.overrides where isInScope(key) && key != id {
      if patch["excluded"] != nil { continue }
      let fields = patch.names.filter { concerns($0, written) }
      if !fields.isEmpty { found.append(KeptException(id: key, isSegment: false, fields: fields)) }
    }
    for (key, patch) in Series.patches(series.object["futureOverrides"]) {
      if isFuture ? key <= (id ?? key) : key.value.date == series.firstID?.value.date { continue }
      let fields = patch.names.filter { concerns($0, of: patch, at: key, written) }
      if !fields.isEmpty { found.append(KeptException(id: key, isSegment: true, fields: fields)) }
    }
    if policy == .refuse, !found.isEmpty { throw .exceptionsInTheWay(found) }
    if policy == .keep { kept = found }
    return found
  }

  private func isInScope(_ key: RecurrenceID) -> Bool {
    guard isFuture || keepsEarlier, let id else { return true }
    return key >= id
  }

  /// Whether a member of an override holds against the edit.
  private func concerns(_ name: String, _ written: Written) -> Bool {
    if Series.timeMembers.contains(name) { return written.hour || written.day }
    return written.pointers.contains { Series.overlap($0, name) }
  }

  /// Whether a member of a later segment holds against the edit.
  private func concerns(
    _ name: String, of patch: JSONObject, at key: RecurrenceID, _ written: Written
  ) -> Bool {
    switch name {
    case "shift": return written.day
    case "recurrenceRule": return written.rule || written.day
    case "timeZone": return written.hour
    case "start", "due":
      if patch["recurrenceRule"] != nil { return written.hour && hasOwnHour(patch, at: key) }
      let date = patch[name]?.stringValue.flatMap { DateOrDateTime(extended: $0) }?.date
      return written.hour || (written.day && date != key.value.date)
    default: return written.pointers.contains { Series.overlap($0, name) }
    }
  }

  /// Whether the time of day in a segment's patch is another one than before.
  private func hasOwnHour(_ patch: JSONObject, at key: RecurrenceID) -> Bool {
    let before = valuesBefore(key)
    let own = patch[before.anchorName]?.stringValue.flatMap { DateOrDateTime(extended: $0) }
    return own.map { $0.time != before.anchor?.time } ?? false
  }

  /// Overrides in scope go whole, save extra dates, exclusions and completions; later segments lose
  /// what was written.
  mutating func reset(_ found: [KeptException], _ written: Written, _ times: Times?) {
    for (key, patch) in series.overrides where isInScope(key) {
      if patch["excluded"] != nil { continue }
      if patch["added"] == true {
        kept += found.filter { $0.id == key && !$0.isSegment }
        continue
      }
      var completion = JSONObject()
      for name in Series.completion { completion[name] = patch[name] }
      if completion == patch { continue }
      object.setOverride(key, completion.isEmpty ? nil : completion)
      dropped.append(key)
    }
    for exception in found where exception.isSegment {
      resetSegment(exception, written, times)
      dropped.append(exception.id)
    }
  }

  private mutating func resetSegment(
    _ exception: KeptException, _ written: Written, _ times: Times?
  ) {
    let key = exception.id
    var patch = future(key)
    let name = valuesBefore(key).anchorName
    let start = patch[name]?.stringValue.flatMap { DateOrDateTime(extended: $0) }
    let ownHour = hasOwnHour(patch, at: key)
    for field in exception.fields where !Series.timeMembers.contains(field) { patch[field] = nil }
    let losesTimes = exception.fields.contains { Series.timeMembers.contains($0) }
    let lostRule = exception.fields.contains("recurrenceRule")
    guard let start, losesTimes || lostRule else {
      setFuture(key, patch)
      return
    }
    func on(_ date: CivilDate, _ time: TimeOfDay?) -> JSONValue {
      let value = time.map { DateOrDateTime.dateTime(CivilDateTime(date: date, time: $0)) }
      return .string((value ?? .date(date)).description)
    }
    if losesTimes { for name in Series.timeMembers { patch[name] = nil } }
    if patch["recurrenceRule"] != nil {
      // The rule stays and needs its first date; the hour is the one now written.
      patch[name] = on(start.date, written.hour ? times?.target.time : start.time)
    } else if !written.hour, ownHour {
      patch[name] = on(key.value.date, start.time)
    } else {
      patch[name] = nil
      let days = start.date.days(since: key.value.date)
      if !written.day, !lostRule, days != 0 { patch["shift"] = .string(Series.shiftText(days)) }
    }
    setFuture(key, patch)
  }
}

extension Series {
  /// Members that only state that a reminder is done.
  static let completion = ["progress", "completed"]

  /// Whether an override says more than that a date is skipped or done.
  static func hasContent(_ patch: JSONObject) -> Bool {
    patch.names.contains { !["excluded", "added"].contains($0) && !completion.contains($0) }
  }

  /// Members that no patch may change (FORMAT.md 1.8).
  static let neverPatched: Set<String> = [
    "@type", "uid", "created", "updated", "sequence", "version", "method",
    "organizerCalendarAddress", "privacy", "prodId", "recurrenceId", "recurrenceIdTimeZone",
    "sentBy", "recurrenceOverrides", "futureOverrides", "relatedTo", "conflicts", "iCalendar",
    "order",
  ]

  /// Whether two pointers lead to the same place or one lies inside the other.
  static func overlap(_ left: String, _ right: String) -> Bool {
    left == right || left.hasPrefix(right + "/") || right.hasPrefix(left + "/")
  }

  /// The text of a displacement: `P1D`, `-P2D`, `P0D`.
  static func shiftText(_ days: Int) -> String { days < 0 ? "-P\(-days)D" : "P\(days)D" }
}
