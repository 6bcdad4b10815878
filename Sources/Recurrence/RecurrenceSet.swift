public import CivilTime

/// A recurrence set (RFC 5545 3.8.5): the start, rules and additional dates, less excluded dates,
/// on the clock of one zone.
public struct RecurrenceSet: Sendable {
  /// The start of the series.
  public let start: DateOrDateTime
  /// The rules, any number.
  public let rules: [RecurrenceRule]
  /// Additional wall-clock times (RDATE), sorted.
  let additional: [CivilDateTime]
  private let excluded: Set<CivilDateTime>
  private let excludedDates: Set<CivilDate>
  /// The zone in which UNTIL instants are compared; nil compares them as UTC.
  public let zone: TimeZoneRules?
  /// Whether the start is an occurrence even where no rule makes it.
  public let includesStart: Bool

  /// Creates a set.
  ///
  /// - Parameters:
  ///   - start: the start of the series; a date makes every occurrence all-day.
  ///   - additionalDates: RDATE; a date among times is read as midnight.
  ///   - excludedDates: EXDATE; a date among times excludes every occurrence of that day.
  ///   - zone: the zone of the series; nil for all-day and floating series.
  ///   - includesStart: whether the start is an occurrence even where no rule makes it, as RFC 5545
  ///     3.8.5.3 says; it does not count towards COUNT.
  public init(
    start: DateOrDateTime, rules: [RecurrenceRule], additionalDates: [DateOrDateTime] = [],
    excludedDates: [DateOrDateTime] = [], zone: TimeZoneRules? = nil, includesStart: Bool = true
  ) {
    self.start = start
    self.rules = rules
    additional = additionalDates.map(\.dateTime).sorted()
    excluded = Set(excludedDates.filter { !$0.isDate || start.isDate }.map(\.dateTime))
    self.excludedDates = start.isDate ? [] : Set(excludedDates.filter(\.isDate).map(\.date))
    self.zone = zone
    self.includesStart = includesStart
  }

  /// The occurrences from a time on, as wall-clock times in order, each once.
  ///
  /// - Complexity: reaching `from` does not depend on its distance from the start.
  public func occurrences(from: CivilDateTime? = nil) -> Occurrences {
    Occurrences(set: self, from: from)
  }

  /// The occurrences of a set in time order, made as they are read.
  public struct Occurrences: Sequence, IteratorProtocol, Sendable {
    private let set: RecurrenceSet
    private var streams: [RuleOccurrences]
    private var heads: [CivilDateTime?]
    private var dates: ArraySlice<CivilDateTime>
    private var last: CivilDateTime?

    init(set: RecurrenceSet, from: CivilDateTime?) {
      self.set = set
      streams = set.rules.map { $0.occurrences(start: set.start.dateTime, from: from) }
      var dates = set.additional
      if set.includesStart {
        let index = dates.firstIndex { $0 >= set.start.dateTime } ?? dates.count
        dates.insert(set.start.dateTime, at: index)
      }
      self.dates = dates[...]
      if let from { self.dates = dates[(dates.firstIndex { $0 >= from } ?? dates.count)...] }
      heads = []
      for index in streams.indices { heads.append(nextHead(index)) }
    }

    /// Why each rule's stream has ended, in the order of the rules; nil where it goes on.
    public var stops: [RuleOccurrences.Stop?] { streams.map(\.stop) }

    /// The next occurrence, or nil at the end.
    public mutating func next() -> CivilDateTime? {
      while true {
        var least = dates.first
        for case let head? in heads where least.map({ head < $0 }) ?? true { least = head }
        guard let least else { return nil }
        if dates.first == least { dates.removeFirst() }
        for index in heads.indices where heads[index] == least { heads[index] = nextHead(index) }
        if least == last || set.excludes(least) { continue }
        last = least
        return least
      }
    }

    private mutating func nextHead(_ index: Int) -> CivilDateTime? {
      guard case .instant(let until) = set.rules[index].until else { return streams[index].next() }
      // RFC 5545 3.3.10: UNTIL in UTC is compared with the instant of the occurrence. No zone is
      // more than 26 hours from UTC. A later wall time may be an earlier instant where clocks are
      // set forward, so the stream is read to its own end, which leaves those hours of room.
      while let next = streams[index].next() {
        if next.civilSeconds < until.adding(seconds: -93_600).seconds { return next }
        if (set.zone ?? .utc).instant(of: next) <= until { return next }
      }
      return nil
    }
  }

  private func excludes(_ dateTime: CivilDateTime) -> Bool {
    excluded.contains(dateTime) || excludedDates.contains(dateTime.date)
  }
}
