import CivilTime

/// A moment as somebody typed it, resolved.
enum TypedMoment: Hashable, Sendable {
  /// A day: the item is all-day.
  case date(CivilDate)
  /// A wall-clock time.
  case dateTime(CivilDateTime)
  /// A whole month, by its first day.
  case month(CivilDate)

  /// The moment, a month by its first day.
  var value: DateOrDateTime {
    switch self {
    case .date(let date), .month(let date): .date(date)
    case .dateTime(let dateTime): .dateTime(dateTime)
    }
  }

  /// The last day that is meant, which differs from the first for a month.
  var lastDate: CivilDate {
    guard case .month(let first) = self else { return value.date }
    return first.adding(days: CivilDate.daysInMonth(first.month, year: first.year) - 1)
  }
}

/// Reads dates and times as people type them, against a moment that counts as now.
///
/// A weekday is the next one, never today; a past day of a month is next year's; a past time of day
/// is tomorrow's. Forms that can be read two ways, such as `12/24`, are refused.
struct DateArguments: Sendable {
  /// Now on the clock of the zone.
  let now: CivilDateTime
  /// The zone in which times are read.
  let zone: TimeZoneRules
  /// Where a time of day, a weekday or a day of a month counts from, if not from now: the start,
  /// for an end.
  var base: CivilDateTime?

  init(now: Instant, zone: TimeZoneRules, base: CivilDateTime? = nil) {
    self.now = zone.civil(at: now)
    self.zone = zone
    self.base = base
  }

  /// The same reader, counting from a start.
  func after(_ start: CivilDateTime) -> DateArguments {
    var other = self
    other.base = start
    return other
  }

  /// Reads a moment.
  ///
  /// - Parameter name: the option or operand, for messages: `--start`.
  func parse(_ text: String, for name: String) throws(CommandError) -> TypedMoment {
    let text = text.trimmingSpaces
    if text.isEmpty { throw .usage("\(name) is empty", hint: DateArguments.forms) }
    if let moment = standard(text) { return try checked(moment, text, name) }
    try refuseAmbiguous(text, name)
    var tokens = words(of: text)
    let time = try timeOfDay(in: &tokens, text, name)
    if let length = relative(tokens) {
      return try checked(try moved(by: length, time, text, name), text, name)
    }
    let day = try day(tokens, time: time, text, name)
    guard let time else { return try checked(.date(day), text, name) }
    return try checked(.dateTime(CivilDateTime(date: day, time: time)), text, name)
  }

  /// What may be typed, as a hint.
  static let forms =
    "write 2026-12-24, '2026-12-24 18:30', tomorrow, fri, 'in 3 days', +2w, 18:30, 'tomorrow 9am' "
    + "or 'dec 24'"

  private func checked(
    _ moment: TypedMoment, _ text: String, _ name: String
  ) throws(CommandError) -> TypedMoment {
    guard moment.value.date.isPrintable else {
      throw .usage("\(name) cannot be '\(text)': it lies outside the years 0 to 9999")
    }
    return moment
  }

  // MARK: - Standard forms

  /// ISO 8601 and the forms of the two RFCs; with `Z` or an offset, on the clock of the zone.
  private func standard(_ text: String) -> TypedMoment? {
    if let value = DateOrDateTime(extended: text) { return moment(value) }
    if let value = DateOrDateTime(basic: text) { return moment(value) }
    if let instant = Instant(basic: text) { return .dateTime(zone.civil(at: instant)) }
    let bytes = Array(text.utf8)
    if bytes.count == 7, let first = CivilDate(extended: text + "-01") { return .month(first) }
    guard bytes.count >= 16, let date = CivilDate(extended: text.prefix(10)) else { return nil }
    var rest = text.dropFirst(10)
    guard let separator = rest.popFirst(), separator == "T" || separator == " " || separator == "t"
    else { return nil }
    var offset: Int?
    if rest.hasSuffix("Z") || rest.hasSuffix("z") {
      offset = 0
      rest = rest.dropLast()
    } else if let sign = rest.lastIndex(where: { $0 == "+" || $0 == "-" }) {
      guard let time = clock(rest[rest.index(after: sign)...]) else { return nil }
      offset = Int(time.secondOfDay) * (rest[sign] == "-" ? -1 : 1)
      rest = rest[..<sign]
    }
    guard let time = clock(rest) else { return nil }
    let civil = CivilDateTime(date: date, time: time)
    guard let offset else { return .dateTime(civil) }
    return .dateTime(zone.civil(at: Instant(utc: civil).adding(seconds: -Int64(offset))))
  }

  private func moment(_ value: DateOrDateTime) -> TypedMoment {
    switch value {
    case .date(let date): .date(date)
    case .dateTime(let dateTime): .dateTime(dateTime)
    }
  }

  /// `18:30` or `18:30:15`; hours of one digit count, too.
  private func clock(_ text: some StringProtocol) -> TimeOfDay? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), parts[0].count <= 2,
      parts.dropFirst().allSatisfy({ $0.count == 2 })
    else { return nil }
    let numbers = parts.compactMap { part in
      part.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } ? Int(part) : nil
    }
    guard numbers.count == parts.count else { return nil }
    return TimeOfDay(
      hour: numbers[0], minute: numbers[1], second: numbers.count > 2 ? numbers[2] : 0)
  }

  private func refuseAmbiguous(_ text: String, _ name: String) throws(CommandError) {
    let first = text.split(separator: " ").first ?? ""
    let numbers = first.split { $0 == "/" || $0 == "." }
    let isNumeric = numbers.count >= 2 && numbers.allSatisfy { $0.allSatisfy(\.isNumber) }
    guard isNumeric, first.contains("/") || first.contains(".") else { return }
    throw .usage(
      "\(name) cannot be '\(text)': day and month could be either way round",
      hint: "write 2026-12-24 or 'dec 24'")
  }

  // MARK: - Words

  private func words(of text: String) -> [String] {
    var tokens: [String] = []
    for token in text.lowercased().split(whereSeparator: { $0 == " " || $0 == "," || $0 == "\t" }) {
      if ["am", "pm"].contains(token), let last = tokens.last, last.last?.isNumber == true {
        tokens[tokens.count - 1] = last + token
      } else if !["at", "on", "the", "of"].contains(token) {
        tokens.append(String(token))
      }
    }
    return tokens
  }

  /// Takes the one time of day out of the words.
  private func timeOfDay(
    in tokens: inout [String], _ text: String, _ name: String
  ) throws(CommandError) -> TimeOfDay? {
    var found: TimeOfDay?
    var rest: [String] = []
    for token in tokens {
      guard let time = try timeOfDay(token, text, name) else {
        rest.append(token)
        continue
      }
      if found != nil { throw .usage("\(name) cannot be '\(text)': it has two times of day") }
      found = time
    }
    tokens = rest
    return found
  }

  private func timeOfDay(
    _ token: String, _ text: String, _ name: String
  ) throws(CommandError) -> TimeOfDay? {
    if token == "noon" { return TimeOfDay(hour: 12, minute: 0) }
    if token == "midnight" { return .midnight }
    if token.hasSuffix("am") || token.hasSuffix("pm") {
      let body = token.dropLast(2)
      let colons = body.contains(":") ? String(body) : body + ":00"
      guard let first = body.first, first.isNumber else { return nil }
      guard let time = clock(colons), (1...12).contains(time.hour) else {
        throw .usage("\(name) cannot be '\(text)': '\(token)' is no time of day")
      }
      let hour = time.hour % 12 + (token.hasSuffix("pm") ? 12 : 0)
      return TimeOfDay(hour: hour, minute: time.minute, second: time.second)
    }
    guard token.contains(":") else { return nil }
    guard let time = clock(token) else {
      throw .usage(
        "\(name) cannot be '\(text)': '\(token)' is no time of day",
        hint: "times go from 00:00 to 23:59")
    }
    return time
  }

  /// The length in `in 3 days`, `+2w`, `-2w`, `3 days ago`; nil for anything else.
  private func relative(_ tokens: [String]) -> TypedLength? {
    let text = tokens.joined(separator: " ")
    if tokens.first == "in" { return TypedLength(text.dropFirst(3)) }
    if tokens.last == "ago" { return TypedLength(text.dropLast(4))?.negated }
    if text.hasPrefix("+") { return TypedLength(text.dropFirst()) }
    if text.hasPrefix("-") { return TypedLength(text.dropFirst())?.negated }
    return nil
  }

  private func moved(
    by length: TypedLength, _ time: TimeOfDay?, _ text: String, _ name: String
  ) throws(CommandError) -> TypedMoment {
    guard let month = DateArguments.adding(months: length.months, to: now.date) else {
      throw .usage("\(name) cannot be '\(text)': it lies outside the years 0 to 9999")
    }
    let day = month.adding(days: length.days)
    guard day.isPrintable else {
      throw .usage("\(name) cannot be '\(text)': it lies outside the years 0 to 9999")
    }
    if length.seconds == 0 {
      return time.map { .dateTime(CivilDateTime(date: day, time: $0)) } ?? .date(day)
    }
    if time != nil { throw .usage("\(name) cannot be '\(text)': it has two times of day") }
    let start = zone.instant(of: CivilDateTime(date: day, time: now.time))
    let moved = zone.civil(at: start.adding(seconds: length.seconds))
    let minute = TimeOfDay(secondOfDay: Int(moved.time.secondOfDay) / 60 * 60)
    return .dateTime(CivilDateTime(date: moved.date, time: minute))
  }

  /// The date some months away, on the last day where the month is too short; nil outside the years
  /// 0 to 9999.
  static func adding(months: Int, to date: CivilDate) -> CivilDate? {
    let parts = date.parts
    let total = parts.year * 12 + parts.month - 1 + months
    guard total >= 0, total < 120_000 else { return nil }
    let (year, month) = (total / 12, total % 12 + 1)
    return CivilDate(
      year: year, month: month, day: min(parts.day, CivilDate.daysInMonth(month, year: year)))
  }
}
