// The text forms of the two RFCs: extended ISO 8601 in JSCalendar, basic in iCalendar. Both are
// read byte by byte and exactly: no blanks, no fractions, no offsets.

extension CivilDate {
  /// Reads `2026-12-03`; nil for anything else, impossible days included.
  public init?(extended text: some StringProtocol) {
    var reader = DigitReader(text)
    guard let date = reader.date(separator: UInt8(ascii: "-")), reader.isAtEnd else { return nil }
    self = date
  }

  /// Reads `20261203` (RFC 5545 3.3.4); nil for anything else, impossible days included.
  public init?(basic text: some StringProtocol) {
    var reader = DigitReader(text)
    guard let date = reader.date(separator: nil), reader.isAtEnd else { return nil }
    self = date
  }
}

extension CivilDateTime {
  /// Reads `2026-12-03T18:00:00`; nil for anything else.
  public init?(extended text: some StringProtocol) {
    var reader = DigitReader(text)
    guard let value = reader.dateTime(extended: true), reader.isAtEnd else { return nil }
    self = value
  }

  /// Reads `20261203T180000` (RFC 5545 3.3.5 form 1); nil for anything else. A second of 60 is
  /// read as 59, as the RFC allows where leap seconds are not supported.
  public init?(basic text: some StringProtocol) {
    var reader = DigitReader(text)
    guard let value = reader.dateTime(extended: false), reader.isAtEnd else { return nil }
    self = value
  }
}

extension Instant {
  /// Reads `2026-12-03T17:00:00Z`; nil for anything else.
  public init?(extended text: some StringProtocol) {
    guard text.last == "Z", let value = CivilDateTime(extended: text.dropLast())
    else { return nil }
    self.init(utc: value)
  }

  /// Reads `20261203T170000Z` (RFC 5545 3.3.5 form 2); nil for anything else.
  public init?(basic text: some StringProtocol) {
    guard text.last == "Z", let value = CivilDateTime(basic: text.dropLast())
    else { return nil }
    self.init(utc: value)
  }
}

extension DateOrDateTime {
  /// Reads `2026-12-03` or `2026-12-03T18:00:00`; nil for anything else.
  public init?(extended text: some StringProtocol) {
    if text.utf8.count == 10 {
      guard let date = CivilDate(extended: text) else { return nil }
      self = .date(date)
    } else {
      guard let dateTime = CivilDateTime(extended: text) else { return nil }
      self = .dateTime(dateTime)
    }
  }

  /// Reads `20261203` or `20261203T180000`; nil for anything else.
  public init?(basic text: some StringProtocol) {
    if text.utf8.count == 8 {
      guard let date = CivilDate(basic: text) else { return nil }
      self = .date(date)
    } else {
      guard let dateTime = CivilDateTime(basic: text) else { return nil }
      self = .dateTime(dateTime)
    }
  }
}

/// Reads fixed-width fields of digits from a short ASCII text.
struct DigitReader {
  /// No form is longer than this, so a text that fills it is none.
  private static let countMax = 24
  // On the stack: every date of every file is read here.
  private var bytes = InlineArray<24, UInt8>(repeating: 0)
  private var count = 0
  private var position = 0

  init(_ text: some StringProtocol) {
    for byte in text.utf8 {
      guard count < DigitReader.countMax else { break }
      bytes[count] = byte
      count += 1
    }
  }

  var isAtEnd: Bool { position == count }

  mutating func accept(_ byte: UInt8) -> Bool {
    guard position < count, bytes[position] == byte else { return false }
    position += 1
    return true
  }

  mutating func digits(_ width: Int) -> Int? {
    guard position + width <= count else { return nil }
    var value = 0
    for index in position..<(position + width) {
      let byte = bytes[index]
      guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
      value = value * 10 + Int(byte - UInt8(ascii: "0"))
    }
    position += width
    return value
  }

  mutating func date(separator: UInt8?) -> CivilDate? {
    guard let year = digits(4) else { return nil }
    if let separator, !accept(separator) { return nil }
    guard let month = digits(2) else { return nil }
    if let separator, !accept(separator) { return nil }
    guard let day = digits(2) else { return nil }
    return CivilDate(year: year, month: month, day: day)
  }

  mutating func dateTime(extended: Bool) -> CivilDateTime? {
    guard let date = date(separator: extended ? UInt8(ascii: "-") : nil),
      accept(UInt8(ascii: "T")), let hour = digits(2)
    else { return nil }
    if extended, !accept(UInt8(ascii: ":")) { return nil }
    guard let minute = digits(2) else { return nil }
    if extended, !accept(UInt8(ascii: ":")) { return nil }
    guard var second = digits(2) else { return nil }
    if !extended && second == 60 { second = 59 }
    guard let time = TimeOfDay(hour: hour, minute: minute, second: second) else { return nil }
    return CivilDateTime(date: date, time: time)
  }
}
