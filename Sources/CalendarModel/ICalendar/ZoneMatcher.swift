import CivilTime
import Recurrence

/// Finds the IANA zone that a TZID of a file means.
struct ZoneMatcher {
  let zones: TimeZoneDatabase
  private var definitions: [String: ICalendarComponent] = [:]
  private var known: [String: String?] = [:]

  init(zones: TimeZoneDatabase, calendars: [ICalendarComponent]) {
    self.zones = zones
    for calendar in calendars {
      for child in calendar.children where child.name == "VTIMEZONE" {
        if let id = child.first("TZID")?.text { definitions[id] = child }
      }
    }
  }

  /// The zone for a TZID: by its name, by foreign names, by X-LIC-LOCATION, or by the transitions
  /// that its VTIMEZONE describes around a year; nil if there is none.
  mutating func zone(_ id: String, near year: Int) -> String? {
    if let result = known[id] { return result }
    let result = named(id) ?? defined(id, near: year) ?? offsetName(id)
    known[id] = .some(result)
    return result
  }

  private func named(_ id: String) -> String? {
    let trimmed = id.trimmed
    if let name = WindowsZones.name(trimmed), zones.rules(named: name) != nil { return name }
    if zones.rules(named: trimmed) != nil { return trimmed }
    // /freeassociation.sourceforge.net/Europe/Berlin, /mozilla.org/20050126_1/Europe/Berlin
    let parts = trimmed.split { $0 == "/" || $0 == " " }.map(String.init)
    for length in [3, 2]
    where parts.count > length || (parts.count == length && trimmed.hasPrefix("/")) {
      let name = parts.suffix(length).joined(separator: "/")
      if zones.rules(named: name) != nil { return name }
    }
    // US-Eastern, "(UTC-05:00) Eastern Time (US & Canada)", UTC+01
    let slashed = trimmed.replacing("-", with: "/")
    if slashed != trimmed, zones.rules(named: slashed) != nil { return slashed }
    if trimmed.hasPrefix("("), let close = trimmed.firstIndex(of: ")") {
      let rest = String(trimmed[trimmed.index(after: close)...]).trimmed
      if !rest.isEmpty, let name = named(rest) { return name }
    }
    if let last = parts.last, trimmed.hasPrefix("/"), zones.rules(named: last) != nil {
      return last
    }
    return nil
  }

  /// The zone of an offset in a name, alone or in brackets: what is left when neither the name nor
  /// a VTIMEZONE says more.
  private func offsetName(_ id: String) -> String? {
    let trimmed = id.trimmed
    if trimmed.hasPrefix("("), let close = trimmed.firstIndex(of: ")") {
      return fixed(trimmed[..<close].dropFirst())
    }
    return fixed(trimmed[...])
  }

  /// The zone of a whole number of hours from UTC, such as `UTC+01` or `GMT -03:00`.
  private func fixed(_ text: Substring) -> String? {
    let compact = text.uppercased().filter { $0 != " " }
    guard compact.hasPrefix("UTC") || compact.hasPrefix("GMT") else { return nil }
    var rest = compact.dropFirst(3)
    guard let sign = rest.popFirst(), sign == "+" || sign == "-" else { return nil }
    let digits = rest.filter { $0 != ":" && $0 != "." }
    guard digits.count == rest.filter({ $0.isNumber }).count, let number = Int(digits),
      digits.count <= 2 || (digits.count == 4 && number % 100 == 0)
    else { return nil }
    let hours = digits.count == 4 ? number / 100 : number
    if hours == 0 { return "Etc/UTC" }
    let name = "Etc/GMT\(sign == "+" ? "-" : "+")\(hours)"
    return zones.rules(named: name) == nil ? nil : name
  }

  /// The offset in seconds that a VTIMEZONE of the file gives around a wall-clock time; nil if
  /// there is none.
  func offset(_ id: String, at civil: CivilDateTime) -> Int? {
    guard let definition = definitions[id] else { return nil }
    let observances = Observance.all(of: definition)
    guard !observances.isEmpty else { return nil }
    let first = Observance.offset(at: Instant(utc: civil), in: observances)
    return Observance.offset(
      at: Instant(seconds: civil.civilSeconds - Int64(first)), in: observances)
  }

  private func defined(_ id: String, near year: Int) -> String? {
    guard let definition = definitions[id] else { return nil }
    if let location = definition.first("X-LIC-LOCATION")?.text, let name = named(location) {
      return name
    }
    let observances = Observance.all(of: definition)
    guard !observances.isEmpty else { return nil }
    let samples = (0..<24).map { month -> Instant in
      let date = CivilDate.dayNumber(year: year + month / 12, month: month % 12 + 1, day: 15)
      return Instant(seconds: Int64(date) * 86_400 + 43_200)
    }
    let expected = samples.map { Observance.offset(at: $0, in: observances) }
    if let first = expected.first, expected.allSatisfy({ $0 == first }), first % 3_600 == 0 {
      let hours = first / 3_600
      return hours == 0 ? "Etc/UTC" : "Etc/GMT\(hours > 0 ? "-" : "+")\(abs(hours))"
    }
    let preferred = [
      "Europe/Berlin", "Europe/London", "America/New_York", "America/Chicago", "America/Denver",
      "America/Los_Angeles", "Australia/Sydney", "Europe/Helsinki", "Europe/Paris",
    ]
    return (preferred + zones.names()).first { name in
      guard let rules = zones.rules(named: name) else { return false }
      return zip(samples, expected).allSatisfy { Int(rules.offset(at: $0).seconds) == $1 }
    }
  }
}

/// STANDARD or DAYLIGHT of a VTIMEZONE.
private struct Observance {
  let start: CivilDateTime
  let from: Int
  let to: Int
  let rule: RecurrenceRule?
  let dates: [CivilDateTime]

  static func all(of definition: ICalendarComponent) -> [Observance] {
    definition.children.compactMap { child in
      guard let start = child.first("DTSTART").flatMap({ CivilDateTime(basic: $0.value.trimmed) }),
        let from = child.first("TZOFFSETFROM").flatMap({ seconds($0.value) }),
        let to = child.first("TZOFFSETTO").flatMap({ seconds($0.value) })
      else { return nil }
      let rule = child.first("RRULE").flatMap {
        try? RecurrenceRule(parsing: $0.value, mode: .lenient)
      }
      let dates = child.all("RDATE").flatMap { line in
        line.value.split(separator: ",").compactMap { CivilDateTime(basic: String($0).trimmed) }
      }
      return Observance(start: start, from: from, to: to, rule: rule, dates: dates)
    }
  }

  /// `+0100`, `-053000` in seconds.
  static func seconds(_ text: String) -> Int? {
    let text = text.trimmed
    let digits = text.drop { $0 == "+" || $0 == "-" }
    guard digits.count == 4 || digits.count == 6, let number = Int(digits) else { return nil }
    let full = digits.count == 4 ? number * 100 : number
    let value = full / 10_000 * 3_600 + full / 100 % 100 * 60 + full % 100
    return text.hasPrefix("-") ? -value : value
  }

  /// The last onset at or before an instant, in seconds.
  private func onset(before instant: Instant) -> Int64? {
    var last: Int64?
    func take(_ civil: CivilDateTime) {
      let seconds = civil.civilSeconds - Int64(from)
      if seconds <= instant.seconds { last = max(last ?? .min, seconds) }
    }
    take(start)
    dates.forEach(take)
    if let rule {
      let window = CivilDateTime(civilSeconds: instant.seconds - 400 * 86_400)
      for civil in rule.occurrences(start: start, from: window).prefix(40) {
        if civil.civilSeconds - Int64(from) > instant.seconds { break }
        take(civil)
      }
    }
    return last
  }

  static func offset(at instant: Instant, in observances: [Observance]) -> Int {
    var best: (onset: Int64, offset: Int)?
    for observance in observances {
      guard let onset = observance.onset(before: instant) else { continue }
      if best.map({ onset > $0.onset }) ?? true { best = (onset, observance.to) }
    }
    return best?.offset ?? observances.min { $0.start < $1.start }?.from ?? 0
  }
}

extension String {
  /// The text without blanks at its ends.
  var trimmed: String {
    var slice = self[...]
    while let first = slice.first, first == " " || first == "\t" { slice.removeFirst() }
    while let last = slice.last, last == " " || last == "\t" { slice.removeLast() }
    return String(slice)
  }
}
