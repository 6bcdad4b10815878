import CivilTime
import Recurrence

/// Occurrences per nanosecond, and windows far from the start.
enum RecurrenceBenchmarks {
  /// Name, rule and start.
  static let rules: [(name: String, rule: String, start: String)] = [
    ("daily", "FREQ=DAILY", "19970902T090000"),
    ("daily-interval3", "FREQ=DAILY;INTERVAL=3", "19970902T090000"),
    ("weekdays", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "19970902T090000"),
    ("weekly", "FREQ=WEEKLY", "19970902T090000"),
    ("biweekly-mwf", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE,FR", "19970901T090000"),
    ("monthly-2nd-tue", "FREQ=MONTHLY;BYDAY=2TU", "19970909T090000"),
    ("monthly-15", "FREQ=MONTHLY;BYMONTHDAY=15", "19970915T090000"),
    ("monthly-31", "FREQ=MONTHLY;BYMONTHDAY=31", "19970131T090000"),
    ("monthly-last-day", "FREQ=MONTHLY;BYMONTHDAY=-1", "19970930T090000"),
    (
      "monthly-last-workday", "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", "19970930T090000"
    ),
    ("monthly-friday13", "FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13", "19980213T090000"),
    ("yearly", "FREQ=YEARLY", "19970902T090000"),
    ("yearly-feb29", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29", "19960229T090000"),
    ("yearly-thanksgiving", "FREQ=YEARLY;BYMONTH=11;BYDAY=4TH", "19971127T090000"),
    ("yearly-20th-monday", "FREQ=YEARLY;BYDAY=20MO", "19970519T090000"),
    ("yearly-weekno20-mo", "FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO", "19970512T090000"),
    ("yearly-yearday", "FREQ=YEARLY;BYYEARDAY=1,100,200", "19970101T090000"),
    ("daily-in-january", "FREQ=DAILY;BYMONTH=1", "19980101T090000"),
    ("hourly-office", "FREQ=HOURLY;BYHOUR=9,10,11,12,13,14,15,16,17", "19970902T090000"),
    ("minutely", "FREQ=MINUTELY", "19970902T090000"),
    ("minutely-90", "FREQ=MINUTELY;INTERVAL=90", "19970902T090000"),
    ("secondly", "FREQ=SECONDLY", "19970902T090000"),
  ]

  /// Time per occurrence of the first occurrences, up to 2 500 of them.
  static func run(_ harness: inout Harness) {
    for item in rules {
      guard let rule = try? RecurrenceRule(parsing: item.rule),
        let start = CivilDateTime(basic: item.start)
      else { continue }
      let peer = LibicalRule(item.rule, start: item.start)
      let limit = item.name.hasPrefix("yearly") ? 150 : 1_000
      harness.run("recurrence/expand-\(item.name)", unit: "occurrence", expecting: limit) {
        var count = 0
        var sum = 0
        var occurrences = rule.occurrences(start: start)
        while count < limit, let next = occurrences.next() {
          count += 1
          sum &+= Int(next.civilSeconds)
        }
        return (count, sum)
      } peer: {
        var count = 0
        var sum = 0
        peer.forEach { time in
          count += 1
          sum &+= LibicalRule.code(time)
          return count < limit
        }
        return (count, sum)
      }
    }
  }

  /// Name, rule, start, window and the number of occurrences in it.
  static let windows:
    [(name: String, rule: String, start: String, from: String, to: String, count: Int)] = [
      ("daily-29-years", "FREQ=DAILY", "19970902T090000", "20260601T000000", "20260608T000000", 7),
      ("daily-156-years", "FREQ=DAILY", "19700101T090000", "21260603T000000", "21260610T000000", 7),
      (
        "weekly-156-years", "FREQ=WEEKLY", "19700101T090000", "21260603T000000",
        "21260610T000000", 1
      ),
      (
        "monthly-2tu-156-years", "FREQ=MONTHLY;BYDAY=2TU", "19700113T090000", "21260601T000000",
        "21260701T000000", 1
      ),
      (
        "daily-count-29-years", "FREQ=DAILY;COUNT=60000", "19970902T090000", "20260601T000000",
        "20260608T000000", 7
      ),
      (
        "weekly-mwf-count-29-years", "FREQ=WEEKLY;BYDAY=MO,WE,FR;COUNT=50000", "19970901T090000",
        "20260601T000000", "20260608T000000", 3
      ),
      (
        "last-workday-count-29-years",
        "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;COUNT=3000", "19970930T090000",
        "20260601T000000", "20260701T000000", 1
      ),
      (
        "last-workday-count-130-years",
        "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;COUNT=3000", "19970930T090000",
        "21270601T000000", "21270701T000000", 1
      ),
    ]

  /// Windows of a week or a month: with COUNT as without, near as far.
  static func runQueries(_ harness: inout Harness) {
    for item in windows {
      guard let rule = try? RecurrenceRule(parsing: item.rule),
        let start = CivilDateTime(basic: item.start), let from = CivilDateTime(basic: item.from),
        let to = CivilDateTime(basic: item.to)
      else { continue }
      let peer = LibicalRule(item.rule, start: item.start)
      let fromCode = Int(from.civilSeconds)
      let toCode = Int(to.civilSeconds)
      var found = 0
      harness.run("recurrence/window-\(item.name)", unit: "query") {
        var sum = 0
        found = 0
        var occurrences = rule.occurrences(start: start, from: from)
        while let next = occurrences.next(), next < to {
          found += 1
          sum &+= Int(next.civilSeconds)
        }
        precondition(found == item.count, "\(item.name): \(found) occurrences")
        return (1, sum)
      } peer: {
        var sum = 0
        peer.forEach(from: item.from) { time in
          let code = LibicalRule.code(time)
          if code >= fromCode, code < toCode { sum &+= code }
          return code < toCode
        }
        return (1, sum)
      }
    }
  }
}
