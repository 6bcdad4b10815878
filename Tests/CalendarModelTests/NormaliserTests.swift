import CivilTime
import TestSupport
import Testing

@testable import CalendarModel

@Suite struct NormaliserTests {
  static let zones = TimeZoneDatabase()

  static func event(_ members: JSONObject, zones: TimeZoneDatabase? = nil) -> JSONObject {
    Normaliser.normalise(members, kind: .event, zones: zones)
  }

  /// One member by itself.
  static func value(_ name: String, _ value: JSONValue) -> JSONValue? {
    event([name: value])[name]
  }

  @Test func shortFormsBecomeTheirLongOnes() {
    let cases: [(name: String, typed: JSONValue, written: JSONValue)] = [
      ("start", "2026-12-03T10:00", "2026-12-03T10:00:00"), ("duration", "PT90M", "PT1H30M"),
      ("duration", "P14D", "P2W"), ("duration", "PT0H45M", "PT45M"), ("color", "#ABC", "#aabbcc"),
      ("color", "Teal", "teal"), ("color", "#2F4B8F", "#2f4b8f"), ("priority", .number("3.0"), 3),
      ("keywords", ["b", "a"], ["a": true, "b": true]), ("description", ["one"], "one"),
      ("description", "one\r\ntwo\rthree\nfour", ["one", "two", "three", "four"]),
      ("description", ["one\ntwo", "three"], ["one", "two", "three"]),
      ("description", "one\n", ["one", ""]),
      ("organizerCalendarAddress", "ada@example.org", "mailto:ada@example.org"),
      ("alerts", ["-PT60M"], ["1h-before": ["trigger": ["offset": "-PT1H"]]]),
      ("alerts", ["PT0S"], ["at-time": ["trigger": ["offset": "PT0S"]]]),
    ]
    for (name, typed, written) in cases {
      #expect(NormaliserTests.value(name, typed) == written, "\(name): \(typed)")
    }
  }

  @Test func whatCannotBeReadStaysAsItIs() {
    let cases: [(name: String, value: JSONValue)] = [
      ("start", "tomorrow"), ("start", 7), ("duration", "one hour"), ("color", "#xyz"),
      ("color", "ultraviolet"), ("keywords", ["a", 1]), ("description", ["a", 1]),
      ("priority", "high"), ("priority", .number("1.5")), ("alerts", [7]),
      ("recurrenceRule", "weekly"), ("locations", ["a"]),
      ("organizerCalendarAddress", "tel:+49"),
    ]
    for (name, value) in cases {
      #expect(NormaliserTests.value(name, value) == value, "\(name): \(value)")
    }
  }

  @Test func defaultsAndNullsAreNotWritten() {
    let members: JSONObject = [
      "version": "2.0", "freeBusyStatus": "busy", "privacy": "public", "priority": .number("-0"),
      "sequence": 0, "showWithoutTime": false, "descriptionContentType": "text/plain",
      "title": "", "description": "", "color": nil, "locations": [:], "conflicts": [:],
      "participants": ["a": ["participationStatus": "needs-action", "expectReply": false]],
    ]
    #expect(
      NormaliserTests.event(members) == ["@type": "Event", "participants": ["a": [:]]])
    #expect(NormaliserTests.value("percentComplete", 0) == 0)
  }

  @Test func impliedTypesGoAndOthersStay() {
    let members: JSONObject = [
      "locations": ["a": ["@type": "Location", "name": "A"], "b": ["@type": "Link"]],
      "alerts": [
        "a": ["@type": "Alert", "trigger": ["@type": "OffsetTrigger", "offset": "-PT1H"]],
        "b": ["trigger": ["@type": "AbsoluteTrigger", "when": "2026-12-01T00:00:00Z"]],
      ],
    ]
    #expect(
      NormaliserTests.event(members) == [
        "@type": "Event", "locations": ["a": ["name": "A"], "b": ["@type": "Link"]],
        "alerts": [
          "a": ["trigger": ["offset": "-PT1H"]],
          "b": ["trigger": ["@type": "AbsoluteTrigger", "when": "2026-12-01T00:00:00Z"]],
        ],
      ])
  }

  @Test func aPatchKeepsDefaultsAndNulls() {
    let patch: JSONObject = [
      "privacy": "public", "priority": 0, "title": nil, "start": "2026-12-03T10:00",
      "locations/a": ["@type": "Location", "name": "A"], "alerts/b": nil,
      "participants/c/roles": ["chair"], "description": "a\nb", "shift": "P1W",
    ]
    #expect(
      Normaliser.patch(patch) == [
        "privacy": "public", "priority": 0, "title": nil, "start": "2026-12-03T10:00:00",
        "locations/a": ["name": "A"], "alerts/b": nil, "participants/c/roles": ["chair": true],
        "description": ["a", "b"], "shift": "P7D",
      ])
  }

  @Test func unknownMembersStayToTheLastDigit() {
    let members: JSONObject = [
      "@type": "Event", "example.com:x": ["title": "", "start": "2026-12-03T10:00", "n": nil],
      "locations": ["a": ["example.com:y": ["color": "#ABC"], "zebra": nil]],
    ]
    #expect(NormaliserTests.event(members) == members)
    let strange: JSONObject = ["@type": "Journal", "color": "#ABC", "priority": 0]
    #expect(NormaliserTests.event(strange) == strange)
  }

  @Test func twoAlertsAtOneDistanceKeepBothTheirEntries() throws {
    let end: JSONValue = ["trigger": ["offset": "-PT15M", "relativeTo": "end"]]
    let alerts = NormaliserTests.value("alerts", ["-PT15M", end, "-PT15M"])?.objectValue
    #expect(alerts?.count == 2)
    #expect(alerts?["15m-before"] == ["trigger": ["offset": "-PT15M"]])
    #expect(alerts?.members.contains { $0.value == end } == true)
  }

  // MARK: - end

  @Test func anEndBecomesADuration() {
    let cases: [(JSONObject, String?)] = [
      (["start": "2026-12-24", "end": "2026-12-26"], "P2D"),
      (["start": "2026-12-24", "end": "2026-12-25"], nil),
      (["start": "2026-12-24", "end": "2026-12-24"], nil),
      (["start": "2026-12-03T10:00", "end": "2026-12-03T10:45"], "PT45M"),
      (["start": "2026-12-03T10:00", "end": "2026-12-05T11:00"], "P2DT1H"),
      // The night of Saturday 24 to Sunday 25 October 2026 has one hour more in Berlin.
      (
        ["start": "2026-10-24T22:00", "end": "2026-10-25T06:00", "timeZone": "Europe/Berlin"],
        "PT9H"
      ),
      (
        ["start": "2026-10-24T22:00", "end": "2026-10-26T06:00", "timeZone": "Europe/Berlin"],
        "P1DT8H"
      ),
      (
        [
          "start": "2026-10-17T09:25", "end": "2026-10-17T12:15", "timeZone": "Europe/Berlin",
          "endTimeZone": "Europe/Lisbon",
        ], "PT3H50M"
      ),
    ]
    for (members, duration) in cases {
      let object = NormaliserTests.event(members, zones: NormaliserTests.zones)
      #expect(object["end"] == nil, "\(members)")
      #expect(object["duration"]?.stringValue == duration, "\(members)")
    }
  }

  @Test func anEndThatSaysNothingStaysForTheValidator() {
    let cases: [JSONObject] = [
      ["start": "2026-12-24", "end": "2026-12-23"],
      ["start": "2026-12-24", "end": "2026-12-25T10:00:00"],
      ["start": "2026-12-24T10:00:00", "end": "later"],
      ["start": "2026-12-24T10:00:00", "end": "2026-12-24T11:00:00", "duration": "PT2H"],
      [
        "start": "2026-10-17T09:25:00", "end": "2026-10-17T12:15:00", "timeZone": "Europe/Berlin",
        "endTimeZone": "Europe/Atlantis",
      ],
    ]
    for members in cases {
      let object = NormaliserTests.event(members, zones: NormaliserTests.zones)
      #expect(object["end"] == members["end"], "\(members)")
    }
  }

  // MARK: - Rules and keys

  @Test func listsOfARuleAreSortedAndFreeOfRepeats() {
    let rule = NormaliserTests.value(
      "recurrenceRule",
      [
        "frequency": "Monthly", "byDay": ["su", "-1FR", "2mo", "mo", "su"],
        "byMonthDay": [3, -1, 3],
        "byMonth": [12, "3", .number("6.0")], "bySetPosition": [], "firstDayOfWeek": "MO",
        "rscale": "GREGORIAN", "skip": "omit", "interval": .number("1.0"),
      ])
    #expect(
      rule == [
        "frequency": "monthly",
        "byDay": [
          ["day": "fr", "nthOfPeriod": -1], ["day": "mo"], ["day": "su"],
          ["day": "mo", "nthOfPeriod": 2],
        ], "byMonthDay": [-1, 3], "byMonth": ["3", "6", "12"],
      ])
  }

  @Test func untilAndKeysAreDatesInSeriesThatRepeatDaily() {
    func series(_ rule: JSONObject, _ key: String, start: JSONValue = "2026-12-03T19:30:00")
      -> JSONObject
    {
      NormaliserTests.event([
        "start": start, "recurrenceRule": .object(rule),
        "recurrenceOverrides": [key: ["excluded": true]],
      ])
    }
    let weekly = series(["frequency": "weekly", "until": "2027-07-15T19:30"], "2026-12-10T19:30")
    #expect(weekly["recurrenceRule"]?.objectValue?["until"] == "2027-07-15")
    #expect(weekly["recurrenceOverrides"]?.objectValue?.names == ["2026-12-10"])
    // An end before the hour of that day leaves the day out.
    let early = series(["frequency": "weekly", "until": "2027-07-15T19:29:59"], "2026-12-10")
    #expect(early["recurrenceRule"]?.objectValue?["until"] == "2027-07-14")
    let other = series(["frequency": "weekly"], "2026-12-10T18:00")
    #expect(other["recurrenceOverrides"]?.objectValue?.names == ["2026-12-10T18:00:00"])
    let hourly = series(["frequency": "hourly", "until": "2027-07-15T19:30"], "2026-12-03T19:30")
    #expect(hourly["recurrenceRule"]?.objectValue?["until"] == "2027-07-15T19:30:00")
    #expect(hourly["recurrenceOverrides"]?.objectValue?.names == ["2026-12-03T19:30:00"])
    let allDay = series(["frequency": "daily"], "2026-12-10T00:00:00", start: "2026-12-03")
    #expect(allDay["recurrenceOverrides"]?.objectValue?.names == ["2026-12-10"])
  }

  @Test func aKeyIsNotRenamedOntoAnother() {
    let map: JSONValue = ["2026-12-10": ["title": "a"], "2026-12-10T19:30:00": ["title": "b"]]
    let object = NormaliserTests.event([
      "start": "2026-12-03T19:30:00", "recurrenceRule": ["frequency": "weekly"],
      "recurrenceOverrides": map,
    ])
    #expect(object["recurrenceOverrides"] == map)
  }

  // MARK: - Properties

  /// Formatting twice changes nothing, and the written form is read as the same members.
  @Test func normalisingTwiceIsOnce() throws {
    var random = SeededGenerator(seed: 20_261_203)
    for round in 0..<600 {
      let object = RandomItem.object(&random)
      for kind in [FileKind.event, .reminder] {
        let once = Normaliser.normalise(object, kind: kind, zones: NormaliserTests.zones)
        let twice = Normaliser.normalise(once, kind: kind, zones: NormaliserTests.zones)
        let context =
          "seed \(random.seed), round \(round): \(CanonicalJSON.inline(.object(object)))"
        #expect(once == twice, "\(context)")
        let bytes = CanonicalJSON.bytes(once)
        #expect(try JSONText.parse(bytes) == once, "\(context)")
      }
    }
  }

  /// A file that is usable is canonical after one rewriting, with the same findings but W101.
  @Test func whatIsUsableStaysUsableWhenWritten() throws {
    var random = SeededGenerator(seed: 20_261_204)
    var usable = 0
    for round in 0..<600 {
      let bytes = CanonicalJSON.bytes(RandomItem.object(&random))
      let file = ObjectFile.read(bytes, kind: .event, zones: NormaliserTests.zones)
      guard file.isUsable, let members = file.members, file.object != nil else { continue }
      usable += 1
      let written = CanonicalJSON.bytes(members)
      let again = ObjectFile.read(written, kind: .event, zones: NormaliserTests.zones)
      let context = "seed \(random.seed), round \(round)"
      #expect(again.members == members, "\(context)")
      #expect(
        again.findings.map(\.code) == file.findings.map(\.code).filter { $0 != "W101" },
        "\(context)")
    }
    #expect(usable > 20)
  }
}

/// Random items as people and programs write them: known members with values right and wrong.
enum RandomItem {
  static let values: [String: [JSONValue]] = [
    "@type": ["Event", "Event", "Task", nil], "title": ["A", "", "a\u{202E}b", 7],
    "start": ["2026-12-03T19:30:00", "2026-12-03T19:30", "2026-12-03", "2026-02-30", nil],
    "due": ["2026-12-04", "2026-12-04T20:00"], "end": ["2026-12-03T20:15", "2026-12-05", "x"],
    "timeZone": ["Europe/Berlin", "Nowhere/Atlantis", nil], "endTimeZone": ["Europe/Lisbon"],
    "duration": ["PT90M", "P1D", "PT0S", "-PT1H", "P14D", "x"],
    "keywords": [["b", "a"], ["a": true], [:], "a", ["a": false]],
    "description": ["a\r\nb", ["a"], ["a\nb", "c"], "", [], ["a", 1]],
    "color": ["#ABC", "Teal", "#xyz", "ultraviolet"], "priority": [0, 3, .number("5.0"), 12, "x"],
    "status": ["confirmed", "maybe"], "freeBusyStatus": ["busy", "free"],
    "recurrenceRule": [
      ["frequency": "weekly"], ["frequency": "weekly", "byDay": ["th", "mo", "th"]],
      ["frequency": "monthly", "byDay": ["-1fr"], "byMonth": [3, 12]],
      ["frequency": "daily", "until": "2027-07-15T19:30", "interval": 1],
      ["frequency": "hourly", "byMonthDay": []], ["frequency": "x"], "weekly", nil,
    ],
    "recurrenceOverrides": [
      ["2026-12-10T19:30:00": ["excluded": true], "2026-12-17": ["title": "x", "color": "#ABC"]],
      ["2026-12-10T19:30": ["start": "2026-12-10T18:00"], "2026-12-19": ["added": true]],
      ["2026-12-24": ["alerts/a": ["@type": "Alert", "trigger": ["offset": "-PT60M"]]]], ["x": [:]],
    ],
    "futureOverrides": [
      ["2026-12-10": ["shift": "P1W"]], ["2026-12-10T19:30": ["start": "2026-12-10T18:00"]],
      [
        "2026-12-31": [
          "recurrenceRule": ["frequency": "Daily", "byHour": []], "start": "2027-01-02",
        ]
      ],
    ],
    "alerts": [
      ["-PT60M", "-P1D"], ["a": ["trigger": ["offset": "-PT3600S", "relativeTo": "start"]]],
      ["-PT15M", ["trigger": ["offset": "-PT15M", "relativeTo": "end"]]], [7],
      ["a": ["action": "x"]],
    ],
    "locations": [["a": ["@type": "Location", "name": "A"]], ["a": ["Name": "A"]], [:]],
    "mainLocationId": ["a", "b"], "sequence": [0, 2, .number("1e2")],
    "participants": [
      ["p": ["calendarAddress": "a@b.c", "roles": ["chair"], "expectReply": false]]
    ],
    "links": [["u": ["href": "https://e.org/", "rel": "enclosure"]], ["u": ["href": "../x"]]],
    "zebra": [["b": .number("1.50"), "a": [nil]], nil], "version": ["2.0"],
  ]

  static func object(_ random: inout SeededGenerator) -> JSONObject {
    var object: JSONObject = ["uid": "u", "created": "2026-11-01T08:00:00Z"]
    if !random.chance(oneIn: 4) { object["start"] = "2026-12-03T19:30:00" }
    let names = values.keys.sorted()
    for _ in 0..<random.integer(1...8) {
      let name = random.element(of: names)
      object[name] = random.element(of: values[name] ?? [])
    }
    return object
  }
}
