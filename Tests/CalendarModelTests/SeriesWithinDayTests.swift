import CivilTime
import TestSupport
import Testing

@testable import CalendarModel

/// Series that repeat within a day, whose IDs are date-times.
@Suite struct SeriesWithinDayTests {
  static let hourly = SpanTests.event(
    "2026-01-05T10:00:00", rule: ["frequency": "hourly", "interval": 3, "count": 4],
    overrides: ["2026-01-05T16:00:00": ["title": "Own"]])
  static let twice = SpanTests.event(
    "2026-01-05T09:00:00",
    rule: ["frequency": "daily", "byHour": [9, 17], "until": "2026-01-07T23:00:00"],
    overrides: ["2026-01-06T09:00:00": ["excluded": true]])

  static func id(_ text: String) throws -> RecurrenceID { try #require(RecurrenceID(text)) }

  @Test func idsAreDateTimes() throws {
    #expect(
      try SpanTests.shown(Self.hourly) == [
        "01-05T10:00 Old", "01-05T13:00 Old", "01-05T16:00 Own!", "01-05T19:00 Old",
      ])
    #expect(
      try SpanTests.shown(Self.twice) == [
        "01-05T09:00 Old", "01-05T17:00 Old", "01-06T17:00 Old", "01-07T09:00 Old",
        "01-07T17:00 Old",
      ])
    let series = try Series(Self.twice)
    #expect(try series.generates(Self.id("2026-01-06T09:00:00")))
    #expect(try !series.generates(Self.id("2026-01-06T10:00:00")))
    #expect(try !series.generates(Self.id("2026-01-06")))
  }

  @Test func titleFromOneOn() throws {
    let outcome = try Series(Self.twice).applying(
      SeriesEdit([("title", "New")]), span: .thisAndFuture, at: Self.id("2026-01-06T17:00:00"))
    #expect(
      try SpanTests.shown(outcome.object) == [
        "01-05T09:00 Old", "01-05T17:00 Old", "01-06T17:00 New", "01-07T09:00 New",
        "01-07T17:00 New",
      ])
    #expect(outcome.object?["futureOverrides"] == ["2026-01-06T17:00:00": ["title": "New"]])
  }

  @Test func removedFromOneOn() throws {
    let outcome = try Series(Self.twice).removing(
      span: .thisAndFuture, at: Self.id("2026-01-06T17:00:00"))
    #expect(
      try SpanTests.shown(outcome.object) == ["01-05T09:00 Old", "01-05T17:00 Old"])
    let hourly = try Series(Self.hourly).removing(
      span: .thisAndFuture, at: Self.id("2026-01-05T19:00:00"))
    #expect(
      try SpanTests.shown(hourly.object) == [
        "01-05T10:00 Old", "01-05T13:00 Old", "01-05T16:00 Own!",
      ])
    #expect(hourly.object?["recurrenceRule"]?.objectValue?["until"] == "2026-01-05T16:00:00")
  }

  @Test func theWholeSeriesMovesWithItsExceptions() throws {
    let outcome = try Series(Self.hourly).applying(
      SeriesEdit([("start", "2026-01-05T13:30:00")]), span: .all,
      at: Self.id("2026-01-05T13:00:00"))
    #expect(
      try SpanTests.shown(outcome.object) == [
        "01-05T10:30 Old", "01-05T13:30 Old", "01-05T16:30 Own!", "01-05T19:30 Old",
      ])
  }

  @Test func whatCannotBeSaidIsRefused() throws {
    for (object, span) in [(Self.twice, EditSpan.all), (Self.hourly, .thisAndFuture)] {
      let ids = Array(try Series(object).visibleIDs())
      #expect(throws: SpanError.startConflictsWithRule(suggestion: nil)) {
        _ = try Series(object).applying(
          SeriesEdit([("start", "2026-01-05T18:30:00")]), span: span, at: ids[1])
      }
    }
    #expect(throws: SpanError.self) {
      _ = try Series(SpanTests.w).applying(
        SeriesEdit([("recurrenceRule/frequency", "hourly")]), span: .thisAndFuture,
        at: SpanTests.id("01-19"))
    }
    let one = try Series(Self.twice).applying(
      SeriesEdit([("start", "2026-01-06T18:30:00")]), span: .this,
      at: Self.id("2026-01-06T17:00:00"))
    #expect(try SpanTests.shown(one.object)[2] == "01-06T18:30 Old!")
  }
}
