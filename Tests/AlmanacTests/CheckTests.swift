import CalendarModel
import TestSupport
import Testing

@testable import Almanac

@Suite struct CheckTests {
  static func codes(_ report: CheckReport) -> [String] {
    report.findings.map(\.finding.code).filter { $0 != "W501" }
  }

  @Test func filesAreCheckedAloneAndTogether() throws {
    let folder = TemporaryFolder()
    let replica = try ReplicaTests.replica(folder)
    let uid = try ReplicaTests.addWeekly(replica).uid
    let path = ObjectPath.path(kind: .event, collection: "home", uid: uid)
    #expect(try CheckTests.codes(replica.check()) == [])
    let text = try #require(folder.text("a/" + path))
    folder.write("a/calendars/home/events/copy.json", text)
    folder.write(
      "a/" + path,
      text.replacing(
        "  \"created\"",
        with: "  \"links\": { \"a\": { \"href\": \"files/aa/x.txt\" } },\n  \"created\""))
    let report = try replica.check()
    #expect(Set(CheckTests.codes(report)) == ["W101", "W205", "E203", "W202"])
    let duplicate = try #require(report.findings.first { $0.finding.code == "E203" })
    #expect(duplicate.path == "calendars/home/events/copy.json" && duplicate.finding.line > 1)
    #expect(duplicate.finding.message.contains(path))
  }

  @Test func fixingConvertsOldNamesAndWritesCanonically() throws {
    let folder = TemporaryFolder()
    let replica = try ReplicaTests.replica(folder)
    folder.write(
      "a/calendars/home/events/old.json",
      """
      { "title": "Old", "start": "2026-12-01T09:00:00", "timeZone": "Europe/Berlin",
        "recurrenceRules": [{ "frequency": "weekly" }] }
      """)
    folder.write("a/calendars/home/events/wrong.json", "{ \"start\": \"2026-02-30\" }")
    #expect(try replica.check().hasErrors)
    let report = try replica.check(fix: true)
    #expect(report.fixed == ["calendars/home/events/old.json"])
    let text = try #require(folder.text("a/calendars/home/events/old.json"))
    #expect(text.contains("\"recurrenceRule\": {\n    \"frequency\": \"weekly\"\n  }"))
    #expect(text.contains("\"uid\": \"") && text.contains("\"created\": \""))
    #expect(
      folder.text("a/calendars/home/events/wrong.json") == "{ \"start\": \"2026-02-30\" }")
    #expect(try replica.snapshot().objects().map(\.object.title) == ["Old"])
    #expect(CheckTests.codes(report).contains("E302"))
  }
}
