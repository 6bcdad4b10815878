public import CivilTime

/// A recurrence rule (RFC 5545 3.3.10, with RSCALE and SKIP of RFC 7529) as a value.
///
/// A rule alone says nothing about its first occurrence; every question about occurrences takes
/// the start of the series, from which parts that the rule leaves out are taken.
public struct RecurrenceRule: Sendable {
  /// The unit of time in which a rule repeats (FREQ).
  public enum Frequency: Int, CaseIterable, Hashable, Sendable {
    case yearly, monthly, weekly, daily, hourly, minutely, secondly

    /// The lower-case name of JSCalendar: `weekly`.
    public var name: String { Frequency.names[rawValue] }

    private static let names = [
      "yearly", "monthly", "weekly", "daily", "hourly", "minutely", "secondly",
    ]

    /// Creates a frequency from its name in any case; nil if there is none.
    public init?(name: some StringProtocol) {
      let lower = name.lowercased()
      guard let index = Frequency.names.firstIndex(of: lower) else { return nil }
      self.init(rawValue: index)
    }
  }

  /// A weekday, or the n-th of its kind in a month or year (an element of BYDAY).
  public struct WeekdayNumber: Hashable, Sendable {
    /// The weekday.
    public var weekday: Weekday
    /// 1 is the first in the period, -1 the last; nil means every one.
    public var ordinal: Int?

    /// Creates an element; without an ordinal it means every such weekday.
    public init(_ weekday: Weekday, ordinal: Int? = nil) {
      self.weekday = weekday
      self.ordinal = ordinal
    }
  }

  /// A month of the rule's calendar (an element of BYMONTH).
  public struct Month: Hashable, Comparable, Sendable {
    /// The number, from 1.
    public var number: Int
    /// Whether it is the leap month after the month of that number (RFC 7529 `5L`).
    public var isLeap: Bool

    /// Creates a month.
    public init(_ number: Int, isLeap: Bool = false) {
      self.number = number
      self.isLeap = isLeap
    }

    /// Orders by number, a leap month after its namesake.
    public static func < (left: Month, right: Month) -> Bool {
      (left.number, left.isLeap ? 1 : 0) < (right.number, right.isLeap ? 1 : 0)
    }
  }

  /// The last moment at which a rule may produce an occurrence, inclusive (UNTIL).
  public enum Until: Hashable, Sendable {
    /// The end of a day, on the series' own clock.
    case date(CivilDate)
    /// A wall-clock time of the series' own zone.
    case dateTime(CivilDateTime)
    /// An instant; needs the zone of the series to be compared exactly.
    case instant(Instant)
  }

  /// What becomes of a date that does not exist (RFC 7529 SKIP).
  public enum Skip: String, Hashable, Sendable {
    /// It is left out.
    case omit
    /// The last day before it is taken.
    case backward
    /// The first day after it is taken.
    case forward
  }

  /// The unit in which the rule repeats.
  public var frequency: Frequency
  /// Every how many units, at least 1.
  public var interval: Int64 = 1
  /// How many occurrences there are in all, at least 1; nil if the rule does not count.
  public var count: Int64?
  /// The last moment; nil if the rule does not say.
  public var until: Until?
  /// Seconds, 0...60; 60 is read as 59.
  public var bySecond: [Int] = []
  /// Minutes, 0...59.
  public var byMinute: [Int] = []
  /// Hours, 0...23.
  public var byHour: [Int] = []
  /// Weekdays, with ordinals in monthly and yearly rules.
  public var byDay: [WeekdayNumber] = []
  /// Days of the month, 1...31 from its start or -1...-31 from its end.
  public var byMonthDay: [Int] = []
  /// Days of the year, 1...366 or -1...-366.
  public var byYearDay: [Int] = []
  /// Week numbers, 1...53 or -1...-53.
  public var byWeekNumber: [Int] = []
  /// Months.
  public var byMonth: [Month] = []
  /// Which members of each period's set are taken, 1...366 or -1...-366.
  public var bySetPosition: [Int] = []
  /// The first day of a week (WKST).
  public var weekStart: Weekday = .monday
  /// The calendar in upper case (RSCALE); nil means that none is named, which is Gregorian.
  public var scale: String?
  /// What becomes of a date that does not exist.
  public var skip: Skip = .omit
  /// Parts that are not known (`X-...`), as written and in order; kept for printing.
  public var unknownParts: [String] = []
  /// The text that was read, which is no part of the value.
  var source = SourceText()

  /// Creates a rule that repeats every unit without end.
  public init(frequency: Frequency) {
    self.frequency = frequency
  }

  /// Whether the rule may produce more than one occurrence on a date.
  public var repeatsWithinDay: Bool {
    frequency.rawValue >= Frequency.hourly.rawValue || !byHour.isEmpty || !byMinute.isEmpty
      || !bySecond.isEmpty
  }

  /// Whether occurrences can be computed; false for a calendar other than the Gregorian, whose
  /// rules are carried and reported.
  public var isEvaluable: Bool {
    (scale == nil || scale == "GREGORIAN") && !byMonth.contains { $0.isLeap || $0.number > 12 }
  }

  /// Whether the rule has an end of its own.
  public var isFinite: Bool { count != nil || until != nil }

  /// The rule without COUNT and UNTIL.
  public var withoutEnd: RecurrenceRule {
    var rule = self
    rule.count = nil
    rule.until = nil
    return rule
  }
}

extension RecurrenceRule: Hashable {}

/// The text from which a rule was read; all are equal, so that equality is about what rules mean.
struct SourceText: Hashable, Sendable {
  var text: String?

  static func == (left: SourceText, right: SourceText) -> Bool { true }
  func hash(into hasher: inout Hasher) {}
}
