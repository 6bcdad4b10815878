import CivilTime
import Testing

@testable import AlmanacCLI

@Suite struct RecurrenceArgumentsTests {
  private func rule(_ words: [String]) throws -> String? {
    let parser = CommandLineParser(
      commands: [
        CommandSpecification("test", .tools, options: CommandTable.recurrence, "test") { _ in .done
        }
      ], globals: [])
    let zone = try #require(TimeZoneDatabase().rules(named: "Europe/Berlin"))
    let now = try #require(Instant(extended: "2026-11-30T12:00:00Z"))
    return try RecurrenceArguments(dates: DateArguments(now: now, zone: zone))
      .rule(parser.parse(["test"] + words))?.text
  }

  @Test(arguments: [
    ("--every day", "FREQ=DAILY"), ("--every week", "FREQ=WEEKLY"),
    ("--every 2_weeks --on mo,we", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE"),
    ("--every other_week", "FREQ=WEEKLY;INTERVAL=2"), ("--every 3w", "FREQ=WEEKLY;INTERVAL=3"),
    ("--every weekday", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
    ("--every monday", "FREQ=WEEKLY;BYDAY=MO"), ("--every quarter", "FREQ=MONTHLY;INTERVAL=3"),
    ("--every month --on 15", "FREQ=MONTHLY;BYMONTHDAY=15"),
    ("--every month --on last", "FREQ=MONTHLY;BYMONTHDAY=-1"),
    ("--every month --on 2nd_tue", "FREQ=MONTHLY;BYDAY=2TU"),
    ("--every month --on last_fri", "FREQ=MONTHLY;BYDAY=-1FR"),
    ("--every year --count 5", "FREQ=YEARLY;COUNT=5"),
    ("--every week --until dec_24", "FREQ=WEEKLY;UNTIL=20261224"),
    ("--every week --until 2027-03", "FREQ=WEEKLY;UNTIL=20270331"),
    ("--rule FREQ=WEEKLY;BYDAY=MO --count 3", "FREQ=WEEKLY;COUNT=3;BYDAY=MO"),
    ("--rule RRULE:FREQ=DAILY", "FREQ=DAILY"),
    ("--every day --on sa,su", "FREQ=WEEKLY;BYDAY=SA,SU"),
  ])
  func readsWords(line: String, expected: String) throws {
    let words = line.split(separator: " ").map { String($0).replacing("_", with: " ") }
    let text = try #require(try rule(words))
    #expect(Set(text.split(separator: ";")) == Set(expected.split(separator: ";")))
  }

  @Test func saysNothingWhereNothingIsSaid() throws {
    #expect(try rule([]) == nil)
  }

  @Test(arguments: [
    "--every fortnightly", "--every 0_weeks", "--every week --on 15", "--every week --on xx",
    "--count 3", "--on mo", "--every week --count 0", "--every week --count x",
    "--every week --count 2 --until dec_24", "--every week --rule FREQ=DAILY",
    "--rule FREQ=DAILY;COUNT=2 --count 3", "--rule FREQ=NEVER", "--every week --until 12/24",
    "--every 3_days --on mo", "--every -1_week",
  ])
  func refusesWhatMakesNoSense(line: String) {
    let words = line.split(separator: " ").map { String($0).replacing("_", with: " ") }
    #expect(throws: CommandError.self) { try rule(words) }
  }
}
