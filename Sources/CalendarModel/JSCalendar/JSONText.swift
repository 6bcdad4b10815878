/// What makes a file unreadable as JSON (FORMAT.md section 3, E101 to E106), with its place.
public struct JSONTextError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The code, `E101` to `E106`.
  public let code: String
  /// Where in the bytes, from 0.
  public let offset: Int
  /// The line, from 1.
  public let line: Int
  /// The column in bytes, from 1.
  public let column: Int
  /// What is wrong and what was expected.
  public let message: String

  /// The message with its place, without advice.
  public var description: String { "\(line):\(column): \(code) \(message)" }
}

/// Reads JSON text (RFC 8259) into values that keep number spelling and every member.
public enum JSONText {
  /// The longest file that is read, in bytes.
  public static let bytesMax = 1 << 20
  /// How deep arrays and objects may nest.
  public static let depthMax = 32

  /// Reads a file whose top level is an object.
  ///
  /// - Throws: `JSONTextError` with code E101 (not UTF-8), E102 (not JSON), E103 (member twice,
  ///   also after NFC), E104 (unpaired surrogate), E105 (no object, too deep, too long) or E106
  ///   (conflict markers of a text merge).
  public static func parse(_ bytes: [UInt8]) throws(JSONTextError) -> JSONObject {
    guard case .object(let object) = try parse(bytes, topLevel: true) else { return JSONObject() }
    return object
  }

  /// Reads any JSON value, with the same limits on depth but none on length.
  ///
  /// - Throws: as `parse(_:)`.
  public static func parseValue(_ bytes: [UInt8]) throws(JSONTextError) -> JSONValue {
    try parse(bytes, topLevel: false)
  }

  private static func parse(
    _ bytes: [UInt8], topLevel: Bool
  ) throws(JSONTextError) -> JSONValue {
    var failure: JSONTextError?
    let value: JSONValue? = bytes.withUnsafeBufferPointer { buffer in
      var parser = JSONParser(bytes: buffer, isFile: topLevel)
      do throws(JSONTextError) {
        return try parser.parseDocument()
      } catch {
        failure = error
        return nil
      }
    }
    if let failure { throw failure }
    return value ?? .null
  }

  /// Line and column, both from 1, of an offset in bytes.
  static func position(of offset: Int, in bytes: some Collection<UInt8>) -> (line: Int, column: Int)
  {
    var line = 1
    var column = 1
    for byte in bytes.prefix(offset) {
      if byte == UInt8(ascii: "\n") {
        line += 1
        column = 1
      } else {
        column += 1
      }
    }
    return (line, column)
  }
}

/// A recursive-descent parser over bytes.
struct JSONParser {
  private let bytes: UnsafeBufferPointer<UInt8>
  private let isFile: Bool
  private var position = 0
  private var depth = 0

  init(bytes: UnsafeBufferPointer<UInt8>, isFile: Bool) {
    self.bytes = bytes
    self.isFile = isFile
  }

  func error(_ code: String, at offset: Int? = nil, _ message: String) -> JSONTextError {
    let offset = offset ?? position
    let (line, column) = JSONText.position(of: offset, in: bytes)
    return JSONTextError(
      code: code, offset: offset, line: line, column: column, message: message)
  }

  mutating func parseDocument() throws(JSONTextError) -> JSONValue {
    if isFile, bytes.count > JSONText.bytesMax {
      throw error("E105", at: 0, "the file has \(bytes.count) bytes; at most 1048576 are read")
    }
    try checkEncoding()
    if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { position = 3 }
    skipSpace()
    if isFile, position < bytes.count, bytes[position] != UInt8(ascii: "{") {
      if isConflictMarker(position) { throw conflictMarker() }
      // Any other JSON value is well-formed but no calendar object.
      let opensValue = "[\"-0123456789tfn".utf8.contains(bytes[position])
      throw error(
        opensValue ? "E105" : "E102", "the top level must be an object; found \(found())")
    }
    let value = try parseValue()
    skipSpace()
    guard position == bytes.count else {
      if isConflictMarker(position) { throw conflictMarker() }
      throw error("E102", "nothing may follow the value; found \(found())")
    }
    return value
  }

  private func checkEncoding() throws(JSONTextError) {
    var offset = 0
    while true {
      offset = skipASCII(from: offset)
      guard offset < bytes.count else { return }
      if bytes[offset] == 0 { throw error("E101", at: offset, "a NUL byte") }
      let length = utf8Length(at: offset)
      guard length > 0 else {
        throw error("E101", at: offset, "the byte 0x\(hex(bytes[offset])) is not UTF-8")
      }
      offset += length
    }
  }

  /// The first offset from one on with a byte that is NUL or above 0x7F; eight bytes at a time,
  /// since every byte of every file passes here.
  private func skipASCII(from start: Int) -> Int {
    var offset = start
    let raw = UnsafeRawBufferPointer(bytes)
    while offset + 8 <= bytes.count {
      let word = raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      // The high bit of a byte is set if the byte has it, or if it is 0 and borrows.
      if (word | (word &- 0x0101_0101_0101_0101)) & 0x8080_8080_8080_8080 != 0 { break }
      offset += 8
    }
    while offset < bytes.count, bytes[offset] != 0, bytes[offset] < 0x80 { offset += 1 }
    return offset
  }

  /// The length of the well-formed sequence at an offset, or 0 (Unicode table 3-7).
  private func utf8Length(at offset: Int) -> Int {
    let first = bytes[offset]
    func next(_ index: Int, _ range: ClosedRange<UInt8> = 0x80...0xBF) -> Bool {
      offset + index < bytes.count && range.contains(bytes[offset + index])
    }
    switch first {
    case 0xC2...0xDF: return next(1) ? 2 : 0
    case 0xE0: return next(1, 0xA0...0xBF) && next(2) ? 3 : 0
    case 0xED: return next(1, 0x80...0x9F) && next(2) ? 3 : 0
    case 0xE1...0xEF: return next(1) && next(2) ? 3 : 0
    case 0xF0: return next(1, 0x90...0xBF) && next(2) && next(3) ? 4 : 0
    case 0xF1...0xF3: return next(1) && next(2) && next(3) ? 4 : 0
    case 0xF4: return next(1, 0x80...0x8F) && next(2) && next(3) ? 4 : 0
    default: return 0
    }
  }

  private func hex(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
  }

  private func isConflictMarker(_ offset: Int) -> Bool {
    guard offset + 7 <= bytes.count, offset == 0 || bytes[offset - 1] == UInt8(ascii: "\n") else {
      return false
    }
    let run = bytes[offset..<(offset + 7)]
    return ["<", "=", ">", "|"].contains { mark in run.allSatisfy { $0 == UInt8(ascii: mark) } }
  }

  private func conflictMarker() -> JSONTextError {
    error("E106", "conflict markers of a text merge")
  }

  private func found() -> String {
    guard position < bytes.count else { return "the end of the file" }
    if bytes[position] == UInt8(ascii: "/") { return "'/' (there are no comments in JSON)" }
    let byte = bytes[position]
    return byte > 0x20 && byte < 0x7F
      ? "'\(Character(Unicode.Scalar(byte)))'" : "the byte 0x\(hex(byte))"
  }

  private mutating func skipSpace() {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x09, 0x0A, 0x0D: position += 1
      default: return
      }
    }
  }

  private mutating func parseValue() throws(JSONTextError) -> JSONValue {
    guard position < bytes.count else { throw error("E102", "a value was expected at the end") }
    switch bytes[position] {
    case UInt8(ascii: "{"): return try parseObject()
    case UInt8(ascii: "["): return try parseArray()
    case UInt8(ascii: "\""): return .string(try parseString())
    case UInt8(ascii: "t"): return try literal("true", .bool(true))
    case UInt8(ascii: "f"): return try literal("false", .bool(false))
    case UInt8(ascii: "n"): return try literal("null", .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try parseNumber()
    default:
      if isConflictMarker(position) { throw conflictMarker() }
      throw error("E102", "a value was expected; found \(found())")
    }
  }

  private mutating func literal(
    _ text: StaticString, _ value: JSONValue
  ) throws(JSONTextError) -> JSONValue {
    let count = text.utf8CodeUnitCount
    guard position + count <= bytes.count,
      text.withUTF8Buffer({ $0.elementsEqual(bytes[position..<(position + count)]) })
    else { throw error("E102", "a value was expected; found \(found())") }
    position += count
    return value
  }

  private mutating func enter() throws(JSONTextError) {
    depth += 1
    position += 1
    if depth > JSONText.depthMax {
      throw error("E105", at: position - 1, "nested deeper than \(JSONText.depthMax) levels")
    }
  }

  private mutating func parseObject() throws(JSONTextError) -> JSONValue {
    try enter()
    var members: [JSONObject.Member] = []
    var offsets: [Int] = []
    skipSpace()
    if accept("}") {
      depth -= 1
      return .object(JSONObject())
    }
    while true {
      skipSpace()
      guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
        if isConflictMarker(position) { throw conflictMarker() }
        let hint = members.isEmpty ? "" : " after the comma"
        throw error("E102", "a member name in quotes was expected\(hint); found \(found())")
      }
      offsets.append(position)
      let name = try parseString().nfc
      skipSpace()
      guard accept(":") else { throw error("E102", "':' was expected; found \(found())") }
      skipSpace()
      members.append(.init(name: name, value: try parseValue()))
      skipSpace()
      if accept(",") { continue }
      guard accept("}") else {
        if isConflictMarker(position) { throw conflictMarker() }
        throw error("E102", "',' or '}' was expected; found \(found())")
      }
      break
    }
    depth -= 1
    guard let object = JSONObject(unsorted: members) else { throw duplicate(members, offsets) }
    return .object(object)
  }

  private func duplicate(_ members: [JSONObject.Member], _ offsets: [Int]) -> JSONTextError {
    var seen: Set<String> = []
    for (member, offset) in zip(members, offsets) where !seen.insert(member.name).inserted {
      return error("E103", at: offset, "the member '\(member.name)' stands twice")
    }
    return error("E103", "a member stands twice")
  }

  private mutating func parseArray() throws(JSONTextError) -> JSONValue {
    try enter()
    var elements: [JSONValue] = []
    skipSpace()
    if accept("]") {
      depth -= 1
      return .array([])
    }
    while true {
      skipSpace()
      elements.append(try parseValue())
      skipSpace()
      if accept(",") { continue }
      guard accept("]") else {
        if isConflictMarker(position) { throw conflictMarker() }
        throw error("E102", "',' or ']' was expected; found \(found())")
      }
      depth -= 1
      return .array(elements)
    }
  }

  private mutating func accept(_ character: Unicode.Scalar) -> Bool {
    guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func digits() -> Bool {
    let begin = position
    while position < bytes.count, bytes[position] >= UInt8(ascii: "0"),
      bytes[position] <= UInt8(ascii: "9")
    {
      position += 1
    }
    return position > begin
  }

  private mutating func parseNumber() throws(JSONTextError) -> JSONValue {
    let begin = position
    _ = accept("-")
    if !accept("0") {
      guard digits() else { throw error("E102", "a digit was expected; found \(found())") }
    }
    if accept(".") {
      guard digits() else { throw error("E102", "a digit was expected; found \(found())") }
    }
    if accept("e") || accept("E") {
      if !accept("+") { _ = accept("-") }
      guard digits() else { throw error("E102", "a digit was expected; found \(found())") }
    }
    return .number(String(decoding: bytes[begin..<position], as: UTF8.self))
  }

  private mutating func parseString() throws(JSONTextError) -> String {
    let opening = position
    position += 1
    let begin = position
    skipPlain()
    if position < bytes.count, bytes[position] == UInt8(ascii: "\"") {
      defer { position += 1 }
      return String(decoding: UnsafeBufferPointer(rebasing: bytes[begin..<position]), as: UTF8.self)
    }
    var buffer = Array(bytes[begin..<position])
    while position < bytes.count {
      let byte = bytes[position]
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        return String(decoding: buffer, as: UTF8.self)
      case UInt8(ascii: "\\"): try parseEscape(into: &buffer)
      case 0..<0x20:
        throw error("E102", "a control character in a string; write it as \\u00\(hex(byte))")
      default:
        buffer.append(byte)
        position += 1
      }
    }
    throw error("E102", at: opening, "a string without end")
  }

  /// Moves to the next byte of a string that is a quote, a backslash or a control character.
  private mutating func skipPlain() {
    while position < bytes.count {
      let byte = bytes[position]
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 { return }
      position += 1
    }
  }

  private mutating func parseEscape(into buffer: inout [UInt8]) throws(JSONTextError) {
    let begin = position
    position += 1
    guard position < bytes.count else { throw error("E102", "an escape without end") }
    let byte = bytes[position]
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): buffer.append(byte)
    case UInt8(ascii: "b"): buffer.append(0x08)
    case UInt8(ascii: "f"): buffer.append(0x0C)
    case UInt8(ascii: "n"): buffer.append(0x0A)
    case UInt8(ascii: "r"): buffer.append(0x0D)
    case UInt8(ascii: "t"): buffer.append(0x09)
    case UInt8(ascii: "u"):
      var value = try codeUnit()
      if (0xD800...0xDBFF).contains(value), position + 1 < bytes.count,
        bytes[position] == UInt8(ascii: "\\"), bytes[position + 1] == UInt8(ascii: "u")
      {
        position += 2
        let low = try codeUnit()
        guard (0xDC00...0xDFFF).contains(low) else {
          throw error("E104", at: begin, "an unpaired surrogate")
        }
        value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
      }
      guard let scalar = Unicode.Scalar(value) else {
        throw error("E104", at: begin, "an unpaired surrogate")
      }
      if value == 0 { throw error("E101", at: begin, "a NUL character") }
      buffer.append(contentsOf: String(Character(scalar)).utf8)
    default:
      throw error("E102", at: begin, "'\\\(Character(Unicode.Scalar(byte)))' is no escape")
    }
  }

  private mutating func codeUnit() throws(JSONTextError) -> UInt32 {
    guard position + 4 <= bytes.count,
      let value = UInt32(
        String(decoding: bytes[position..<(position + 4)], as: UTF8.self), radix: 16),
      bytes[position] != UInt8(ascii: "+"), bytes[position] != UInt8(ascii: "-")
    else { throw error("E102", "four hexadecimal digits were expected after \\u") }
    position += 4
    return value
  }
}
