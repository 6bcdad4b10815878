import Almanac
import CalendarModel
import CivilTime
import TestSupport

/// A store of ten thousand events on disk: import, agenda, one edit.
enum StoreBenchmarks {
  static func run(_ harness: inout Harness) {
    guard harness.wants("store/") else { return }
    let count = harness.isSmoke ? 100 : 10_000
    let folder = TemporaryFolder()
    let calendar = Array(ModelBenchmarks.calendar(events: count).utf8)
    var generator = SeededGenerator(seed: 1)
    let seeds = (0..<64).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let environment = Environment(
      now: { Instant(seconds: 1_796_000_000) }, randomBytes: { Array(seeds.prefix($0)) },
      zones: TimeZoneDatabase(), localZoneName: "Europe/Berlin", loginName: "bench",
      hostName: "host")
    var number = 0
    harness.run("store/import-\(count)-events", unit: "calendar", expecting: 1) {
      number += 1
      let replica = try? Replica.create(folder.path + "/\(number)", environment: environment)
      let created = try? replica?.importICalendar(calendar).created.count
      return (created == count ? 1 : 0, 0)
    }
    guard let replica = try? Replica.open(folder.path + "/1", environment: environment) else {
      return
    }
    let day = Instant(seconds: 1_796_000_000)
    harness.run("store/agenda-day-of-\(count)", unit: "agenda", expecting: 1) {
      let entries = try? replica.snapshot().agenda(from: day, to: day.adding(seconds: 86_400))
      return (entries == nil ? 0 : 1, entries?.count ?? 0)
    }
    var title = 0
    harness.run("store/edit-one-of-\(count)", unit: "edit", expecting: 1) {
      title += 1
      let edit = SeriesEdit([("title", .string("Title \(title)"))])
      let outcome = try? replica.edit("event-7@example.org", edit, span: .all)
      return (outcome?.write.commit == nil ? 0 : 1, 0)
    }
  }
}
