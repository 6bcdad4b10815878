import CivilTime
import TestSupport
import Testing

@testable import CalendarModel

/// The objects of the example store expand as its strict exports say, and every window of them
/// equals the filtered whole.
@Suite struct SeriesHouseholdTests {
  static let zones = TimeZoneDatabase()

  static func objects() throws -> [CalendarObject] {
    let folder = Corpus.folder(beside: #filePath) + "/format/household"
    var objects: [CalendarObject] = []
    for path in FormatFixtureTests.files(below: folder) {
      let relative = String(path.dropFirst(folder.utf8.count + 1))
      guard let (kind, _) = ObjectPath.kind(ofPath: relative), kind.objectKind != nil else {
        continue
      }
      let file = ObjectFile.read(try #require(Corpus.bytes(path)), kind: kind)
      objects.append(try #require(file.object))
    }
    return objects
  }

  /// `2026-09-03 2026-09-03T19:30:00 PT2H Choir` for each occurrence.
  static func lines(_ occurrences: some Sequence<SeriesOccurrence>) -> [String] {
    occurrences.map { occurrence in
      let id = occurrence.recurrenceID?.text ?? "-"
      return "\(occurrence.object.uid) \(id) \(occurrence.startInstant) \(occurrence.endInstant)"
    }
  }

  /// Expands the entries of a strict export without segments, ID by ID, and compares the time and
  /// the title of each occurrence with ours.
  @Test(arguments: ["choir", "stand-up", "paper-bin", "balcony"])
  func expandsAsTheStrictExportSays(name: String) throws {
    let path = Corpus.folder(beside: #filePath) + "/series/export/\(name).jscalendar.json"
    let group = try JSONText.parse(try #require(Corpus.bytes(path)))
    let entries = try #require(group["entries"]?.arrayValue)
    let to = try #require(Instant(extended: "2028-01-01T00:00:00Z"))
    let from = Instant(utc: CivilDateTime(date: .first))
    func shown(_ object: CalendarObject) throws -> [String] {
      try Series(object).occurrences(from: from, to: to, zones: Self.zones, floatingZone: .utc)
        .map { "\($0.startInstant) \($0.endInstant) \($0.object.title)" }
    }
    var strict: [String] = []
    for entry in entries {
      strict += try shown(try Self.ours(try #require(entry.objectValue)))
    }
    let title = try #require(entries.first?.objectValue?["title"]?.stringValue)
    let object = try #require(try Self.objects().first { $0.title == title })
    let own = try shown(object)
    #expect(own == strict.sorted())
    #expect(own.count > 10)
  }

  /// An entry of a strict export in our own terms: dates where it repeats by day.
  private static func ours(_ entry: JSONObject) throws -> CalendarObject {
    var members = entry
    let isDate = entry["showWithoutTime"] == true
    for name in ["start", "due"] where isDate {
      let text = members[name]?.stringValue
      members[name] = text.map { .string(String($0.prefix(10))) }
    }
    if entry["@type"] == "Task", entry["start"] == entry["due"] { members["start"] = nil }
    var series = JSONObject()
    for member in entry["recurrenceOverrides"]?.objectValue?.members ?? [] {
      var patch = try #require(member.value.objectValue)
      for name in ["start", "due"] where isDate {
        let text = patch[name]?.stringValue
        if let text { patch[name] = .string(String(text.prefix(10))) }
      }
      if entry["@type"] == "Task", patch["start"] == patch["due"] { patch["start"] = nil }
      let object = CalendarObject(
        kind: entry["@type"] == "Task" ? .reminder : .event, members: members)
      var bare = object
      bare["recurrenceOverrides"] = nil
      let id = try #require(RecurrenceID(String(member.name.prefix(10))))
      if try !Series(bare).generates(id), patch["excluded"] == nil {
        patch["added"] = true
        if patch[object.anchorName] == nil {
          patch[object.anchorName] = .string(isDate ? id.text : member.name)
        }
      }
      series[id.text] = .object(patch)
    }
    members["recurrenceOverrides"] = series.isEmpty ? nil : .object(series)
    let kind: FileKind = entry["@type"] == "Task" ? .reminder : .event
    return CalendarObject(
      kind: kind == .event ? .event : .reminder,
      members: Normaliser.normalise(members, kind: kind))
  }

  @Test func everyWindowIsTheFilteredWhole() throws {
    let berlin = try #require(Self.zones.rules(named: "Europe/Berlin"))
    let begin = try #require(Instant(extended: "2026-01-01T00:00:00Z"))
    let end = try #require(Instant(extended: "2028-01-01T00:00:00Z"))
    var count = 0
    for object in try Self.objects() {
      let series = try Series(object)
      let whole = series.occurrences(from: begin, to: end, zones: Self.zones, floatingZone: berlin)
      count += whole.count
      var from = begin
      while from < end {
        let to = from.adding(seconds: 9 * 86_400 + 3_600)
        let window = series.occurrences(
          from: from, to: min(to, end), zones: Self.zones, floatingZone: berlin)
        let filtered = whole.filter { $0.overlaps(from: from, to: min(to, end)) }
        #expect(Self.lines(window) == Self.lines(filtered), "\(object.title) at \(from)")
        from = to
      }
      if let extent = series.extent(zones: Self.zones, floatingZone: berlin) {
        for occurrence in whole {
          #expect(occurrence.startInstant >= extent.first)
          #expect(extent.last.map { occurrence.endInstant <= $0 } ?? true)
        }
      } else {
        #expect(whole.isEmpty)
      }
    }
    #expect(count > 300)
  }
}
