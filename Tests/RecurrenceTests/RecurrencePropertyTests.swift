import CivilTime
import Recurrence
import TestSupport
import Testing

/// Random rules against the brute force: every way to ask gives the same occurrences.
@Suite struct RecurrencePropertyTests {
  /// Days that the brute force looks at per frequency; what fits into a test run.
  static func horizon(_ frequency: RecurrenceRule.Frequency) -> Int {
    switch frequency {
    case .yearly: 365 * 9
    case .monthly, .weekly: 365 * 4
    case .daily: 365 * 3
    case .hourly: 200
    case .minutely: 4
    case .secondly: 0
    }
  }

  static func cases(_ frequency: RecurrenceRule.Frequency) -> Int {
    let base = frequency.rawValue >= RecurrenceRule.Frequency.minutely.rawValue ? 12 : 25
    return base * TestEffort.factor
  }

  @Test(arguments: RecurrenceRule.Frequency.allCases)
  func everyQuestionAgreesWithTheBruteForce(_ frequency: RecurrenceRule.Frequency) {
    let base = UInt64(20_261_130 + frequency.rawValue * 1_000_003)
    for number in 0..<RecurrencePropertyTests.cases(frequency) {
      let seed = base + UInt64(number)
      var random = RandomRules(generator: SeededGenerator(seed: seed))
      let start = random.start()
      let rule = random.rule(frequency, start: start)
      var check = AgreementCheck(
        rule: rule, start: start,
        lastDay: Int(start.date.dayNumber) + RecurrencePropertyTests.horizon(frequency),
        generator: random.generator)
      check.run()
      for failure in check.failures { Issue.record("seed \(seed): \(failure)") }
    }
  }

  @Test func textOfEveryRandomRuleReadsBackAsTheSameRule() throws {
    for seed in 1...UInt64(100 * TestEffort.factor) {
      var random = RandomRules(generator: SeededGenerator(seed: seed))
      let start = random.start()
      let frequency = random.generator.element(of: RecurrenceRule.Frequency.allCases)
      var rule = random.rule(frequency, start: start)
      if seed % 3 == 0 { rule.count = Int64(random.generator.integer(1...1_000)) }
      if seed % 3 == 1 { rule.until = .instant(Instant(utc: start)) }
      let again = try RecurrenceRule(parsing: rule.text)
      #expect(again == rule, "seed \(seed): \(rule.text)")
      #expect(again.text == rule.text, "seed \(seed)")
    }
  }
}

/// One rule held against the brute force from all sides.
private struct AgreementCheck {
  let rule: RecurrenceRule
  let start: CivilDateTime
  let lastDay: Int
  var generator: SeededGenerator
  var failures: [String] = []

  private var end: CivilDateTime { CivilDateTime(civilSeconds: Int64(lastDay + 1) * 86_400) }

  init(rule: RecurrenceRule, start: CivilDateTime, lastDay: Int, generator: SeededGenerator) {
    self.rule = rule
    self.start = start
    self.lastDay = lastDay
    self.generator = generator
  }

  mutating func run() {
    let all = BruteForce(rule: rule, start: start, lastDay: lastDay).occurrences()
    expect(rule, from: nil, all, "whole")
    for _ in 0..<4 {
      let moment = moment(near: all)
      expect(rule, from: moment, all.filter { $0 >= moment }, "from \(moment)")
      let count = rule.occurrenceCount(start: start, before: moment)
      let expected = all.count { $0 < moment }
      if count != Int64(expected) {
        failures.append("\(rule) from \(start): \(count) before \(moment), not \(expected)")
      }
      let found = rule.matches(moment, start: start)
      if found != all.contains(moment) {
        failures.append("\(rule) from \(start): matches(\(moment)) is \(found)")
      }
    }
    guard let last = all.last else { return }
    checkCount(all)
    checkUntil(all)
    if !rule.matches(last, start: start) { failures.append("\(rule): no match at \(last)") }
  }

  private mutating func checkCount(_ all: [CivilDateTime]) {
    var counted = rule
    let count = generator.integer(1...all.count)
    counted.count = Int64(count)
    let members = Array(all[..<count])
    expect(counted, from: nil, members, "COUNT")
    let moment = moment(near: all)
    expect(counted, from: moment, members.filter { $0 >= moment }, "COUNT from \(moment)")
    if counted.lastOccurrence(start: start) != members.last {
      failures.append("\(counted) from \(start): the last occurrence is not \(members[count - 1])")
    }
    if counted.occurrenceCount(start: start, before: end) != Int64(count) {
      failures.append("\(counted) from \(start): the count is not \(count)")
    }
  }

  private mutating func checkUntil(_ all: [CivilDateTime]) {
    var ended = rule
    let until = moment(near: all)
    ended.until = generator.chance(oneIn: 2) ? .dateTime(until) : .date(until.date)
    let members = all.filter {
      if case .date(let date) = ended.until { $0.date <= date } else { $0 <= until }
    }
    expect(ended, from: nil, members, "UNTIL")
    if ended.lastOccurrence(start: start) != members.last {
      let last = members.last.map { "\($0)" } ?? "none"
      failures.append("\(ended) from \(start): the last occurrence is not \(last)")
    }
  }

  /// A moment at, just before or just after an occurrence, or anywhere in the horizon.
  private mutating func moment(near all: [CivilDateTime]) -> CivilDateTime {
    if let first = all.first, !generator.chance(oneIn: 3) {
      let near = all.isEmpty ? first : generator.element(of: all)
      return CivilDateTime(civilSeconds: near.civilSeconds + Int64(generator.integer(-1...1)))
    }
    let span = Int(end.civilSeconds - start.civilSeconds)
    return CivilDateTime(civilSeconds: start.civilSeconds + Int64(generator.integer(0...span - 1)))
  }

  private mutating func expect(
    _ rule: RecurrenceRule, from: CivilDateTime?, _ expected: [CivilDateTime], _ what: String
  ) {
    var found: [CivilDateTime] = []
    for occurrence in rule.occurrences(start: start, from: from) {
      if occurrence >= end { break }
      found.append(occurrence)
      if found.count > expected.count { break }
    }
    guard found != expected else { return }
    let index = zip(found, expected).prefix { $0 == $1 }.count
    let left = index < found.count ? "\(found[index])" : "the end"
    let right = index < expected.count ? "\(expected[index])" : "the end"
    failures.append("\(rule) from \(start), \(what): number \(index) is \(left), not \(right)")
  }
}
