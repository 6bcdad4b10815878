import CivilTime
import Recurrence
import Testing

@Suite struct RecurrenceSetTests {
  let zones = TimeZoneDatabase()

  private func time(_ text: String) throws -> CivilDateTime {
    try #require(DateOrDateTime(extended: text)?.dateTime)
  }

  private func value(_ text: String) throws -> DateOrDateTime {
    try #require(DateOrDateTime(extended: text))
  }

  private func texts(
    _ set: RecurrenceSet, from: String? = nil, limit: Int = 20
  ) throws -> [String] {
    let occurrences = set.occurrences(from: try from.map { try time($0) })
    return occurrences.prefix(limit).map {
      set.start.isDate ? $0.date.description : $0.description
    }
  }

  @Test func startIsAnOccurrenceEvenIfNoRuleMakesIt() throws {
    let rule = try RecurrenceRule(parsing: "FREQ=WEEKLY;BYDAY=MO;COUNT=2")
    let start = try value("2026-12-03T09:00:00")
    let with = RecurrenceSet(start: start, rules: [rule])
    #expect(
      try texts(with) == ["2026-12-03T09:00:00", "2026-12-07T09:00:00", "2026-12-14T09:00:00"])
    let without = RecurrenceSet(start: start, rules: [rule], includesStart: false)
    #expect(try texts(without) == ["2026-12-07T09:00:00", "2026-12-14T09:00:00"])
    #expect(try texts(with, from: "2026-12-04T00:00:00").first == "2026-12-07T09:00:00")
  }

  @Test func setWithoutRulesIsItsStartAndDates() throws {
    let start = try value("2026-12-03")
    #expect(try texts(RecurrenceSet(start: start, rules: [])) == ["2026-12-03"])
    let more = RecurrenceSet(
      start: start, rules: [], additionalDates: [try value("2027-01-01"), try value("2026-12-24")])
    #expect(try texts(more) == ["2026-12-03", "2026-12-24", "2027-01-01"])
    #expect(try texts(more, from: "2026-12-25") == ["2027-01-01"])
    let none = RecurrenceSet(start: start, rules: [], excludedDates: [start])
    #expect(try texts(none).isEmpty)
  }

  @Test func rulesAndDatesMergeInOrderEachOnce() throws {
    let rules = try ["FREQ=WEEKLY;BYDAY=TH,FR", "FREQ=WEEKLY;BYDAY=FR,SA"].map {
      try RecurrenceRule(parsing: $0)
    }
    let set = RecurrenceSet(
      start: try value("2026-12-03T09:00:00"), rules: rules,
      additionalDates: [try value("2026-12-04T09:00:00"), try value("2026-12-04T08:00:00")],
      excludedDates: [try value("2026-12-05T09:00:00"), try value("2026-12-05T10:00:00")])
    #expect(
      try texts(set, limit: 5) == [
        "2026-12-03T09:00:00", "2026-12-04T08:00:00", "2026-12-04T09:00:00",
        "2026-12-10T09:00:00", "2026-12-11T09:00:00",
      ])
    #expect(try texts(set, from: "2026-12-04T08:30:00", limit: 1) == ["2026-12-04T09:00:00"])
  }

  @Test func excludedDateDoesNotRefillCount() throws {
    let set = RecurrenceSet(
      start: try value("2026-12-03T09:00:00"),
      rules: [try RecurrenceRule(parsing: "FREQ=DAILY;COUNT=3")],
      excludedDates: [try value("2026-12-04T09:00:00")])
    #expect(try texts(set) == ["2026-12-03T09:00:00", "2026-12-05T09:00:00"])
  }

  @Test func excludedDateAmongTimesTakesTheWholeDay() throws {
    let set = RecurrenceSet(
      start: try value("2026-12-03T09:00:00"),
      rules: [try RecurrenceRule(parsing: "FREQ=DAILY;BYHOUR=9,17;COUNT=5")],
      excludedDates: [try value("2026-12-04")])
    #expect(
      try texts(set) == ["2026-12-03T09:00:00", "2026-12-03T17:00:00", "2026-12-05T09:00:00"])
  }

  /// ical.net issue 736: in Amsterdam 02:30 happens twice on 2020-10-25, first at 00:30 UTC.
  @Test func untilInTheRepeatedHourIsComparedAsAnInstant() throws {
    let start = try value("2020-10-23T02:30:00")
    let zone = try #require(zones.rules(named: "Europe/Amsterdam"))
    func last(_ until: String) throws -> String? {
      let rule = try RecurrenceRule(parsing: "FREQ=DAILY;UNTIL=\(until)")
      return try texts(RecurrenceSet(start: start, rules: [rule], zone: zone)).last
    }
    #expect(try last("20201025T010000Z") == "2020-10-25T02:30:00")
    #expect(try last("20201025T003000Z") == "2020-10-25T02:30:00")
    #expect(try last("20201025T002959Z") == "2020-10-24T02:30:00")
    #expect(try last("20201026T013000Z") == "2020-10-26T02:30:00")
    #expect(try last("20201026T012959Z") == "2020-10-25T02:30:00")
  }

  /// In New York 02:30 does not exist on 2026-03-08 and is read as 03:30 EDT, 07:30 UTC.
  @Test func untilInTheMissingHourIsComparedAsAnInstant() throws {
    let start = try value("2026-03-08T01:45:00")
    let zone = try #require(zones.rules(named: "America/New_York"))
    let rule = try RecurrenceRule(
      parsing: "FREQ=MINUTELY;INTERVAL=45;UNTIL=20260308T073000Z")
    let set = RecurrenceSet(start: start, rules: [rule], zone: zone)
    #expect(
      try texts(set) == ["2026-03-08T01:45:00", "2026-03-08T02:30:00", "2026-03-08T03:15:00"])
    // 02:30 is 07:30 UTC but 03:15 only 07:15: an end between the two keeps the later wall time.
    let between = try RecurrenceRule(
      parsing: "FREQ=MINUTELY;INTERVAL=45;UNTIL=20260308T072000Z")
    #expect(
      try texts(RecurrenceSet(start: start, rules: [between], zone: zone)) == [
        "2026-03-08T01:45:00", "2026-03-08T03:15:00",
      ])
  }

  @Test func untilFarFromUTCIsExact() throws {
    for (name, until) in [
      ("Pacific/Kiritimati", "20260109T190000Z"), ("Pacific/Pago_Pago", "20260110T200000Z"),
    ] {
      let zone = try #require(zones.rules(named: name))
      let rule = try RecurrenceRule(parsing: "FREQ=DAILY;UNTIL=\(until)")
      let set = RecurrenceSet(start: try value("2026-01-01T09:00:00"), rules: [rule], zone: zone)
      #expect(try texts(set).last == "2026-01-10T09:00:00", "\(name)")
      #expect(try texts(set, from: "2026-01-10T09:00:00").count == 1, "\(name)")
      #expect(try texts(set, from: "2026-01-10T09:00:01").isEmpty, "\(name)")
    }
  }

  @Test func allDaySeriesWithAnInstantAsUntilEndsOnItsDate() throws {
    let rule = try RecurrenceRule(parsing: "FREQ=DAILY;UNTIL=20261205T000000Z")
    let set = RecurrenceSet(start: try value("2026-12-03"), rules: [rule])
    #expect(try texts(set) == ["2026-12-03", "2026-12-04", "2026-12-05"])
  }

  @Test func untilDateTakesItsWholeDay() throws {
    let rule = try RecurrenceRule(parsing: "FREQ=HOURLY;INTERVAL=11;UNTIL=20261204")
    let set = RecurrenceSet(start: try value("2026-12-03T12:00:00"), rules: [rule])
    #expect(try texts(set).last == "2026-12-04T21:00:00")
  }

  @Test func endOfEachRuleIsReported() throws {
    let zone = try #require(zones.rules(named: "Europe/Berlin"))
    let rules = try [
      "FREQ=DAILY;UNTIL=20261205T080000Z", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "FREQ=DAILY",
      "RSCALE=CHINESE;FREQ=YEARLY",
    ].map { try RecurrenceRule(parsing: $0) }
    let set = RecurrenceSet(start: try value("2026-12-03T09:00:00"), rules: rules, zone: zone)
    var occurrences = set.occurrences()
    for _ in 0..<6 { _ = occurrences.next() }
    #expect(occurrences.stops == [.finished, .neverMatches, nil, .notEvaluable])
  }

  @Test func windowOfASetIsTheWholeCutOff() throws {
    let rules = try ["FREQ=WEEKLY;BYDAY=MO,WE;COUNT=30", "FREQ=MONTHLY;BYMONTHDAY=-1"].map {
      try RecurrenceRule(parsing: $0)
    }
    let set = RecurrenceSet(
      start: try value("2026-01-05T09:00:00"), rules: rules,
      additionalDates: [try value("2026-02-14T20:00:00"), try value("2026-03-01T00:00:00")],
      excludedDates: [try value("2026-01-12T09:00:00"), try value("2026-02-28")])
    let all = Array(set.occurrences().prefix(45))
    for (index, occurrence) in all.enumerated() {
      let later = CivilDateTime(civilSeconds: occurrence.civilSeconds + 1)
      let count = all.count - index
      #expect(Array(set.occurrences(from: occurrence).prefix(count)) == Array(all[index...]))
      #expect(
        Array(set.occurrences(from: later).prefix(count - 1)) == Array(all[(index + 1)...]))
    }
  }
}
