public import CivilTime

/// Something that is wrong with a file or odd about it (FORMAT.md section 3).
public struct Finding: Hashable, Sendable, CustomStringConvertible {
  /// The code, such as `E302`; errors begin with E, warnings with W.
  public let code: String
  /// The member it concerns, as a JSON pointer without the leading slash; empty for the whole file.
  public let pointer: String
  /// The line, from 1.
  public let line: Int
  /// The column in bytes, from 1.
  public let column: Int
  /// The value, the reason and what was expected.
  public let message: String

  /// Creates a finding.
  public init(code: String, pointer: String = "", line: Int = 1, column: Int = 1, message: String) {
    self.code = code
    self.pointer = pointer
    self.line = line
    self.column = column
    self.message = message
  }

  /// Whether the file is not used in its present form.
  public var isError: Bool { code.hasPrefix("E") }

  /// The place, the code and the message.
  public var description: String { "\(line):\(column): \(code) \(message)" }
}

/// One file of a store as it was read: parsed, normalised and checked.
public struct ObjectFile: Sendable {
  /// What the file is.
  public let kind: FileKind
  /// The normalised members; nil if the file is no JSON object (E1xx).
  public let members: JSONObject?
  /// Errors and warnings, errors first.
  public let findings: [Finding]

  /// Whether the file is used: there is no error.
  public var isUsable: Bool { members != nil && !findings.contains(where: \.isError) }

  /// The event or reminder, or nil if the file is not usable or is no object.
  public var object: CalendarObject? {
    guard isUsable, let members, let kind = kind.objectKind,
      members["@type"] == .string(kind.rawValue)
    else { return nil }
    return CalendarObject(kind: kind, members: members)
  }

  /// Reads a file.
  ///
  /// - Parameter zones: zone data for W301, W303 and the length of an event given by its `end`; nil
  ///   leaves zones unchecked.
  public static func read(
    _ bytes: [UInt8], kind: FileKind, zones: TimeZoneDatabase? = nil
  ) -> ObjectFile {
    let raw: JSONObject
    do throws(JSONTextError) {
      raw = try JSONText.parse(bytes)
    } catch {
      let finding = Finding(
        code: error.code, line: error.line, column: error.column, message: error.message)
      return ObjectFile(kind: kind, members: nil, findings: [finding])
    }
    let members = Normaliser.normalise(raw, kind: kind, zones: zones)
    var findings = ObjectValidator.problems(in: members, kind: kind, zones: zones).map {
      Finding($0, in: bytes)
    }
    findings.sort { ($0.line, $0.column) < ($1.line, $1.column) }
    // A file of a kind that is not known is left alone.
    let isKnown = members["@type"] == .string(kind.rawValue)
    if isKnown, !findings.contains(where: \.isError), CanonicalJSON.bytes(members) != bytes {
      findings.append(
        Finding(code: "W101", message: "not in canonical form; 'check --fix' rewrites it"))
    }
    findings = findings.filter(\.isError) + findings.filter { !$0.isError }
    return ObjectFile(kind: kind, members: members, findings: findings)
  }
}

/// Finds where a member stands in the text it was read from; used only when something is reported.
enum JSONLocator {
  /// Line and column, from 1, of the name of the member a pointer leads to; of the deepest part
  /// that is found otherwise.
  static func position(of pointer: String, in bytes: [UInt8]) -> (line: Int, column: Int) {
    var scanner = Scanner(bytes: bytes)
    let parts =
      pointer.isEmpty
      ? [] : pointer.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    let offset = scanner.find(parts[...]) ?? 0
    return JSONText.position(of: offset, in: bytes)
  }

  /// Walks text that is known to be JSON.
  private struct Scanner {
    let bytes: [UInt8]
    var position = 0
    var best: Int?

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func find(_ parts: ArraySlice<String>) -> Int? {
      guard !parts.isEmpty else { return best }
      skipSpace()
      guard next() == UInt8(ascii: "{") else { return best }
      position += 1
      while true {
        skipSpace()
        guard next() == UInt8(ascii: "\"") else { return best }
        let start = position
        let name = string()
        skipSpace()
        position += 1
        // A member name may itself hold slashes: patches are keyed by pointers.
        for length in 1...parts.count
        where name == parts.prefix(length).joined(separator: "/") {
          best = start
          return find(parts.dropFirst(length))
        }
        skipValue()
        skipSpace()
        guard next() == UInt8(ascii: ",") else { return best }
        position += 1
      }
    }

    private func next() -> UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
      while let byte = next(), byte <= 0x20 || byte >= 0xBB && byte != UInt8(ascii: "{") {
        position += 1
      }
    }

    private mutating func string() -> String {
      let start = position
      position += 1
      while let byte = next(), byte != UInt8(ascii: "\"") {
        position += byte == UInt8(ascii: "\\") ? 2 : 1
      }
      position = min(position + 1, bytes.count)
      let value = try? JSONText.parseValue(Array(bytes[start..<position]))
      return value?.stringValue ?? ""
    }

    private mutating func skipValue() {
      skipSpace()
      var depth = 0
      while let byte = next() {
        switch byte {
        case UInt8(ascii: "\""): _ = string()
        case UInt8(ascii: "{"), UInt8(ascii: "["):
          depth += 1
          position += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
          if depth == 0 { return }
          depth -= 1
          position += 1
        case UInt8(ascii: ",") where depth == 0: return
        default: position += 1
        }
        if depth == 0, let byte = next(), byte == UInt8(ascii: ",") { return }
      }
    }
  }
}
