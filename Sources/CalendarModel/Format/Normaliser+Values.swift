import CivilTime

// Single values.
extension Normaliser {
  /// The canonical text of a duration, or nil if it cannot be read.
  static func duration(_ text: String) -> String? {
    CalendarDuration(text)?.description
  }

  /// A date or date-time with its seconds, which `2026-12-03T10:00` lacks; nil for anything else.
  static func momentText(_ text: String) -> String? {
    if DateOrDateTime(extended: text) != nil { return text }
    return DateOrDateTime(extended: text + ":00") == nil ? nil : text + ":00"
  }

  /// A colour as it is written, or the text as it was if it is none.
  static func color(_ text: String) -> String {
    let lower = text.lowercased()
    if ColorName.isColor(lower) { return lower }
    guard ColorName.isHex(lower, digits: 3) else { return text }
    return "#" + lower.dropFirst().map { "\($0)\($0)" }.joined()
  }

  static func address(_ text: String) -> String {
    text.utf8.contains(UInt8(ascii: "@")) && !text.utf8.contains(UInt8(ascii: ":"))
      ? "mailto:" + text : text
  }

  /// A list of texts as a map to `true`.
  static func set(_ value: JSONValue) -> JSONValue {
    guard let elements = value.arrayValue, elements.allSatisfy({ $0.stringValue != nil }) else {
      return value
    }
    return .object(JSONObject(elements.map { (($0.stringValue ?? "").nfc, .bool(true)) }))
  }

  /// A number as the shortest whole one, if it is one.
  static func integer(_ value: JSONValue) -> JSONValue {
    guard case .number(let token) = value else { return value }
    if let whole = Int(token) { return JSONValue(whole) }
    guard let double = Double(token), double == double.rounded(), abs(double) < 1e15 else {
      return value
    }
    return JSONValue(Int(double))
  }

  /// Text as a string, or a list of lines if it has line breaks (CR LF, LF or CR).
  static func text(_ value: JSONValue) -> JSONValue {
    let text: String
    switch value {
    case .string(let string): text = string
    case .array(let lines):
      var parts: [String] = []
      for line in lines {
        guard let part = line.stringValue else { return value }
        parts.append(part)
      }
      text = parts.joined(separator: "\n")
    default: return value
    }
    guard text.utf8.contains(where: { $0 == 0x0A || $0 == 0x0D }) else { return .string(text) }
    var lines: [JSONValue] = []
    var line: [UInt8] = []
    var bytes = Array(text.utf8)[...]
    func finish() {
      lines.append(.string(String(decoding: line, as: UTF8.self)))
      line = []
    }
    while let byte = bytes.popFirst() {
      switch byte {
      case 0x0D:
        if bytes.first == 0x0A { bytes.removeFirst() }
        finish()
      case 0x0A: finish()
      default: line.append(byte)
      }
    }
    finish()
    return .array(lines)
  }
}

extension CalendarDuration {
  /// The duration in days alone, `P7D`, or nil if it has hours.
  var dayText: String? {
    seconds == 0 ? (days < 0 ? "-P\(-days)D" : "P\(days)D") : nil
  }
}
