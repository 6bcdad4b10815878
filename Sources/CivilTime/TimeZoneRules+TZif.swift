extension TimeZoneRules {
  /// Reads a zone file (RFC 9636 TZif, versions 1 to 4).
  ///
  /// - Throws: `TimeZoneError.malformed` with the offset of what is wrong; nothing read from the
  ///   file is trusted.
  public init(tzif bytes: [UInt8], id: TimeZoneID) throws(TimeZoneError) {
    var reader = TZifReader(bytes: bytes, name: id.name)
    let first = try reader.header()
    guard first.version >= UInt8(ascii: "2") else {
      let data = try reader.data(first, timeSize: 4)
      self.init(id: id, transitions: data.transitions, offsets: data.offsets, footer: nil)
      return
    }
    try reader.skip(first.dataSize(timeSize: 4))
    let second = try reader.header()
    let data = try reader.data(second, timeSize: 8)
    self.init(
      id: id, transitions: data.transitions, offsets: data.offsets, footer: try reader.footer())
  }
}

/// Reads the parts of a zone file with bounds checks.
private struct TZifReader {
  struct Header {
    var version: UInt8
    var isUTCCount, isStandardCount, leapCount, transitionCount, typeCount, nameSize: Int

    func dataSize(timeSize: Int) -> Int {
      transitionCount * (timeSize + 1) + typeCount * 6 + nameSize + leapCount * (timeSize + 4)
        + isStandardCount + isUTCCount
    }
  }

  let bytes: [UInt8]
  let name: String
  var position = 0

  init(bytes: [UInt8], name: String) {
    self.bytes = bytes
    self.name = name
  }

  func malformed(_ reason: String) -> TimeZoneError {
    .malformed(name, offset: position, reason: reason)
  }

  func require(_ count: Int) throws(TimeZoneError) {
    guard count >= 0, count <= bytes.count - position else {
      throw malformed("\(count) more bytes were expected, the file has \(bytes.count - position)")
    }
  }

  mutating func skip(_ count: Int) throws(TimeZoneError) {
    try require(count)
    position += count
  }

  mutating func byte() throws(TimeZoneError) -> UInt8 {
    try require(1)
    defer { position += 1 }
    return bytes[position]
  }

  mutating func integer(_ width: Int) throws(TimeZoneError) -> Int64 {
    try require(width)
    var value: Int64 = Int64(Int8(bitPattern: bytes[position]))
    for byte in bytes[(position + 1)..<(position + width)] { value = value << 8 | Int64(byte) }
    position += width
    return value
  }

  mutating func header() throws(TimeZoneError) -> Header {
    try require(44)
    guard bytes[position..<(position + 4)].elementsEqual("TZif".utf8) else {
      throw malformed("a zone file begins with 'TZif'")
    }
    let version = bytes[position + 4]
    position += 20
    var counts: [Int] = []
    for _ in 0..<6 {
      let value = try integer(4)
      guard value >= 0, value <= 1_000_000 else { throw malformed("a count of \(value)") }
      counts.append(Int(value))
    }
    return Header(
      version: version, isUTCCount: counts[0], isStandardCount: counts[1], leapCount: counts[2],
      transitionCount: counts[3], typeCount: counts[4], nameSize: counts[5])
  }

  mutating func data(
    _ header: Header, timeSize: Int
  ) throws(TimeZoneError) -> (transitions: [Int64], offsets: [Int32]) {
    try require(header.dataSize(timeSize: timeSize))
    guard header.typeCount > 0 else { throw malformed("a zone needs at least one offset") }
    var transitions: [Int64] = []
    for _ in 0..<header.transitionCount {
      let time = try integer(timeSize)
      if let last = transitions.last, time <= last { throw malformed("transitions out of order") }
      transitions.append(time)
    }
    var types: [Int] = []
    for _ in 0..<header.transitionCount {
      let type = Int(try byte())
      guard type < header.typeCount else { throw malformed("offset number \(type) is not listed") }
      types.append(type)
    }
    var utcOffsets: [Int32] = []
    for _ in 0..<header.typeCount {
      let offset = try integer(4)
      guard offset > -93_600, offset < 93_600 else { throw malformed("an offset of \(offset) s") }
      utcOffsets.append(Int32(offset))
      try skip(2)
    }
    try skip(
      header.nameSize + header.leapCount * (timeSize + 4) + header.isStandardCount
        + header.isUTCCount)
    return (transitions, [utcOffsets[0]] + types.map { utcOffsets[$0] })
  }

  mutating func footer() throws(TimeZoneError) -> POSIXTimeZone? {
    guard position < bytes.count else { return nil }
    guard try byte() == UInt8(ascii: "\n") else { throw malformed("a line feed was expected") }
    guard let end = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) else {
      throw malformed("the footer has no end")
    }
    if end == position { return nil }
    let text = String(decoding: bytes[position..<end], as: UTF8.self)
    guard let footer = POSIXTimeZone(text) else {
      throw malformed("the footer '\(text)' is no POSIX time zone")
    }
    return footer
  }
}
