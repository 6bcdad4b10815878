/// One unfolded content line of iCalendar (RFC 5545 3.1).
public struct ContentLine: Hashable, Sendable {
  /// The property's name in upper case.
  public var name: String
  /// Parameters in order, names in upper case, each with its values.
  public var parameters: [(name: String, values: [String])]
  /// The value as it was written, escapes included.
  public var value: String
  /// The line on which it began, from 1.
  public var line: Int

  /// The first value of a parameter; nil if it has none.
  public func parameter(_ name: String) -> String? {
    parameters.first { $0.name == name }?.values.first
  }

  public static func == (left: ContentLine, right: ContentLine) -> Bool {
    left.name == right.name && left.value == right.value
      && left.parameters.elementsEqual(right.parameters) {
        $0.name == $1.name && $0.values == $1.values
      }
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(value)
  }

  /// The value with TEXT escapes undone (RFC 5545 3.3.11).
  public var text: String { ContentLine.unescaped(value) }

  /// The values of a list of TEXT, parted at commas that are not escaped.
  public var texts: [String] {
    var items: [String] = []
    var current = ""
    var escaped = false
    for character in value {
      if escaped {
        current.append("\\")
        current.append(character)
        escaped = false
      } else if character == "\\" {
        escaped = true
      } else if character == "," {
        items.append(ContentLine.unescaped(current))
        current = ""
      } else {
        current.append(character)
      }
    }
    if escaped { current.append("\\") }
    items.append(ContentLine.unescaped(current))
    return items
  }

  static func unescaped(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "\\")) else { return text }
    var result: [UInt8] = []
    var bytes = Array(text.utf8)[...]
    while let byte = bytes.popFirst() {
      guard byte == UInt8(ascii: "\\"), let next = bytes.first else {
        result.append(byte)
        continue
      }
      switch next {
      case UInt8(ascii: "n"), UInt8(ascii: "N"):
        result.append(UInt8(ascii: "\n"))
        bytes.removeFirst()
      case UInt8(ascii: "\\"), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: ":"),
        UInt8(ascii: "\""):
        result.append(next)
        bytes.removeFirst()
      default: result.append(byte)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}

/// Reads bytes as content lines: folded, with any line ends, byte-order mark or not.
public struct ContentLineReader: Sendable {
  private let bytes: [UInt8]
  private var position: Int
  private var line = 1
  /// Lines that are not UTF-8 and were read as Latin-1.
  public private(set) var latin1Lines: [Int] = []

  /// Creates a reader.
  public init(_ bytes: [UInt8]) {
    self.bytes = bytes
    position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
  }

  /// A line that is no content line.
  public struct Malformed: Error, Hashable, Sendable {
    /// The line, from 1.
    public let line: Int
    /// What is wrong with it.
    public let reason: String
  }

  /// The next content line, a line that is none, or nil at the end. Empty lines are passed over.
  public mutating func next() -> Result<ContentLine, Malformed>? {
    while position < bytes.count {
      let start = line
      var raw = unfolded()
      if raw.isEmpty || raw.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
      // vCalendar 1.0 goes on after a soft line break of quoted-printable.
      while raw.last == UInt8(ascii: "="), position < bytes.count, isQuotedPrintable(raw) {
        raw.removeLast()
        raw += unfolded()
      }
      return parse(raw, start)
    }
    return nil
  }

  private func isQuotedPrintable(_ raw: [UInt8]) -> Bool {
    guard let colon = raw.firstIndex(of: UInt8(ascii: ":")) else { return false }
    return String(decoding: raw[..<colon], as: UTF8.self).uppercased().contains("QUOTED-PRINTABLE")
  }

  /// One physical line without its end.
  private mutating func physical() -> ArraySlice<UInt8> {
    let begin = position
    while position < bytes.count, bytes[position] != 0x0A, bytes[position] != 0x0D { position += 1 }
    let slice = bytes[begin..<position]
    if position < bytes.count {
      if bytes[position] == 0x0D, position + 1 < bytes.count, bytes[position + 1] == 0x0A {
        position += 1
      }
      position += 1
    }
    line += 1
    return slice
  }

  private mutating func unfolded() -> [UInt8] {
    var result = Array(physical())
    while position < bytes.count, bytes[position] == 0x20 || bytes[position] == 0x09 {
      position += 1
      result.append(contentsOf: physical())
    }
    return result
  }

  private mutating func parse(_ raw: [UInt8], _ start: Int) -> Result<ContentLine, Malformed> {
    var index = 0
    func isName(_ byte: UInt8) -> Bool {
      (byte | 0x20) >= UInt8(ascii: "a") && (byte | 0x20) <= UInt8(ascii: "z")
        || byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") || byte == UInt8(ascii: "-")
        || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "/")
    }
    while index < raw.count, isName(raw[index]) { index += 1 }
    guard index > 0, index < raw.count,
      raw[index] == UInt8(ascii: ":") || raw[index] == UInt8(ascii: ";")
    else {
      let shown = String(decoding: raw.prefix(40), as: UTF8.self)
      return .failure(
        .init(line: start, reason: "'\(shown)' is no property: NAME:VALUE was expected"))
    }
    let name = String(decoding: raw[..<index], as: UTF8.self).uppercased()
    var parameters: [(name: String, values: [String])] = []
    while index < raw.count, raw[index] == UInt8(ascii: ";") {
      index += 1
      let begin = index
      while index < raw.count, !";:=".utf8.contains(raw[index]) { index += 1 }
      let key = String(decoding: raw[begin..<index], as: UTF8.self).uppercased()
      guard index < raw.count, raw[index] == UInt8(ascii: "=") else {
        // vCalendar 1.0 allows a bare word, such as QUOTED-PRINTABLE.
        if !key.isEmpty { parameters.append((key == "QUOTED-PRINTABLE" ? "ENCODING" : key, [key])) }
        continue
      }
      var values: [String] = []
      repeat {
        index += 1
        values.append(parameterValue(raw, &index, start))
      } while index < raw.count && raw[index] == UInt8(ascii: ",")
      parameters.append((key, values))
    }
    guard index < raw.count, raw[index] == UInt8(ascii: ":") else {
      return .failure(
        .init(line: start, reason: "the property \(name) has no ':' before its value"))
    }
    var content = Array(raw[(index + 1)...])
    if parameters.contains(where: {
      $0.name == "ENCODING" && $0.values.first?.uppercased() == "QUOTED-PRINTABLE"
    }) {
      content = ContentLineReader.quotedPrintable(content)
    }
    content.removeAll { $0 == 0 }
    return .success(
      ContentLine(name: name, parameters: parameters, value: decoded(content, start), line: start))
  }

  private mutating func parameterValue(_ raw: [UInt8], _ index: inout Int, _ start: Int) -> String {
    var value: [UInt8] = []
    if index < raw.count, raw[index] == UInt8(ascii: "\"") {
      index += 1
      while index < raw.count, raw[index] != UInt8(ascii: "\"") {
        value.append(raw[index])
        index += 1
      }
      index = min(index + 1, raw.count)
      // Anything between the closing quote and the next separator is kept with the value.
    }
    while index < raw.count, !",;:".utf8.contains(raw[index]) {
      value.append(raw[index])
      index += 1
    }
    return ContentLineReader.uncareted(decoded(value, start))
  }

  /// RFC 6868: `^n`, `^^` and `^'` in parameter values.
  private static func uncareted(_ text: String) -> String {
    guard text.contains("^") else { return text }
    var result = ""
    var rest = text[...]
    while let character = rest.popFirst() {
      guard character == "^", let next = rest.first else {
        result.append(character)
        continue
      }
      switch next {
      case "n": result.append("\n")
      case "'": result.append("\"")
      case "^": result.append("^")
      default:
        result.append(character)
        continue
      }
      rest.removeFirst()
    }
    return result
  }

  private mutating func decoded(_ bytes: [UInt8], _ start: Int) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    latin1Lines.append(start)
    var text = ""
    for byte in bytes { text.unicodeScalars.append(Unicode.Scalar(byte)) }
    return text
  }

  private static func quotedPrintable(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "="), index + 2 < bytes.count,
        let value = UInt8(
          String(decoding: bytes[(index + 1)...(index + 2)], as: UTF8.self), radix: 16)
      {
        result.append(value)
        index += 3
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
    return result
  }
}

/// A component of iCalendar: what stands between BEGIN and END.
struct ICalendarComponent: Sendable {
  let name: String
  /// The line of BEGIN.
  let line: Int
  var properties: [ContentLine] = []
  var children: [ICalendarComponent] = []
  /// Lines in it that are no properties.
  var malformed: [ContentLineReader.Malformed] = []

  func first(_ name: String) -> ContentLine? { properties.first { $0.name == name } }
  func all(_ name: String) -> [ContentLine] { properties.filter { $0.name == name } }
}

/// Reads the components of a file; what is never closed is named.
struct ComponentReader {
  /// Components at the top, in order.
  private(set) var roots: [ICalendarComponent] = []
  /// Components without END, and lines outside of any component.
  private(set) var problems: [ICalendarRefusal] = []
  private(set) var latin1Lines: [Int] = []

  init(_ bytes: [UInt8]) {
    var reader = ContentLineReader(bytes)
    var stack: [ICalendarComponent] = []
    while let result = reader.next() {
      switch result {
      case .failure(let malformed):
        if stack.isEmpty {
          problems.append(
            .init(line: malformed.line, component: "", uid: nil, reason: malformed.reason))
        } else {
          stack[stack.count - 1].malformed.append(malformed)
        }
      case .success(let line): take(line, &stack)
      }
      if stack.count > 16, let deep = stack.popLast() { close(deep, unterminated: true, &stack) }
    }
    // Whatever is still open was cut off; complete children of a calendar are kept.
    while let open = stack.popLast() { close(open, unterminated: true, &stack) }
    latin1Lines = reader.latin1Lines
  }

  private static let topLevel: Set<String> = [
    "VCALENDAR", "VEVENT", "VTODO", "VJOURNAL", "VFREEBUSY", "VTIMEZONE", "VAVAILABILITY",
  ]

  private mutating func take(_ line: ContentLine, _ stack: inout [ICalendarComponent]) {
    let word = line.value.uppercased().filter { $0 != " " && $0 != "\t" }
    switch line.name {
    case "BEGIN":
      if ComponentReader.topLevel.contains(word) {
        // Nothing that stands in a calendar can stand in its neighbour: that one has no END.
        while let last = stack.last, last.name != "VCALENDAR" || word == "VCALENDAR",
          stack.popLast() != nil
        {
          close(last, unterminated: true, &stack)
        }
      }
      stack.append(ICalendarComponent(name: word, line: line.line))
    case "END":
      guard let index = stack.lastIndex(where: { $0.name == word }) else {
        problems.append(
          .init(line: line.line, component: word, uid: nil, reason: "END:\(word) without BEGIN"))
        return
      }
      while stack.count > index + 1, let open = stack.popLast() {
        close(open, unterminated: true, &stack)
      }
      if let done = stack.popLast() { close(done, unterminated: false, &stack) }
    default:
      if stack.isEmpty {
        problems.append(
          .init(
            line: line.line, component: "", uid: nil,
            reason: "\(line.name) stands outside of a calendar"))
      } else {
        stack[stack.count - 1].properties.append(line)
      }
    }
  }

  private mutating func close(
    _ component: ICalendarComponent, unterminated: Bool, _ stack: inout [ICalendarComponent]
  ) {
    if unterminated {
      problems.append(
        .init(
          line: component.line, component: component.name, uid: component.first("UID")?.text,
          reason: "BEGIN:\(component.name) has no END"))
      guard component.name == "VCALENDAR" else { return }
    }
    if stack.isEmpty {
      roots.append(component)
    } else {
      stack[stack.count - 1].children.append(component)
    }
  }
}
