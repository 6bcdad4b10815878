import CivilTime

/// A length of time as people type it: `45m`, `1h30m`, `2 weeks`, `a month`, `PT45M`.
struct TypedLength: Hashable, Sendable {
  var months = 0
  var days = 0
  var seconds: Int64 = 0

  /// The most of any unit that may be typed.
  static let numberMax = 1_000_000

  /// Reads numbers with units, in any order of units, each once; nil for anything else.
  init?(_ text: some StringProtocol) {
    let lower = text.lowercased()
    if lower.hasPrefix("p") || lower.hasPrefix("-p") || lower.hasPrefix("+p") {
      guard let duration = CalendarDuration(lower.uppercased()) else { return nil }
      days = duration.days
      seconds = duration.seconds
      return
    }
    var rest = lower[...]
    var seen: Set<String> = []
    while true {
      rest = rest.drop { $0 == " " || $0 == "," }
      if rest.hasPrefix("and ") { rest = rest.dropFirst(4) }
      if rest.isEmpty { break }
      var number = 1
      let digits = rest.prefix { $0.isASCII && $0.isNumber }
      if !digits.isEmpty {
        guard let value = Int(digits), value <= TypedLength.numberMax else { return nil }
        number = value
        rest = rest.dropFirst(digits.count)
      } else if rest.hasPrefix("a ") || rest.hasPrefix("an ") {
        rest = rest.drop { $0 != " " }
      } else {
        return nil
      }
      rest = rest.drop { $0 == " " }
      let name = String(rest.prefix { $0.isASCII && $0.isLetter })
      guard let unit = TypedLength.units[name], seen.insert(unit).inserted else { return nil }
      rest = rest.dropFirst(name.count)
      switch unit {
      case "year": months += number * 12
      case "month": months += number
      case "week": days += number * 7
      case "day": days += number
      case "hour": seconds += Int64(number) * 3_600
      case "minute": seconds += Int64(number) * 60
      default: seconds += Int64(number)
      }
    }
    if seen.isEmpty { return nil }
  }

  /// The same length backwards.
  var negated: TypedLength {
    var other = self
    other.months = -months
    other.days = -days
    other.seconds = -seconds
    return other
  }

  private static let units: [String: String] = {
    let spellings = [
      "year": ["y", "yr", "yrs", "year", "years"],
      "month": ["mo", "mos", "mon", "month", "months"],
      "week": ["w", "wk", "wks", "week", "weeks"],
      "day": ["d", "day", "days"],
      "hour": ["h", "hr", "hrs", "hour", "hours"],
      "minute": ["m", "min", "mins", "minute", "minutes"],
      "second": ["s", "sec", "secs", "second", "seconds"],
    ]
    var units: [String: String] = [:]
    for (unit, names) in spellings { for name in names { units[name] = unit } }
    return units
  }()
}

/// Lengths of events and offsets of alerts.
enum DurationArgument {
  /// Reads a duration: `45m`, `1h30m`, `2d`, `1 week`, `PT45M`.
  static func parse(_ text: String, option: String) throws(CommandError) -> CalendarDuration {
    guard let length = TypedLength(text) else {
      throw .usage(
        "--\(option) cannot be '\(text)': it is no length of time",
        hint: "write 45m, 1h30m, 2d or PT45M")
    }
    guard length.months == 0 else {
      throw .usage(
        "--\(option) cannot be '\(text)': months differ in length", hint: "write days or weeks")
    }
    guard length.days >= 0, length.seconds >= 0 else {
      throw .usage("--\(option) cannot be '\(text)': it is below zero")
    }
    return CalendarDuration(days: length.days, seconds: length.seconds)
  }

  /// Reads the offset of an alert: `15m` is before, `+15m` after, `0` at the time itself.
  static func alertOffset(_ text: String) throws(CommandError) -> CalendarDuration {
    let plain = text.trimmingSpaces
    if ["0", "now", "at time", "at-time"].contains(plain.lowercased()) {
      return CalendarDuration()
    }
    var body = plain[...]
    var isAfter = false
    if body.hasPrefix("+") || body.hasPrefix("-") {
      isAfter = body.hasPrefix("+")
      body = body.dropFirst()
    }
    for (word, after) in [(" before", false), (" after", true)] where body.hasSuffix(word) {
      body = body.dropLast(word.count)
      isAfter = after
    }
    let duration = try parse(String(body), option: "alert")
    if isAfter || duration.isZero { return duration }
    return CalendarDuration(days: -duration.days, seconds: -duration.seconds)
  }
}

extension String {
  /// The text without blanks at its ends.
  var trimmingSpaces: String {
    var view = self[...]
    while let first = view.first, first.isWhitespace { view.removeFirst() }
    while let last = view.last, last.isWhitespace { view.removeLast() }
    return String(view)
  }
}
