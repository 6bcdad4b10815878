import CivilTime
import TestSupport
import Testing

@testable import CalendarModel

/// Real files from other programs: each VEVENT and VTODO is imported or refused, none is lost.
@Suite struct ICalendarCorpusTests {
  static let zones = TimeZoneDatabase()

  /// Counts components the simplest way there is.
  static func componentCount(_ bytes: [UInt8]) -> Int {
    bytes.split { $0 == 0x0A || $0 == 0x0D }.count { line in
      let text = String(decoding: line, as: UTF8.self).uppercased().filter {
        $0 != " " && $0 != "\t"
      }
      return text == "BEGIN:VEVENT" || text == "BEGIN:VTODO" || text == "\u{FEFF}BEGIN:VEVENT"
    }
  }

  struct Tally {
    var files = 0
    var items = 0
    var components = 0
    var refused = 0
    var warnings = 0
    var reasons: [String: Int] = [:]
  }

  static func check(_ path: String, _ tally: inout Tally) throws {
    let bytes = try #require(Corpus.bytes(path))
    let document = ICalendarDecoder.decode(bytes, zones: zones)
    tally.files += 1
    tally.items += document.items.count
    let name = path.split(separator: "/").last ?? ""
    let imported = document.items.reduce(0) { $0 + $1.components }
    let refusals = document.refusals.filter { ["VEVENT", "VTODO"].contains($0.component) }
    let real = refusals.filter { !$0.reason.contains("without BEGIN") }
    tally.components += imported
    tally.refused += real.count
    #expect(imported + real.count == componentCount(bytes), "\(name): \(document.refusals)")
    if componentCount(bytes) > 0 {
      #expect(!document.items.isEmpty || !document.refusals.isEmpty, "\(name)")
    }
    for refusal in real { tally.reasons[String(refusal.reason.prefix(36)), default: 0] += 1 }
    for refusal in document.refusals { #expect(refusal.line >= 1 && !refusal.reason.isEmpty) }
    for item in document.items {
      tally.warnings += item.warnings.count
      let kind = item.object.kind.fileKind
      let text = CanonicalJSON.bytes(item.object.members)
      let file = ObjectFile.read(text, kind: kind)
      #expect(file.isUsable, "\(name) line \(item.line): \(file.findings)")
      #expect(!file.findings.contains { $0.code == "W101" }, "\(name) line \(item.line)")
      let series = try Series(item.object)
      let some = series.upcoming(zones: zones, floatingZone: .utc).prefix(20)
      for occurrence in some {
        #expect(occurrence.startInstant <= occurrence.endInstant, "\(name)")
      }
    }
  }

  static let own = Corpus.folder(beside: #filePath) + "/ics"

  /// The files of the project, and those that are only beside it, by path.
  static func files() -> (own: [String], shared: [String]) {
    let names = Corpus.names(in: own).filter { $0.hasSuffix(".ics") }
    guard let folder = Corpus.sharedFolder(from: #filePath).map({ $0 + "/corpus/ics" }) else {
      return (names.map { own + "/" + $0 }, [])
    }
    let others = Corpus.names(in: folder).filter { $0.hasSuffix(".ics") && !names.contains($0) }
    return (names.map { own + "/" + $0 }, others.map { folder + "/" + $0 })
  }

  @Test func everyFileIsImportedOrRefused() throws {
    let (own, shared) = ICalendarCorpusTests.files()
    #expect(own.count == 196)
    var tally = Tally()
    for path in own + shared { try ICalendarCorpusTests.check(path, &tally) }
    if shared.isEmpty {
      print("iCalendar corpus: 136 files are skipped, their licences keep them out of the project")
    } else {
      #expect(tally.files == 332)
    }
    print(
      "iCalendar corpus: \(tally.files) files, \(tally.components) components imported as "
        + "\(tally.items) objects, \(tally.refused) refused, \(tally.warnings) warnings")
    for (reason, count) in tally.reasons.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
      print("  refused \(count): \(reason)…")
    }
  }

  @Test func mutatedFilesNeverTrap() throws {
    var random = SeededGenerator(seed: 5_545)
    for name in ICalendarCorpusTests.files().own {
      var bytes = try #require(Corpus.bytes(name))
      guard bytes.count > 1, bytes.count < 20_000 else { continue }
      for _ in 0..<3 {
        for _ in 0..<random.integer(1...8) {
          let index = random.integer(0...(bytes.count - 1))
          if random.chance(oneIn: 2) {
            bytes[index] = UInt8(random.integer(0...255))
          } else {
            bytes.remove(at: index)
            if bytes.isEmpty { bytes.append(10) }
          }
        }
        let document = ICalendarDecoder.decode(bytes, zones: ICalendarCorpusTests.zones)
        for item in document.items {
          let file = ObjectFile.read(
            CanonicalJSON.bytes(item.object.members), kind: item.object.kind.fileKind)
          #expect(file.isUsable, "seed \(random.seed), \(name)")
        }
      }
    }
  }
}
