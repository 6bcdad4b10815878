import CivilTime
import TestSupport
import Testing

@testable import CalendarModel

/// The cases of the span table, by number: group C, the rest of D, E and F, and H1.
@Suite struct SpanDetachedTests {
  typealias Span = SpanTests

  static let notes: [(String, JSONValue?)] = [("description", "bring chairs")]

  static func occurrence(_ object: CalendarObject?, _ at: String) throws -> SeriesOccurrence? {
    let object = try #require(object)
    return try Series(object).occurrence(
      Span.id(at), zones: Span.zones, floatingZone: .utc)
  }

  // MARK: - C: a detached occurrence

  @Test func c1TitleOfTheMovedOne() throws {
    let outcome = try Span.edited(Span.wPlus, Span.titles, .this, at: "01-26")
    let moved = try #require(try Self.occurrence(outcome.object, "01-26"))
    #expect(moved.recurrenceID == Span.id("01-26"))
    #expect(moved.object.title == "New")
    #expect(moved.start.description == "2026-01-27T14:00:00")
    #expect(
      outcome.object?["recurrenceOverrides"]?.objectValue?["2026-01-26"]
        == ["start": "2026-01-27T14:00:00", "title": "New"])
  }

  @Test func c2NotesFromTheMovedOneOn() throws {
    let outcome = try Span.edited(Span.wPlus, Self.notes, .thisAndFuture, at: "01-26")
    #expect(try Span.shown(outcome.object) == Span.shown(Span.wPlus))
    for (id, notes) in [("01-19", ""), ("01-26", "bring chairs"), ("02-09", "bring chairs")] {
      #expect(try Self.occurrence(outcome.object, id)?.object.notes == notes)
    }
    #expect(outcome.object?["futureOverrides"] == ["2026-01-26": ["description": "bring chairs"]])
    #expect(outcome.kept.isEmpty)
  }

  @Test func c2TheEditedOneShowsWhatWasWritten() throws {
    let outcome = try Span.edited(Span.wPlus, Span.titles, .thisAndFuture, at: "01-26")
    #expect(
      try Span.shown(outcome.object) == [
        "01-05T10:00 Old", "01-12T10:00 Old", "01-19T10:00 Old", "01-27T14:00 New!",
        "02-09T10:00 New",
      ])
  }

  @Test func c3StartOfTheMovedOneNeedsPromotion() throws {
    let start: [(String, JSONValue?)] = [("start", "2026-01-27T15:00:00")]
    #expect(throws: SpanError.invalidSpan(Span.id("01-26"))) {
      _ = try Span.edited(Span.wPlus, start, .thisAndFuture, at: "01-26")
    }
    #expect(throws: SpanError.invalidSpan(Span.id("01-26"))) {
      _ = try Span.edited(Span.wPlus, start, .all, at: "01-26")
    }
    #expect(SpanError.invalidSpan(Span.id("01-26")).eventKitCode == 13)
    let outcome = try Series(Span.wPlus).applying(
      SeriesEdit(start), span: .thisAndFuture, at: Span.id("01-26"), promote: true)
    #expect(
      try Span.shown(outcome.object) == [
        "01-05T10:00 Old", "01-12T10:00 Old", "01-19T10:00 Old", "01-27T15:00 Moved",
        "02-10T15:00 Moved",
      ])
    #expect(
      outcome.object?["recurrenceOverrides"] == ["2026-02-02": ["excluded": true]])
  }

  @Test func c4RuleOfTheMovedOneAlone() throws {
    #expect(throws: SpanError.recurrenceChangeNeedsSpan) {
      _ = try Span.edited(Span.wPlus, [("recurrenceRule/interval", 2)], .this, at: "01-26")
    }
    #expect(SpanError.recurrenceChangeNeedsSpan.eventKitCode == 39)
  }

  @Test func c5Reattached() throws {
    let outcome = try Series(Span.wPlus).reattaching(Span.id("01-26"))
    #expect(outcome.changed)
    #expect(try Span.shown(outcome.object)[3] == "01-26T10:00 Old")
    let again = try Series(try #require(outcome.object)).reattaching(Span.id("01-26"))
    #expect(!again.changed)
    #expect(throws: SpanError.noSuchOccurrence(Span.id("02-02"))) {
      _ = try Series(Span.wPlus).reattaching(Span.id("02-02"))
    }
  }

  @Test func c6EqualFieldsAttachAgain() throws {
    let outcome = try Span.edited(
      Span.wPlus, [("title", "Old"), ("start", "2026-01-26T10:00:00")], .this, at: "01-26")
    #expect(try Span.shown(outcome.object)[3] == "01-26T10:00 Old")
    #expect(outcome.object?["recurrenceOverrides"] == ["2026-02-02": ["excluded": true]])
  }

  @Test func c7FoundWhereItMovedTo() throws {
    let berlin = try #require(Span.zones.rules(named: "Europe/Berlin"))
    func found(_ day: String, _ next: String) throws -> [String?] {
      let from = try #require(Instant(extended: "2026-01-\(day)T00:00:00Z"))
      let to = try #require(Instant(extended: "2026-01-\(next)T00:00:00Z"))
      return try Series(Span.wPlus).occurrences(
        from: from, to: to, zones: Span.zones, floatingZone: berlin
      ).map { $0.recurrenceID?.text }
    }
    #expect(try found("26", "27") == [])
    #expect(try found("27", "28") == ["2026-01-26"])
  }

  @Test func c8FoundBySlot() throws {
    let moved = try #require(try Self.occurrence(Span.wPlus, "01-26"))
    #expect(moved.object.title == "Moved" && moved.isDetached)
  }

  // MARK: - D: start

  @Test func d7d8OrderIsWarnedAboutOrRefused() throws {
    let past: [(String, JSONValue?)] = [("start", "2026-01-27T10:00:00")]
    let onto: [(String, JSONValue?)] = [("start", "2026-01-26T10:00:00")]
    #expect(try Span.edited(Span.w, past, .this, at: "01-19").warnings == ["reordered"])
    #expect(try Span.edited(Span.w, onto, .this, at: "01-19").warnings == ["collides"])
    for edit in [past, onto] {
      #expect(throws: SpanError.outOfOrder(Span.id("01-19"))) {
        _ = try Series(Span.w).applying(
          SeriesEdit(edit), span: .this, at: Span.id("01-19"), strictOrder: true)
      }
    }
    #expect(SpanError.outOfOrder(Span.id("01-19")).eventKitCode == 10)
    let inOrder: [(String, JSONValue?)] = [("start", "2026-01-20T10:00:00")]
    let calm = try Series(Span.w).applying(
      SeriesEdit(inOrder), span: .this, at: Span.id("01-19"), strictOrder: true)
    #expect(calm.warnings.isEmpty)
  }

  @Test func d2BackAgainLeavesNothing() throws {
    let once = try Span.edited(
      Span.w, [("start", "2026-01-20T11:00:00")], .thisAndFuture, at: "01-19")
    let object = try #require(once.object)
    #expect(
      object["futureOverrides"]
        == ["2026-01-19": ["start": "2026-01-19T11:00:00", "shift": "P1D"]])
    let back = try Span.edited(
      object, [("start", "2026-01-19T10:00:00")], .thisAndFuture, at: "01-19")
    #expect(back.object == Span.w)
  }

  @Test func d10AllDayToTimedInThePatch() throws {
    let outcome = try Span.edited(
      Span.allDay,
      [("start", "2026-03-03T09:00:00"), ("timeZone", "Europe/Berlin"), ("duration", "PT1H")],
      .thisAndFuture, at: "03-03")
    #expect(
      outcome.object?["futureOverrides"] == [
        "2026-03-03": [
          "start": "2026-03-03T09:00:00", "timeZone": "Europe/Berlin", "duration": "PT1H",
        ]
      ])
  }

  @Test func d10TimedToAllDayHasNeitherZoneNorHours() throws {
    for span in [EditSpan.this, .thisAndFuture, .all] {
      let outcome = try Span.edited(Span.w, [("start", "2026-01-19")], span, at: "01-19")
      let day = try #require(try Self.occurrence(outcome.object, "01-19"))
      #expect(day.object["timeZone"] == nil && day.object["duration"] == nil)
      #expect(day.endInstant.seconds - day.startInstant.seconds == 86_400)
      #expect(try Self.occurrence(outcome.object, "02-09")?.start.isDate == (span != .this))
      #expect(try Self.occurrence(outcome.object, "01-05")?.start.isDate == (span == .all))
    }
  }

  @Test func d12TheFileSaysTheNewRule() throws {
    let outcome = try Span.edited(
      Span.m31, [("start", "2026-03-30T10:00:00")], .thisAndFuture, at: "03-31")
    #expect(
      outcome.object?["futureOverrides"] == [
        "2026-03-30": [
          "start": "2026-03-30T10:00:00",
          "recurrenceRule": ["frequency": "monthly", "byMonthDay": [30]],
        ]
      ])
  }

  @Test func d14CodeOfInvertedDates() throws {
    #expect(SpanError.datesInverted.eventKitCode == 4)
    let task = CalendarObject(
      kind: .reminder,
      members: [
        "uid": "t", "start": "2026-01-05T10:00:00", "due": "2026-01-05T12:00:00",
        "recurrenceRule": ["frequency": "weekly"],
      ])
    for span in [EditSpan.this, .thisAndFuture, .all] {
      #expect(throws: SpanError.datesInverted) {
        _ = try Series(task).applying(
          SeriesEdit([("due", "2026-01-19T09:00:00")]), span: span, at: Span.id("01-19"))
      }
    }
  }

  // MARK: - E: the rule

  @Test func e3OrphansStayAsExtraDates() throws {
    let outcome = try Span.edited(
      Span.wPlus, [("recurrenceRule/interval", 2)], .thisAndFuture, at: "01-05")
    #expect(
      outcome.object?["recurrenceOverrides"]?.objectValue?["2026-01-26"]
        == ["added": true, "title": "Moved", "start": "2026-01-27T14:00:00"])
  }

  @Test func e4TheFileSaysTheNewRule() throws {
    let outcome = try Span.edited(
      Span.wb, [("recurrenceRule/byDay", [["day": "su"]])], .thisAndFuture, at: "01-12")
    #expect(
      outcome.object?["futureOverrides"] == [
        "2026-01-12": [
          "start": "2026-01-18T10:00:00",
          "recurrenceRule": ["frequency": "weekly", "byDay": [["day": "su"]]],
        ]
      ])
    #expect(outcome.object?["recurrenceRule"] == Span.wb["recurrenceRule"])
  }

  @Test func e8ExtractedOccurrenceStandsAlone() throws {
    #expect(throws: SpanError.recurrenceChangeNeedsSpan) {
      _ = try Span.edited(Span.w, [("recurrenceRule", nil)], .this, at: "01-19")
    }
    let result = try Series(Span.wPlus).extracting(Span.id("01-26"), uid: "copy")
    #expect(
      try Span.shown(result.series) == [
        "01-05T10:00 Old", "01-12T10:00 Old", "01-19T10:00 Old", "02-09T10:00 Old",
      ])
    #expect(try Span.shown(result.single) == ["01-27T14:00 Moved"])
    #expect(result.single.uid == "copy")
    #expect(result.single["recurrenceRule"] == nil && result.single["relatedTo"] == nil)
  }

  @Test func e10CountAndUntilAreRefused() throws {
    for span in [EditSpan.thisAndFuture, .all] {
      #expect(throws: SpanError.self) {
        _ = try Span.edited(
          Span.w, [("recurrenceRule/until", "2026-02-09")], span, at: "01-19")
      }
    }
  }

  @Test func e11RuleThatNeverMatches() throws {
    let never: JSONValue = [
      "frequency": "yearly", "byMonth": ["2"], "byMonthDay": [31],
    ]
    for (span, at) in [
      (EditSpan.thisAndFuture, "01-19"), (.thisAndFuture, "01-05"), (.all, "01-05"),
    ] {
      #expect(throws: SpanError.ruleGeneratesNothing) {
        _ = try Span.edited(Span.w, [("recurrenceRule", never)], span, at: at)
      }
    }
  }

  @Test func e12ExtraDatesOfASecondRuleAreCovered() throws {
    let object = Span.event(
      "2026-01-05T10:00:00", rule: Span.weekly,
      overrides: ["2026-01-15": ["added": true], "2026-01-22": ["added": true]])
    let outcome = try Span.edited(object, Span.titles, .thisAndFuture, at: "01-19")
    #expect(
      try Span.shown(outcome.object) == [
        "01-05T10:00 Old", "01-12T10:00 Old", "01-15T10:00 Old!", "01-19T10:00 New",
        "01-22T10:00 New!", "01-26T10:00 New", "02-02T10:00 New", "02-09T10:00 New",
      ])
  }

  // MARK: - F: another calendar

  @Test func f2OneOccurrenceLeavesWithALink() throws {
    let result = try Series(Span.w).extracting(Span.id("01-19"), uid: "copy", linked: true)
    #expect(try Span.shown(result.series).count == 5)
    #expect(
      result.single["relatedTo"] == .object([Span.w.uid: ["relation": ["first": true]]]))
  }

  @Test func f3FuturePartLeavesWithItsExceptions() throws {
    let split = try Series(Span.wPlus).splitting(at: Span.id("01-19"))
    #expect(try Span.shown(split.head) == Span.at("10:00", "Old", Span.mondays[..<2]))
    #expect(
      try Span.shown(split.tail) == ["01-19T10:00 Old", "01-27T14:00 Moved!", "02-09T10:00 Old"])
    #expect(split.tail["recurrenceOverrides"] == .object(Span.plusOverrides))
    #expect(split.tail["recurrenceRule"]?.objectValue?["count"] == 4)
    let again = try Series(Span.wPlus).splitting(at: Span.id("01-19"))
    #expect(again.tail == split.tail && again.tail.uid != Span.wPlus.uid)
    #expect(again.tail.uid == "d85e0992-47cc-57e2-a00e-e8a0ee53a072")
    #expect(
      split.head?["relatedTo"] == .object([split.tail.uid: ["relation": ["next": true]]]))
    #expect(
      split.tail["relatedTo"] == .object([Span.wPlus.uid: ["relation": ["first": true]]]))
  }

  @Test func f3DisplacedPartKeepsItsIDs() throws {
    let moved = try Span.edited(
      Span.wPlus, [("start", "2026-01-20T11:00:00")], .thisAndFuture, at: "01-19")
    let object = try #require(moved.object)
    let split = try Series(object).splitting(at: Span.id("01-26"))
    let all = try Span.shown(object)
    #expect(try Span.shown(split.head) + Span.shown(split.tail) == all)
    let ids = Array(try Series(split.tail).visibleIDs().map(\.text))
    #expect(ids == ["2026-01-26", "2026-02-09"])
    let whole = try Series(object).splitting(at: Span.id("01-05"))
    #expect(whole.head == nil && whole.tail == object)
  }

  // MARK: - H: segments

  @Test func h1SegmentsHaveTheirValues() throws {
    let outcome = try Span.edited(Span.w, Span.titles, .thisAndFuture, at: "01-19")
    let segments = try Series(try #require(outcome.object)).segments
    #expect(segments.map(\.key?.text) == [nil, "2026-01-19"])
    #expect(segments.map(\.values.title) == ["Old", "New"])
  }

  // MARK: - Pointers

  @Test func pointersThatLeadNowhereAreRefused() throws {
    let object = Span.event(
      "2026-01-05T10:00:00", rule: Span.weekly, extra: ["description": ["a", "b"]])
    let wrong = ["/title", "title/", "", "description/0", "title/x", "uid"]
    for span in [EditSpan.this, .thisAndFuture, .all] {
      for pointer in wrong {
        #expect(throws: SpanError.self, "\(pointer)") {
          _ = try Series(object).applying(
            SeriesEdit([(pointer, "x")]), span: span, at: Span.id("01-19"))
        }
      }
    }
    for pointer in ["privacy", "relatedTo/x", "participants/jo/calendarAddress"] {
      #expect(throws: SpanError.self, "\(pointer)") {
        _ = try Series(object).applying(
          SeriesEdit([(pointer, "x")]), span: .this, at: Span.id("01-19"))
      }
    }
  }

  @Test func pointersReachInsideEntries() throws {
    let object = Span.event(
      "2026-01-05T10:00:00", rule: Span.weekly,
      extra: ["locations": ["hall": ["name": "Hall", "coordinates": "geo:1,2"]]])
    let one = try Span.edited(object, [("locations/hall/name", "Gym")], .this, at: "01-12")
    #expect(
      one.object?["recurrenceOverrides"] == ["2026-01-12": ["locations/hall/name": "Gym"]])
    let entry = try Span.edited(
      object, [("locations/a~1b", ["name": "New"])], .thisAndFuture, at: "01-12")
    #expect(
      try Self.occurrence(entry.object, "01-12")?.object["locations"]
        == ["hall": ["name": "Hall", "coordinates": "geo:1,2"], "a/b": ["name": "New"]])
    let gone = try Span.edited(object, [("locations/hall", nil)], .this, at: "01-12")
    #expect(
      gone.object?["recurrenceOverrides"] == ["2026-01-12": ["locations/hall": .null]])
    #expect(try Self.occurrence(gone.object, "01-12")?.object["locations"] == nil)
  }
}
