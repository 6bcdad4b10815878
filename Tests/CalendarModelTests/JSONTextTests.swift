import TestSupport
import Testing

@testable import CalendarModel

@Suite struct JSONTextTests {
  static func error(_ text: String) -> JSONTextError? { error(Array(text.utf8)) }

  static func error(_ bytes: [UInt8]) -> JSONTextError? {
    do throws(JSONTextError) {
      _ = try JSONText.parse(bytes)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [
    ("", "E102", 1, 1), ("{", "E102", 1, 2), ("{\"a\":1,}", "E102", 1, 8),
    ("{\"a\" 1}", "E102", 1, 6), ("{a: 1}", "E102", 1, 2), ("{\"a\": NaN}", "E102", 1, 7),
    ("{\"a\": 01}", "E102", 1, 8), ("{\"a\": .5}", "E102", 1, 7), ("{\"a\": 1.}", "E102", 1, 9),
    ("{\"a\": +1}", "E102", 1, 7), ("{\"a\": 1e}", "E102", 1, 9), ("{\"a\": tru}", "E102", 1, 7),
    ("{\"a\": 'b'}", "E102", 1, 7), ("{\"a\": \"b\n\"}", "E102", 1, 9),
    ("{\"a\": \"\\x\"}", "E102", 1, 8), ("{\"a\": \"\\u12g4\"}", "E102", 1, 10),
    ("{\"a\": \"b}", "E102", 1, 7), ("{} x", "E102", 1, 4), ("// no\n{}", "E102", 1, 1),
    ("{\n \"a\": 1 // no\n}", "E102", 2, 9), ("[1]", "E105", 1, 1), ("7", "E105", 1, 1),
    ("{\n\"a\": 1,\n\"b\": 2,\n\"a\": 3}", "E103", 4, 1),
    ("{\"a\": {\"b\": 1, \"b\": 2}}", "E103", 1, 16), ("{\"a\": \"\\ud83d\"}", "E104", 1, 8),
    ("{\"a\": \"\\udc00\"}", "E104", 1, 8), ("{\"a\": \"\\ud83d\\u0041\"}", "E104", 1, 8),
    ("{\"a\": \"\\u0000\"}", "E101", 1, 8), ("{\"a\": \"\u{0}\"}", "E101", 1, 8),
    ("{\n<<<<<<< ours\n", "E106", 2, 1), ("<<<<<<< ours\n{}", "E106", 1, 1),
    ("{\"a\": 1\n||||||| base\n}", "E106", 2, 1), ("{\"a\": 1,\n=======\n}", "E106", 2, 1),
    ("{\"a\": 1}\n>>>>>>> theirs\n", "E106", 2, 1),
  ])
  func everyFaultHasItsCodeAndPlace(text: String, code: String, line: Int, column: Int) throws {
    let error = try #require(JSONTextTests.error(text), "\(text)")
    #expect(error.code == code && error.line == line && error.column == column, "\(error)")
    #expect(!error.message.isEmpty)
  }

  @Test func bytesThatAreNotUTF8AreFoundWhereTheyStand() throws {
    let bad: [[UInt8]] = [
      [0xC0, 0x80], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xFF],
      [0x80], [0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x8E],
    ]
    for padding in 0..<12 {
      for bytes in bad {
        let prefix = Array("{\"a\":\"".utf8) + [UInt8](repeating: 0x61, count: padding)
        let error = try #require(JSONTextTests.error(prefix + bytes + Array("\"}".utf8)))
        #expect(error.code == "E101" && error.offset == prefix.count, "\(padding) \(bytes)")
      }
    }
  }

  @Test func depthAndLengthAreLimited() throws {
    func nested(_ depth: Int) -> String {
      "{\"a\":" + String(repeating: "[", count: depth - 1)
        + String(repeating: "]", count: depth - 1) + "}"
    }
    #expect(JSONTextTests.error(nested(JSONText.depthMax)) == nil)
    #expect(JSONTextTests.error(nested(JSONText.depthMax + 1))?.code == "E105")
    #expect(JSONTextTests.error(String(repeating: "[", count: 100_000))?.code == "E105")
    func long(_ count: Int) -> [UInt8] {
      Array("{\"a\":\"".utf8) + [UInt8](repeating: 0x61, count: count - 8) + Array("\"}".utf8)
    }
    #expect(JSONTextTests.error(long(JSONText.bytesMax)) == nil)
    #expect(JSONTextTests.error(long(JSONText.bytesMax + 1))?.code == "E105")
  }

  @Test func numbersKeepTheirSpelling() throws {
    let tokens = ["0", "-0", "1.50", "1e3", "1E+3", "-2.5e-10", "12345678901234567890"]
    for token in tokens {
      let object = try JSONText.parse(Array("{\"a\": \(token)}".utf8))
      #expect(object["a"] == .number(token))
    }
  }

  @Test func escapesAreReadAndTextIsNotNormalised() throws {
    let text = "{\"a\": \"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83C\\uDF82\", \"b\": \"e\u{301}\"}"
    let object = try JSONText.parse(Array(text.utf8))
    #expect(object["a"] == .string("\"\\/\u{8}\u{C}\n\r\té🎂"))
    #expect(object["b"]?.stringValue?.unicodeScalars.count == 2)
  }

  @Test func namesAreNormalisedToFormC() throws {
    let object = try JSONText.parse(Array("{\"e\u{301}\": {\"a\u{308}\": 1}}".utf8))
    #expect(object.names.map { Array($0.utf8) } == [Array("\u{E9}".utf8)])
    #expect(object["\u{E9}"]?.objectValue?["\u{E4}"] == 1)
  }

  @Test func aByteOrderMarkIsPassedOver() throws {
    #expect(try JSONText.parse([0xEF, 0xBB, 0xBF] + Array("{}".utf8)) == JSONObject())
  }

  /// Any tree of values survives being written and read, whatever its text holds.
  @Test func whatIsWrittenIsReadBack() throws {
    var random = SeededGenerator(seed: 7_001)
    for round in 0..<400 {
      let object = RandomJSON.object(&random, depth: 4)
      let bytes = CanonicalJSON.bytes(object)
      let read = try JSONText.parse(bytes)
      #expect(read == object, "seed \(random.seed), round \(round)")
      #expect(CanonicalJSON.bytes(read) == bytes)
    }
  }

  @Test func theOrderOfMembersInTheTextDoesNotMatter() throws {
    let left = try JSONText.parse(Array("{\"b\": 1, \"a\": 2, \"é\": 3, \"z\": 4}".utf8))
    let right = try JSONText.parse(Array("{\"z\": 4, \"é\": 3, \"a\": 2, \"b\": 1}".utf8))
    #expect(left == right && left.names == ["a", "b", "z", "é"])
  }
}

/// Random values for properties.
enum RandomJSON {
  static let texts = [
    "", "a", "title", "Café", "line\nbreak", "tab\t", "quote\"", "back\\slash", "\u{1F382}", "/",
    "\u{0}x", "\u{1F}", "\u{7F}", "\u{2028}", "e\u{301}", "a rather longer text that is not inline",
  ]
  static let names = [
    "a", "b", "title", "start", "locations", "keywords", "uid", "created", "zebra", "x:y",
    "locations/hall/name", "frequency", "é", "name with blank", "9", "alerts", "roles",
  ]

  static func value(_ random: inout SeededGenerator, depth: Int) -> JSONValue {
    switch random.integer(0...(depth > 0 ? 6 : 4)) {
    case 0: .null
    case 1: .bool(random.chance(oneIn: 2))
    case 2: .number(random.element(of: ["0", "-1", "1.50", "1e3", "98765432109876543210"]))
    case 3, 4: .string(random.element(of: texts).replacing("\u{0}", with: ""))
    case 5: .array((0..<random.integer(0...3)).map { _ in value(&random, depth: depth - 1) })
    default: .object(object(&random, depth: depth - 1))
    }
  }

  static func object(_ random: inout SeededGenerator, depth: Int) -> JSONObject {
    var object = JSONObject()
    for _ in 0..<random.integer(0...6) {
      object[random.element(of: names)] = value(&random, depth: depth)
    }
    return object
  }
}
