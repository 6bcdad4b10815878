import TestSupport
import Testing

@testable import CivilTime

/// Footers of zone files, and the ends of time.
@Suite struct ZoneFooterTests {
  @Test(arguments: [
    // All year in daylight time (RFC 9636 3.3.1).
    ("XXX3EDT4,0/0,J365/23", "2026-01-01T00:00:00Z", -14_400),
    ("EST5EDT,0/0,J365/25", "2026-01-01T05:00:00Z", -14_400),
    ("EST5EDT,0/0,J365/25", "2026-07-01T00:00:00Z", -14_400),
    // Day 60 of the J form is 1 March in every year; of the plain form 29 February in leap years.
    ("AAA0BBB,J60/0,J300/0", "2024-02-29T23:59:59Z", 0),
    ("AAA0BBB,J60/0,J300/0", "2024-03-01T00:00:00Z", 3_600),
    ("AAA0BBB,59/0,299/0", "2024-02-29T00:00:00Z", 3_600),
    ("AAA0BBB,59/0,299/0", "2023-03-01T00:00:00Z", 3_600),
    ("AAA0BBB,59/0,299/0", "2023-02-28T23:59:59Z", 0),
    // Daylight time that is behind, hours beyond a day and below zero.
    ("IST-1GMT0,M10.5.0,M3.5.0/1", "2026-01-01T00:00:00Z", 0),
    ("IST-1GMT0,M10.5.0,M3.5.0/1", "2026-07-01T00:00:00Z", 3_600),
    ("IST-2IDT,M3.4.4/26,M10.5.0", "2026-03-27T00:00:00Z", 10_800),
    ("IST-2IDT,M3.4.4/26,M10.5.0", "2026-03-26T23:59:59Z", 7_200),
    ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2026-03-29T00:59:59Z", -7_200),
    ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2026-03-29T01:00:00Z", -3_600),
    ("<+1345>-13:45", "2026-03-29T01:00:00Z", 49_500),
  ])
  func footersGiveOffsets(footer: String, instant: String, offset: Int) throws {
    let rule = try #require(POSIXTimeZone(footer))
    let instant = try #require(Instant(extended: instant))
    #expect(Int(rule.offset(at: instant.seconds)) == offset)
  }

  @Test(arguments: [
    "", "CE", "CET", "CET-25", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0",
    "CET-1CEST,M3.6.0,M10.5.0", "CET-1CEST,M3.5.7,M10.5.0", "CET-1CEST,J0,J5",
    "CET-1CEST,M3.5.0/168,M10.5.0", "<CET-1", "CET-1CEST,M3.5.0,M10.5.0x", "CET-1CEST",
  ])
  func malformedFootersAreRefused(footer: String) {
    #expect(POSIXTimeZone(footer) == nil)
  }

  @Test func aYearRoundRuleHasNoChanges() throws {
    let zone = TimeZoneRules(
      id: .utc, transitions: [], offsets: [-18_000], footer: POSIXTimeZone("EST5EDT,0/0,J365/25"))
    let start = try #require(Instant(extended: "2026-06-01T00:00:00Z"))
    #expect(zone.nextTransition(after: start) == nil)
    let newYear = try #require(CivilDateTime(extended: "2027-01-01T00:00:00"))
    #expect(zone.instant(of: newYear).description == "2027-01-01T04:00:00Z")
  }

  @Test func theEndsOfTimeDoNotTrap() throws {
    let zone = try TimeZoneDatabase().rules(for: try #require(TimeZoneID("Europe/Berlin")))
    for seconds in [Int64.min, .max] {
      let instant = Instant(seconds: seconds)
      _ = zone.nextTransition(after: instant)
      _ = zone.resolve(zone.civil(at: instant))
    }
  }
}
