import CalendarModel
import CivilTime
import Recurrence

/// Dates, lengths and rules in words.
enum Words {
  /// `Thu 3 December`, with the year where it is not that of `now`.
  static func day(_ date: CivilDate, now: CivilDate) -> String {
    let (year, month, day) = date.parts
    let text =
      "\(DateWords.weekdays[date.weekday.rawValue].prefix(3)) \(day) "
      + DateWords.months[month - 1]
    return year == now.year ? text : text + " \(year)"
  }

  /// `today`, `tomorrow`, `yesterday`; nil for other days.
  static func nearby(_ date: CivilDate, now: CivilDate) -> String? {
    switch date.days(since: now) {
    case 0: "today"
    case 1: "tomorrow"
    case -1: "yesterday"
    default: nil
    }
  }

  /// `18:30`, or `18:30:15` where there are seconds.
  static func time(_ time: TimeOfDay) -> String {
    let text = time.description
    return time.second == 0 ? String(text.prefix(5)) : text
  }

  /// `Thu 3 December 18:30`.
  static func moment(_ value: DateOrDateTime, now: CivilDate) -> String {
    let day = day(value.date, now: now)
    return value.time.map { day + " " + time($0) } ?? day
  }

  /// `1 change`, `2 changes`.
  static func count(_ number: Int, _ singular: String, _ plural: String? = nil) -> String {
    "\(number) " + (number == 1 ? singular : plural ?? singular + "s")
  }

  /// A length in words: `1 h 30 min`, `2 days`.
  static func length(_ duration: CalendarDuration) -> String {
    var parts: [String] = []
    let days = Int(duration.days.magnitude)
    let seconds = Int64(duration.seconds.magnitude)
    if days > 0 {
      parts.append(days % 7 == 0 && seconds == 0 ? count(days / 7, "week") : count(days, "day"))
    }
    if seconds >= 3_600 { parts.append("\(seconds / 3_600) h") }
    if seconds / 60 % 60 > 0 { parts.append("\(seconds / 60 % 60) min") }
    if seconds % 60 > 0 { parts.append("\(seconds % 60) s") }
    return parts.isEmpty ? "no time" : parts.joined(separator: " ")
  }

  /// A rule in words: `every 2 weeks on Monday and Thursday, until Fri 24 December`.
  static func rule(_ rule: RecurrenceRule, now: CivilDate) -> String {
    let units: [RecurrenceRule.Frequency: String] = [
      .yearly: "year", .monthly: "month", .weekly: "week", .daily: "day", .hourly: "hour",
      .minutely: "minute", .secondly: "second",
    ]
    let unit = units[rule.frequency] ?? "time"
    var text = rule.interval == 1 ? "every \(unit)" : "every \(rule.interval) \(unit)s"
    if !rule.byMonth.isEmpty {
      let names = rule.byMonth.map { month in
        DateWords.months.indices.contains(month.number - 1)
          ? DateWords.months[month.number - 1] : "month \(month.number)"
      }
      text += " in " + Suggestion.list(names, "and")
    }
    if !rule.byMonthDay.isEmpty {
      text +=
        " on "
        + Suggestion.list(
          rule.byMonthDay.map {
            $0 == -1
              ? "the last day"
              : $0 < 0
                ? "the \(ordinal(-$0)) last day"
                : "the \(ordinal($0))"
          }, "and")
    }
    if !rule.byDay.isEmpty {
      text += " on " + Suggestion.list(rule.byDay.map(weekday), "and")
    }
    if rule.repeatsWithinDay || !rule.bySetPosition.isEmpty || !rule.byWeekNumber.isEmpty
      || !rule.byYearDay.isEmpty || rule.scale != nil
    {
      text += " (\(rule.withoutEnd.text))"
    }
    if let count = rule.count { text += ", \(count) times in all" }
    switch rule.until {
    case nil: break
    case .date(let date)?: text += ", until " + day(date, now: now)
    case .dateTime(let value)?: text += ", until " + moment(.dateTime(value), now: now)
    case .instant(let instant)?: text += ", until \(instant)"
    }
    return text
  }

  private static func weekday(_ element: RecurrenceRule.WeekdayNumber) -> String {
    let name = DateWords.weekdays[element.weekday.rawValue]
    guard let number = element.ordinal else { return name }
    if number == -1 { return "the last \(name)" }
    return number < 0 ? "the \(ordinal(-number)) last \(name)" : "the \(ordinal(number)) \(name)"
  }

  /// `1st`, `22nd`.
  static func ordinal(_ number: Int) -> String {
    let suffix: String
    switch (number % 10, number % 100) {
    case (_, 11...13): suffix = "th"
    case (1, _): suffix = "st"
    case (2, _): suffix = "nd"
    case (3, _): suffix = "rd"
    default: suffix = "th"
    }
    return "\(number)\(suffix)"
  }
}
