import CLibgit2

/// The name of a git object: 20 bytes, written as 40 hexadecimal digits.
package struct ObjectID: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The 20 bytes.
  package let bytes: [UInt8]

  /// Creates an ID from 40 hexadecimal digits; nil for anything else.
  package init?(_ hex: some StringProtocol) {
    let digits = Array(hex.utf8)
    guard digits.count == 40 else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: 40, by: 2) {
      let pair = String(decoding: digits[index..<(index + 2)], as: UTF8.self)
      guard let byte = UInt8(pair, radix: 16), pair.first != "+", pair.first != "-" else {
        return nil
      }
      bytes.append(byte)
    }
    self.bytes = bytes
  }

  init(_ id: git_oid) {
    bytes = unsafe withUnsafeBytes(of: id.id) { unsafe Array($0) }
  }

  var raw: git_oid {
    var id = git_oid()
    unsafe withUnsafeMutableBytes(of: &id.id) { unsafe $0.copyBytes(from: bytes) }
    return id
  }

  /// 40 hexadecimal digits in lower case.
  package var description: String {
    var text = ""
    for byte in bytes {
      if byte < 16 { text += "0" }
      text += String(byte, radix: 16)
    }
    return text
  }

  package static func < (left: ObjectID, right: ObjectID) -> Bool {
    left.bytes.lexicographicallyPrecedes(right.bytes)
  }
}

/// Who made a commit, and when.
package struct Signature: Hashable, Sendable {
  /// The name.
  package var name: String
  /// The e-mail address.
  package var email: String
  /// Seconds since 1970-01-01T00:00:00Z.
  package var seconds: Int64
  /// Minutes east of UTC of the author's clock.
  package var offsetMinutes: Int

  /// Creates a signature; characters that git does not allow in names are dropped.
  package init(name: String, email: String, seconds: Int64, offsetMinutes: Int = 0) {
    func clean(_ text: String) -> String {
      String(text.unicodeScalars.filter { $0 != "<" && $0 != ">" && $0.value >= 0x20 })
    }
    self.name = clean(name).isEmpty ? "unknown" : clean(name)
    self.email = clean(email).isEmpty ? "unknown" : clean(email)
    self.seconds = seconds
    self.offsetMinutes = offsetMinutes
  }

  /// The form in a commit: `Ada <ada@example.org> 1796126400 +0100`.
  var text: String {
    let minutes = offsetMinutes.magnitude
    func two(_ number: UInt) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let sign = offsetMinutes < 0 ? "-" : "+"
    return "\(name) <\(email)> \(seconds) \(sign)\(two(minutes / 60))\(two(minutes % 60))"
  }
}

/// A commit.
package struct Commit: Sendable {
  /// Its ID.
  package let id: ObjectID
  /// The ID of its tree.
  package let tree: ObjectID
  /// Its parents, in order.
  package let parents: [ObjectID]
  /// The author, with the author time.
  package let author: Signature
  /// The whole message.
  package let message: String

  /// The first line of the message.
  package var subject: String {
    String(message.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)[0])
  }

  /// The value of a trailer such as `Almanac-Op`; nil if there is none.
  package func trailer(_ name: String) -> String? {
    for line in message.split(separator: "\n").reversed() where line.hasPrefix(name + ": ") {
      return String(line.dropFirst(name.utf8.count + 2))
    }
    return nil
  }
}
