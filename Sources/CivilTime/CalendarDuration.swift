/// A length of time (RFC 5545 3.3.6, RFC 8984 1.4.6): days that follow the calendar, and seconds
/// that do not. Both have the same sign.
public struct CalendarDuration: Hashable, Sendable {
  /// Nominal days; a week is seven.
  public var days: Int
  /// Exact seconds.
  public var seconds: Int64

  /// Creates a duration from nominal days and exact seconds, which should not differ in sign.
  public init(days: Int = 0, seconds: Int64 = 0) {
    self.days = days
    self.seconds = seconds
  }

  /// The largest number that a part of a duration may have; more is malformed.
  static let partMax = 100_000_000

  /// Reads `P2W`, `P1DT12H`, `-PT1H`, `PT90M`; nil if the text is malformed or a part is over
  /// 100 000 000.
  public init?(_ text: some StringProtocol) {
    var bytes = Array(text.utf8)[...]
    let negative = bytes.first == UInt8(ascii: "-")
    if negative || bytes.first == UInt8(ascii: "+") { bytes.removeFirst() }
    guard bytes.popFirst() == UInt8(ascii: "P"), !bytes.isEmpty else { return nil }
    var days = 0
    var seconds = 0
    var inTime = false
    var hasPart = false
    // Units must come in this order, each once.
    var allowed: [UInt8] = Array("WDHMS".utf8)
    while let byte = bytes.first {
      if byte == UInt8(ascii: "T") {
        guard !inTime, bytes.count > 1 else { return nil }
        inTime = true
        bytes.removeFirst()
        continue
      }
      var value = 0
      var digits = 0
      while let digit = bytes.first, digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") {
        value = value * 10 + Int(digit - UInt8(ascii: "0"))
        digits += 1
        guard value <= CalendarDuration.partMax else { return nil }
        bytes.removeFirst()
      }
      guard digits > 0, let unit = bytes.popFirst(), let order = allowed.firstIndex(of: unit),
        inTime == (unit != UInt8(ascii: "W") && unit != UInt8(ascii: "D"))
      else { return nil }
      allowed.removeFirst(order + 1)
      hasPart = true
      switch unit {
      case UInt8(ascii: "W"): days += value * 7
      case UInt8(ascii: "D"): days += value
      case UInt8(ascii: "H"): seconds += value * 3_600
      case UInt8(ascii: "M"): seconds += value * 60
      default: seconds += value
      }
    }
    guard hasPart else { return nil }
    self.days = negative ? -days : days
    self.seconds = Int64(negative ? -seconds : seconds)
  }

  /// Whether the length is zero.
  public var isZero: Bool { days == 0 && seconds == 0 }
  /// Whether the length is below zero.
  public var isNegative: Bool { days < 0 || seconds < 0 }

  /// The instant that lies this duration after a wall-clock time of a zone: the days are added on
  /// the calendar, then the seconds on the time line.
  public func added(to civil: CivilDateTime, in zone: TimeZoneRules) -> Instant {
    let day = CivilDateTime(date: civil.date.adding(days: days), time: civil.time)
    return zone.instant(of: day).adding(seconds: seconds)
  }
}

extension CalendarDuration: CustomStringConvertible {
  /// The canonical text: `PT45M`, `P9D`, `P2W`, `P1DT12H`; weeks only alone, minutes and seconds
  /// below 60, zero as `PT0S`.
  public var description: String {
    let days = days.magnitude
    let seconds = seconds.magnitude
    var text = isNegative ? "-P" : "P"
    if seconds == 0, days > 0, days % 7 == 0 { return text + "\(days / 7)W" }
    if days > 0 { text += "\(days)D" }
    if seconds > 0 || days == 0 {
      text += "T"
      if seconds >= 3_600 { text += "\(seconds / 3_600)H" }
      if seconds / 60 % 60 > 0 { text += "\(seconds / 60 % 60)M" }
      if seconds % 60 > 0 || seconds == 0 { text += "\(seconds % 60)S" }
    }
    return text
  }
}
