import CalendarModel
import CivilTime
import Recurrence

/// `expand`: the occurrences of a rule, without a store.
enum ExpandCommand {
  /// Occurrences that are printed of a series without window and limit.
  static let occurrencesMax = 1_000

  @Sendable static func run(_ session: Session) throws -> ExitStatus {
    let invocation = session.invocation
    guard let startText = invocation.value("start") else {
      throw CommandError.usage("'expand' needs --start", hint: "such as --start 2026-01-05T10:00")
    }
    guard let ruleText = invocation.value("rule") else {
      throw CommandError.usage("'expand' needs --rule", hint: "such as --rule FREQ=WEEKLY")
    }
    let zone = try invocation.value("timezone").map {
      try Session.zone(named: $0, option: "--timezone", session.surroundings.zones)
    }
    let dates = DateArguments(now: session.now, zone: zone ?? session.zone)
    func moments(_ name: String) throws(CommandError) -> [DateOrDateTime] {
      var values: [DateOrDateTime] = []
      for text in invocation.all(name).flatMap({ $0.split(separator: ",") }) {
        values.append(try dates.parse(String(text), for: "--\(name)").value)
      }
      return values
    }
    let start = try dates.parse(startText, for: "--start").value
    let rule = try RecurrenceArguments.parse(rule: ruleText)
    var warnings: [String] = []
    if case .instant? = rule.until, start.isDate {
      warnings.append("UNTIL is an instant, but the start is a date")
    }
    let set = RecurrenceSet(
      start: start, rules: [rule], additionalDates: try moments("rdate"),
      excludedDates: try moments("exdate"), zone: zone,
      includesStart: invocation.has("include-start"))
    let limit = try limit(of: invocation)
    let from = try moments("from").first?.dateTime
    let to = try moments("to").first?.dateTime
    let found = occurrences(
      of: set, from: from, to: to, limit: limit ?? (to == nil ? occurrencesMax : .max),
      warnings: &warnings)
    try write(found, startsAreDates: start.isDate, warnings, session)
    if !found.complete, limit == nil, to == nil {
      session.note("these are the first \(occurrencesMax); --limit or --to say how many you want")
    }
    return .done
  }

  private static func limit(of invocation: Invocation) throws(CommandError) -> Int? {
    guard let text = invocation.value("limit") else { return nil }
    guard let number = Int(text), number >= 0 else {
      throw .usage("--limit cannot be '\(text)': it is a whole number")
    }
    return number
  }

  private static func occurrences(
    of set: RecurrenceSet, from: CivilDateTime?, to: CivilDateTime?, limit: Int,
    warnings: inout [String]
  ) -> (values: [CivilDateTime], complete: Bool) {
    var values: [CivilDateTime] = []
    var stream = set.occurrences(from: from)
    var complete = true
    while let next = stream.next() {
      if let to, next >= to { break }
      if values.count == limit {
        complete = false
        break
      }
      values.append(next)
    }
    for stop in stream.stops {
      switch stop {
      case .lastYear?: warnings.append("the series goes on beyond the last year, 9999")
      case .neverMatches?: warnings.append("the rule can never make an occurrence")
      case .notEvaluable?:
        warnings.append("the calendar of the rule is not supported, so it makes no occurrence")
        complete = false
      case .workLimit?:
        warnings.append("the search was given up; there may be further occurrences")
        complete = false
      case .finished?, nil: break
      }
    }
    return (values, complete)
  }

  private static func write(
    _ found: (values: [CivilDateTime], complete: Bool), startsAreDates: Bool,
    _ warnings: [String], _ session: Session
  ) throws {
    func text(_ value: CivilDateTime) -> String {
      startsAreDates && value.time == .midnight ? value.date.description : value.description
    }
    if session.isJSON {
      session.write(
        .object([
          "occurrences": .array(found.values.map { .string(text($0)) }),
          "complete": .bool(found.complete), "warnings": .array(warnings.map { .string($0) }),
        ]))
      return
    }
    for value in found.values { session.output.line(text(value)) }
    for warning in warnings { session.note("warning: " + warning) }
  }
}
