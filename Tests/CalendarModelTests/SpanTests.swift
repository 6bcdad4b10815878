import CivilTime
import TestSupport
import Testing

@testable import CalendarModel

/// The cases of the span table, by number: groups A, B, D1–D5, E1–E4 and G.
@Suite struct SpanTests {
  static let zones = TimeZoneDatabase()

  // MARK: - Fixtures

  static func event(
    _ start: String, rule: JSONObject?, overrides: JSONObject? = nil, extra: JSONObject = [:]
  ) -> CalendarObject {
    var members: JSONObject = [
      "uid": "5b1f0f7a-1c5e-4b0b-9a7d-52c8e6d1b903", "title": "Old", "start": .string(start),
    ]
    if start.contains("T") {
      members["timeZone"] = "Europe/Berlin"
      members["duration"] = "PT1H"
    }
    members["recurrenceRule"] = rule.map { .object($0) }
    members["recurrenceOverrides"] = overrides.map { .object($0) }
    for member in extra.members { members[member.name] = member.value }
    return CalendarObject(kind: .event, members: members)
  }

  static let weekly: JSONObject = ["frequency": "weekly", "count": 6]
  static let w = event("2026-01-05T10:00:00", rule: weekly)
  static let wEndless = event("2026-01-05T10:00:00", rule: ["frequency": "weekly"])
  static let wb = event(
    "2026-01-05T10:00:00",
    rule: ["frequency": "weekly", "count": 6, "byDay": [["day": "mo"]]])
  static let plusOverrides: JSONObject = [
    "2026-01-26": ["title": "Moved", "start": "2026-01-27T14:00:00"],
    "2026-02-02": ["excluded": true],
  ]
  static let wPlus = event("2026-01-05T10:00:00", rule: weekly, overrides: plusOverrides)
  static let z = event("2026-03-16T10:00:00", rule: ["frequency": "weekly", "count": 4])
  static let m31 = event(
    "2026-01-31T10:00:00", rule: ["frequency": "monthly", "byMonthDay": [31]])
  static let allDay = event("2026-03-01", rule: ["frequency": "daily", "count": 5])
  static let mw = event(
    "2026-01-05T09:00:00",
    rule: ["frequency": "weekly", "byDay": [["day": "mo"], ["day": "we"]]])

  // MARK: - What is shown

  /// `01-05T10:00 Old` for each occurrence of 2026, `!` for detached ones.
  static func shown(_ object: CalendarObject?, limit: Int = 12) throws -> [String] {
    guard let object else { return [] }
    let berlin = try #require(zones.rules(named: "Europe/Berlin"))
    let series = try Series(object)
    let from = Instant(utc: CivilDateTime(date: .first))
    let to = try #require(Instant(extended: "2027-01-01T00:00:00Z"))
    return series.occurrences(from: from, to: to, zones: zones, floatingZone: berlin)
      .prefix(limit).map { occurrence in
        let start = occurrence.start.description.dropFirst(5)
        return (start.count > 8 ? start.dropLast(3) : start) + " \(occurrence.object.title)"
          + (occurrence.isDetached ? "!" : "")
      }
  }

  static func id(_ text: String) -> RecurrenceID {
    RecurrenceID("2026-" + text) ?? RecurrenceID(.date(.epoch))
  }

  static func edited(
    _ object: CalendarObject, _ changes: [(String, JSONValue?)], _ span: EditSpan,
    at: String? = nil, policy: ExceptionPolicy = .keep
  ) throws -> SpanOutcome {
    let series = try Series(object)
    let outcome = try series.applying(
      SeriesEdit(changes), span: span, at: at.map(id), policy: policy)
    if let result = outcome.object {
      #expect(result.uid == object.uid)
      let problems = ObjectValidator.problems(in: result.members, kind: .event)
      #expect(problems.filter { $0.code.hasPrefix("E") } == [])
      let file = ObjectFile.read(CanonicalJSON.bytes(result.members), kind: .event)
      #expect(!file.findings.contains { $0.code == "W101" })
    }
    return outcome
  }

  static let titles: [(String, JSONValue?)] = [("title", "New")]
  static let mondays = ["01-05", "01-12", "01-19", "01-26", "02-02", "02-09"]

  static func at(_ time: String, _ title: String, _ dates: ArraySlice<String>) -> [String] {
    dates.map { "\($0)T\(time) \(title)" }
  }

  // MARK: - A: the first occurrence

  @Test func a1TitleOfTheFirstAlone() throws {
    let outcome = try Self.edited(Self.w, Self.titles, .this, at: "01-05")
    #expect(
      try Self.shown(outcome.object)
        == ["01-05T10:00 New!"] + Self.at("10:00", "Old", Self.mondays[1...]))
    #expect(outcome.object?["recurrenceOverrides"] == ["2026-01-05": ["title": "New"]])
  }

  @Test func a2TitleFromTheFirstOnIsInPlace() throws {
    let outcome = try Self.edited(Self.w, Self.titles, .thisAndFuture, at: "01-05")
    #expect(try Self.shown(outcome.object) == Self.at("10:00", "New", Self.mondays[...]))
    #expect(outcome.object?["futureOverrides"] == nil)
    #expect(outcome.object?["title"] == "New")
  }

  @Test func a3TitleOfAll() throws {
    let outcome = try Self.edited(Self.w, Self.titles, .all, at: "01-26")
    #expect(try Self.shown(outcome.object) == Self.at("10:00", "New", Self.mondays[...]))
  }

  @Test func a4MovedOccurrenceKeepsItsTitleAndTime() throws {
    let outcome = try Self.edited(Self.wPlus, Self.titles, .thisAndFuture, at: "01-05")
    #expect(
      try Self.shown(outcome.object) == [
        "01-05T10:00 New", "01-12T10:00 New", "01-19T10:00 New", "01-27T14:00 Moved!",
        "02-09T10:00 New",
      ])
    #expect(outcome.kept.map(\.id) == [Self.id("01-26")])
  }

  @Test func a5NotesReachTheMovedOccurrence() throws {
    let outcome = try Self.edited(
      Self.wPlus, [("description", "bring chairs")], .thisAndFuture, at: "01-05")
    let series = try Series(try #require(outcome.object))
    let berlin = try #require(Self.zones.rules(named: "Europe/Berlin"))
    let moved = try #require(
      series.occurrence(Self.id("01-26"), zones: Self.zones, floatingZone: berlin))
    #expect(moved.object.notes == "bring chairs")
    #expect(outcome.kept.isEmpty)
  }

  @Test func a6ResetBringsTheMovedOneBack() throws {
    let outcome = try Self.edited(
      Self.wPlus, Self.titles, .thisAndFuture, at: "01-05", policy: .reset)
    #expect(
      try Self.shown(outcome.object)
        == Self.at("10:00", "New", ["01-05", "01-12", "01-19", "01-26", "02-09"]))
    #expect(outcome.dropped == [Self.id("01-26")])
  }

  @Test func a7NothingVisibleBeforeIsInPlace() throws {
    let object = Self.event(
      "2026-01-05T10:00:00", rule: Self.weekly, overrides: ["2026-01-05": ["excluded": true]])
    let outcome = try Self.edited(object, Self.titles, .thisAndFuture, at: "01-12")
    #expect(outcome.object?["futureOverrides"] == nil)
    #expect(try Self.shown(outcome.object) == Self.at("10:00", "New", Self.mondays[1...]))
  }

  @Test func a8MovedFirstIsVisible() throws {
    let object = Self.event(
      "2026-01-05T10:00:00", rule: Self.weekly,
      overrides: ["2026-01-05": ["start": "2026-01-06T10:00:00"]])
    let outcome = try Self.edited(object, Self.titles, .thisAndFuture, at: "01-12")
    #expect(
      try Self.shown(outcome.object)
        == ["01-06T10:00 Old!"] + Self.at("10:00", "New", Self.mondays[1...]))
  }

  // MARK: - B: a middle occurrence

  @Test func b1TitleOfOne() throws {
    let outcome = try Self.edited(Self.w, Self.titles, .this, at: "01-19")
    #expect(try Self.shown(outcome.object)[2] == "01-19T10:00 New!")
    #expect(try Self.shown(outcome.object).count == 6)
  }

  @Test func b2TitleFromThirdOn() throws {
    let outcome = try Self.edited(Self.w, Self.titles, .thisAndFuture, at: "01-19")
    #expect(
      try Self.shown(outcome.object)
        == Self.at("10:00", "Old", Self.mondays[..<2]) + Self.at("10:00", "New", Self.mondays[2...])
    )
    #expect(outcome.object?["futureOverrides"] == ["2026-01-19": ["title": "New"]])
  }

  @Test func b3EndlessSeries() throws {
    let outcome = try Self.edited(Self.wEndless, Self.titles, .thisAndFuture, at: "01-19")
    let shown = try Self.shown(outcome.object, limit: 60)
    #expect(shown.count == 52)
    #expect(shown.prefix(3) == ["01-05T10:00 Old", "01-12T10:00 Old", "01-19T10:00 New"])
    #expect(shown.last == "12-28T10:00 New")
  }

  @Test func b4UntilIsUntouched() throws {
    let object = Self.event(
      "2026-01-05T10:00:00", rule: ["frequency": "weekly", "until": "2026-02-09"])
    let outcome = try Self.edited(object, Self.titles, .thisAndFuture, at: "01-19")
    #expect(try Self.shown(outcome.object).last == "02-09T10:00 New")
    #expect(try Self.shown(outcome.object).count == 6)
    #expect(outcome.object?["recurrenceRule"] == object["recurrenceRule"])
  }

  @Test func b5LastOccurrence() throws {
    let outcome = try Self.edited(Self.w, Self.titles, .thisAndFuture, at: "02-09")
    #expect(
      try Self.shown(outcome.object)
        == Self.at("10:00", "Old", Self.mondays[..<5]) + ["02-09T10:00 New"])
  }

  @Test func b6ExceptionsAreKeptAndNamed() throws {
    let outcome = try Self.edited(Self.wPlus, Self.titles, .thisAndFuture, at: "01-19")
    #expect(
      try Self.shown(outcome.object) == [
        "01-05T10:00 Old", "01-12T10:00 Old", "01-19T10:00 New", "01-27T14:00 Moved!",
        "02-09T10:00 New",
      ])
    #expect(outcome.kept == [.init(id: Self.id("01-26"), isSegment: false, fields: ["title"])])
  }

  @Test func b7ResetDropsThem() throws {
    let outcome = try Self.edited(
      Self.wPlus, Self.titles, .thisAndFuture, at: "01-19", policy: .reset)
    #expect(
      try Self.shown(outcome.object) == [
        "01-05T10:00 Old", "01-12T10:00 Old", "01-19T10:00 New", "01-26T10:00 New",
        "02-09T10:00 New",
      ])
    #expect(outcome.dropped == [Self.id("01-26")])
  }

  @Test func b8RefuseNamesThem() throws {
    #expect(
      throws: SpanError.exceptionsInTheWay([
        .init(id: Self.id("01-26"), isSegment: false, fields: ["title"])
      ])
    ) {
      _ = try Self.edited(Self.wPlus, Self.titles, .thisAndFuture, at: "01-19", policy: .refuse)
    }
  }

  @Test func b9LaterSegmentKeepsItsField() throws {
    let first = try Self.edited(Self.w, [("title", "A")], .thisAndFuture, at: "02-02")
    let once = try #require(first.object)
    let kept = try Self.edited(once, [("title", "B")], .thisAndFuture, at: "01-12")
    #expect(
      try Self.shown(kept.object)
        == ["01-05T10:00 Old"] + Self.at("10:00", "B", Self.mondays[1..<4])
        + Self.at("10:00", "A", Self.mondays[4...]))
    #expect(kept.kept.map(\.isSegment) == [true])
    let reset = try Self.edited(once, [("title", "B")], .thisAndFuture, at: "01-12", policy: .reset)
    #expect(
      try Self.shown(reset.object)
        == ["01-05T10:00 Old"] + Self.at("10:00", "B", Self.mondays[1...]))
  }

  @Test func b10UnchangedSaveChangesNothing() throws {
    let outcome = try Self.edited(
      Self.w, [("title", "Old"), ("start", "2026-01-19T10:00:00")], .thisAndFuture, at: "01-19")
    #expect(!outcome.changed)
    #expect(outcome.object == Self.w)
  }

  @Test func b11EverythingElseStays() throws {
    let extra: JSONObject = [
      "alerts": ["10m-before": ["trigger": ["offset": "-PT10M"]]], "keywords": ["x": true],
      "description": "notes", "locations": ["a": ["name": "Hall"]],
      "links": ["url": ["href": "https://example.org", "rel": "describedby"]],
      "participants": ["jo": ["name": "Jo"]],
    ]
    let object = Self.event("2026-01-05T10:00:00", rule: Self.weekly, extra: extra)
    let outcome = try Self.edited(object, Self.titles, .thisAndFuture, at: "01-19")
    let series = try Series(try #require(outcome.object))
    for occurrence in series.upcoming(zones: Self.zones, floatingZone: .utc) {
      for member in extra.members { #expect(occurrence.object[member.name] == member.value) }
    }
  }

  @Test func b12EarlierIDStaysThoughItHappensLater() throws {
    let object = Self.event(
      "2026-01-05T10:00:00", rule: Self.weekly,
      overrides: ["2026-01-12": ["start": "2026-02-20T10:00:00"]])
    let outcome = try Self.edited(object, Self.titles, .thisAndFuture, at: "01-19")
    #expect(try Self.shown(outcome.object).last == "02-20T10:00 Old!")
  }

  // MARK: - D: start

  @Test func d1OneAtEleven() throws {
    let outcome = try Self.edited(Self.w, [("start", "2026-01-19T11:00:00")], .this, at: "01-19")
    #expect(try Self.shown(outcome.object)[2] == "01-19T11:00 Old!")
  }

  @Test func d2FutureAtEleven() throws {
    let outcome = try Self.edited(
      Self.w, [("start", "2026-01-19T11:00:00")], .thisAndFuture, at: "01-19")
    #expect(
      try Self.shown(outcome.object)
        == Self.at("10:00", "Old", Self.mondays[..<2])
        + Self.at("11:00", "Old", Self.mondays[2...]))
    #expect(outcome.object?["futureOverrides"] == ["2026-01-19": ["start": "2026-01-19T11:00:00"]])
  }

  @Test func d3AcrossTheClockChange() throws {
    let outcome = try Self.edited(
      Self.z, [("start", "2026-03-30T11:00:00")], .thisAndFuture, at: "03-30")
    let series = try Series(try #require(outcome.object))
    let instants = series.upcoming(zones: Self.zones, floatingZone: .utc).map {
      $0.startInstant.description
    }
    #expect(
      Array(instants) == [
        "2026-03-16T09:00:00Z", "2026-03-23T09:00:00Z", "2026-03-30T09:00:00Z",
        "2026-04-06T09:00:00Z",
      ])
  }

  @Test(arguments: [w, wb]) func d4d5FutureToTuesdayKeepsIDs(object: CalendarObject) throws {
    let outcome = try Self.edited(
      object, [("start", "2026-01-20T10:00:00")], .thisAndFuture, at: "01-19")
    #expect(
      try Self.shown(outcome.object)
        == Self.at("10:00", "Old", ["01-05", "01-12", "01-20", "01-27", "02-03", "02-10"]))
    let series = try Series(try #require(outcome.object))
    #expect(series.visibleIDs().map(\.text) == Self.mondays.map { "2026-" + $0 })
  }

  @Test func d6TwoPinnedWeekdaysAreRefusedWithASuggestion() throws {
    do {
      _ = try Self.edited(
        Self.mw, [("start", "2026-01-15T09:00:00")], .thisAndFuture, at: "01-14")
      Issue.record("nothing was thrown")
    } catch SpanError.startConflictsWithRule(let suggestion) {
      #expect(suggestion?.byDay.map(\.weekday) == [.monday, .thursday])
    }
  }

  @Test func d9OverridesKeepTheirOwnStart() throws {
    let outcome = try Self.edited(
      Self.wPlus, [("start", "2026-01-20T10:00:00")], .thisAndFuture, at: "01-19")
    #expect(
      try Self.shown(outcome.object) == [
        "01-05T10:00 Old", "01-12T10:00 Old", "01-20T10:00 Old", "01-27T14:00 Moved!",
        "02-10T10:00 Old",
      ])
  }

  @Test func d10AllDayToTimed() throws {
    let outcome = try Self.edited(
      Self.allDay,
      [
        ("start", "2026-03-03T09:00:00"), ("timeZone", "Europe/Berlin"), ("duration", "PT1H"),
      ], .thisAndFuture, at: "03-03")
    #expect(
      try Self.shown(outcome.object) == [
        "03-01 Old", "03-02 Old", "03-03T09:00 Old", "03-04T09:00 Old", "03-05T09:00 Old",
      ])
  }

  @Test func d11AllToSundayIsInPlace() throws {
    let outcome = try Self.edited(
      Self.w, [("start", "2026-01-04T10:00:00")], .thisAndFuture, at: "01-05")
    #expect(
      try Self.shown(outcome.object)
        == Self.at("10:00", "Old", ["01-04", "01-11", "01-18", "01-25", "02-01", "02-08"]))
    #expect(outcome.object?["futureOverrides"] == ["2026-01-05": ["shift": "-P1D"]])
  }

  @Test func d12MonthDayIsReplaced() throws {
    let outcome = try Self.edited(
      Self.m31, [("start", "2026-03-30T10:00:00")], .thisAndFuture, at: "03-31")
    #expect(
      try Self.shown(outcome.object, limit: 4)
        == Self.at("10:00", "Old", ["01-31", "03-30", "04-30", "05-30"]))
  }

  @Test func d13ZoneOfFuture() throws {
    let outcome = try Self.edited(
      Self.w, [("timeZone", "America/New_York")], .thisAndFuture, at: "01-19")
    let series = try Series(try #require(outcome.object))
    let instants = series.upcoming(zones: Self.zones, floatingZone: .utc).map {
      $0.startInstant.description
    }
    #expect(
      instants.prefix(3) == [
        "2026-01-05T09:00:00Z", "2026-01-12T09:00:00Z", "2026-01-19T15:00:00Z",
      ])
  }

  @Test func d14EndBeforeStart() throws {
    #expect(throws: SpanError.datesInverted) {
      _ = try Self.edited(Self.w, [("duration", "-PT1H")], .thisAndFuture, at: "01-19")
    }
  }

  // MARK: - E: the rule

  @Test func e1SingleBecomesASeries() throws {
    let single = Self.event("2026-01-05T10:00:00", rule: nil)
    let outcome = try Self.edited(
      single, [("recurrenceRule", .object(Self.weekly))], .this)
    #expect(try Self.shown(outcome.object) == Self.at("10:00", "Old", Self.mondays[...]))
  }

  @Test func e2RuleOfOneIsRefused() throws {
    #expect(throws: SpanError.recurrenceChangeNeedsSpan) {
      _ = try Self.edited(
        Self.w, [("recurrenceRule", ["frequency": "daily"])], .this, at: "01-19")
    }
  }

  @Test func e3EverySecondWeekInPlace() throws {
    let outcome = try Self.edited(
      Self.wPlus, [("recurrenceRule/interval", 2)], .thisAndFuture, at: "01-05")
    #expect(
      try Self.shown(outcome.object) == [
        "01-05T10:00 Old", "01-19T10:00 Old", "01-27T14:00 Moved!", "02-16T10:00 Old",
        "03-02T10:00 Old", "03-16T10:00 Old",
      ])
    #expect(outcome.detached == [Self.id("01-26")])
  }

  @Test func e4NewWeekdayFromTheSecondOn() throws {
    let outcome = try Self.edited(
      Self.wb, [("recurrenceRule/byDay", [["day": "su"]])], .thisAndFuture, at: "01-12")
    #expect(
      try Self.shown(outcome.object)
        == Self.at("10:00", "Old", ["01-05", "01-18", "01-25", "02-01", "02-08", "02-15"]))
  }

  @Test func e5ResetDropsOrphans() throws {
    let outcome = try Self.edited(
      Self.wPlus, [("recurrenceRule/interval", 2)], .thisAndFuture, at: "01-19", policy: .reset)
    #expect(outcome.dropped == [Self.id("01-26")])
    #expect(try !Self.shown(outcome.object).contains { $0.contains("Moved") })
  }

  @Test func e6NoRuleFromTheThirdOn() throws {
    let outcome = try Self.edited(Self.w, [("recurrenceRule", nil)], .thisAndFuture, at: "01-19")
    #expect(try Self.shown(outcome.object) == Self.at("10:00", "Old", Self.mondays[..<3]))
  }

  @Test func e7NoRuleAtAll() throws {
    let outcome = try Self.edited(Self.w, [("recurrenceRule", nil)], .thisAndFuture, at: "01-05")
    #expect(try Self.shown(outcome.object) == ["01-05T10:00 Old"])
    #expect(outcome.object?["recurrenceRule"] == nil)
  }

  @Test func e9LongerSeriesInPlace() throws {
    let outcome = try Self.edited(
      Self.w, [("recurrenceRule/count", 8)], .thisAndFuture, at: "01-19")
    #expect(try Self.shown(outcome.object).count == 8)
    #expect(outcome.object?["futureOverrides"] == nil)
  }

  // MARK: - G: removing

  static func removed(_ object: CalendarObject, _ span: EditSpan, _ at: String?) throws
    -> SpanOutcome
  {
    try Series(object).removing(span: span, at: at.map(id))
  }

  @Test func g1g2OneIsExcluded() throws {
    let outcome = try Self.removed(Self.w, .this, "01-19")
    #expect(try Self.shown(outcome.object).count == 5)
    let first = try Self.removed(Self.w, .this, "01-05")
    #expect(try Self.shown(first.object) == Self.at("10:00", "Old", Self.mondays[1...]))
    #expect(first.object?["start"] == "2026-01-05T10:00:00")
  }

  @Test func g3g7g8g9NothingIsLeft() throws {
    #expect(try Self.removed(Self.w, .thisAndFuture, "01-05").object == nil)
    #expect(try Self.removed(Self.w, .all, nil).object == nil)
    let headless = Self.event(
      "2026-01-05T10:00:00", rule: Self.weekly, overrides: ["2026-01-05": ["excluded": true]])
    #expect(try Self.removed(headless, .thisAndFuture, "01-12").object == nil)
    var gone = JSONObject()
    for day in Self.mondays.dropLast() { gone["2026-" + day] = ["excluded": true] }
    let last = Self.event("2026-01-05T10:00:00", rule: Self.weekly, overrides: gone)
    #expect(try Self.removed(last, .this, "02-09").object == nil)
    let single = Self.event("2026-01-05T10:00:00", rule: nil)
    #expect(try Self.removed(single, .thisAndFuture, nil).object == nil)
  }

  @Test func g4g6FutureIsCut() throws {
    let outcome = try Self.removed(Self.wPlus, .thisAndFuture, "01-19")
    #expect(try Self.shown(outcome.object) == Self.at("10:00", "Old", Self.mondays[..<2]))
    #expect(outcome.dropped == [Self.id("01-26")])
    #expect(outcome.object?["recurrenceRule"]?.objectValue?["until"] == "2026-01-18")
    #expect(outcome.object?["recurrenceRule"]?.objectValue?["count"] == nil)
  }

  @Test func g5MovedOneGoes() throws {
    let outcome = try Self.removed(Self.wPlus, .this, "01-26")
    #expect(
      try Self.shown(outcome.object)
        == Self.at("10:00", "Old", ["01-05", "01-12", "01-19", "02-09"]))
  }
}
