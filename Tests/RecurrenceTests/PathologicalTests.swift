import CivilTime
import Recurrence
import Testing

/// Rules that make other engines hang, run out of memory, crash or invent occurrences. Every test
/// has a time limit that a search without bound would pass.
@Suite(.timeLimit(.minutes(5))) struct PathologicalTests {
  /// A rule that has no occurrence at all.
  static let empty: [(rule: String, start: String)] = [
    ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "20200101T090000"),
    ("FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30", "20200101T090000"),
    ("FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", "20200101T090000"),
    ("FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30", "20200101T090000"),
    ("FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=30", "20200101T090000"),
    ("FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30", "20200101T090000"),
    ("FREQ=SECONDLY;BYMONTH=4,6,9,11;BYMONTHDAY=31", "20200101T090000"),
    ("FREQ=MINUTELY;INTERVAL=1440;BYHOUR=5", "20200101T090000"),
    ("FREQ=HOURLY;INTERVAL=24;BYHOUR=3", "20200101T090000"),
    ("FREQ=HOURLY;INTERVAL=2;BYHOUR=1,3,5", "20200101T080000"),
    ("FREQ=SECONDLY;INTERVAL=60;BYSECOND=30", "20200101T090000"),
    ("FREQ=SECONDLY;INTERVAL=86400;BYHOUR=10", "20200101T090000"),
    ("FREQ=SECONDLY;INTERVAL=3600;BYMINUTE=1", "20200101T090000"),
    ("FREQ=DAILY;INTERVAL=7;BYDAY=SU", "20200106T090000"),
    ("FREQ=DAILY;INTERVAL=14;BYDAY=SU;BYMONTH=1", "20200106T090000"),
    ("FREQ=HOURLY;INTERVAL=168;BYDAY=SU", "20200106T090000"),
    ("FREQ=MINUTELY;INTERVAL=10080;BYDAY=SU", "20200106T090000"),
    ("FREQ=SECONDLY;INTERVAL=604800;BYDAY=SU", "20200106T090000"),
    ("FREQ=HOURLY;INTERVAL=3506328;BYDAY=TU", "20200106T090000"),
    ("FREQ=YEARLY;INTERVAL=400;BYMONTH=2;BYMONTHDAY=29", "21000101T090000"),
    ("FREQ=YEARLY;INTERVAL=400;BYYEARDAY=366", "21000101T090000"),
    ("FREQ=MONTHLY;INTERVAL=12;BYMONTHDAY=31", "20200201T090000"),
    ("FREQ=MONTHLY;INTERVAL=12;BYMONTH=3", "20200201T090000"),
    ("FREQ=MONTHLY;BYDAY=6SA", "20200101T090000"),
    ("FREQ=MONTHLY;BYMONTHDAY=1;BYDAY=2MO", "20200101T090000"),
    ("FREQ=MONTHLY;BYDAY=MO;BYSETPOS=6", "20200101T090000"),
    ("FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=3;BYSETPOS=3", "20200101T090000"),
    ("FREQ=YEARLY;BYDAY=53TH;BYMONTH=1", "20200101T090000"),
    ("FREQ=YEARLY;BYYEARDAY=366;BYMONTH=1", "20200101T090000"),
    ("FREQ=YEARLY;BYWEEKNO=20;BYMONTH=1", "20200101T090000"),
    ("FREQ=YEARLY;BYWEEKNO=53;BYDAY=MO;BYSETPOS=2", "20200101T090000"),
    ("FREQ=WEEKLY;BYDAY=MO;BYSETPOS=2", "20200101T090000"),
    ("FREQ=HOURLY;BYMINUTE=0;BYSETPOS=2", "20200101T090000"),
    ("FREQ=SECONDLY;BYSECOND=0;BYSETPOS=-2", "20200101T090000"),
  ]

  @Test(arguments: empty)
  func neverMatchesIsAnAnswer(rule text: String, start: String) throws {
    let start = try #require(CivilDateTime(basic: start))
    var rule = try RecurrenceRule(parsing: text)
    var occurrences = rule.occurrences(start: start)
    #expect(occurrences.next() == nil, "\(text)")
    #expect(occurrences.stop == .neverMatches, "\(text)")
    let far = try #require(CivilDateTime(extended: "2950-06-01T00:00:00"))
    var later = rule.occurrences(start: start, from: far)
    #expect(later.next() == nil)
    #expect(later.stop == .neverMatches, "\(text) from far")
    rule.count = .max
    #expect(rule.occurrenceCount(start: start, before: far) == 0)
  }

  /// The first occurrences from a time on.
  static let windows: [(rule: String, start: String, from: String, expected: [String])] = [
    // One occurrence a year among 31 million seconds.
    (
      "FREQ=SECONDLY;BYMONTH=12;BYMONTHDAY=31;BYHOUR=23;BYMINUTE=59;BYSECOND=59",
      "20200101T090000", "20200101T090000", ["20201231T235959", "20211231T235959"]
    ),
    // COUNT runs out in 2068; the window lies 1.6 thousand million occurrences after the start.
    (
      "FREQ=SECONDLY;COUNT=2147483647", "20000101T000000", "20500101T000000",
      ["20500101T000000", "20500101T000001", "20500101T000002"]
    ),
    (
      "FREQ=SECONDLY;COUNT=2147483647", "20000101T000000", "20680119T031406",
      ["20680119T031406"]
    ),
    (
      "FREQ=SECONDLY;BYHOUR=9;BYMINUTE=0,30;BYDAY=MO;COUNT=310000", "20000103T090000",
      "20480101T000000", ["20480106T090000", "20480106T090001"]
    ),
    (
      "FREQ=DAILY;COUNT=2000000000", "19970902T090000", "20260601T000000",
      ["20260601T090000", "20260602T090000"]
    ),
    ("FREQ=DAILY;INTERVAL=2147483647", "20200101T090000", "20200101T090000", ["20200101T090000"]),
    (
      "FREQ=SECONDLY;INTERVAL=4294967296", "20200101T090000", "20200102T090000",
      ["21560207T152816", "22920315T215632"]
    ),
    (
      "FREQ=YEARLY;BYMONTH=1,2,3,4,5,6,7,8,9,10,11,12;BYDAY=MO,TU,WE,TH,FR,SA,SU;"
        + "BYHOUR=\(list(24));BYMINUTE=\(list(60));BYSECOND=\(list(60));BYSETPOS=-1",
      "20200101T000000", "20200101T000000", ["20201231T235959", "20211231T235959"]
    ),
    (
      "FREQ=YEARLY;BYMONTH=1,2,3,4,5,6,7,8,9,10,11,12;BYDAY=MO,TU,WE,TH,FR,SA,SU;"
        + "BYHOUR=\(list(24));BYMINUTE=\(list(60));BYSECOND=\(list(60))",
      "20200101T000000", "20260717T111213", ["20260717T111213", "20260717T111214"]
    ),
    // RFC 5545 allows a leap second; it is read as the second before it.
    (
      "FREQ=MINUTELY;BYSECOND=60", "20200101T090000", "20200101T090000",
      ["20200101T090059", "20200101T090159"]
    ),
    (
      "FREQ=MINUTELY;BYSECOND=59,60", "20200101T090000", "20200101T090000",
      ["20200101T090059", "20200101T090159"]
    ),
    // 29 February of a century year comes once in 400 years.
    (
      "FREQ=YEARLY;INTERVAL=100;BYMONTH=2;BYMONTHDAY=29", "19000101T090000", "20010101T000000",
      ["24000229T090000", "28000229T090000"]
    ),
    (
      "FREQ=MINUTELY;BYYEARDAY=-1", "20200601T090000", "20200601T090000",
      ["20201231T000000", "20201231T000100"]
    ),
    // The grid of 11 hours meets Monday 09:00 once in eleven weeks.
    (
      "FREQ=HOURLY;INTERVAL=11;BYDAY=MO;BYHOUR=9", "20200106T090000", "20200106T090001",
      ["20200323T090000"]
    ),
  ]

  @Test(arguments: windows)
  func windowIsReached(rule text: String, start: String, from: String, expected: [String]) throws {
    let rule = try RecurrenceRule(parsing: text)
    let start = try #require(CivilDateTime(basic: start))
    let from = try #require(CivilDateTime(basic: from))
    let expected = expected.compactMap { CivilDateTime(basic: $0) }
    let found = Array(rule.occurrences(start: start, from: from).prefix(expected.count))
    #expect(found == expected, "\(text)")
  }

  static func list(_ count: Int) -> String {
    (0..<count).map(String.init).joined(separator: ",")
  }

  @Test(arguments: [
    "FREQ=YEARLY", "FREQ=MONTHLY", "FREQ=WEEKLY", "FREQ=DAILY", "FREQ=HOURLY", "FREQ=MINUTELY",
    "FREQ=SECONDLY",
  ])
  func intervalAndCountGoUpToTheLargestInteger(_ text: String) throws {
    let start = try #require(CivilDateTime(basic: "20200102T030405"))
    let text = "\(text);INTERVAL=9223372036854775807;COUNT=9223372036854775807"
    let rule = try RecurrenceRule(parsing: text)
    var occurrences = rule.occurrences(start: start)
    #expect(occurrences.next() == start)
    #expect(occurrences.next() == nil)
    #expect(occurrences.stop == .lastYear)
    let far = try #require(CivilDateTime(extended: "9999-12-31T23:59:59"))
    #expect(rule.occurrences(start: start, from: far).first { _ in true } == nil)
    #expect(rule.occurrenceCount(start: start, before: far) == 1)
    #expect(rule.lastOccurrence(start: start) == start)
  }

  @Test(arguments: [
    ("FREQ=YEARLY", 2), ("FREQ=MONTHLY", 8), ("FREQ=WEEKLY", 53), ("FREQ=DAILY", 366),
    ("FREQ=HOURLY", 366 * 24 - 9), ("FREQ=HOURLY;INTERVAL=24", 366),
  ])
  func theLastYearEndsARuleAndSaysSo(_ text: String, _ count: Int) throws {
    let start = try #require(CivilDateTime(extended: "9998-12-31T09:00:00"))
    let rule = try RecurrenceRule(parsing: text)
    var occurrences = rule.occurrences(start: start)
    var found = 0
    while let next = occurrences.next() {
      #expect(next.date.isPrintable)
      found += 1
    }
    #expect(found == count)
    #expect(occurrences.stop == .lastYear)
  }

  @Test func endOfEveryKindIsToldApart() throws {
    let start = try #require(CivilDateTime(basic: "20200101T090000"))
    func stop(_ text: String) throws -> RuleOccurrences.Stop? {
      var occurrences = try RecurrenceRule(parsing: text).occurrences(start: start)
      for _ in 0..<20 where occurrences.next() == nil { break }
      return occurrences.stop
    }
    #expect(try stop("FREQ=DAILY") == nil)
    #expect(try stop("FREQ=DAILY;COUNT=3") == .finished)
    #expect(try stop("FREQ=DAILY;UNTIL=20200103T090000") == .finished)
    #expect(try stop("FREQ=HOURLY;UNTIL=20200101T100000") == .finished)
    #expect(try stop("FREQ=YEARLY;INTERVAL=5000") == .lastYear)
    #expect(try stop("RSCALE=CHINESE;FREQ=YEARLY") == .notEvaluable)
  }

  /// Long gaps between occurrences, on purpose against the grain of the interval.
  @Test(arguments: [
    "FREQ=SECONDLY;INTERVAL=86399;BYHOUR=0;BYMINUTE=0;BYSECOND=0;BYMONTH=2;BYMONTHDAY=29",
    "FREQ=SECONDLY;INTERVAL=86401;BYHOUR=0;BYMINUTE=0;BYSECOND=0;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO",
    "FREQ=MINUTELY;INTERVAL=1439;BYHOUR=0;BYMINUTE=0;BYYEARDAY=366",
    "FREQ=SECONDLY;INTERVAL=604799;BYHOUR=12;BYMINUTE=0;BYSECOND=0;BYDAY=MO;BYMONTHDAY=13",
    "FREQ=SECONDLY;INTERVAL=999983;BYHOUR=12;BYMINUTE=0;BYSECOND=0;BYDAY=FR;BYMONTHDAY=13",
    "FREQ=HOURLY;INTERVAL=999983;BYMONTH=2;BYMONTHDAY=29",
    "FREQ=YEARLY;INTERVAL=7;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO",
    "FREQ=DAILY;INTERVAL=773;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO",
    "FREQ=MONTHLY;INTERVAL=7;BYDAY=5MO;BYMONTHDAY=29;BYMONTH=2",
    "FREQ=SECONDLY;INTERVAL=7919;BYSECOND=0;BYMINUTE=0;BYDAY=MO",
  ])
  func searchesThatFindLittleStayShort(_ text: String) throws {
    let rule = try RecurrenceRule(parsing: text)
    let start = try #require(CivilDateTime(basic: "20000101T000000"))
    var occurrences = rule.occurrences(start: start)
    for _ in 0..<3 {
      guard let next = occurrences.next() else { break }
      #expect(rule.matches(next, start: start), "\(text) at \(next)")
    }
    #expect(occurrences.stop != .workLimit, "\(text)")
    let far = try #require(CivilDateTime(extended: "2250-06-01T00:00:00"))
    var later = rule.occurrences(start: start, from: far)
    _ = later.next()
    #expect(later.stop != .workLimit, "\(text)")
    // COUNT in front of a far window is a sum over residues, not a walk.
    var counted = rule
    counted.count = .max
    var again = counted.occurrences(start: start, from: far)
    var once = rule.occurrences(start: start, from: far)
    #expect(again.next() == once.next())
  }

  /// Values that parsing refuses but code can set: no trap, no endless loop.
  @Test func ruleThatIsNotValidTrapsNothing() throws {
    let start = try #require(CivilDateTime(basic: "20200131T090000"))
    for frequency in RecurrenceRule.Frequency.allCases {
      for value in [Int.min, -1_000, -1, 0, 61, 1_000, Int.max] {
        var rule = RecurrenceRule(frequency: frequency)
        rule.interval = Int64(value)
        rule.count = Int64(value)
        rule.byHour = [value, value]
        rule.byMinute = [value]
        rule.bySecond = [value]
        rule.byMonth = [.init(value)]
        rule.byMonthDay = [value]
        rule.byYearDay = [value]
        rule.byWeekNumber = [value]
        rule.byDay = [.init(.monday, ordinal: value)]
        rule.bySetPosition = [value]
        #expect(throws: RecurrenceRuleError.self) { try rule.validate() }
        var occurrences = rule.occurrences(start: start)
        #expect(occurrences.next() == nil)
        #expect(occurrences.stop == .notEvaluable)
        #expect(rule.occurrenceCount(start: start, before: start) == 0)
        #expect(rule.lastOccurrence(start: start) == nil)
      }
    }
  }

  @Test func startAtTheEdgesOfTheCalendarTrapsNothing() throws {
    let edges = [
      CivilDateTime(date: .first), CivilDateTime(date: .last),
      CivilDateTime(date: .last, time: TimeOfDay(secondOfDay: 86_399)),
      CivilDateTime(date: CivilDate(dayNumber: .max)),
      CivilDateTime(date: CivilDate(dayNumber: .min)),
    ]
    for frequency in RecurrenceRule.Frequency.allCases {
      for start in edges {
        let rule = RecurrenceRule(frequency: frequency)
        for from in edges {
          _ = rule.occurrences(start: start, from: from).prefix(3).map { $0 }
          _ = rule.occurrenceCount(start: start, before: from)
          _ = rule.matches(from, start: start)
        }
      }
    }
  }
}
