import CalendarModel
import CivilTime
import Recurrence
import TestSupport
import Testing

/// One case of the conformance corpus.
struct ConformanceCase {
  let name: String
  let rule: String
  let start: DateOrDateTime
  let zone: TimeZoneRules?
  let additional: [DateOrDateTime]
  let excluded: [DateOrDateTime]
  let from: CivilDateTime?
  let to: CivilDateTime?
  let limit: Int?
  let expected: [String]
  let expectedUTC: [String]?
  let gaps: [Int]
  let overlaps: [Int]
  let tags: [String]

  init?(_ json: JSONObject, zones: TimeZoneDatabase) {
    func texts(_ name: String) -> [String] {
      json[name]?.arrayValue?.compactMap(\.stringValue) ?? []
    }
    guard let name = json["name"]?.stringValue, let rule = json["rule"]?.stringValue,
      let start = json["dtstart"]?.stringValue.flatMap({ DateOrDateTime(extended: $0) })
    else { return nil }
    self.name = name
    self.rule = rule
    self.start = start
    zone = json["tzid"]?.stringValue.flatMap { zones.rules(named: $0) }
    additional = texts("rdate").compactMap { DateOrDateTime(extended: $0) }
    excluded = texts("exdate").compactMap { DateOrDateTime(extended: $0) }
    let window = json["window"]?.objectValue
    from = window?["from"]?.stringValue.flatMap { DateOrDateTime(extended: $0)?.dateTime }
    to = window?["to"]?.stringValue.flatMap { DateOrDateTime(extended: $0)?.dateTime }
    limit = json["limit"]?.integerValue
    expected = texts("expected")
    expectedUTC = json["expectedUtc"]?.arrayValue?.compactMap(\.stringValue)
    gaps = json["gap"]?.arrayValue?.compactMap(\.integerValue) ?? []
    overlaps = json["overlap"]?.arrayValue?.compactMap(\.integerValue) ?? []
    tags = texts("tags")
  }

  func set() throws -> RecurrenceSet {
    RecurrenceSet(
      start: start, rules: [try RecurrenceRule(parsing: rule)], additionalDates: additional,
      excludedDates: excluded, zone: zone, includesStart: false)
  }

  func occurrences(of set: RecurrenceSet) -> [CivilDateTime] {
    var result: [CivilDateTime] = []
    for occurrence in set.occurrences(from: from) {
      if let to, occurrence >= to { break }
      result.append(occurrence)
      if result.count == limit { break }
      if result.count > 20_000 { break }
    }
    return result
  }
}

@Suite struct ConformanceTests {
  static let zones = TimeZoneDatabase()

  static func cases() throws -> [ConformanceCase] {
    let path = Corpus.folder(beside: #filePath) + "/recurrence.json"
    let bytes = try #require(Corpus.bytes(path))
    let document = try JSONText.parseValue(bytes)
    let list = try #require(document.arrayValue)
    return try list.map { element in
      let object = try #require(element.objectValue)
      return try #require(ConformanceCase(object, zones: zones))
    }
  }

  @Test func everyCaseOfTheCorpusExpandsAsExpected() throws {
    let cases = try ConformanceTests.cases()
    #expect(cases.count == 726)
    var carried = 0
    for item in cases {
      let set = try item.set()
      guard set.rules.allSatisfy(\.isEvaluable) else {
        #expect(item.tags.contains("rscale"), "\(item.name) must be evaluable")
        carried += 1
        continue
      }
      let found = item.occurrences(of: set)
      let texts = found.map { item.start.isDate ? $0.date.description : $0.description }
      #expect(texts == item.expected, "\(item.name): \(item.rule) from \(item.start)")
    }
    print("conformance corpus: \(cases.count - carried) cases evaluated, \(carried) carried")
  }

  @Test func everyCaseWithAZoneGivesTheExpectedInstants() throws {
    for item in try ConformanceTests.cases() {
      guard let expected = item.expectedUTC else { continue }
      let zone = try #require(item.zone)
      let set = try item.set()
      guard set.rules.allSatisfy(\.isEvaluable) else { continue }
      let resolved = item.occurrences(of: set).map { zone.resolve($0) }
      #expect(resolved.map(\.instant.description) == expected, "\(item.name)")
      var gaps: [Int] = []
      var overlaps: [Int] = []
      for (index, resolution) in resolved.enumerated() {
        switch resolution {
        case .gap: gaps.append(index)
        case .fold: overlaps.append(index)
        case .unique: break
        }
      }
      #expect(gaps == item.gaps, "\(item.name)")
      #expect(overlaps == item.overlaps, "\(item.name)")
    }
  }

  @Test func everyCaseIsReachedBySeekingFromEachOfItsOccurrences() throws {
    for item in try ConformanceTests.cases() {
      let set = try item.set()
      guard set.rules.allSatisfy(\.isEvaluable) else { continue }
      let all = item.occurrences(of: set)
      for (index, occurrence) in all.enumerated() where index % 3 == 0 {
        let found = set.occurrences(from: occurrence).prefix(all.count - index)
        #expect(Array(found) == Array(all[index...]), "\(item.name) from \(occurrence)")
      }
      guard item.additional.isEmpty, item.excluded.isEmpty, item.from == nil,
        let last = all.last, set.rules[0].until == nil
      else { continue }
      let count = set.rules[0].occurrenceCount(start: item.start.dateTime, before: last)
      #expect(count == Int64(all.count - 1), "\(item.name)")
    }
  }
}
