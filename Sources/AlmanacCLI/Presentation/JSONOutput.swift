import CalendarModel

/// JSON documents for scripts: one value, its outermost members or elements on lines of their own.
enum JSONOutput {
  /// The text of a document, ending in a line feed.
  static func document(_ value: JSONValue) -> String {
    let text: String
    switch value {
    case .object(let object) where !object.isEmpty:
      let lines = object.members.map { member in
        "  \(inline(.string(member.name))): \(inline(member.value, name: member.name))"
      }
      text = "{\n" + lines.joined(separator: ",\n") + "\n}\n"
    case .array(let elements) where !elements.isEmpty:
      text = "[\n" + elements.map { "  " + inline($0) }.joined(separator: ",\n") + "\n]\n"
    default:
      text = inline(value) + "\n"
    }
    return escaped(text)
  }

  private static func inline(_ value: JSONValue, name: String = "") -> String {
    CanonicalJSON.inline(value, name: name)
  }

  /// Escapes the control characters that JSON allows in the open but a terminal obeys; they can
  /// stand in strings only.
  private static func escaped(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { (0x7F..<0xA0).contains($0.value) }) else {
      return text
    }
    var result = ""
    for scalar in text.unicodeScalars {
      if (0x7F..<0xA0).contains(scalar.value) {
        result += "\\u00" + String(scalar.value, radix: 16)
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
