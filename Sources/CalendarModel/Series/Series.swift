public import CivilTime
import Recurrence

/// A stretch of a series from one key of `futureOverrides` to the next (FORMAT.md 1.9).
public struct SeriesSegment: Sendable {
  /// The ID at which the segment opens; nil for the beginning of the series.
  public let key: RecurrenceID?
  /// The values that hold in it: the series with all patches up to and including this one; without
  /// rule and overrides.
  public let values: CalendarObject
  /// Days by which every occurrence is displaced against its ID.
  public let shiftDays: Int
  /// Which stretch of one rule it belongs to.
  package let run: Int

  /// The time of day of its occurrences; nil if they are all-day.
  public var time: TimeOfDay? { values.anchor?.time }
}

/// An object with its rule, segments, overrides and exclusions, and the occurrences they make.
public struct Series: Sendable {
  /// A stretch in which one rule makes the IDs.
  struct Run: Sendable {
    /// The rule without an end; nil if only the anchor occurs.
    let rule: RecurrenceRule?
    /// The first occurrence, which counts even if the rule does not make it.
    let anchor: CivilDateTime
    /// IDs from here on belong to the next run.
    var end: CivilDateTime?
    /// How many IDs the run may make; nil if the series does not count.
    var countMax: Int64?
  }

  /// The object the series was made from.
  public let object: CalendarObject
  /// The segments in order; the first one has no key.
  public let segments: [SeriesSegment]
  /// Whether the object has a rule or extra dates.
  public let repeats: Bool
  /// Whether IDs are date-times.
  public let repeatsWithinDay: Bool

  let runs: [Run]
  /// Overrides by ID, in order.
  package let overrides: [(id: RecurrenceID, patch: JSONObject)]
  /// The last wall-clock second of an ID; nil if UNTIL does not end the series.
  let until: CivilDateTime?
  /// The rule cannot be evaluated here; only the first occurrence is known.
  public let isEvaluable: Bool

  /// Creates the series of an object.
  ///
  /// - Throws: `ModelError` if the anchor or a rule cannot be read. An object without any date (a
  ///   reminder) is a series of no occurrence.
  public init(_ object: CalendarObject) throws(ModelError) {
    self.object = object
    let base = try Series.rule(object["recurrenceRule"], at: "recurrenceRule")
    overrides = Series.patches(object["recurrenceOverrides"])
    repeats = base != nil || overrides.contains { $0.patch["added"] == true }
    repeatsWithinDay = base?.repeatsWithinDay ?? false
    isEvaluable = base?.isEvaluable ?? true
    until = base?.until.map(Series.last)
    guard let anchor = object.anchor else {
      if repeats { throw ModelError(pointer: object.anchorName, "a repeating item needs a date") }
      runs = []
      segments = []
      return
    }
    var builder = SegmentBuilder(object: object, rule: base, anchor: anchor)
    for (id, patch) in Series.patches(object["futureOverrides"]) {
      try builder.add(id, patch)
    }
    segments = builder.segments
    runs = builder.finish(count: base?.count)
  }

  static func rule(_ value: JSONValue?, at pointer: String) throws(ModelError) -> RecurrenceRule? {
    guard let json = value?.objectValue else { return nil }
    do throws(RecurrenceRule.JSONError) {
      return try RecurrenceRule(json: json)
    } catch {
      throw ModelError(pointer: "\(pointer)/\(error.member)", error.reason)
    }
  }

  /// The patches of a map, by ID in order; keys that are no IDs are passed over.
  static func patches(_ value: JSONValue?) -> [(id: RecurrenceID, patch: JSONObject)] {
    (value?.objectValue?.members ?? []).compactMap { member in
      guard let id = RecurrenceID(member.name), let patch = member.value.objectValue else {
        return nil
      }
      return (id, patch)
    }.sorted { $0.id < $1.id }
  }

  private static func last(_ until: RecurrenceRule.Until) -> CivilDateTime {
    switch until {
    case .date(let date): CivilDateTime(date: date, time: TimeOfDay(secondOfDay: 86_399))
    case .dateTime(let value): value
    case .instant(let value): value.utc
    }
  }

  /// The override of an occurrence, exclusions included; nil if it has none.
  public func override(_ id: RecurrenceID) -> JSONObject? {
    object["recurrenceOverrides"]?.objectValue?[id.text]?.objectValue
  }

  /// The segment in force at an ID.
  public func segment(at id: RecurrenceID) -> SeriesSegment? {
    segments.last { segment in segment.key.map { $0 <= id } ?? true }
  }
}

/// What can be wrong with an object, by property path.
public struct ModelError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The member, as a pointer without the leading slash.
  public let pointer: String
  /// The value, the reason and what was expected.
  public let reason: String

  init(pointer: String, _ reason: String) {
    self.pointer = pointer
    self.reason = reason
  }

  /// The message, without advice.
  public var description: String { "\(pointer): \(reason)" }
}

/// Adds the keys of `futureOverrides` one after the other.
private struct SegmentBuilder {
  private(set) var segments: [SeriesSegment]
  private var runs: [Series.Run]
  private var members: JSONObject
  private var shiftDays = 0
  private let kind: CalendarObject.Kind

  init(object: CalendarObject, rule: RecurrenceRule?, anchor: DateOrDateTime) {
    kind = object.kind
    members = object.members
    for name in ["recurrenceRule", "recurrenceOverrides", "futureOverrides"] { members[name] = nil }
    let values = CalendarObject(kind: object.kind, members: members)
    segments = [SeriesSegment(key: nil, values: values, shiftDays: 0, run: 0)]
    runs = [Series.Run(rule: rule?.withoutEnd, anchor: anchor.dateTime)]
  }

  mutating func add(_ id: RecurrenceID, _ patch: JSONObject) throws(ModelError) {
    var patch = patch
    let ruleValue = patch["recurrenceRule"]
    patch["recurrenceRule"] = nil
    if let text = patch["shift"]?.stringValue, let shift = CalendarDuration(text) {
      shiftDays = shift.days
    }
    // Times in the patch are those of the occurrence at the key; the inherited ones join them there.
    var before = CalendarObject(kind: kind, members: members)
    if patch["start"] != nil || patch["due"] != nil, let anchor = before.anchor {
      let place = id.value.time ?? anchor.time
      before = Series.placed(
        before,
        at: anchor.isDate
          ? .date(id.value.date)
          : .dateTime(CivilDateTime(date: id.value.date, time: place ?? .midnight)))
    }
    var values = CalendarObject(kind: kind, members: Patch.applied(patch, to: before.members))
    if patch["start"] != nil, patch["due"] == nil { Series.keepLength(of: before, in: &values) }
    let moment = patch[values.anchorName] == nil ? nil : values.anchor
    if let ruleValue {
      guard let moment else {
        throw ModelError(
          pointer: "futureOverrides/\(id)", "a new rule needs the start of its first occurrence")
      }
      let rule = try Series.rule(ruleValue, at: "futureOverrides/\(id)/recurrenceRule")
      runs[runs.count - 1].end = id.value.dateTime
      runs.append(Series.Run(rule: rule?.withoutEnd, anchor: moment.dateTime))
      shiftDays = 0
    } else if let moment, moment.date != id.value.date {
      // A start on another date is day and hour in one.
      shiftDays = moment.date.days(since: id.value.date)
    }
    members = values.members
    let isFirst = id.value.date == segments[0].values.anchor?.date && segments.count == 1
    if isFirst && ruleValue == nil && !runs[0].repeatsWithinDay {
      segments[0] = SeriesSegment(key: nil, values: values, shiftDays: shiftDays, run: 0)
    } else {
      segments.append(
        SeriesSegment(key: id, values: values, shiftDays: shiftDays, run: runs.count - 1))
    }
  }

  /// The runs with the one count of the series shared out among them.
  func finish(count: Int64?) -> [Series.Run] {
    guard var remaining = count else { return runs }
    var result = runs
    for index in result.indices {
      result[index].countMax = max(remaining, 0)
      if let end = result[index].end { remaining -= result[index].idCount(before: end) }
    }
    return result
  }
}

extension Series.Run {
  fileprivate var repeatsWithinDay: Bool { rule?.repeatsWithinDay ?? false }

  /// The number of IDs before a wall-clock time, ends of the series aside.
  func idCount(before end: CivilDateTime) -> Int64 {
    guard end > anchor else { return 0 }
    guard let rule else { return 1 }
    let made = rule.occurrenceCount(start: anchor, before: end)
    return made + (rule.matches(anchor, start: anchor) ? 0 : 1)
  }
}
