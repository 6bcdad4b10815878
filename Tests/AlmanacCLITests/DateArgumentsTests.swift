import CivilTime
import Testing

@testable import AlmanacCLI

@Suite struct DateArgumentsTests {
  /// Monday 30 November 2026, 13:00 in Berlin.
  private func reader(
    _ now: String = "2026-11-30T12:00:00Z", base: String? = nil
  ) throws -> DateArguments {
    let zone = try #require(TimeZoneDatabase().rules(named: "Europe/Berlin"))
    return DateArguments(
      now: try #require(Instant(extended: now)), zone: zone,
      base: base.flatMap { CivilDateTime(extended: $0) })
  }

  @Test(arguments: [
    ("2026-12-24", "2026-12-24"), ("20261224", "2026-12-24"),
    ("2026-12-24T18:30", "2026-12-24T18:30:00"), ("2026-12-24 18:30", "2026-12-24T18:30:00"),
    ("2026-12-24 9:05", "2026-12-24T09:05:00"), ("2026-12-24T18:30:15", "2026-12-24T18:30:15"),
    ("2026-12-24T17:30:00Z", "2026-12-24T18:30:00"), ("20261224T173000Z", "2026-12-24T18:30:00"),
    ("2026-12-24T12:30-05:00", "2026-12-24T18:30:00"),
    ("2026-12-24T18:30+01:00", "2026-12-24T18:30:00"),
    ("2026-12-24 6pm", "2026-12-24T18:00:00"), ("2026-12", "2026-12-01"),
    ("today", "2026-11-30"), ("tomorrow", "2026-12-01"), ("yesterday", "2026-11-29"),
    ("TOMORROW", "2026-12-01"), (" tomorrow  9am ", "2026-12-01T09:00:00"),
    ("9am tomorrow", "2026-12-01T09:00:00"), ("today 8:00", "2026-11-30T08:00:00"),
    ("tomorrow at noon", "2026-12-01T12:00:00"), ("tomorrow midnight", "2026-12-01T00:00:00"),
    ("fri", "2026-12-04"), ("friday", "2026-12-04"), ("next friday", "2026-12-04"),
    ("mon", "2026-12-07"), ("monday", "2026-12-07"), ("sunday", "2026-12-06"),
    ("fri 18:30", "2026-12-04T18:30:00"), ("on fri at 6:30 pm", "2026-12-04T18:30:00"),
    ("in 3 days", "2026-12-03"), ("in a week", "2026-12-07"), ("+2w", "2026-12-14"),
    ("+3d", "2026-12-03"), ("-2w", "2026-11-16"), ("3 days ago", "2026-11-27"),
    ("in 3 days 9am", "2026-12-03T09:00:00"), ("in 2 hours", "2026-11-30T15:00:00"),
    ("in 45 minutes", "2026-11-30T13:45:00"), ("in 3 months", "2027-02-28"),
    ("in 1 year", "2027-11-30"), ("+1mo", "2026-12-30"),
    ("next week", "2026-12-07"), ("next month", "2026-12-30"),
    ("18:30", "2026-11-30T18:30:00"), ("6pm", "2026-11-30T18:00:00"),
    ("13:00", "2026-11-30T13:00:00"), ("12:59", "2026-12-01T12:59:00"),
    ("9am", "2026-12-01T09:00:00"), ("12am", "2026-12-01T00:00:00"),
    ("12pm", "2026-12-01T12:00:00"), ("noon", "2026-12-01T12:00:00"),
    ("dec 24", "2026-12-24"), ("24 dec", "2026-12-24"), ("24th of December", "2026-12-24"),
    ("december 24, 2027", "2027-12-24"), ("24 dec 2025", "2025-12-24"),
    ("nov 30", "2026-11-30"), ("nov 29", "2027-11-29"), ("jan 1", "2027-01-01"),
    ("feb 29", "2028-02-29"), ("dec 24 18:00", "2026-12-24T18:00:00"),
  ])
  func readsWhatPeopleType(text: String, expected: String) throws {
    #expect(try reader().parse(text, for: "--start").value.description == expected)
  }

  @Test(arguments: [
    "12/24", "24/12", "12/24/2026", "24.12.", "24.12.2026", "", "  ", "sometime", "2026-02-30",
    "2026-13-01", "feb 30", "30 feb", "25:00", "13pm", "0am", "18:60", "tomorrow 9am 10am",
    "in days", "in 3", "+", "+2", "fri mon", "99999999999999999999 days ago", "in 9999999 years",
    "in 9000 years", "dec 32", "dec 24 26", "next", "2026-12-24T18:30X", "m", "ma",
  ])
  func refusesWhatCouldBeMisread(text: String) throws {
    let reader = try reader()
    #expect(throws: CommandError.self) { try reader.parse(text, for: "--start") }
  }

  @Test func saysHowToWriteAnAmbiguousDay() throws {
    let reader = try reader()
    let error = #expect(throws: CommandError.self) { try reader.parse("12/24", for: "--start") }
    #expect(error?.message.contains("'12/24'") == true)
    #expect(error?.hint == "write 2026-12-24 or 'dec 24'")
    #expect(error?.status == .usage)
  }

  @Test func suggestsTheDayThatWasMeant() throws {
    let reader = try reader()
    let error = #expect(throws: CommandError.self) { try reader.parse("tomorow", for: "--start") }
    #expect(error?.hint == "did you mean 'tomorrow'?")
  }

  @Test(arguments: [
    ("20:00", "2026-12-24T20:00:00"), ("1am", "2026-12-25T01:00:00"),
    ("fri", "2026-12-25"), ("thu", "2026-12-24"), ("thu 17:00", "2026-12-31T17:00:00"),
    ("thu 20:00", "2026-12-24T20:00:00"), ("26 dec", "2026-12-26"),
    ("jan 2", "2027-01-02"), ("tomorrow", "2026-12-01"),
  ])
  func countsAnEndFromTheStart(text: String, expected: String) throws {
    let reader = try reader(base: "2026-12-24T18:00:00")
    #expect(try reader.parse(text, for: "--end").value.description == expected)
  }

  @Test func weekdayIsNeverToday() throws {
    let weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
    for day in 0..<7 {
      let reader = try reader(
        Instant(extended: "2026-11-30T12:00:00Z")?.adding(seconds: Int64(day) * 86_400).description
          ?? "")
      let today = reader.now.date
      for name in weekdays {
        let date = try reader.parse(name, for: "--start").value.date
        #expect((1...7).contains(date.days(since: today)))
        #expect(DateWords.weekday(name) == date.weekday)
      }
    }
  }

  @Test func todayFollowsTheZoneNotUTC() throws {
    // Half past midnight on 1 December in Berlin.
    let reader = try reader("2026-11-30T23:30:00Z")
    #expect(try reader.parse("today", for: "--start").value.description == "2026-12-01")
  }

  @Test func addsMonthsToTheLastDayThatThereIs() throws {
    let date = try #require(CivilDate(year: 2024, month: 1, day: 31))
    #expect(DateArguments.adding(months: 1, to: date)?.description == "2024-02-29")
    #expect(DateArguments.adding(months: 13, to: date)?.description == "2025-02-28")
    #expect(DateArguments.adding(months: -2, to: date)?.description == "2023-11-30")
    #expect(DateArguments.adding(months: 1_000_000, to: date) == nil)
  }

  @Test func knowsTheLastDayOfAMonth() throws {
    #expect(try reader().parse("2028-02", for: "--to").lastDate.description == "2028-02-29")
    #expect(try reader().parse("2026-12-03", for: "--to").lastDate.description == "2026-12-03")
  }

  @Test(arguments: [
    ("45m", "PT45M"), ("1h30m", "PT1H30M"), ("2d", "P2D"), ("PT45M", "PT45M"), ("1 week", "P1W"),
    ("90 minutes", "PT1H30M"), ("1 day 12 hours", "P1DT12H"), ("p1d", "P1D"), ("an hour", "PT1H"),
  ])
  func readsLengths(text: String, expected: String) throws {
    #expect(try DurationArgument.parse(text, option: "duration").description == expected)
  }

  @Test(arguments: ["", "45", "m", "1h1h", "-1h", "1 month", "-PT5M", "1x", "99999999999h"])
  func refusesOtherLengths(text: String) {
    #expect(throws: CommandError.self) { try DurationArgument.parse(text, option: "duration") }
  }

  @Test(arguments: [
    ("15m", "-PT15M"), ("1d", "-P1D"), ("0", "PT0S"), ("-15m", "-PT15M"), ("+10m", "PT10M"),
    ("10m after", "PT10M"), ("1h before", "-PT1H"), ("at time", "PT0S"),
  ])
  func readsAlertsAsBeforeUnlessTheySayAfter(text: String, expected: String) throws {
    #expect(try DurationArgument.alertOffset(text).description == expected)
  }
}
