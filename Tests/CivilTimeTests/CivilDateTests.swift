import TestSupport
import Testing

@testable import CivilTime

@Suite struct CivilDateTests {
  @Test func everyDayOfFourHundredYearsFollowsTheOneBefore() throws {
    var day = try #require(CivilDate(year: 1900, month: 1, day: 1))
    var expected = (year: 1900, month: 1, day: 1)
    var weekday = Weekday.monday
    for _ in 0..<146_097 {
      #expect(day.parts == expected)
      #expect(day.weekday == weekday)
      #expect(CivilDate(year: expected.year, month: expected.month, day: expected.day) == day)
      expected.day += 1
      if expected.day > CivilDate.daysInMonth(expected.month, year: expected.year) {
        expected.day = 1
        expected.month += 1
      }
      if expected.month == 13 { (expected.year, expected.month) = (expected.year + 1, 1) }
      weekday = Weekday(rawValue: (weekday.rawValue + 1) % 7) ?? .monday
      day = day.adding(days: 1)
    }
    #expect(expected == (2300, 1, 1))
  }

  @Test(arguments: [
    ("2026-02-29", nil), ("2024-02-29", 19_782), ("1970-01-01", 0), ("1969-12-31", -1),
    ("0000-01-01", -719_528), ("9999-12-31", 2_932_896), ("2026-13-01", nil), ("2026-1-01", nil),
    ("2026-01-01T", nil), ("+026-01-01", nil), ("", nil),
  ])
  func readsExtendedTextExactly(text: String, day: Int32?) {
    #expect(CivilDate(extended: text)?.dayNumber == day)
    if let day { #expect(CivilDate(dayNumber: day).description == text) }
  }

  @Test func readsBothFormsOfDateTimesAndInstants() {
    #expect(CivilDateTime(extended: "2026-12-03T18:00:00")?.description == "2026-12-03T18:00:00")
    #expect(CivilDateTime(basic: "20261203T180000")?.description == "2026-12-03T18:00:00")
    #expect(CivilDateTime(basic: "20161231T235960")?.time.second == 59)
    #expect(CivilDateTime(extended: "2026-12-03T24:00:00") == nil)
    #expect(CivilDateTime(extended: "2026-12-03T18:00:00Z") == nil)
    #expect(Instant(extended: "1970-01-02T00:00:00Z")?.seconds == 86_400)
    #expect(Instant(extended: "1970-01-02T00:00:00") == nil)
    #expect(DateOrDateTime(extended: "2026-12-03")?.isDate == true)
  }

  @Test(arguments: [
    ("P2W", 14, 0, "P2W"), ("P14D", 14, 0, "P2W"), ("P9D", 9, 0, "P9D"),
    ("PT90M", 0, 5_400, "PT1H30M"),
    ("P1DT12H", 1, 43_200, "P1DT12H"), ("-PT1H", 0, -3_600, "-PT1H"), ("PT0S", 0, 0, "PT0S"),
    ("-P6DT15H", -6, -54_000, "-P6DT15H"), ("PT3600S", 0, 3_600, "PT1H"), ("P0D", 0, 0, "PT0S"),
    ("P1W2D", 9, 0, "P9D"),
  ])
  func readsAndWritesDurations(text: String, days: Int, seconds: Int64, canonical: String) throws {
    let duration = try #require(CalendarDuration(text))
    #expect(duration.days == days && duration.seconds == seconds)
    #expect(duration.description == canonical)
    #expect(CalendarDuration(canonical) == duration)
  }

  @Test(arguments: [
    "", "P", "PT", "1H", "PT1", "P1H", "PT1D", "P1D1D", "P-1D", "P1.5D", "PT1H1H", "P1D T1H",
    "P999999999999D",
  ])
  func refusesWhatIsNoDuration(text: String) {
    #expect(CalendarDuration(text) == nil)
  }
}
