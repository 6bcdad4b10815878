import CalendarModel
import CivilTime
import Testing

@testable import CalendarMerge

/// Units that are right on each side and cannot stand together.
struct ImpossibleCombinationTests {
  /// Merges two edits of one object, the second one later, both ways round.
  static func merge(
    _ base: JSONObject, _ kind: FileKind = .event, _ first: (inout JSONObject) -> Void,
    _ second: (inout JSONObject) -> Void
  ) throws -> JSONObject {
    var members = base
    members["uid"] = "x@example.com"
    members["created"] = "2026-01-01T00:00:00Z"
    members["@type"] = .string(kind.rawValue)
    let common = ObjectVersion(members: Normaliser.normalise(members, kind: kind), collection: "c")
    var commits: [HistoryCommit] = []
    for index in 0...1 {
      var changed = common.members
      if index == 0 { first(&changed) } else { second(&changed) }
      let version = ObjectVersion(
        members: Normaliser.normalise(changed, kind: kind), collection: "c")
      try expectValid(version, kind)
      commits.append(
        HistoryCommit(
          id: "c\(index)", parents: [], at: Instant(seconds: Int64(index)), by: "\(index)",
          version: version))
    }
    let history = ObjectHistory(kind: kind, base: common, commits: commits)
    let merged = try #require(history.merged(["c0", "c1"]))
    #expect(history.merged(["c1", "c0"]) == merged)
    try expectValid(merged, kind)
    return merged.members
  }

  private static let task: JSONObject = [
    "title": "T", "start": "2026-06-10T09:00:00", "due": "2026-06-12T09:00:00",
    "timeZone": "Europe/Berlin",
  ]

  @Test func startAfterDue() throws {
    let merged = try Self.merge(
      Self.task, .reminder, { $0["start"] = "2026-06-11T09:00:00" },
      { $0["due"] = "2026-06-10T10:00:00" })
    #expect(merged["start"] == "2026-06-10T09:00:00")
    #expect(merged["due"] == "2026-06-10T10:00:00")
    #expect(merged["conflicts"]?.objectValue?.names == ["@day"])
  }

  @Test func startAndDueOfTwoKinds() throws {
    let merged = try Self.merge(
      Self.task, .reminder,
      {
        $0["start"] = "2026-06-10"
        $0["due"] = "2026-06-12"
        $0["timeZone"] = nil
      }, { $0["due"] = "2026-06-13T09:00:00" })
    #expect(merged["start"] == "2026-06-10T09:00:00")
    #expect(merged["due"] == "2026-06-13T09:00:00")
    #expect(merged["timeZone"] == "Europe/Berlin")
    #expect(merged["conflicts"]?.objectValue?.names == ["@hour", "due"])
  }

  @Test func endZoneWithoutZone() throws {
    let merged = try Self.merge(
      ["title": "F", "start": "2026-06-10T09:00:00", "timeZone": "Europe/Berlin"], .event,
      { $0["endTimeZone"] = "Europe/Lisbon" }, { $0["timeZone"] = nil })
    #expect(merged["timeZone"] == nil)
    #expect(merged["endTimeZone"] == nil)
    #expect(merged["conflicts"]?.objectValue?.names == ["endTimeZone"])
  }

  @Test func displacementUnderARuleThatAllowsNone() throws {
    let merged = try Self.merge(
      [
        "title": "W", "start": "2026-06-01T09:00:00", "timeZone": "Europe/Berlin",
        "recurrenceRule": ["frequency": "weekly"],
      ], .event, { $0["futureOverrides"] = ["2026-06-15": ["shift": "P1D"]] },
      { $0["recurrenceRule"] = ["frequency": "monthly"] })
    #expect(merged["recurrenceRule"]?.objectValue?["frequency"] == "monthly")
    #expect(merged["futureOverrides"] == nil)
    let entry = merged["conflicts"]?.objectValue?["futureOverrides/2026-06-15/@day"]
    #expect(entry?.arrayValue?.first?.objectValue?["value"] == ["shift": "P1D"])
  }

  @Test func aDateThatOneSideTookAwayAndTheOtherMoved() throws {
    let merged = try Self.merge(
      ["title": "R", "due": "2026-06-12T12:00:00", "timeZone": "Europe/Berlin"], .reminder,
      {
        $0["due"] = nil
        $0["timeZone"] = nil
      }, { $0["due"] = "2026-06-12T13:00:00" })
    #expect(merged["due"] == "2026-06-12T13:00:00")
    #expect(merged["conflicts"]?.objectValue?.names == ["@day", "@hour"])
  }

  @Test func anEndWithoutARuleWaits() throws {
    let merged = try Self.merge(
      [
        "title": "W", "start": "2026-06-01T09:00:00", "timeZone": "Europe/Berlin",
        "recurrenceRule": ["frequency": "weekly", "count": 6],
      ], .event, { $0["recurrenceRule"] = ["frequency": "weekly", "count": 9] },
      { $0["recurrenceRule"] = nil })
    #expect(merged["recurrenceRule"] == nil)
    let entry = merged["conflicts"]?.objectValue?["@end"]?.arrayValue?.first?.objectValue
    #expect(entry?["value"] == ["count": 9])
  }

  @Test func theMainPlaceStays() throws {
    let merged = try Self.merge(
      [
        "title": "W", "start": "2026-06-01T09:00:00", "timeZone": "Europe/Berlin",
        "locations": ["a": ["name": "A"], "b": ["name": "B"]],
      ], .event, { $0["locations"] = ["b": ["name": "B"]] }, { $0["mainLocationId"] = "a" })
    #expect(merged["locations"]?.objectValue?.names == ["a", "b"])
    #expect(merged["conflicts"]?.objectValue?.names == ["locations/a/@entry"])
  }

  @Test func aSegmentThatEndsUpAtTheFirstDate() throws {
    let merged = try Self.merge(
      [
        "title": "W", "start": "2026-06-01T09:00:00", "timeZone": "Europe/Berlin",
        "recurrenceRule": ["frequency": "weekly"],
      ], .event, { $0["futureOverrides"] = ["2026-06-08": ["title": "X"]] },
      { $0["start"] = "2026-06-08T09:00:00" })
    #expect(merged["futureOverrides"] == ["2026-06-07": ["title": "X"]])
  }

  @Test func theDayOfADatelessReminderIsNoCombination() throws {
    let merged = try Self.merge(
      ["title": "R"], .reminder, { $0["due"] = "2026-06-12" }, { $0["title"] = "S" })
    #expect(merged["due"] == "2026-06-12")
    #expect(merged["conflicts"] == nil)
  }
}
