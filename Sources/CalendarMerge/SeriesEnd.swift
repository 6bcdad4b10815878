import CalendarModel
import CivilTime

/// Questions about where a series ends and which IDs it makes, overrides aside.
struct SeriesEnd {
  private let kind: CalendarObject.Kind?
  private let members: JSONObject
  /// Nil if the rule cannot be read or evaluated, or there is no date.
  private let series: Series?

  init(_ members: JSONObject, kind: FileKind) {
    var members = members
    members["recurrenceOverrides"] = nil
    self.kind = kind.objectKind
    self.members = members
    series = Self.series(members, self.kind)
  }

  private static func series(_ members: JSONObject, _ kind: CalendarObject.Kind?) -> Series? {
    guard let kind else { return nil }
    let series = try? Series(CalendarObject(kind: kind, members: members))
    return series.flatMap { $0.isEvaluable ? $0 : nil }
  }

  /// Whether the rules make an ID; true if that cannot be told, so that nothing is moved about on a
  /// guess.
  func generates(_ key: String) -> Bool {
    guard let id = RecurrenceID(key), let series else { return true }
    return series.generates(id)
  }

  /// Whether no ID is made from a key on.
  func endsBefore(_ key: String) -> Bool {
    guard let id = RecurrenceID(key), let series else { return false }
    return !Self.hasID(from: id, in: series)
  }

  private static func hasID(from id: RecurrenceID, in series: Series) -> Bool {
    var ids = series.visibleIDs(from: id)
    return ids.next() != nil
  }

  /// Whether the series ends earlier with one end than with another; nil is no end.
  func isEarlier(_ left: JSONValue?, than right: JSONValue?) -> Bool {
    guard left != right, let left else { return false }
    guard let right else { return true }
    let (first, second) = (Bound(left), Bound(right))
    if let one = first.count, let other = second.count { return one < other }
    if let one = first.until, let other = second.until { return one < other }
    if let count = first.count, let until = second.until {
      return compare(count: count, until: until) < 0
    }
    if let until = first.until, let count = second.count {
      return compare(count: count, until: until) > 0
    }
    return false
  }

  private struct Bound {
    var count: Int?
    var until: CivilDateTime?

    init(_ value: JSONValue) {
      count = value.objectValue?["count"]?.integerValue
      until = value.objectValue?.moment("until").map { moment in
        moment.isDate
          ? CivilDateTime(date: moment.date, time: TimeOfDay(secondOfDay: 86_399)) : moment.dateTime
      }
    }
  }

  /// Below zero if a count ends the series before a date does, above if after, else zero.
  private func compare(count: Int, until: CivilDateTime) -> Int {
    guard var rule = members["recurrenceRule"]?.objectValue else { return 0 }
    var object = members
    rule["until"] = nil
    rule["count"] = JSONValue(count)
    object["recurrenceRule"] = .object(rule)
    guard let counted = Self.series(object, kind) else { return 0 }
    let next = RecurrenceID(.dateTime(CivilDateTime(civilSeconds: until.civilSeconds + 1)))
    if Self.hasID(from: next, in: counted) { return 1 }
    // One occurrence more would still lie before the date.
    rule["count"] = JSONValue(count + 1)
    object["recurrenceRule"] = .object(rule)
    guard let longer = Self.series(object, kind) else { return 0 }
    var unbounded = rule
    unbounded["count"] = nil
    object["recurrenceRule"] = .object(unbounded)
    guard let endless = Self.series(object, kind) else { return 0 }
    if Self.hasID(from: next, in: longer) { return 0 }
    // The rule itself may be exhausted, so that both end at its last occurrence.
    return Self.hasID(from: next, in: endless) ? -1 : 0
  }
}
