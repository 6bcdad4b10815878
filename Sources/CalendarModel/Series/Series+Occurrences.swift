public import CivilTime
import Recurrence

/// One occurrence of a series as it is shown, or the only one of an object that does not repeat.
public struct SeriesOccurrence: Sendable {
  /// The ID; nil if the object does not repeat.
  public let recurrenceID: RecurrenceID?
  /// The values that hold for it, with its own `start` or `due`; without rule and overrides.
  public let object: CalendarObject
  /// Its start, else due.
  public let start: DateOrDateTime
  /// The zone of `start`; nil for all-day and floating ones.
  public let timeZone: String?
  /// When it begins.
  public let startInstant: Instant
  /// When it ends; the same as the start if it has no length.
  public let endInstant: Instant
  /// Whether it differs from its series by an override.
  public let isDetached: Bool
  /// Whether it is an extra date.
  public let isAdded: Bool

  /// Whether it shares time with a half-open window; one without length does if it begins in it.
  public func overlaps(from: Instant, to: Instant) -> Bool {
    startInstant < to && (endInstant > from || startInstant >= from)
  }
}

extension Series {
  /// The IDs the rules make, in order, from a wall-clock time on: segments and the one end
  /// regarded, exclusions not.
  struct IDs: Sequence, IteratorProtocol {
    private let series: Series
    private var run: Int
    private let from: CivilDateTime?
    private var stream: RuleOccurrences?
    private var pendingAnchor: CivilDateTime?
    private var remaining: Int64 = .max

    init(series: Series, from: CivilDateTime?) {
      self.series = series
      self.from = from
      run = 0
      if let from {
        while run + 1 < series.runs.count, let end = series.runs[run].end, end <= from { run += 1 }
      }
      open()
    }

    private mutating func open() {
      stream = nil
      pendingAnchor = nil
      guard run < series.runs.count else { return }
      let current = series.runs[run]
      if from.map({ current.anchor >= $0 }) ?? true { pendingAnchor = current.anchor }
      stream = current.rule?.occurrences(start: current.anchor, from: from)
      remaining = current.countMax ?? .max
      if let from, current.countMax != nil { remaining -= current.idCount(before: from) }
    }

    mutating func next() -> CivilDateTime? {
      while run < series.runs.count {
        let current = series.runs[run]
        if remaining > 0, let candidate = nextCandidate(),
          current.end.map({ candidate < $0 }) ?? true
        {
          if let until = series.until, candidate > until, !series.isAnchorOnly(candidate) {
            return nil
          }
          remaining -= 1
          return candidate
        }
        run += 1
        open()
      }
      return nil
    }

    private mutating func nextCandidate() -> CivilDateTime? {
      if let anchor = pendingAnchor {
        pendingAnchor = nil
        // The anchor comes first; the rule may make it too.
        if var copy = stream, copy.next() == anchor { stream = copy }
        return anchor
      }
      return stream?.next()
    }
  }

  /// The first occurrence of the series stands even if the end lies before it.
  private func isAnchorOnly(_ candidate: CivilDateTime) -> Bool {
    candidate == runs.first?.anchor
  }

  /// The ID of a wall-clock time that a rule made.
  func id(of civil: CivilDateTime) -> RecurrenceID {
    repeatsWithinDay ? RecurrenceID(.dateTime(civil)) : RecurrenceID(.date(civil.date))
  }

  /// The first wall-clock time at which an occurrence of an ID can stand in the rules' own order.
  func civil(of id: RecurrenceID) -> CivilDateTime {
    id.value.dateTime
  }

  /// Whether the rules make an ID, exclusions aside.
  ///
  /// - Complexity: independent of the distance from the start.
  public func generates(_ id: RecurrenceID) -> Bool {
    var ids = IDs(series: self, from: civil(of: id))
    return ids.next().map { self.id(of: $0) == id } ?? false
  }

  /// The occurrences that share time with a window, in time order, ties by ID.
  ///
  /// - Parameters:
  ///   - from: the beginning of the window, included.
  ///   - to: its end, not included.
  ///   - floatingZone: the zone in which all-day and floating items are placed.
  /// - Complexity: follows the window and the number of overrides, not the distance from the start.
  public func occurrences(
    from: Instant, to: Instant, zones: TimeZoneDatabase, floatingZone: TimeZoneRules
  ) -> [SeriesOccurrence] {
    let place = Placement(zones: zones, floatingZone: floatingZone)
    guard repeats else {
      return single(place).filter { $0.overlaps(from: from, to: to) }
    }
    let overridden = Set(overrides.map(\.id))
    var result: [SeriesOccurrence] = []
    for (index, segment) in segments.enumerated() {
      let (low, high) = reach(of: segment, from: from, to: to)
      let begin = segment.key.map { max(civil(of: $0), low) } ?? low
      let end = index + 1 < segments.count ? segments[index + 1].key.map { civil(of: $0) } : nil
      if begin > high || end.map({ $0 <= begin }) ?? false { continue }
      for civil in IDs(series: self, from: begin) {
        if civil > high || end.map({ civil >= $0 }) ?? false { break }
        let id = id(of: civil)
        if overridden.contains(id) { continue }
        if let occurrence = occurrence(id, patch: nil, place),
          occurrence.overlaps(from: from, to: to)
        {
          result.append(occurrence)
        }
      }
    }
    for (id, patch) in overrides where patch["excluded"] == nil {
      if patch["start"] == nil, patch["due"] == nil, patch["duration"] == nil {
        guard let segment = segment(at: id) else { continue }
        // An extra date is not displaced.
        let isAdded = patch["added"] == true
        let (low, high) = reach(of: segment, from: from, to: to, isDisplaced: !isAdded)
        let civil = civil(of: id)
        let dayEnd = CivilDateTime(civilSeconds: civil.civilSeconds + 86_400)
        guard dayEnd >= low, civil <= high else { continue }
      }
      guard let occurrence = occurrence(id, patch: patch, place),
        occurrence.overlaps(from: from, to: to), patch["added"] == true || generates(id)
      else { continue }
      result.append(occurrence)
    }
    return result.sorted(by: Series.inOrder)
  }

  private static func inOrder(_ left: SeriesOccurrence, _ right: SeriesOccurrence) -> Bool {
    if left.startInstant != right.startInstant { return left.startInstant < right.startInstant }
    guard let leftID = left.recurrenceID, let rightID = right.recurrenceID else { return false }
    return leftID < rightID
  }

  /// The wall-clock times between which the IDs of a segment's occurrences in a window lie: its
  /// length before, its displacement against, and two days for zones.
  private func reach(
    of segment: SeriesSegment, from: Instant, to: Instant, isDisplaced: Bool = true
  ) -> (low: CivilDateTime, high: CivilDateTime) {
    let shift = isDisplaced ? Int64(segment.shiftDays) * 86_400 : 0
    let length = segment.lengthSeconds
    return (
      CivilDateTime(civilSeconds: from.adding(seconds: -shift - length - 172_800).seconds),
      CivilDateTime(civilSeconds: to.adding(seconds: 172_800 - shift).seconds)
    )
  }

  /// Seconds by which an occurrence can lie behind its ID.
  private var reachSeconds: Int64 {
    segments.reduce(Int64(0)) { longest, segment in
      max(longest, segment.lengthSeconds + Int64(abs(segment.shiftDays)) * 86_400)
    } + 172_800
  }

  /// The occurrences in the order of their IDs from one on, extra dates among them: made as they
  /// are read.
  public func upcoming(
    from id: RecurrenceID? = nil, zones: TimeZoneDatabase, floatingZone: TimeZoneRules
  ) -> some Sequence<SeriesOccurrence> {
    let place = Placement(zones: zones, floatingZone: floatingZone)
    return visibleIDs(from: id).lazy.compactMap { id -> SeriesOccurrence? in
      guard repeats else { return single(place).first }
      return occurrence(id, patch: override(id), place)
    }
  }

  /// The IDs of the occurrences that are shown, in order, from one on; a single object has one, its
  /// date.
  public func visibleIDs(from first: RecurrenceID? = nil) -> VisibleIDs {
    VisibleIDs(series: self, from: first)
  }

  /// IDs in order, those of extra dates among them, excluded ones left out.
  public struct VisibleIDs: Sequence, IteratorProtocol {
    private let series: Series
    private var ids: IDs
    private var head: RecurrenceID?
    private var added: ArraySlice<RecurrenceID>

    init(series: Series, from first: RecurrenceID?) {
      self.series = series
      ids = IDs(series: series, from: first.map { series.civil(of: $0) })
      added =
        series.overrides.filter { entry in
          entry.patch["added"] == true && (first.map { entry.id >= $0 } ?? true)
        }.map(\.id)[...]
      head = ids.next().map { series.id(of: $0) }
    }

    /// The next ID, or nil at the end.
    public mutating func next() -> RecurrenceID? {
      while true {
        let candidate: RecurrenceID
        switch (head, added.first) {
        case (nil, nil): return nil
        case (let id?, let extra?) where extra <= id:
          candidate = extra
          added.removeFirst()
          if extra == id { head = ids.next().map { series.id(of: $0) } }
        case (let id?, _):
          candidate = id
          head = ids.next().map { series.id(of: $0) }
        case (nil, let extra?):
          candidate = extra
          added.removeFirst()
        }
        if series.override(candidate)?["excluded"] == true { continue }
        return candidate
      }
    }
  }

  /// The occurrence with an ID, or nil if it is excluded or there is none.
  public func occurrence(
    _ id: RecurrenceID, zones: TimeZoneDatabase, floatingZone: TimeZoneRules
  ) -> SeriesOccurrence? {
    let place = Placement(zones: zones, floatingZone: floatingZone)
    guard repeats else { return single(place).first { $0.start.date == id.value.date } }
    let patch = override(id)
    guard patch?["excluded"] == nil, patch?["added"] == true || generates(id) else { return nil }
    return occurrence(id, patch: patch, place)
  }

  /// When the series begins and ends, overrides included; the end is nil if it goes on for ever.
  /// Nil if it has no occurrence or no date.
  ///
  /// - Complexity: a bounded number of seeks, and the number of overrides.
  public func extent(
    zones: TimeZoneDatabase, floatingZone: TimeZoneRules
  ) -> (first: Instant, last: Instant?)? {
    let place = Placement(zones: zones, floatingZone: floatingZone)
    var first: Instant?
    var last: Instant?
    func include(_ occurrence: SeriesOccurrence?) {
      guard let occurrence else { return }
      first = min(first ?? occurrence.startInstant, occurrence.startInstant)
      last = max(last ?? occurrence.endInstant, occurrence.endInstant)
    }
    guard repeats else {
      single(place).forEach { include($0) }
      return first.map { ($0, last) }
    }
    for (id, patch) in overrides where patch["excluded"] == nil {
      include(occurrence(id, patch: patch, place))
    }
    var ids = IDs(series: self, from: nil)
    guard let begin = ids.next() else { return first.map { ($0, last) } }
    include(occurrence(id(of: begin), patch: nil, place))
    for key in segments.compactMap(\.key) {
      // A displacement may put a later segment's first occurrence before all others.
      var ids = IDs(series: self, from: civil(of: key))
      include(ids.next().flatMap { occurrence(id(of: $0), patch: nil, place) })
    }
    let isEndless = until == nil && runs.last?.countMax == nil && runs.last?.rule != nil
    if isEndless { return first.map { ($0, nil) } }
    include(lastID.flatMap { occurrence($0, patch: nil, place) })
    // Displacement may put an earlier segment's last occurrence behind the series' last.
    return first.map { ($0, last?.adding(seconds: reachSeconds)) }
  }

  /// The last ID that the rules make; nil if there is no end.
  var lastID: RecurrenceID? {
    guard let run = runs.last(where: { ($0.countMax ?? 1) > 0 }) else { return nil }
    var rule = run.rule
    if let count = run.countMax {
      let extra = rule?.matches(run.anchor, start: run.anchor) ?? true ? Int64(0) : 1
      rule?.count = max(count - extra, 1)
    } else if let until {
      rule?.until = .dateTime(until)
    } else if rule != nil {
      return nil
    }
    let last = rule?.lastOccurrence(start: run.anchor) ?? run.anchor
    return id(of: max(last, run.anchor))
  }

  private func single(_ place: Placement) -> [SeriesOccurrence] {
    guard let segment = segments.first, let anchor = segment.values.anchor else { return [] }
    return [place.occurrence(nil, segment.values, anchor, isDetached: false, isAdded: false)]
  }

  /// The occurrence of an ID with its override; the ID is not checked.
  func occurrence(
    _ id: RecurrenceID, patch: JSONObject?, _ place: Placement
  ) -> SeriesOccurrence? {
    guard let values = values(at: id, isAdded: patch?["added"] == true) else { return nil }
    var object = values
    if let patch {
      object.members = Patch.applied(patch, to: values.members)
      if patch["start"] != nil, patch["due"] == nil { Series.keepLength(of: values, in: &object) }
    }
    guard let start = object.anchor else { return nil }
    let differs = patch.map { $0.names.contains { $0 != "added" } } ?? false
    return place.occurrence(
      id, object, start, isDetached: differs || patch?["added"] == true,
      isAdded: patch?["added"] == true)
  }

  /// Moves the due date of a reminder along with a start that was moved alone.
  static func keepLength(of values: CalendarObject, in object: inout CalendarObject) {
    guard let due = values.moment("due"), let before = values.moment("start"),
      let after = object.moment("start"), due.isDate == after.isDate
    else { return }
    let moved =
      due.dateTime.civilSeconds + after.dateTime.civilSeconds - before.dateTime.civilSeconds
    let civil = CivilDateTime(civilSeconds: moved)
    object["due"] = .string(
      (due.isDate ? .date(civil.date) : DateOrDateTime.dateTime(civil)).description)
  }

  /// The values that an ID inherits from series and segments, its own start and due in place.
  func values(at id: RecurrenceID, isAdded: Bool = false) -> CalendarObject? {
    guard let segment = segment(at: id), segment.values.anchor != nil else { return nil }
    let object = segment.values
    let date = id.value.date.adding(days: isAdded ? 0 : segment.shiftDays)
    let start: DateOrDateTime
    if let time = segment.time {
      let own = repeatsWithinDay || isAdded ? id.value.time ?? time : time
      start = .dateTime(CivilDateTime(date: date, time: own))
    } else {
      start = .date(date)
    }
    guard start.date.isPrintable else { return nil }
    return Series.placed(object, at: start)
  }

  /// The values with their start, else due, at another place; a due date beside a start goes along.
  static func placed(_ values: CalendarObject, at start: DateOrDateTime) -> CalendarObject {
    guard let anchor = values.anchor else { return values }
    var object = values
    object[object.anchorName] = .string(start.description)
    if object.kind == .reminder, let due = values.moment("due"), values["start"] != nil {
      let moved =
        due.dateTime.civilSeconds + start.dateTime.civilSeconds - anchor.dateTime.civilSeconds
      let civil = CivilDateTime(civilSeconds: moved)
      object["due"] = .string(
        (due.isDate ? .date(civil.date) : DateOrDateTime.dateTime(civil)).description)
    }
    return object
  }
}

extension SeriesSegment {
  /// The length of an occurrence, rounded up by days; an override that moves it is none of it.
  fileprivate var lengthSeconds: Int64 {
    let duration = values["duration"]?.stringValue.flatMap { CalendarDuration($0) }
    var days = Int64(duration?.days ?? 1) + (duration?.seconds ?? 0) / 86_400 + 1
    if let due = values.moment("due"), let start = values.moment("start") {
      days = max(days, Int64(due.date.days(since: start.date)) + 2)
    }
    return max(days, 1) * 86_400
  }
}

/// Places wall-clock values on the time line.
struct Placement {
  let zones: TimeZoneDatabase
  let floatingZone: TimeZoneRules

  func zone(_ name: String?) -> TimeZoneRules {
    name.flatMap { zones.rules(named: $0) } ?? floatingZone
  }

  func occurrence(
    _ id: RecurrenceID?, _ object: CalendarObject, _ start: DateOrDateTime, isDetached: Bool,
    isAdded: Bool
  ) -> SeriesOccurrence {
    let zone = zone(start.isDate ? nil : object.timeZone)
    let startInstant = zone.instant(of: start.dateTime)
    return SeriesOccurrence(
      recurrenceID: id, object: object, start: start,
      timeZone: start.isDate ? nil : object.timeZone, startInstant: startInstant,
      endInstant: max(startInstant, end(of: object, start, zone)), isDetached: isDetached,
      isAdded: isAdded)
  }

  private func end(
    of object: CalendarObject, _ start: DateOrDateTime, _ zone: TimeZoneRules
  ) -> Instant {
    if object.kind == .reminder {
      guard let due = object.moment("due") else { return zone.instant(of: start.dateTime) }
      // A date alone means the end of that day.
      let civil = due.isDate ? CivilDateTime(date: due.date.adding(days: 1)) : due.dateTime
      return zone.instant(of: civil)
    }
    let duration = object.duration
    if start.isDate {
      return zone.instant(of: CivilDateTime(date: start.date.adding(days: duration.wholeDays)))
    }
    return duration.added(to: start.dateTime, in: zone)
  }
}

extension CalendarObject {
  /// The length of an event: `PT0S` for a timed one that has none, a day for an all-day one.
  public var duration: CalendarDuration {
    if let text = members["duration"]?.stringValue, let duration = CalendarDuration(text) {
      return duration
    }
    return CalendarDuration(days: anchor?.isDate == true ? 1 : 0)
  }
}

extension CalendarDuration {
  /// Days of an all-day item: hours are read as whole days, and there is at least one.
  public var wholeDays: Int {
    max(1, days + Int((seconds + 86_399) / 86_400))
  }
}
