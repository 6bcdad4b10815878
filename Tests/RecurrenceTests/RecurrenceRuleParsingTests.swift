import CivilTime
import Recurrence
import Testing

@Suite struct RecurrenceRuleParsingTests {
  @Test func everyPartIsRead() throws {
    let rule = try RecurrenceRule(
      parsing: "FREQ=YEARLY;INTERVAL=2;COUNT=10;BYSECOND=0,60;BYMINUTE=30;BYHOUR=23,0;"
        + "BYDAY=MO,-1SU,+2TU;BYMONTHDAY=-1,15;BYYEARDAY=366,-366;BYMONTH=12,1;BYSETPOS=-1;WKST=SU")
    #expect(rule.frequency == .yearly)
    #expect(rule.interval == 2)
    #expect(rule.count == 10)
    #expect(rule.until == nil)
    #expect(rule.bySecond == [0, 60])
    #expect(rule.byMinute == [30])
    #expect(rule.byHour == [0, 23])
    #expect(
      rule.byDay == [.init(.monday), .init(.sunday, ordinal: -1), .init(.tuesday, ordinal: 2)])
    #expect(rule.byMonthDay == [-1, 15])
    #expect(rule.byYearDay == [-366, 366])
    #expect(rule.byMonth == [.init(1), .init(12)])
    #expect(rule.bySetPosition == [-1])
    #expect(rule.weekStart == .sunday)
    let weeks = try RecurrenceRule(parsing: "FREQ=YEARLY;BYWEEKNO=53,-1;BYDAY=MO")
    #expect(weeks.byWeekNumber == [-1, 53])
  }

  @Test func untilIsADateADateTimeOrAnInstant() throws {
    let date = try #require(CivilDate(year: 2026, month: 12, day: 24))
    let time = try #require(CivilDateTime(extended: "2026-12-24T18:00:00"))
    #expect(try RecurrenceRule(parsing: "FREQ=DAILY;UNTIL=20261224").until == .date(date))
    #expect(
      try RecurrenceRule(parsing: "FREQ=DAILY;UNTIL=20261224T180000").until == .dateTime(time))
    #expect(
      try RecurrenceRule(parsing: "FREQ=DAILY;UNTIL=20261224T180000Z").until
        == .instant(Instant(utc: time)))
  }

  @Test func caseAndOrderDoNotMatter() throws {
    let rule = try RecurrenceRule(parsing: "byday=mo,2tu;freq=monthly;wkst=su")
    #expect(rule == (try RecurrenceRule(parsing: "FREQ=MONTHLY;WKST=SU;BYDAY=MO,2TU")))
  }

  @Test func partsOfExtensionsAreKept() throws {
    let rule = try RecurrenceRule(parsing: "FREQ=DAILY;X-FOO=Bar,baz;X-a=1")
    #expect(rule.unknownParts == ["X-FOO=Bar,baz", "X-A=1"])
    #expect(rule.isEvaluable)
    #expect(rule.text == "FREQ=DAILY;X-FOO=Bar,baz;X-A=1")
  }

  @Test func otherCalendarsAreCarriedAndNotEvaluated() throws {
    let text = "RSCALE=CHINESE;FREQ=YEARLY;BYMONTH=5L;BYMONTHDAY=1;SKIP=FORWARD"
    let rule = try RecurrenceRule(parsing: text)
    #expect(!rule.isEvaluable)
    #expect(rule.skip == .forward)
    #expect(rule.byMonth == [.init(5, isLeap: true)])
    #expect(rule.text == text)
    let hebrew = try RecurrenceRule(parsing: "RSCALE=hebrew;FREQ=YEARLY;BYMONTH=13")
    #expect(hebrew.scale == "HEBREW")
    #expect(!hebrew.isEvaluable)
    #expect(try RecurrenceRule(parsing: "RSCALE=GREGORIAN;FREQ=MONTHLY;SKIP=OMIT").isEvaluable)
  }

  /// Text, offset of the error in bytes, part that is to blame.
  static let errors: [(text: String, offset: Int, part: String)] = [
    ("", 0, ""),
    ("COUNT=3", 0, "FREQ"),
    ("FREQ=DAILY;", 11, ""),
    (";FREQ=DAILY", 0, ""),
    ("FREQ=DAILY;;COUNT=1", 11, ""),
    ("FREQ", 0, ""),
    ("FREQ=", 5, "FREQ"),
    ("FREQ=FORTNIGHTLY", 5, "FREQ"),
    ("FREQ=DAILY;FREQ=DAILY", 11, "FREQ"),
    ("FREQ=DAILY;COUNT=1;COUNT=1", 19, "COUNT"),
    ("FREQ=DAILY;BYWHATEVER=1", 11, ""),
    ("FREQ=DAILY;INTERVAL=0", 11, "INTERVAL"),
    ("FREQ=DAILY;INTERVAL=-1", 20, "INTERVAL"),
    ("FREQ=DAILY;INTERVAL=9223372036854775808", 20, "INTERVAL"),
    ("FREQ=DAILY;COUNT=0", 11, "COUNT"),
    ("FREQ=DAILY;COUNT=+1", 17, "COUNT"),
    ("FREQ=DAILY;COUNT=1 ", 17, "COUNT"),
    ("FREQ=DAILY;COUNT=3;UNTIL=20261224", 11, "COUNT"),
    ("FREQ=DAILY;UNTIL=20260230", 17, "UNTIL"),
    ("FREQ=DAILY;UNTIL=2026-12-24", 17, "UNTIL"),
    ("FREQ=DAILY;UNTIL=20261224T240000", 17, "UNTIL"),
    ("FREQ=DAILY;BYHOUR=1,24", 20, "BYHOUR"),
    ("FREQ=DAILY;BYHOUR=+1", 18, "BYHOUR"),
    ("FREQ=DAILY;BYHOUR=-0", 18, "BYHOUR"),
    ("FREQ=DAILY;BYHOUR=", 18, "BYHOUR"),
    ("FREQ=DAILY;BYHOUR=1,,2", 20, "BYHOUR"),
    ("FREQ=DAILY;BYHOUR=1,", 20, "BYHOUR"),
    ("FREQ=DAILY;BYMINUTE=60", 20, "BYMINUTE"),
    ("FREQ=DAILY;BYSECOND=61", 20, "BYSECOND"),
    ("FREQ=MONTHLY;BYMONTHDAY=1,32", 26, "BYMONTHDAY"),
    ("FREQ=MONTHLY;BYMONTHDAY=0", 24, "BYMONTHDAY"),
    ("FREQ=MONTHLY;BYMONTHDAY=-32", 24, "BYMONTHDAY"),
    ("FREQ=YEARLY;BYYEARDAY=367", 22, "BYYEARDAY"),
    ("FREQ=YEARLY;BYWEEKNO=54", 21, "BYWEEKNO"),
    ("FREQ=YEARLY;BYMONTH=13", 12, "BYMONTH"),
    ("FREQ=YEARLY;BYMONTH=5L", 12, "BYMONTH"),
    ("FREQ=YEARLY;BYMONTH=1,0", 22, "BYMONTH"),
    ("FREQ=YEARLY;BYMONTH=L", 20, "BYMONTH"),
    ("FREQ=MONTHLY;BYDAY=MO,XX", 22, "BYDAY"),
    ("FREQ=MONTHLY;BYDAY=M", 19, "BYDAY"),
    ("FREQ=MONTHLY;BYDAY=0MO", 19, "BYDAY"),
    ("FREQ=MONTHLY;BYDAY=54MO", 19, "BYDAY"),
    ("FREQ=MONTHLY;BYDAY=1 MO", 19, "BYDAY"),
    ("FREQ=MONTHLY;BYDAY=1\u{E9}", 19, "BYDAY"),
    ("FREQ=MONTHLY;BYDAY=M\u{E9}", 19, "BYDAY"),
    ("FREQ=WEEKLY;BYDAY=1MO", 12, "BYDAY"),
    ("FREQ=YEARLY;BYWEEKNO=1;BYDAY=1MO", 23, "BYDAY"),
    ("FREQ=MONTHLY;BYWEEKNO=1", 13, "BYWEEKNO"),
    ("FREQ=WEEKLY;BYMONTHDAY=1", 12, "BYMONTHDAY"),
    ("FREQ=DAILY;BYYEARDAY=1", 11, "BYYEARDAY"),
    ("FREQ=DAILY;BYSETPOS=1", 11, "BYSETPOS"),
    ("FREQ=MONTHLY;BYDAY=MO;BYSETPOS=367", 31, "BYSETPOS"),
    ("FREQ=MONTHLY;BYDAY=MO;BYSETPOS=0", 31, "BYSETPOS"),
    ("FREQ=WEEKLY;WKST=XX", 17, "WKST"),
    ("FREQ=YEARLY;SKIP=FORWARD", 12, "SKIP"),
    ("RSCALE=GREGORIAN;FREQ=YEARLY;SKIP=NEVER", 34, "SKIP"),
  ]

  @Test(arguments: errors)
  func strictReadingNamesTheFirstError(text: String, offset: Int, part: String) {
    do {
      let rule = try RecurrenceRule(parsing: text)
      Issue.record("\(text) was read as \(rule)")
    } catch {
      #expect(error.offset == offset, "\(text): \(error)")
      #expect(error.part == part, "\(text): \(error)")
      #expect(!error.reason.isEmpty)
    }
  }

  /// Text, what lenient reading makes of it, and how many repairs it reports.
  static let repairs: [(text: String, result: String, repairs: Int)] = [
    ("FREQ=DAILY;", "FREQ=DAILY", 0),
    (" FREQ = DAILY ; COUNT = 3 ", "FREQ=DAILY;COUNT=3", 0),
    ("FREQ=DAILY;INTERVAL=0", "FREQ=DAILY", 1),
    ("FREQ=DAILY;COUNT=3;UNTIL=20261224", "FREQ=DAILY;UNTIL=20261224", 1),
    ("FREQ=DAILY;UNTIL=2026-12-24", "FREQ=DAILY;UNTIL=20261224", 0),
    ("FREQ=DAILY;COUNT=1;COUNT=2", "FREQ=DAILY;COUNT=1", 1),
    ("FREQ=WEEKLY;BYDAY=1MO,2MO", "FREQ=WEEKLY;BYDAY=MO", 1),
    ("FREQ=MONTHLY;BYWEEKNO=3", "FREQ=MONTHLY", 1),
    ("FREQ=DAILY;BYSETPOS=1", "FREQ=DAILY", 1),
    ("FREQ=DAILY;BYHOUR=1,,2,", "FREQ=DAILY;BYHOUR=1,2", 0),
    ("FREQ=DAILY;FOO=1", "FREQ=DAILY;FOO=1", 0),
  ]

  @Test(arguments: repairs)
  func lenientReadingRepairsWhatHasOneReading(
    text: String, result: String, repairs count: Int
  ) throws {
    var repairs: [String] = []
    let rule = try RecurrenceRule(parsing: text, mode: .lenient, repairs: &repairs)
    #expect(rule.text == result)
    #expect(repairs.count == count, "\(repairs)")
    #expect(throws: RecurrenceRuleError.self) { try RecurrenceRule(parsing: text) }
  }

  @Test(arguments: [
    "FREQ=DAILY;COUNT=0", "FREQ=MONTHLY;BYMONTHDAY=32", "FREQ=DAILY;BYHOUR=24", "COUNT=1",
    "FREQ=DAILY;UNTIL=soon", "FREQ=MONTHLY;BYMONTHDAY=,",
  ])
  func lenientReadingRefusesWhatHasNone(_ text: String) {
    #expect(throws: RecurrenceRuleError.self) { try RecurrenceRule(parsing: text, mode: .lenient) }
  }

  @Test func canonicalTextLeavesOutDefaultsAndSorts() throws {
    let rule = try RecurrenceRule(
      parsing: "WKST=MO;INTERVAL=1;BYHOUR=9,8,9;BYMONTH=3,1;FREQ=YEARLY;BYDAY=SU,MO")
    #expect(rule.text == "FREQ=YEARLY;BYMONTH=1,3;BYDAY=SU,MO;BYHOUR=8,9")
  }

  @Test func textAsItWasReadIsKeptUntilTheRuleChanges() throws {
    let text = "INTERVAL=1;FREQ=WEEKLY;WKST=MO;BYDAY=we,MO"
    var rule = try RecurrenceRule(parsing: text)
    #expect(rule.originalText == text)
    #expect(rule == (try RecurrenceRule(parsing: "FREQ=WEEKLY;BYDAY=WE,MO")))
    rule.interval = 2
    #expect(rule.originalText == nil)
    #expect(rule.text == "FREQ=WEEKLY;INTERVAL=2;BYDAY=WE,MO")
    rule.interval = 1
    #expect(rule.originalText == text)
    #expect(RecurrenceRule(frequency: .daily).originalText == nil)
  }
}
