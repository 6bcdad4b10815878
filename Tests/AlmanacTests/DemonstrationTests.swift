import CalendarModel
import CivilTime
import GitStore
import TestSupport
import Testing

@testable import Almanac

@Suite struct DemonstrationTests {
  static let calendar = """
    BEGIN:VCALENDAR
    BEGIN:VEVENT
    UID:5d0b6c2e-7f41-4a9c-8b23-1e6f90a7c354
    SUMMARY:Choir rehearsal
    LOCATION:Parish hall
    DTSTART;TZID=Europe/Berlin:20260907T193000
    DURATION:PT2H
    RRULE:FREQ=WEEKLY;UNTIL=20270712T215959Z
    END:VEVENT
    END:VCALENDAR
    """

  @Test func threeDivergencesEndInOneTreeAndGitAloneGetsEachWrong() throws {
    let folder = TemporaryFolder()
    // Also inside a repository of somebody's, such as a clone of this one.
    _ = try Repository.create(folder.path)
    let demonstration = Demonstration(
      folder: folder.path, calendar: Array(Self.calendar.utf8), environment: testEnvironment())
    let result = try demonstration.run()
    #expect(result.rounds.count == 3)
    #expect(result.rounds.map(\.plainGitConflicts) == [true, true, false])
    #expect(result.rounds[0].plainGitLines.contains { $0.hasPrefix("<<<<<<<") })
    // The clean merge of the third round shows the choir twice in one week.
    let twice = result.rounds[2].plainGitStarts
    #expect(twice.contains("2026-12-14T18:00:00") && twice.contains("2026-12-15T20:00:00"))
    #expect(result.rounds.allSatisfy { $0.conflicts == 0 })
    let starts = try #require(result.rounds.last?.entries.map(\.occurrence.start.description))
    #expect(
      starts == [
        "2026-11-30T19:30:00", "2026-12-07T18:00:00", "2026-12-15T20:00:00", "2027-01-04T18:00:00",
        "2027-01-11T18:00:00",
      ])
    let titles = Set(result.rounds[2].entries.map(\.occurrence.object.title))
    #expect(titles == ["Choir rehearsal with orchestra"])
    #expect(result.trees.anna == result.trees.ben && result.trees.ben == result.trees.remote)
    #expect(!result.trees.anna.isEmpty)
  }
}
