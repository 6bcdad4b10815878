import CivilTime

extension RecurrenceRule {
  /// The canonical RFC 5545 text; defaults are left out, lists are sorted, unknown parts come last.
  public var text: String {
    var parts: [String] = []
    if let scale { parts.append("RSCALE=\(scale)") }
    parts.append("FREQ=\(frequency.name.uppercased())")
    if interval != 1 { parts.append("INTERVAL=\(interval)") }
    if let count { parts.append("COUNT=\(count)") }
    switch until {
    case nil: break
    case .date(let date): parts.append("UNTIL=\(RecurrenceRule.basic(date.description))")
    case .dateTime(let value): parts.append("UNTIL=\(RecurrenceRule.basic(value.description))")
    case .instant(let value): parts.append("UNTIL=\(RecurrenceRule.basic(value.description))")
    }
    func add(_ name: String, _ values: [String]) {
      if !values.isEmpty { parts.append("\(name)=\(values.joined(separator: ","))") }
    }
    add("BYMONTH", byMonth.map { "\($0.number)\($0.isLeap ? "L" : "")" })
    add("BYWEEKNO", byWeekNumber.map(String.init))
    add("BYYEARDAY", byYearDay.map(String.init))
    add("BYMONTHDAY", byMonthDay.map(String.init))
    add(
      "BYDAY",
      byDay.map { day in
        (day.ordinal.map { String($0) } ?? "") + day.weekday.code.uppercased()
      })
    add("BYHOUR", byHour.map(String.init))
    add("BYMINUTE", byMinute.map(String.init))
    add("BYSECOND", bySecond.map(String.init))
    add("BYSETPOS", bySetPosition.map(String.init))
    if weekStart != .monday { parts.append("WKST=\(weekStart.code.uppercased())") }
    if skip != .omit { parts.append("SKIP=\(skip.rawValue.uppercased())") }
    return (parts + unknownParts).joined(separator: ";")
  }

  /// The text from which the rule was read, for printing without loss; nil if there is none or the
  /// rule has been changed since.
  public var originalText: String? {
    guard let original = source.text,
      let read = try? RecurrenceRule(parsing: original, mode: .lenient), read == self
    else { return nil }
    return original
  }

  /// The basic ISO 8601 form of an extended one.
  static func basic(_ extended: String) -> String {
    String(extended.filter { $0 != "-" && $0 != ":" })
  }
}

extension RecurrenceRule: CustomStringConvertible {
  /// The canonical RFC 5545 text.
  public var description: String { text }
}
