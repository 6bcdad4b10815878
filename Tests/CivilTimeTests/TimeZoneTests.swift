import Glibc
import TestSupport
import Testing

@testable import CivilTime

@Suite(.serialized) struct TimeZoneTests {
  static let zones = TimeZoneDatabase()

  static func zone(_ name: String) throws -> TimeZoneRules {
    try zones.rules(for: try #require(TimeZoneID(name)))
  }

  @Test(arguments: [
    ("Europe/Berlin", "2026-03-29T02:30:00", "2026-03-29T01:30:00Z"),
    ("Europe/Berlin", "2026-10-25T02:30:00", "2026-10-25T00:30:00Z"),
    ("Europe/Berlin", "2126-07-01T12:00:00", "2126-07-01T10:00:00Z"),
    ("America/New_York", "2007-03-11T02:30:00", "2007-03-11T07:30:00Z"),
    ("America/Sao_Paulo", "2017-10-15T00:00:00", "2017-10-15T03:00:00Z"),
    ("Pacific/Apia", "2011-12-30T09:00:00", "2011-12-30T19:00:00Z"),
    ("Australia/Lord_Howe", "2026-10-04T02:15:00", "2026-10-03T15:45:00Z"),
    ("Europe/Dublin", "2026-07-01T12:00:00", "2026-07-01T11:00:00Z"),
    ("Europe/Dublin", "2060-01-01T12:00:00", "2060-01-01T12:00:00Z"),
    ("Asia/Kathmandu", "2026-01-01T00:00:00", "2025-12-31T18:15:00Z"),
    ("America/Godthab", "2050-06-01T00:00:00", "2050-06-01T01:00:00Z"),
    ("Asia/Jerusalem", "2060-07-01T12:00:00", "2060-07-01T09:00:00Z"),
    ("UTC", "2026-01-01T00:00:00", "2026-01-01T00:00:00Z"),
  ])
  func placesWallClockTimes(name: String, civil: String, instant: String) throws {
    let zone = try Self.zone(name)
    let time = try #require(CivilDateTime(extended: civil))
    #expect(zone.instant(of: time).description == instant)
  }

  @Test func namesGapsAndFolds() throws {
    let berlin = try Self.zone("Europe/Berlin")
    let gap = try #require(CivilDateTime(extended: "2026-03-29T02:30:00"))
    guard case .gap(_, let before, let after) = berlin.resolve(gap) else {
      Issue.record("no gap")
      return
    }
    #expect(before.seconds == 3_600 && after.seconds == 7_200)
    let fold = try #require(CivilDateTime(extended: "2026-10-25T02:30:00"))
    guard case .fold(let first, let second) = berlin.resolve(fold) else {
      Issue.record("no fold")
      return
    }
    #expect(second.seconds - first.seconds == 3_600)
    let apia = try Self.zone("Pacific/Apia")
    let missing = try #require(CivilDateTime(extended: "2011-12-30T09:00:00"))
    guard case .gap = apia.resolve(missing) else {
      Issue.record("30 December 2011 exists in Apia")
      return
    }
  }

  @Test func everyZoneLeadsThereAndBack() throws {
    var random = SeededGenerator(seed: 9_636)
    let names = Self.zones.names()
    #expect(names.count > 300)
    for name in names {
      let zone = try Self.zone(name)
      for _ in 0..<40 {
        // 1900 to 2500.
        let instant = Instant(seconds: Int64(random.integer(-2_208_988_800...16_725_225_600)))
        let civil = zone.civil(at: instant)
        switch zone.resolve(civil) {
        case .unique(let found):
          #expect(found == instant, "seed \(random.seed), \(name) \(instant)")
        case .fold(let first, let second):
          #expect(first == instant || second == instant, "seed \(random.seed), \(name) \(instant)")
        case .gap: Issue.record("seed \(random.seed): \(name) shows \(civil) at \(instant)")
        }
      }
    }
  }

  @Test func offsetsAreThoseOfTheCLibrary() throws {
    var random = SeededGenerator(seed: 1)
    let before = getenv("TZ").map { String(cString: $0) }
    defer {
      if let before { setenv("TZ", before, 1) } else { unsetenv("TZ") }
      tzset()
    }
    for name in Self.zones.names() where !name.hasPrefix("right/") {
      setenv("TZ", name, 1)
      tzset()
      let zone = try Self.zone(name)
      for _ in 0..<25 {
        var seconds = random.integer(-2_208_988_800...8_000_000_000)
        var parts = tm()
        localtime_r(&seconds, &parts)
        let offset = zone.offset(at: Instant(seconds: Int64(seconds))).seconds
        #expect(Int(offset) == parts.tm_gmtoff, "\(name) at \(seconds)")
      }
    }
  }

  @Test func transitionsFollowEachOther() throws {
    let berlin = try Self.zone("Europe/Berlin")
    let start = try #require(Instant(extended: "2050-01-01T00:00:00Z"))
    let first = try #require(berlin.nextTransition(after: start))
    #expect(first.at.description == "2050-03-27T01:00:00Z" && first.offset.seconds == 7_200)
    let second = try #require(berlin.nextTransition(after: first.at))
    #expect(second.at.description == "2050-10-30T01:00:00Z" && second.offset.seconds == 3_600)
    #expect(TimeZoneRules.utc.nextTransition(after: start) == nil)
  }

  @Test func missingAndBrokenFilesAreTypedErrors() throws {
    let unknown = try #require(TimeZoneID("Mars/Olympus"))
    #expect(throws: TimeZoneError.unknownZone("Mars/Olympus")) {
      try Self.zones.rules(for: unknown)
    }
    for name in ["../etc/passwd", "/etc/passwd", "a//b", "", ".", "Europe/../x", "with space"] {
      #expect(TimeZoneID(name) == nil, "\(name)")
    }
    let folder = TemporaryFolder()
    folder.write("Broken", "TZif2 and nothing more")
    let broken = try #require(TimeZoneID("Broken"))
    #expect(throws: TimeZoneError.self) {
      try TimeZoneDatabase(directory: folder.path).rules(for: broken)
    }
  }

  @Test func mutatedZoneFilesNeverTrap() throws {
    var random = SeededGenerator(seed: 8_536)
    let id = try #require(TimeZoneID("Europe/Berlin"))
    let bytes = try SystemZoneInfo().load(id)
    for _ in 0..<3_000 {
      var mutated = bytes
      for _ in 0..<random.integer(1...6) {
        let index = random.integer(0...(mutated.count - 1))
        if random.chance(oneIn: 3) {
          mutated.removeLast(mutated.count - index - 1)
        } else {
          mutated[index] = UInt8(random.integer(0...255))
        }
      }
      guard let zone = try? TimeZoneRules(tzif: mutated, id: id) else { continue }
      let civil = CivilDateTime(civilSeconds: Int64(random.integer(-5_000_000_000...9_000_000_000)))
      _ = zone.resolve(civil)
      _ = zone.nextTransition(after: Instant(utc: civil))
    }
  }
}
