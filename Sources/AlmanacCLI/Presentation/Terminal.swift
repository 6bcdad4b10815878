/// How text looks on a terminal: colour where it is wanted, nothing that a title could smuggle in.
struct Terminal: Sendable {
  /// Whether escape sequences for colour are written.
  var hasColor: Bool
  /// Columns to fit lines into; nil does not shorten anything.
  var columns: Int?
  /// Whether identifiers are shortened to what is typed.
  var shortensIDs: Bool

  /// Plain text, as for a pipe.
  static let plain = Terminal(hasColor: false, columns: nil, shortensIDs: false)

  /// The look of text.
  enum Style: String, Sendable {
    case bold = "1"
    case dim = "2"
    case red = "31"
    case yellow = "33"
    case strikethrough = "9"
  }

  /// Text in a style.
  func styled(_ text: String, _ styles: Style...) -> String {
    guard hasColor, !styles.isEmpty, !text.isEmpty else { return text }
    return "\u{1B}[\(styles.map(\.rawValue).joined(separator: ";"))m\(text)\u{1B}[0m"
  }

  /// A dot in a colour of FORMAT.md 1.6; without colour a plain one.
  func dot(_ color: String?) -> String {
    guard hasColor else { return "•" }
    guard let (red, green, blue) = color.flatMap({ ColorNames.parts(of: $0) }) else { return "●" }
    return "\u{1B}[38;2;\(red);\(green);\(blue)m●\u{1B}[0m"
  }

  /// An identifier: whole in a pipe, its beginning on a terminal.
  func id(_ uid: String, recurrenceID: String? = nil) -> String {
    let safe = Terminal.safe(uid)
    let short = shortensIDs ? String(safe.prefix(8)) : safe
    return short + (recurrenceID.map { "@\($0)" } ?? "")
  }

  /// Text as it may reach a terminal: control characters become their pictures, line breaks become
  /// blanks, and what changes the direction of text goes.
  static func safe(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x09, 0x0A, 0x0D, 0x85, 0x2028, 0x2029: result.append(" ")
      case 0..<0x20: result.append(Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}")
      case 0x7F: result.append("\u{2421}")
      case 0x80..<0xA0: result.append("\u{FFFD}")
      case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069, 0xE0000...0xE0FFF: break
      default: result.append(scalar)
      }
    }
    return String(result)
  }

  /// Columns that text takes: none for combining marks, two for wide characters.
  static func width(_ text: String) -> Int {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
    return text.reduce(0) { $0 + width($1) }
  }

  private static func width(_ character: Character) -> Int {
    guard let scalar = character.unicodeScalars.first else { return 0 }
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF,
      0x1F900...0x1F9FF, 0x20000...0x3FFFD:
      return 2
    default:
      switch scalar.properties.generalCategory {
      case .nonspacingMark, .enclosingMark, .format: return 0
      default: return 1
      }
    }
  }

  /// Text that fits into so many columns, cut with an ellipsis.
  static func fitted(_ text: String, to columns: Int) -> String {
    guard width(text) > columns else { return text }
    var result = ""
    var used = 0
    for character in text {
      let next = width(character)
      if used + next > columns - 1 { break }
      result.append(character)
      used += next
    }
    return result + "…"
  }

  /// Text filled with blanks to so many columns.
  static func padded(_ text: String, to columns: Int, onRight: Bool = true) -> String {
    let blanks = String(repeating: " ", count: max(0, columns - width(text)))
    return onRight ? text + blanks : blanks + text
  }
}
