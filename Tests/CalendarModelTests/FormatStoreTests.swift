import CivilTime
import Recurrence
import TestSupport
import Testing

@testable import CalendarModel

/// Checks that need several files, and what is repaired.
@Suite struct FormatStoreTests {
  static func file(_ path: String, _ members: JSONObject) throws -> StoreValidator.File {
    let (kind, _) = try #require(ObjectPath.kind(ofPath: path))
    var members = members
    if kind == .event, members["start"] == nil { members["start"] = "2026-12-01" }
    let file = ObjectFile.read(CanonicalJSON.bytes(members), kind: kind)
    return StoreValidator.File(path: path, file: file)
  }

  static func reminder(_ name: String, _ members: JSONObject) throws -> StoreValidator.File {
    var members = members
    members["uid"] = .string(name)
    return try file("lists/house/reminders/\(name).json", members)
  }

  static func summary(_ problems: [StoreValidator.Problem]) -> [String] {
    problems.map { "\($0.path) \($0.problem.code) \($0.problem.pointer)" }
  }

  @Test func theHouseholdIsInOrder() throws {
    let root = FormatFixtureTests.folder + "/household/"
    let files = FormatFixtureTests.files(below: FormatFixtureTests.folder + "/household").map {
      path in (String(path.dropFirst(root.utf8.count)), Corpus.bytes(path) ?? [])
    }
    let read = try files.map { path, bytes in
      StoreValidator.File(
        path: path,
        file: ObjectFile.read(bytes, kind: try #require(ObjectPath.kind(ofPath: path)).kind))
    }
    let surroundings = StoreValidator.Surroundings(
      attachments: ["files/bb/bbdce120207d051e27eb6a4304eb3e1a.txt"])
    #expect(StoreValidator.problems(in: read, surroundings) == [])
    for object in read.compactMap(\.file.object) {
      #expect(ObjectValidator.occurrenceProblems(in: object) == [], "\(object.title)")
    }
    let shared = StoreValidator.problems(in: read, .init(hasRemote: true))
    #expect(shared.map(\.problem.code) == ["W410"])
  }

  @Test func oneUIDInTwoFilesNamesBothAndPrefersTheCanonicalPath() throws {
    let uid = "6f6a0b0e-54a5-4a3e-9f0e-0b6f4e3f2a11"
    let canonical = ObjectPath.path(kind: .event, collection: "home", uid: uid)
    let files = [
      try FormatStoreTests.file("calendars/home/events/a.json", ["uid": .string(uid)]),
      try FormatStoreTests.file(canonical, ["uid": .string(uid)]),
      try FormatStoreTests.file(
        "calendars/home/events/b.json", ["uid": .string(uid), "recurrenceId": "2026-12-03"]),
    ]
    let problems = StoreValidator.duplicates(in: files)
    #expect(FormatStoreTests.summary(problems) == ["calendars/home/events/a.json E203 uid"])
    #expect(problems.first?.problem.message.contains(canonical) == true)
    #expect(
      StoreValidator.misplaced(in: files).map(\.path) == [
        "calendars/home/events/a.json", "calendars/home/events/b.json",
      ])
  }

  @Test func relationsToNothingToItselfAndInACircleAreReported() throws {
    let parent: JSONValue = ["relation": ["parent": true]]
    let files = [
      try FormatStoreTests.reminder("a", ["relatedTo": ["b": parent]]),
      try FormatStoreTests.reminder("b", ["relatedTo": ["c": [:]]]),
      try FormatStoreTests.reminder("c", ["relatedTo": ["a": parent]]),
      try FormatStoreTests.reminder("d", ["relatedTo": ["d": parent, "e/x": parent, "a": parent]]),
      try FormatStoreTests.reminder("f", ["relatedTo": ["g": ["relation": ["next": true]]]]),
      try FormatStoreTests.reminder("g", ["relatedTo": ["f": ["relation": ["first": true]]]]),
    ]
    let problems = StoreValidator.problems(in: files, .init()).filter { $0.problem.code == "W404" }
    #expect(
      FormatStoreTests.summary(problems) == [
        "lists/house/reminders/a.json W404 relatedTo",
        "lists/house/reminders/d.json W404 relatedTo/d",
        "lists/house/reminders/d.json W404 relatedTo/e~1x",
      ])
  }

  @Test func aLongChainOfSubtasksIsNoCircle() throws {
    let files = try (0..<3_000).map { number in
      try FormatStoreTests.reminder(
        "r\(number)", ["relatedTo": [("r\(number + 1)"): ["relation": ["parent": true]]]])
    }
    let problems = StoreValidator.relations(in: files)
    #expect(problems.count == 1 && problems[0].problem.pointer == "relatedTo/r3000")
  }

  @Test func equalOrderKeysInOneListAreReported() throws {
    let files = [
      try FormatStoreTests.reminder("a", ["order": "h"]),
      try FormatStoreTests.reminder("b", ["order": "h"]),
      try FormatStoreTests.file("lists/other/reminders/c.json", ["uid": "c", "order": "h"]),
    ]
    #expect(
      FormatStoreTests.summary(StoreValidator.equalOrders(in: files)) == [
        "lists/house/reminders/b.json W405 order"
      ])
  }

  @Test func attachmentsAndLinksMustMeet() throws {
    let name = "files/bb/bbdce120207d051e27eb6a4304eb3e1a.txt"
    let lost = "files/cc/ccdce120207d051e27eb6a4304eb3e1a.txt"
    let event = try FormatStoreTests.file(
      "calendars/home/events/a.json",
      [
        "uid": "a", "recurrenceRule": ["frequency": "daily"],
        "links": ["a": ["href": "https://example.org/"]],
        "recurrenceOverrides": [
          "2026-12-02": ["links/b": ["href": .string(name)]],
          "2026-12-03": ["links/b": ["href": .string(lost)]],
        ],
      ])
    let found = StoreValidator.links(in: [event], attachments: [name, "files/dd/x.txt"])
    #expect(
      FormatStoreTests.summary(found) == [
        "calendars/home/events/a.json W205 recurrenceOverrides/2026-12-03/links/b/href",
        "files/dd/x.txt W205 ",
      ])
    let broken = StoreValidator.File(
      path: "calendars/home/events/b.json", file: ObjectFile.read([0x7B], kind: .event))
    #expect(
      StoreValidator.links(in: [event, broken], attachments: [name, "files/dd/x.txt"]).count == 1)
  }

  @Test func unknownExtensionsAreReported() throws {
    let store = try FormatStoreTests.file(
      "almanac.json",
      ["format": 1, "uid": "s", "extensions": ["shared-alarm-state": true, "x": true]])
    let problems = StoreValidator.extensions(in: [store], known: ["shared-alarm-state"])
    #expect(FormatStoreTests.summary(problems) == ["almanac.json W409 extensions/x"])
  }

  @Test func keysThatMatchNothingAreReported() {
    let object = CalendarObject(
      kind: .event,
      members: [
        "uid": "u", "start": "2026-12-03T19:30:00", "timeZone": "Europe/Berlin",
        "recurrenceRule": ["frequency": "weekly", "until": "2027-01-31"],
        "futureOverrides": [
          "2026-12-10": ["title": "a"], "2026-12-11": ["title": "b"],
          "2027-02-04": ["title": "after the end"],
        ],
        "recurrenceOverrides": [
          "2026-12-17": ["title": "c"], "2026-12-18": ["title": "d"],
          "2026-12-19": ["excluded": true], "2026-12-20": ["added": true],
          "2026-12-21": ["progress": "completed"],
        ],
      ])
    #expect(
      ObjectValidator.occurrenceProblems(in: object).map { "\($0.code) \($0.pointer)" } == [
        "W401 recurrenceOverrides/2026-12-18", "W304 futureOverrides/2026-12-11",
        "W304 futureOverrides/2027-02-04",
      ])
  }

  // MARK: - Repairs

  static func repaired(_ text: String, _ kind: FileKind = .event) -> JSONObject? {
    let bytes = ObjectRepair.repaired(
      Array(text.utf8), kind: kind, zones: TimeZoneDatabase(), uid: { "new-uid" },
      created: Instant(seconds: 0))
    return bytes.flatMap { try? JSONText.parse($0) }
  }

  @Test func uidCreatedAndCompletionAreFilledIn() {
    let reminder = FormatStoreTests.repaired(
      """
      { "title": "x", "completed": "2026-11-28T16:55:20Z", "start": "2026-12-01",
        "recurrenceRule": { "frequency": "daily" } }
      """, .reminder)
    #expect(reminder?["uid"] == "new-uid" && reminder?["created"] == "1970-01-01T00:00:00Z")
    #expect(reminder?["progress"] == "completed" && reminder?["@type"] == "Task")
  }

  @Test func whatIsWrongOrCanonicalIsLeftAlone() throws {
    #expect(FormatStoreTests.repaired("{ \"start\": \"2026-02-30\" }") == nil)
    #expect(FormatStoreTests.repaired("{ \"start\": ") == nil)
    #expect(FormatStoreTests.repaired("{ \"@type\": \"Journal\", \"color\": \"#ABC\" }") == nil)
    let canonical = FormatFixtureTests.folder + "/warnings/W305-hours-on-all-day.json"
    let bytes = try #require(Corpus.bytes(canonical))
    #expect(FormatStoreTests.repaired(String(decoding: bytes, as: UTF8.self)) == nil)
  }

  @Test func namesOfJSCalendarOneAreConverted() {
    let event = FormatStoreTests.repaired(
      """
      { "@type": "Event", "uid": "u", "created": "2026-11-01T08:00:00Z",
        "start": "2026-12-01T09:00:00", "timeZone": "Europe/Berlin",
        "recurrenceRules": [{ "@type": "RecurrenceRule", "frequency": "weekly" }],
        "excludedRecurrenceRules": [{ "frequency": "weekly", "interval": 2, "count": 3 }],
        "replyTo": { "imip": "mailto:ada@example.org" }, "timeZones": {} }
      """)
    #expect(event?["recurrenceRule"] == ["frequency": "weekly"])
    #expect(event?["organizerCalendarAddress"] == "mailto:ada@example.org")
    #expect(
      event?["recurrenceOverrides"] == [
        "2026-12-01": ["excluded": true], "2026-12-15": ["excluded": true],
        "2026-12-29": ["excluded": true],
      ])
    for name in ["recurrenceRules", "excludedRecurrenceRules", "replyTo", "timeZones"] {
      #expect(event?[name] == nil)
    }
  }

  @Test func whatOneCannotBeSaidInTwoIsNotConverted() {
    let start: JSONObject = ["start": "2026-12-01T09:00:00", "uid": "u"]
    let rule: JSONValue = ["frequency": "weekly"]
    let cases: [(String, JSONValue)] = [
      ("recurrenceRules", [rule, rule]), ("recurrenceRules", "weekly"),
      ("excludedRecurrenceRules", [rule]), ("replyTo", ["web": "https://example.org/"]),
    ]
    for (name, value) in cases {
      var object = start
      object[name] = value
      if name == "excludedRecurrenceRules" { object["recurrenceRule"] = rule }
      #expect(ObjectRepair.converted(object) == nil, "\(name)")
    }
    var custom = start
    custom["timeZone"] = "/custom"
    custom["timeZones"] = ["/custom": [:]]
    #expect(ObjectRepair.converted(custom) == nil)
    #expect(ObjectRepair.converted(start) == nil)
  }

  // MARK: - One file

  @Test func everyFindingLeadsToItsLine() throws {
    let text = """
      {
        "@type": "Event",
        "title": "x",
        "start": "2026-12-01T09:00:00",
        "color": "ultraviolet",
        "recurrenceRule": { "frequency": "weekly", "byDay": [{ "day": "xx" }] },
        "locations": {
          "a": { "name": 7 }
        },
        "links": { "b": { "title": "no target" } },
        "created": "yesterday",
        "uid": "u"
      }
      """
    let file = ObjectFile.read(Array(text.utf8), kind: .event)
    #expect(
      file.findings.map { "\($0.code) \($0.line):\($0.column)" } == [
        "E311 6:46", "E204 8:12", "E341 10:14", "E302 11:3", "W204 5:3",
      ])
  }

  @Test func messagesNameTheValueAndWhatWasExpected() throws {
    func message(_ name: String, _ value: JSONValue) -> String {
      var members: JSONObject = ["@type": "Event", "uid": "u", "start": "2026-12-01"]
      members[name] = value
      let problems = ObjectValidator.problems(in: members, kind: .event)
      return problems.first { $0.pointer.hasPrefix(name) }?.message ?? ""
    }
    #expect(message("title", 7) == "7 must be text")
    #expect(message("priority", 12) == "12 is out of range, which is 0 to 9")
    #expect(message("start", "soon").hasPrefix("'soon' is no date (2026-12-24)"))
    #expect(message("keywords", ["a"]) == "[\"a\"] must be an object")
    #expect(message("prority", 1) == "'prority' is not known; did you mean 'priority'?")
    #expect(message("Title", "x") == "'Title' differs from 'title' only in case")
  }

  @Test func aRuleKeepsItsMeaningThroughItsMembers() throws {
    let texts = [
      "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH;WKST=SU", "FREQ=MONTHLY;BYDAY=-1FR;COUNT=12",
      "FREQ=YEARLY;BYMONTH=3,6;BYMONTHDAY=-1,1", "FREQ=YEARLY;BYWEEKNO=1,-1;BYDAY=MO",
      "FREQ=DAILY;UNTIL=20270715", "FREQ=DAILY;BYHOUR=9,17;BYMINUTE=0,30;BYSECOND=0",
      "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", "FREQ=YEARLY;BYYEARDAY=-1,100",
      "RSCALE=CHINESE;FREQ=YEARLY;BYMONTH=5L;SKIP=FORWARD",
    ]
    for text in texts {
      let rule = try RecurrenceRule(parsing: text)
      let json = rule.json
      #expect(Normaliser.rule(json) == json, "\(text)")
      #expect(try RecurrenceRule(json: json).text == rule.text, "\(text)")
    }
  }
}
