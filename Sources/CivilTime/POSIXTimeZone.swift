/// The footer of a zone file: the rule in POSIX TZ form that holds after the last listed
/// transition (RFC 9636 3.3), such as `CET-1CEST,M3.5.0,M10.5.0/3`.
struct POSIXTimeZone: Hashable, Sendable {
  /// The day of a year on which clocks change.
  enum Day: Hashable, Sendable {
    /// `Jn`: day 1...365, 29 February never counted.
    case julianWithoutLeapDay(Int)
    /// `n`: day 0...365, 29 February counted.
    case zeroBased(Int)
    /// `Mm.w.d`: weekday 0 (Sunday) ... 6 of week 1...5 (5 is the last) of a month.
    case weekday(month: Int, week: Int, weekday: Int)
  }

  /// A change to or from daylight saving time; the time is in seconds after the day's midnight on
  /// the clock before the change, -167...167 hours.
  struct Change: Hashable, Sendable {
    var day: Day
    var time: Int
  }

  /// Offset in seconds east of UTC outside of daylight saving time.
  var standard: Int32
  /// Offset in daylight saving time, with its start and end; nil if there is none.
  var daylight: (offset: Int32, start: Change, end: Change)? {
    guard let daylightOffset, let start, let end else { return nil }
    return (daylightOffset, start, end)
  }

  private var daylightOffset: Int32?
  private var start: Change?
  private var end: Change?

  /// Parses a footer; nil if it is malformed.
  init?(_ text: some StringProtocol) {
    var reader = Reader(bytes: Array(text.utf8))
    guard reader.name(), let west = reader.time(hoursMax: 24) else { return nil }
    standard = Int32(-west)
    if reader.isAtEnd { return }
    guard reader.name() else { return nil }
    var daylight = standard + 3_600
    if !reader.isNext(",") {
      guard let west = reader.time(hoursMax: 24) else { return nil }
      daylight = Int32(-west)
    }
    guard reader.accept(","), let start = reader.change(), reader.accept(","),
      let end = reader.change(), reader.isAtEnd
    else { return nil }
    daylightOffset = daylight
    self.start = start
    self.end = end
  }

  /// The day number of a change in a year.
  static func dayNumber(of day: Day, year: Int) -> Int {
    let newYear = CivilDate.dayNumber(year: year, month: 1, day: 1)
    switch day {
    case .julianWithoutLeapDay(let day):
      return newYear + day - 1 + (CivilDate.isLeap(year) && day >= 60 ? 1 : 0)
    case .zeroBased(let day):
      return newYear + day
    case .weekday(let month, let week, let weekday):
      let first = CivilDate.dayNumber(year: year, month: month, day: 1)
      // Sunday is 0 here and 6 in Weekday.
      let firstWeekday = (Weekday(dayNumber: first).rawValue + 1) % 7
      var day = first + (weekday - firstWeekday + 7) % 7 + (week - 1) * 7
      if day >= first + CivilDate.daysInMonth(month, year: year) { day -= 7 }
      return day
    }
  }

  /// The two changes of a year as instants in seconds, with the offset that holds after each, in
  /// time order; empty if the offset never changes.
  func changes(inYear year: Int) -> [(at: Int64, offset: Int32)] {
    guard let (offset, start, end) = daylight else { return [] }
    let toDaylight =
      Int64(POSIXTimeZone.dayNumber(of: start.day, year: year)) * 86_400
      + Int64(start.time) - Int64(standard)
    let toStandard =
      Int64(POSIXTimeZone.dayNumber(of: end.day, year: year)) * 86_400
      + Int64(end.time) - Int64(offset)
    return toDaylight < toStandard
      ? [(toDaylight, offset), (toStandard, standard)]
      : [(toStandard, standard), (toDaylight, offset)]
  }

  /// The offset at an instant.
  func offset(at seconds: Int64) -> Int32 {
    guard let daylight else { return standard }
    let year = Instant(seconds: seconds).adding(seconds: Int64(standard)).utc.date.year
    var last: (at: Int64, offset: Int32) = (.min, standard)
    for candidate in (year - 1)...(year + 1) {
      for change in changes(inYear: candidate) where change.at <= seconds && change.at >= last.at {
        last = change
      }
    }
    return last.at == .min ? daylight.offset : last.offset
  }
}

extension POSIXTimeZone {
  /// Reads the parts of a TZ text.
  private struct Reader {
    let bytes: [UInt8]
    var position = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    func isNext(_ character: Unicode.Scalar) -> Bool {
      position < bytes.count && bytes[position] == UInt8(ascii: character)
    }

    mutating func accept(_ character: Unicode.Scalar) -> Bool {
      guard isNext(character) else { return false }
      position += 1
      return true
    }

    /// A designation: three or more letters, or anything between angle brackets.
    mutating func name() -> Bool {
      if accept("<") {
        while position < bytes.count, !isNext(">") { position += 1 }
        return accept(">")
      }
      let begin = position
      while position < bytes.count, (bytes[position] | 0x20) >= UInt8(ascii: "a"),
        (bytes[position] | 0x20) <= UInt8(ascii: "z")
      {
        position += 1
      }
      return position - begin >= 3
    }

    mutating func number(max: Int) -> Int? {
      let begin = position
      var value = 0
      while position < bytes.count, bytes[position] >= UInt8(ascii: "0"),
        bytes[position] <= UInt8(ascii: "9"), position - begin < 4
      {
        value = value * 10 + Int(bytes[position] - UInt8(ascii: "0"))
        position += 1
      }
      return position > begin && value <= max ? value : nil
    }

    /// `[+-]hh[:mm[:ss]]` in seconds.
    mutating func time(hoursMax: Int) -> Int? {
      let negative = accept("-")
      if !negative { _ = accept("+") }
      guard let hours = number(max: hoursMax) else { return nil }
      var seconds = hours * 3_600
      if accept(":") {
        guard let minutes = number(max: 59) else { return nil }
        seconds += minutes * 60
        if accept(":") {
          guard let rest = number(max: 59) else { return nil }
          seconds += rest
        }
      }
      return negative ? -seconds : seconds
    }

    mutating func change() -> Change? {
      let day: Day
      if accept("J") {
        guard let number = number(max: 365), number >= 1 else { return nil }
        day = .julianWithoutLeapDay(number)
      } else if accept("M") {
        guard let month = number(max: 12), month >= 1, accept("."),
          let week = number(max: 5), week >= 1, accept("."), let weekday = number(max: 6)
        else { return nil }
        day = .weekday(month: month, week: week, weekday: weekday)
      } else {
        guard let number = number(max: 365) else { return nil }
        day = .zeroBased(number)
      }
      var seconds = 7_200
      if accept("/") {
        guard let value = time(hoursMax: 167) else { return nil }
        seconds = value
      }
      return Change(day: day, time: seconds)
    }
  }
}
