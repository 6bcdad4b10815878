import CivilTime
import Recurrence
import TestSupport

/// One week of ten thousand series, as an agenda asks for it.
enum AgendaBenchmarks {
  static let shapes = [
    "FREQ=WEEKLY", "FREQ=WEEKLY", "FREQ=WEEKLY;BYDAY=TU,TH", "FREQ=WEEKLY;BYDAY=MO",
    "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "FREQ=DAILY",
    "FREQ=MONTHLY;BYMONTHDAY=15", "FREQ=MONTHLY;BYDAY=2TU", "FREQ=YEARLY",
    "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", "FREQ=WEEKLY;COUNT=400",
    "FREQ=DAILY;UNTIL=20261231T090000",
  ]
  static let zoneNames = [
    "Europe/Berlin", "America/New_York", "Asia/Tokyo", "Australia/Sydney", "America/Sao_Paulo",
    "Europe/London",
  ]

  static func run(_ harness: inout Harness) {
    let name = "recurrence/agenda-10000-series"
    guard harness.wants(name) else { return }
    let zones = TimeZoneDatabase()
    let rules = zoneNames.compactMap { zones.rules(named: $0) }
    var generator = SeededGenerator(seed: 2026)
    var series: [(rule: RecurrenceRule, start: CivilDateTime, zone: TimeZoneRules)] = []
    var peers: [LibicalRule] = []
    for _ in 0..<10_000 {
      let text = generator.element(of: shapes)
      guard let rule = try? RecurrenceRule(parsing: text), !rules.isEmpty else { return }
      let day = generator.integer(14_610...20_088)
      let start = CivilDateTime(
        date: CivilDate(dayNumber: Int32(day)),
        time: TimeOfDay(secondOfDay: generator.integer(14...40) * 1_800))
      series.append((rule, start, generator.element(of: rules)))
      peers.append(LibicalRule(text, start: "\(start)".filter { $0 != "-" && $0 != ":" }))
    }
    guard let from = CivilDateTime(basic: "20260601T000000"),
      let to = CivilDateTime(basic: "20260608T000000")
    else { return }
    let toCode = Int(to.civilSeconds)
    let fromCode = Int(from.civilSeconds)
    harness.run(name, unit: "agenda") {
      var sum = 0
      for item in series {
        var occurrences = item.rule.occurrences(start: item.start, from: from)
        while let next = occurrences.next(), next < to { sum &+= Int(next.civilSeconds) }
      }
      return (1, sum)
    } peer: {
      var sum = 0
      for peer in peers {
        peer.forEach(from: "20260601T000000") { time in
          let code = LibicalRule.code(time)
          if code >= fromCode, code < toCode { sum &+= code }
          return code < toCode
        }
      }
      return (1, sum)
    }
    harness.run(name + "-with-instants", unit: "agenda") {
      var sum = 0
      for item in series {
        var occurrences = item.rule.occurrences(start: item.start, from: from)
        while let next = occurrences.next(), next < to {
          sum &+= Int(item.zone.instant(of: next).seconds)
        }
      }
      return (1, sum)
    }
  }
}
