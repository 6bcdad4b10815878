import CivilTime

extension DateArguments {
  /// The day that words name; without any, the day of the next such time.
  func day(
    _ tokens: [String], time: TimeOfDay?, _ text: String, _ name: String
  ) throws(CommandError) -> CivilDate {
    let origin = base ?? now
    switch tokens.count {
    case 0:
      guard let time else { break }
      return time >= origin.time ? origin.date : origin.date.adding(days: 1)
    case 1:
      if let date = CivilDate(extended: tokens[0]) { return date }
      switch tokens[0] {
      case "today", "now": return now.date
      case "tomorrow", "tom": return now.date.adding(days: 1)
      case "yesterday": return now.date.adding(days: -1)
      default: break
      }
      if let weekday = DateWords.weekday(tokens[0]) { return next(weekday, time) }
    case 2 where tokens[0] == "next":
      if let weekday = DateWords.weekday(tokens[1]) { return next(weekday, time) }
      switch tokens[1] {
      case "day": return now.date.adding(days: 1)
      case "week": return now.date.adding(days: 7)
      case "month": return DateArguments.adding(months: 1, to: now.date) ?? now.date
      case "year": return DateArguments.adding(months: 12, to: now.date) ?? now.date
      default: break
      }
    case 2...3:
      if let date = try monthAndDay(tokens, text, name) { return date }
    default: break
    }
    throw unreadable(tokens, text, name)
  }

  /// The next such day: never today, but the day of the start itself for an end that lies after it.
  private func next(_ weekday: Weekday, _ time: TimeOfDay?) -> CivilDate {
    let origin = base ?? now
    let days = origin.date.weekday.days(until: weekday)
    let isSameDay = base != nil && (time.map { $0 >= origin.time } ?? true)
    return origin.date.adding(days: days == 0 && !isSameDay ? 7 : days)
  }

  /// `dec 24`, `24 dec`, either with a year; nil if the words are no month and day.
  private func monthAndDay(
    _ tokens: [String], _ text: String, _ name: String
  ) throws(CommandError) -> CivilDate? {
    let month: Int
    let dayWord: String
    if let first = DateWords.month(tokens[0]) {
      (month, dayWord) = (first, tokens[1])
    } else if let second = DateWords.month(tokens[1]) {
      (month, dayWord) = (second, tokens[0])
    } else {
      return nil
    }
    guard let day = DateWords.ordinal(dayWord) else { return nil }
    if tokens.count == 3 {
      guard tokens[2].utf8.count == 4, let year = Int(tokens[2]) else { return nil }
      guard let date = CivilDate(year: year, month: month, day: day) else {
        throw .usage("\(name) cannot be '\(text)': there is no such day")
      }
      return date
    }
    let origin = (base ?? now).date
    // A day that only leap years have is at most eight years away.
    for year in origin.year...min(origin.year + 8, 9_999) {
      if let date = CivilDate(year: year, month: month, day: day), date >= origin { return date }
    }
    throw .usage("\(name) cannot be '\(text)': there is no such day")
  }

  private func unreadable(_ tokens: [String], _ text: String, _ name: String) -> CommandError {
    let impossible = text.utf8.count >= 8 && text.prefix(4).allSatisfy(\.isNumber)
    if impossible {
      return .usage("\(name) cannot be '\(text)': there is no such date", hint: DateArguments.forms)
    }
    for token in tokens where token.count >= 3 {
      if let near = Suggestion.nearest(to: token, among: DateWords.all), near != token {
        return .usage(
          "\(name) cannot be '\(text)': it is no date", hint: "did you mean '\(near)'?")
      }
    }
    return .usage("\(name) cannot be '\(text)': it is no date", hint: DateArguments.forms)
  }
}

/// Names of days and months as people type and read them.
enum DateWords {
  static let weekdays = [
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
  ]
  static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
  ]

  static let all =
    (weekdays + months).map { $0.lowercased() } + ["today", "tomorrow", "yesterday", "noon"]

  /// The weekday that a word names: its name, or two letters or more of its beginning.
  static func weekday(_ word: some StringProtocol) -> Weekday? {
    let word = word.lowercased()
    guard word.utf8.count >= 2 else { return nil }
    let plural = word.hasSuffix("days") ? String(word.dropLast()) : word
    let matches = weekdays.indices.filter { weekdays[$0].lowercased().hasPrefix(plural) }
    return matches.count == 1 ? matches.first.flatMap { Weekday(rawValue: $0) } : nil
  }

  /// The month that a word names: its name, or three letters or more of its beginning.
  static func month(_ word: some StringProtocol) -> Int? {
    let word = word.lowercased()
    guard word.utf8.count >= 3 else { return nil }
    let matches = months.indices.filter { months[$0].lowercased().hasPrefix(word) }
    return matches.count == 1 ? matches.first.map { $0 + 1 } : nil
  }

  /// `24`, `24th`, `3rd`: a number of one or two digits.
  static func ordinal(_ word: some StringProtocol) -> Int? {
    let digits = word.prefix { $0.isASCII && $0.isNumber }
    guard (1...2).contains(digits.count),
      ["", "st", "nd", "rd", "th", "."].contains(word.dropFirst(digits.count).lowercased())
    else { return nil }
    return Int(digits)
  }
}
