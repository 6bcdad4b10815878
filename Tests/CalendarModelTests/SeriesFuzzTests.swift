import CivilTime
import TestSupport
import Testing

@testable import CalendarModel

/// Whatever stands in a file, series and their edits end without a trap, and in time.
@Suite struct SeriesFuzzTests {
  static let moments = [
    "0001-01-01", "0001-01-01T00:00:00", "9999-12-31", "9999-12-31T23:59:59", "1583-01-01",
    "2026-02-28T23:59:59", "2026-10-25T02:30:00", "2026-03-29T02:30:00",
  ]
  static let durations = [
    "PT0S", "P1D", "P2000D", "-P999999D", "P9999999999W", "-PT1S", "P2147483647D",
    "P9223372036854775807D", "PT9223372036854775807S",
  ]
  static let numbers = ["0", "1", "-1", "2147483647", "9223372036854775807", "1e300", "3.5"]

  static func extreme(_ name: String, _ generator: inout SeededGenerator) -> JSONValue? {
    switch generator.integer(0...7) {
    case 0: nil
    case 1: .string(generator.element(of: durations))
    case 2: .number(generator.element(of: numbers))
    case 3: .null
    case 4: ["frequency": "daily", "interval": .number(generator.element(of: numbers))]
    default: .string(generator.element(of: moments))
    }
  }

  /// Changes a few values, at any depth, of an object.
  static func mutated(_ object: JSONObject, _ generator: inout SeededGenerator) -> JSONObject {
    var result = object
    for member in object.members where generator.chance(oneIn: 6) {
      if let inner = member.value.objectValue, !generator.chance(oneIn: 5) {
        result[member.name] = .object(mutated(inner, &generator))
      } else {
        result[member.name] = extreme(member.name, &generator)
      }
    }
    for name in ["start", "due", "duration", "shift", "count", "until", "interval"]
    where generator.chance(oneIn: 20) {
      result[name] = extreme(name, &generator)
    }
    if generator.chance(oneIn: 8) {
      let id = String(generator.element(of: moments))
      let map = generator.element(of: ["recurrenceOverrides", "futureOverrides"])
      var entries = result[map]?.objectValue ?? JSONObject()
      entries[id] = generator.element(of: [
        ["excluded": true], ["added": true], ["shift": .string(generator.element(of: durations))],
        [
          "start": .string(generator.element(of: moments)),
          "recurrenceRule": ["frequency": "daily"],
        ],
        ["start": .string(generator.element(of: moments))],
        ["duration": .string(generator.element(of: durations))],
      ])
      result[map] = .object(entries)
    }
    return result
  }

  static func use(_ object: CalendarObject, _ generator: inout SeededGenerator) throws {
    let zones = TimeZoneDatabase()
    let berlin = try #require(zones.rules(named: "Europe/Berlin"))
    guard let series = try? Series(object) else { return }
    let begin = Instant(utc: CivilDateTime(date: CivilDate.epoch.adding(days: 20_500)))
    for (from, days) in [(begin, Int64(40)), (Instant(utc: CivilDateTime(date: .first)), 3)] {
      let to = from.adding(seconds: days * 86_400)
      for occurrence in series.occurrences(
        from: from, to: to, zones: zones, floatingZone: berlin
      ).prefix(50) {
        #expect(occurrence.startInstant <= occurrence.endInstant)
      }
    }
    _ = series.extent(zones: zones, floatingZone: berlin)
    _ = series.firstOpen()
    let ids = Array(series.visibleIDs().prefix(6))
    guard let id = ids.last else { return }
    var random = SeriesRandom(seed: generator.next())
    let shown = series.occurrence(id, zones: zones, floatingZone: berlin)?.object ?? object
    for span in EditSpan.allCases {
      let subject = random.generator.element(of: SeriesRandom.Subject.allCases)
      for policy in [ExceptionPolicy.keep, .reset] {
        let edit = random.edit(subject, of: shown)
        _ = try? series.applying(edit, span: span, at: id, policy: policy, promote: true)
      }
      _ = try? series.removing(span: span, at: id)
    }
    _ = try? series.splitting(at: id)
    _ = try? series.extracting(id, uid: "copy")
  }

  @Test func extremeValuesNeverTrap() throws {
    let household = try SeriesHouseholdTests.objects().filter { $0["recurrenceRule"] != nil }
    #expect(household.count > 5)
    for seed in 0..<24 as Range<UInt64> {
      var generator = SeededGenerator(seed: seed)
      var random = SeriesRandom(seed: seed)
      var object =
        generator.chance(oneIn: 2) ? random.object() : generator.element(of: household)
      let members = Self.mutated(object.members, &generator)
      object = CalendarObject(kind: object.kind, members: members)
      print("seed \(seed)")
      try Self.use(object, &generator)
      object.members = Series.normalised(object)
      try Self.use(object, &generator)
    }
  }
}
