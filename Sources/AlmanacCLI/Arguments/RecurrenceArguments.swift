import CivilTime
import Recurrence

/// Builds recurrence rules from `--rule`, `--every`, `--on`, `--count` and `--until`.
struct RecurrenceArguments {
  /// Reads dates for `--until`.
  let dates: DateArguments

  /// The rule that options describe; nil if none does.
  func rule(_ invocation: Invocation) throws(CommandError) -> RecurrenceRule? {
    var rule: RecurrenceRule
    let hasEnd = invocation.has("count") || invocation.has("until")
    switch (invocation.value("rule"), invocation.value("every")) {
    case (.some, .some):
      throw .usage("--rule and --every both say how it repeats", hint: "give one of them")
    case (let text?, nil):
      rule = try RecurrenceArguments.parse(rule: text)
      if rule.isFinite, hasEnd { throw .usage("the rule '\(text)' has an end already") }
    case (nil, let words?):
      rule = try RecurrenceArguments.parse(every: words)
    case (nil, nil):
      for option in ["on", "count", "until"] where invocation.has(option) {
        throw .usage("--\(option) needs --every or --rule", hint: "such as --every week")
      }
      return nil
    }
    if !invocation.all("on").isEmpty { try add(on: invocation.all("on"), to: &rule) }
    try addEnd(invocation, to: &rule)
    do throws(RecurrenceRuleError) {
      try rule.validate()
    } catch {
      throw .usage("the rule '\(rule.text)' cannot be: \(error)")
    }
    return rule
  }

  /// Reads RFC 5545 text, with or without `RRULE:`.
  static func parse(rule text: String) throws(CommandError) -> RecurrenceRule {
    let body = text.lowercased().hasPrefix("rrule:") ? String(text.dropFirst(6)) : text
    do throws(RecurrenceRuleError) {
      return try RecurrenceRule(parsing: body)
    } catch {
      throw .usage(
        "--rule cannot be '\(text)': \(error)",
        hint: "a rule looks like FREQ=WEEKLY;BYDAY=MO,WE;COUNT=10")
    }
  }

  /// Reads `day`, `2 weeks`, `other month`, `weekday`, `monday`, `quarter`.
  static func parse(every words: String) throws(CommandError) -> RecurrenceRule {
    var tokens = words.lowercased().split(separator: " ").map(String.init)
    var interval = 1
    if let first = tokens.first {
      let digits = first.prefix { $0.isASCII && $0.isNumber }
      if first == "other" || first == "second" && tokens.count > 1 {
        interval = 2
        tokens.removeFirst()
      } else if !digits.isEmpty {
        guard let number = Int(digits), (1...10_000).contains(number) else {
          throw .usage("--every cannot be '\(words)': the number is out of range")
        }
        interval = number
        let unit = first.dropFirst(digits.count)
        if unit.isEmpty { tokens.removeFirst() } else { tokens[0] = String(unit) }
      }
    }
    guard tokens.count == 1, let word = tokens.first,
      var rule = rule(unit: word, interval: interval)
    else {
      throw .usage(
        "--every cannot be '\(words)'",
        hint: "write day, week, '2 weeks', month, year, weekday or monday")
    }
    rule.interval *= Int64(interval)
    return rule
  }

  private static func rule(unit: String, interval: Int) -> RecurrenceRule? {
    switch unit {
    case "d", "day", "days": return RecurrenceRule(frequency: .daily)
    case "w", "week", "weeks": return RecurrenceRule(frequency: .weekly)
    case "mo", "month", "months": return RecurrenceRule(frequency: .monthly)
    case "y", "year", "years": return RecurrenceRule(frequency: .yearly)
    case "h", "hour", "hours": return RecurrenceRule(frequency: .hourly)
    case "quarter", "quarters":
      var rule = RecurrenceRule(frequency: .monthly)
      rule.interval = 3
      return rule
    case "weekday", "weekdays", "workday":
      guard interval == 1 else { return nil }
      var rule = RecurrenceRule(frequency: .weekly)
      rule.byDay = [.monday, .tuesday, .wednesday, .thursday, .friday].map { .init($0) }
      return rule
    default:
      guard let weekday = DateWords.weekday(unit) else { return nil }
      var rule = RecurrenceRule(frequency: .weekly)
      rule.byDay = [.init(weekday)]
      return rule
    }
  }

  // MARK: - Which days, and how long

  private func add(on lists: [String], to rule: inout RecurrenceRule) throws(CommandError) {
    for item in lists.flatMap({ $0.split(separator: ",") }) {
      let text = String(item).trimmingSpaces.lowercased()
      if let weekday = DateWords.weekday(text) {
        guard rule.frequency != .daily || rule.interval == 1 else {
          throw .usage("--on \(text) does not fit days that are counted")
        }
        if rule.frequency == .daily { rule.frequency = .weekly }
        rule.byDay.append(.init(weekday))
      } else if let (ordinal, weekday) = nthWeekday(text) {
        guard rule.frequency == .monthly || rule.frequency == .yearly else {
          throw .usage("--on '\(text)' needs --every month or year")
        }
        rule.byDay.append(.init(weekday, ordinal: ordinal))
      } else if let day = text == "last" || text == "last day" ? -1 : DateWords.ordinal(text),
        (-1...31).contains(day), day != 0
      {
        guard rule.frequency == .monthly || rule.frequency == .yearly else {
          throw .usage(
            "--on \(text) needs --every month or year", hint: "days of a week are mo, tu")
        }
        rule.byMonthDay.append(day)
      } else {
        throw .usage(
          "--on cannot be '\(text)'",
          hint: "write mo,we for weekdays, or with --every month 15, last, '2nd tue', 'last fri'")
      }
    }
    var seen: Set<RecurrenceRule.WeekdayNumber> = []
    rule.byDay = rule.byDay.filter { seen.insert($0).inserted }
      .sorted { ($0.ordinal ?? 0, $0.weekday) < ($1.ordinal ?? 0, $1.weekday) }
  }

  /// `2nd tue`, `last fri`, `2tu`, `-1fr`.
  private func nthWeekday(_ text: String) -> (Int, Weekday)? {
    let tokens = text.split(separator: " ")
    if tokens.count == 2, let weekday = DateWords.weekday(tokens[1]) {
      if tokens[0] == "last" { return (-1, weekday) }
      let names = ["first", "second", "third", "fourth", "fifth"]
      if let index = names.firstIndex(of: String(tokens[0])) { return (index + 1, weekday) }
      guard let ordinal = DateWords.ordinal(tokens[0]), (1...5).contains(ordinal) else {
        return nil
      }
      return (ordinal, weekday)
    }
    guard tokens.count == 1, text.utf8.count >= 3, let weekday = Weekday(code: text.suffix(2)),
      let ordinal = Int(text.dropLast(2)), ordinal != 0, abs(ordinal) <= 5
    else { return nil }
    return (ordinal, weekday)
  }

  private func addEnd(
    _ invocation: Invocation, to rule: inout RecurrenceRule
  ) throws(CommandError) {
    if invocation.has("count"), invocation.has("until") {
      throw .usage("--count and --until both end the series", hint: "give one of them")
    }
    if let text = invocation.value("count") {
      guard let count = Int64(text), (1...1_000_000).contains(count) else {
        throw .usage("--count cannot be '\(text)': it is a whole number of at least 1")
      }
      rule.count = count
    }
    guard let text = invocation.value("until") else { return }
    switch try dates.parse(text, for: "--until") {
    case .date(let date): rule.until = .date(date)
    case .month(let first): rule.until = .date(TypedMoment.month(first).lastDate)
    case .dateTime(let dateTime):
      rule.until = rule.repeatsWithinDay ? .dateTime(dateTime) : .date(dateTime.date)
    }
  }
}
