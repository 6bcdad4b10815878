import CivilTime
import TestSupport
import Testing

@testable import CalendarModel

/// Repeating reminders: what is open, what is done, and where `start` and `due` go.
@Suite struct SeriesReminderTests {
  static func reminder(_ members: JSONObject) -> CalendarObject {
    var all: JSONObject = ["uid": "r", "title": "Paper bin"]
    for member in members.members { all[member.name] = member.value }
    return CalendarObject(kind: .reminder, members: all)
  }

  static let bin = reminder([
    "due": "2026-09-07T20:00:00", "timeZone": "Europe/Berlin",
    "recurrenceRule": ["frequency": "weekly", "interval": 2, "count": 4],
    "recurrenceOverrides": [
      "2026-09-07": ["progress": "completed", "completed": "2026-09-07T18:41:09Z"],
      "2026-09-21": ["excluded": true],
    ],
  ])

  static let done = Instant(extended: "2026-10-05T17:30:12Z")

  @Test func firstOpenOneIsCompletedInTurn() throws {
    var series = try Series(Self.bin)
    #expect(series.firstOpen()?.text == "2026-10-05")
    let outcome = try series.completing(on: Self.done)
    #expect(
      outcome.object?["recurrenceOverrides"]?.objectValue?["2026-10-05"]
        == ["progress": "completed", "completed": "2026-10-05T17:30:12Z"])
    #expect(outcome.object?["progress"] == nil)
    series = try Series(try #require(outcome.object))
    #expect(series.firstOpen()?.text == "2026-10-19")
    series = try Series(try #require(try series.completing(on: nil).object))
    #expect(series.firstOpen() == nil)
    #expect(throws: SpanError.occurrenceNeeded) { _ = try series.completing(on: nil) }
    let again = try series.reopening(at: RecurrenceID("2026-10-05"))
    #expect(try Series(try #require(again.object)).firstOpen()?.text == "2026-10-05")
  }

  @Test func completionSurvivesResetAndAllEdits() throws {
    let outcome = try Series(Self.bin).applying(
      SeriesEdit([("title", "Glass")]), span: .all, policy: .reset)
    #expect(outcome.object?["recurrenceOverrides"] == Self.bin["recurrenceOverrides"])
    #expect(outcome.dropped.isEmpty && outcome.kept.isEmpty)
  }

  @Test func aPlainReminderIsDoneItself() throws {
    let plain = Self.reminder([:])
    #expect(try Series(plain).firstOpen() == nil)
    let outcome = try Series(plain).completing(on: Self.done)
    #expect(outcome.object?["progress"] == "completed")
    #expect(outcome.object?["completed"] == "2026-10-05T17:30:12Z")
  }

  static let both = reminder([
    "start": "2026-01-05T10:00:00", "due": "2026-01-06T12:00:00", "timeZone": "Europe/Berlin",
    "recurrenceRule": ["frequency": "weekly", "count": 4],
  ])

  static func shown(_ object: CalendarObject?) throws -> [String] {
    let series = try Series(try #require(object))
    return series.upcoming(zones: TimeZoneDatabase(), floatingZone: .utc).map {
      ($0.object["start"]?.stringValue ?? "-") + " " + ($0.object["due"]?.stringValue ?? "-")
    }
  }

  @Test func dueGoesAlongWithStart() throws {
    #expect(try Self.shown(Self.both)[1] == "2026-01-12T10:00:00 2026-01-13T12:00:00")
    for span in [EditSpan.this, .thisAndFuture, .all] {
      let outcome = try Series(Self.both).applying(
        SeriesEdit([("start", "2026-01-13T11:00:00")]), span: span,
        at: RecurrenceID("2026-01-12"))
      let shown = try Self.shown(outcome.object)
      #expect(shown[1] == "2026-01-13T11:00:00 2026-01-14T13:00:00", "\(span)")
      let later =
        span == .this
        ? "2026-01-19T10:00:00 2026-01-20T12:00:00"
        : "2026-01-20T11:00:00 2026-01-21T13:00:00"
      #expect(shown[2] == later, "\(span)")
      let first =
        span == .all
        ? "2026-01-06T11:00:00 2026-01-07T13:00:00"
        : "2026-01-05T10:00:00 2026-01-06T12:00:00"
      #expect(shown[0] == first, "\(span)")
    }
  }

  @Test func dueAloneLeavesStart() throws {
    for span in [EditSpan.this, .thisAndFuture, .all] {
      let outcome = try Series(Self.both).applying(
        SeriesEdit([("due", "2026-01-12T18:00:00")]), span: span, at: RecurrenceID("2026-01-12"))
      let shown = try Self.shown(outcome.object)
      #expect(shown[1] == "2026-01-12T10:00:00 2026-01-12T18:00:00", "\(span)")
      #expect(
        shown[2]
          == (span == .this
            ? "2026-01-19T10:00:00 2026-01-20T12:00:00"
            : "2026-01-19T10:00:00 2026-01-19T18:00:00"),
        "\(span)")
    }
  }

  @Test func allDayAndBack() throws {
    let outcome = try Series(Self.both).applying(
      SeriesEdit([("start", "2026-01-12")]), span: .thisAndFuture, at: RecurrenceID("2026-01-12"))
    #expect(
      try Self.shown(outcome.object) == [
        "2026-01-05T10:00:00 2026-01-06T12:00:00", "2026-01-12 2026-01-13",
        "2026-01-19 2026-01-20", "2026-01-26 2026-01-27",
      ])
    let object = try #require(outcome.object)
    #expect(
      ObjectValidator.problems(in: object.members, kind: .reminder).filter {
        $0.code.hasPrefix("E")
      } == [])
  }
}
