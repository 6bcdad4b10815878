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
      let kept = text.unicodeScalars.filter {
        $0 != "<" && $0 != ">" && $0.value >= 0x20 && $0.value != 0x7F
      }
      let words = String(String.UnicodeScalarView(kept)).split(separator: " ")
      return words.isEmpty ? "unknown" : words.joined(separator: " ")
    }
    self.name = clean(name)
    self.email = clean(email)
    self.seconds = seconds
    self.offsetMinutes = offsetMinutes
  }

  /// Reads the form in a commit, `Ada <ada@example.org> 1796126400 +0100`, as far as it goes: what
  /// cannot be read is empty or 0, because old commits hold anything.
  init(line: some StringProtocol) {
    let opening = line.firstIndex(of: "<") ?? line.endIndex
    let closing = line.lastIndex(of: ">") ?? line.endIndex
    let isWhole = opening < closing && closing < line.endIndex
    name = String(line[..<opening]).split(separator: " ").joined(separator: " ")
    email = isWhole ? String(line[line.index(after: opening)..<closing]) : ""
    let rest = isWhole ? line[line.index(after: closing)...].split(separator: " ") : []
    seconds = rest.first.flatMap { Int64($0) } ?? 0
    let zone = rest.count > 1 ? Int(rest[1]) ?? 0 : 0
    offsetMinutes = zone.magnitude < 10_000 ? zone / 100 * 60 + zone % 100 : 0
  }

  /// The form in a commit. Times before 1970 and zones beyond 99 hours have no form in git; they
  /// become the nearest that has.
  var text: String { "\(name) <\(email)> \(time)" }

  /// Seconds and zone: `1796126400 +0100`.
  var time: String {
    let minutes = min(offsetMinutes.magnitude, 99 * 60 + 59)
    func two(_ number: UInt) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let sign = offsetMinutes < 0 ? "-" : "+"
    return "\(max(seconds, 0)) \(sign)\(two(minutes / 60))\(two(minutes % 60))"
  }
}
