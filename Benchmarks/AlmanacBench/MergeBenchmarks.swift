import CalendarMerge
import CalendarModel
import CivilTime

/// Merging one object that both sides changed.
enum MergeBenchmarks {
  static func run(_ harness: inout Harness) {
    let base = series(exceptions: 20)
    var ours = base
    ours["title"] = "Choir rehearsal with orchestra"
    ours["futureOverrides"] = ["2026-12-07": ["start": "2026-12-07T18:00:00"]]
    var theirs = base
    theirs["duration"] = "PT3H"
    var overrides = base["recurrenceOverrides"]?.objectValue ?? JSONObject()
    overrides["2026-12-14"] = ["start": "2026-12-15T20:00:00"]
    theirs["recurrenceOverrides"] = .object(overrides)
    let sides = (side(ours), side(theirs))
    harness.run("merge/series-both-sides", unit: "object", expecting: 1) {
      let merged = ObjectMerge.merge(base: (base, "home"), ours: sides.0, theirs: sides.1)
      let isRight =
        merged.conflicts.isEmpty && merged.object?["title"] == ours["title"]
        && merged.object?["duration"] == "PT3H"
        && merged.object?["futureOverrides"] == ours["futureOverrides"]
        && merged.object?["recurrenceOverrides"] == theirs["recurrenceOverrides"]
      return (isRight ? 1 : 0, 0)
    }
    var rival = base
    rival["title"] = "Singing"
    let rivals = (side(ours), side(rival))
    harness.run("merge/series-same-title", unit: "object", expecting: 1) {
      let merged = ObjectMerge.merge(base: (base, "home"), ours: rivals.0, theirs: rivals.1)
      return (merged.conflicts == ["title"] ? 1 : 0, 0)
    }
  }

  /// A side whose writes are told by its values alone.
  private static func side(_ object: CalendarObject) -> MergeSide {
    MergeSide(object: object, collection: "home") { _ in nil }
  }

  private static func series(exceptions: Int) -> CalendarObject {
    var overrides = JSONObject()
    for number in 0..<exceptions {
      let date = CivilDate(dayNumber: 20_703).adding(days: number * 7)
      overrides[date.description] = ["title": .string("Exception \(number)")]
    }
    return CalendarObject(
      kind: .event,
      members: [
        "uid": "5d0b6c2e-7f41-4a9c-8b23-1e6f90a7c354", "title": "Choir rehearsal",
        "start": "2026-09-07T19:30:00", "timeZone": "Europe/Berlin", "duration": "PT2H",
        "recurrenceRule": ["frequency": "weekly", "until": "2028-07-12"],
        "recurrenceOverrides": .object(overrides),
        "locations": ["hall": ["name": "Parish hall"]],
      ])
  }
}
