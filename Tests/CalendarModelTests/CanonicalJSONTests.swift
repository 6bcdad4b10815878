import Testing

@testable import CalendarModel

@Suite struct CanonicalJSONTests {
  static func text(_ object: JSONObject) -> String {
    String(decoding: CanonicalJSON.bytes(object), as: UTF8.self)
  }

  @Test func anEmptyObjectIsTwoLines() {
    #expect(CanonicalJSONTests.text([:]) == "{\n}\n")
  }

  @Test func blocksAreApartAndMembersInTheirFrozenOrder() {
    let object: JSONObject = [
      "uid": "u", "created": "c", "zebra": 1, "sequence": 2, "frequency": "x", "alerts": [:],
      "title": "T", "@type": "Event", "recurrenceRule": ["until": "u", "frequency": "weekly"],
      "timeZone": "Z", "start": "S", "links": [:], "relatedTo": [:],
    ]
    #expect(
      CanonicalJSONTests.text(object) == """
        {
          "@type": "Event",
          "title": "T",

          "start": "S",
          "timeZone": "Z",
          "recurrenceRule": {
            "frequency": "weekly",
            "until": "u"
          },

          "links": {},
          "relatedTo": {},

          "alerts": {},

          "frequency": "x",
          "sequence": 2,
          "zebra": 1,

          "created": "c",
          "uid": "u"
        }

        """)
  }

  @Test func mapsSortByBytesAndTheirEntriesAsRecords() {
    let object: JSONObject = [
      "locations": [
        "Z": ["links": ["b": ["rel": "r", "href": "h"], "a": [:]], "name": "N"],
        "a": ["coordinates": "c", "name": "n", "other": 1],
        "É": [:],
      ]
    ]
    #expect(
      CanonicalJSONTests.text(object) == """
        {
          "locations": {
            "Z": { "name": "N", "links": { "a": {}, "b": { "href": "h", "rel": "r" } } },
            "a": { "name": "n", "coordinates": "c", "other": 1 },
            "É": {}
          }
        }

        """)
  }

  @Test func unknownMembersSortByBytesAllTheWayDown() {
    let object: JSONObject = [
      "example.com:x": ["title": 1, "start": 2, "a": ["uid": 1, "title": [["uid": 1, "b": 2]]]]
    ]
    #expect(
      CanonicalJSONTests.text(object) == """
        {
          "example.com:x": {
            "a": { "title": [{ "b": 2, "uid": 1 }], "uid": 1 },
            "start": 2,
            "title": 1
          }
        }

        """)
  }

  @Test func pointersInPatchesAreWrittenByWhereTheyLead() {
    let patch: JSONObject = [
      "recurrenceOverrides": [
        "2026-12-03": [
          "title": "x", "added": true, "locations/hall": ["coordinates": "c", "name": "n"],
          "locations/hall/links/a": ["rel": "r", "href": "h"],
          "participants/b/roles": ["owner": true, "chair": true],
        ]
      ]
    ]
    #expect(
      CanonicalJSONTests.text(patch) == """
        {
          "recurrenceOverrides": {
            "2026-12-03": { "added": true, "title": "x", "locations/hall": { "name": "n", \
        "coordinates": "c" }, "locations/hall/links/a": { "href": "h", "rel": "r" }, \
        "participants/b/roles": { "chair": true, "owner": true } }
          }
        }

        """)
  }

  @Test func onlyWhatMustBeIsEscaped() {
    let text = "\"\\/\u{8}\u{9}\u{A}\u{B}\u{C}\u{D}\u{1F}\u{7F}é\u{2028}🎂"
    #expect(
      CanonicalJSON.inline(.string(text))
        == "\"\\\"\\\\/\\b\\t\\n\\u000b\\f\\r\\u001f\u{7F}é\u{2028}🎂\"")
  }

  @Test func listsStandOneElementALineAtTopLevelOnly() {
    let object: JSONObject = ["description": ["a", "b"], "zebra": [["a", []], [:]]]
    #expect(
      CanonicalJSONTests.text(object) == """
        {
          "description": [
            "a",
            "b"
          ],

          "zebra": [
            ["a", []],
            {}
          ]
        }

        """)
  }
}
