import CivilTime
import TestSupport
import Testing

@testable import CalendarModel

/// Property by property, in small files.
@Suite struct ICalendarDecoderTests {
  static let zones = TimeZoneDatabase()

  static func decode(_ lines: String, header: String = "") -> ICalendarDocument {
    let text = "BEGIN:VCALENDAR\n\(header)\(lines)\nEND:VCALENDAR\n"
    return ICalendarDecoder.decode(Array(text.utf8), zones: zones)
  }

  static func event(_ lines: String, start: String = "DTSTART;TZID=Europe/Berlin:20261203T180000")
    throws -> CalendarObject
  {
    let document = decode("BEGIN:VEVENT\nUID:u1\n\(start)\n\(lines)\nEND:VEVENT")
    #expect(document.refusals.isEmpty, "\(document.refusals)")
    return try #require(document.items.first?.object)
  }

  @Test(
    arguments: [
      ("SUMMARY:Tea\\, then cake", "title", "Tea, then cake"),
      ("DTEND;TZID=Europe/Berlin:20261203T193000", "duration", "PT1H30M"),
      ("DTEND;TZID=Europe/Lisbon:20261203T193000", "endTimeZone", "Europe/Lisbon"),
      ("DURATION:PT90M", "duration", "PT1H30M"),
      ("STATUS:CANCELLED", "status", "cancelled"),
      ("TRANSP:TRANSPARENT", "freeBusyStatus", "free"),
      ("X-MICROSOFT-CDO-BUSYSTATUS:OOF", "freeBusyStatus", "unavailable"),
      ("CLASS:CONFIDENTIAL", "privacy", "secret"),
      ("PRIORITY:3", "priority", 3),
      ("SEQUENCE:2", "sequence", 2),
      ("CATEGORIES:a,b\\,c", "keywords", ["a": true, "b,c": true]),
      ("DESCRIPTION:one\\ntwo", "description", ["one", "two"]),
      (
        "URL:https://example.org/x", "links",
        ["url": ["href": "https://example.org/x", "rel": "describedby"]]
      ),
      ("COLOR:Teal", "color", "teal"),
      ("CREATED:20260101T000000Z", "created", "2026-01-01T00:00:00Z"),
      ("LAST-MODIFIED:20260102T000000Z", "updated", "2026-01-02T00:00:00Z"),
      ("RELATED-TO;RELTYPE=CHILD:u2", "relatedTo", ["u2": ["relation": ["child": true]]]),
      (
        "RRULE:FREQ=WEEKLY;UNTIL=20270101T000000Z", "recurrenceRule",
        ["frequency": "weekly", "until": "2026-12-31"]
      ),
      (
        "BEGIN:VALARM\nTRIGGER:-PT15M\nACTION:DISPLAY\nEND:VALARM", "alerts",
        ["15m-before": ["trigger": ["offset": "-PT15M"]]]
      ),
      (
        "ATTENDEE;CN=\"Lind, Jo\";PARTSTAT=ACCEPTED;RSVP=TRUE:mailto:jo@example.org",
        "participants",
        [
          "jo-example-org": [
            "name": "Lind, Jo", "calendarAddress": "mailto:jo@example.org",
            "participationStatus": "accepted",
            "expectReply": true,
          ]
        ]
      ),
    ] as [(String, String, JSONValue)])
  func readsAProperty(line: String, member: String, value: JSONValue) throws {
    #expect(try Self.event(line)[member] == value)
  }

  @Test func readsAllDayFloatingAndUTC() throws {
    let allDay = try Self.event("DTEND;VALUE=DATE:20261226", start: "DTSTART;VALUE=DATE:20261224")
    #expect(
      allDay["start"] == "2026-12-24" && allDay["duration"] == "P2D" && allDay["timeZone"] == nil)
    let floating = try Self.event("", start: "DTSTART:20261203T064500")
    #expect(floating["start"] == "2026-12-03T06:45:00" && floating["timeZone"] == nil)
    let utc = try Self.event("", start: "DTSTART:20261203T064500Z")
    #expect(utc["timeZone"] == "Etc/UTC")
  }

  @Test func aNightOverTheClockChangeKeepsItsExactLength() throws {
    let event = try Self.event(
      "DTEND;TZID=Europe/Berlin:20261025T060000",
      start: "DTSTART;TZID=Europe/Berlin:20261024T220000")
    #expect(event["duration"] == "PT9H")
  }

  @Test func exceptionsBecomePatches() throws {
    let document = Self.decode(
      """
      BEGIN:VEVENT
      UID:u1
      SUMMARY:Choir
      LOCATION:Hall
      DTSTART;TZID=Europe/Berlin:20261203T193000
      DURATION:PT2H
      RRULE:FREQ=WEEKLY;COUNT=6
      EXDATE;TZID=Europe/Berlin:20261224T193000
      EXDATE:20261231T183000Z
      RDATE;TZID=Europe/Berlin:20261219T170000
      END:VEVENT
      BEGIN:VEVENT
      UID:u1
      RECURRENCE-ID;TZID=Europe/Berlin:20261217T193000
      SUMMARY:Dress rehearsal
      LOCATION:Hall
      DTSTART;TZID=Europe/Berlin:20261217T173000
      DURATION:PT2H
      END:VEVENT
      BEGIN:VEVENT
      UID:u1
      RECURRENCE-ID;RANGE=THISANDFUTURE:20270107T183000Z
      SUMMARY:Choir
      LOCATION:School
      DTSTART;TZID=Europe/Berlin:20270108T193000
      DURATION:PT2H
      END:VEVENT
      """)
    #expect(document.refusals.isEmpty)
    let object = try #require(document.items.first?.object)
    #expect(document.items.count == 1 && document.items.first?.components == 3)
    let overrides = try #require(object["recurrenceOverrides"]?.objectValue)
    #expect(overrides["2026-12-24"] == ["excluded": true])
    #expect(overrides["2026-12-31"] == ["excluded": true])
    #expect(overrides["2026-12-19"] == ["added": true, "start": "2026-12-19T17:00:00"])
    #expect(
      overrides["2026-12-17"] == ["title": "Dress rehearsal", "start": "2026-12-17T17:30:00"])
    let future = try #require(object["futureOverrides"]?.objectValue?["2027-01-07"]?.objectValue)
    #expect(future["shift"] == "P1D")
    #expect(future.names.contains { $0.hasPrefix("locations/") })
  }

  @Test(arguments: [
    ("Europe/Berlin", "Europe/Berlin"), ("W. Europe Standard Time", "Europe/Berlin"),
    ("/freeassociation.sourceforge.net/Europe/Berlin", "Europe/Berlin"),
    ("/mozilla.org/20050126_1/America/Argentina/Buenos_Aires", "America/Argentina/Buenos_Aires"),
    ("US-Eastern", "US/Eastern"), ("(UTC-05:00) Eastern Time (US & Canada)", "America/New_York"),
    ("UTC+01", "Etc/GMT-1"),
  ])
  func matchesForeignZoneNames(foreign: String, zone: String) throws {
    let event = try Self.event("", start: "DTSTART;TZID=\"\(foreign)\":20261203T180000")
    #expect(event["timeZone"] == .string(zone))
  }

  @Test func matchesAZoneByItsTransitionsOrRefusesItByName() throws {
    func zone(_ to: String) -> String {
      """
      BEGIN:VTIMEZONE
      TZID:Ours
      BEGIN:STANDARD
      DTSTART:20001029T030000
      RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU
      TZOFFSETFROM:+0200
      TZOFFSETTO:\(to)
      END:STANDARD
      BEGIN:DAYLIGHT
      DTSTART:20000326T020000
      RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU
      TZOFFSETFROM:\(to)
      TZOFFSETTO:+0200
      END:DAYLIGHT
      END:VTIMEZONE

      """
    }
    let event =
      "BEGIN:VEVENT\nUID:u1\nDTSTART;TZID=Ours:20261203T180000\nRRULE:FREQ=DAILY\nEND:VEVENT"
    let known = Self.decode(event, header: zone("+0100"))
    #expect(known.items.first?.object["timeZone"] == "Europe/Berlin")
    let strange = Self.decode(event, header: zone("+0117"))
    #expect(strange.items.isEmpty)
    #expect(strange.refusals.first?.reason.contains("'Ours'") == true)
    let single = Self.decode(
      event.replacing("\nRRULE:FREQ=DAILY", with: ""), header: zone("+0117"))
    #expect(single.items.first?.object["start"] == "2026-12-03T16:43:00", "\(single.refusals)")
    #expect(single.items.first?.warnings.isEmpty == false)
  }

  @Test func readsRemindersAndKeepsTheirDatesOfOneKind() throws {
    let document = Self.decode(
      """
      BEGIN:VTODO
      UID:t1
      SUMMARY:Paper bin
      DTSTART;VALUE=DATE:20260907
      DUE;TZID=Europe/Berlin:20260907T200000
      STATUS:IN-PROCESS
      PERCENT-COMPLETE:20
      END:VTODO
      """)
    let object = try #require(document.items.first?.object)
    #expect(object.kind == .reminder)
    #expect(object["start"] == "2026-09-07T00:00:00" && object["due"] == "2026-09-07T20:00:00")
    #expect(object["progress"] == "in-process" && object["percentComplete"] == 20)
  }

  @Test func nothingUnknownIsLost() throws {
    let event = try Self.event(
      "X-FOO;A=\"b:c\":1;2\nCOMMENT:hello\nBEGIN:X-THING\nX-Y:1\nEND:X-THING")
    let left = try #require(event["iCalendar"]?.objectValue)
    #expect(
      left["properties"] == [
        ["x-foo", ["a": "b:c"], "unknown", "1;2"], ["comment", [:], "unknown", "hello"],
      ])
    #expect(left["components"] == [["x-thing", [["x-y", [:], "unknown", "1"]], []]])
  }

  @Test func sharedUIDsGetDerivedOnesThatAreTheSameEverywhere() throws {
    let two = "BEGIN:VEVENT\nUID:b\nSUMMARY:A\nDTSTART;VALUE=DATE:20260101\nEND:VEVENT\n"
    let text = two + two.replacing("SUMMARY:A", with: "SUMMARY:B")
    let once = Self.decode(text).items.map(\.object.uid)
    #expect(once.count == 2 && Set(once).count == 2 && once[0] == "b")
    #expect(Self.decode(text).items.map(\.object.uid) == once)
  }

  @Test func refusalsNameLineAndReason() throws {
    let document = Self.decode(
      "BEGIN:VEVENT\nUID:x\nSUMMARY:no start\nEND:VEVENT\nBEGIN:VJOURNAL\nUID:j\nEND:VJOURNAL")
    #expect(document.items.isEmpty)
    #expect(document.refusals.map(\.line) == [2, 6])
    #expect(document.refusals[0].reason == "no DTSTART")
    let cut = ICalendarDecoder.decode(
      Array(
        "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:a\nDTSTART:20260101T000000Z\nEND:VEVENT\nBEGIN:VEVENT\nUID:b"
          .utf8),
      zones: Self.zones)
    #expect(cut.items.map(\.object.uid) == ["a"])
    #expect(cut.refusals.contains { $0.line == 6 && $0.reason == "BEGIN:VEVENT has no END" })
  }

  @Test func foldsEncodingsAndByteOrderMarksAreUndone() throws {
    var bytes: [UInt8] = [0xEF, 0xBB, 0xBF]
    bytes += Array(
      "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:f\r\nDTSTART:20260101T000000Z\r\nSUMMARY:caf".utf8)
    bytes +=
      [0xE9]
      + Array(
        "\r\n  and\r\n\t more\r\nDESCRIPTION;ENCODING=QUOTED-PRINTABLE:a=3D=\r\nb=C3=A9\r\n".utf8)
    bytes += Array("END:VEVENT\r\nEND:VCALENDAR\r\n".utf8)
    let document = ICalendarDecoder.decode(bytes, zones: Self.zones)
    let object = try #require(document.items.first?.object)
    #expect(object.title == "café and more")
    #expect(object.notes == "a=bé")
    #expect(document.warnings.contains { $0.message.contains("Latin-1") })
  }
}
