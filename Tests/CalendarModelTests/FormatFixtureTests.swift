import CivilTime
import TestSupport
import Testing

@testable import CalendarModel

/// Every fixture of format 1.
@Suite struct FormatFixtureTests {
  static let folder = Corpus.folder(beside: #filePath) + "/format"

  static func files(below folder: String) -> [String] {
    Corpus.names(in: folder).flatMap { name -> [String] in
      let path = folder + "/" + name
      return name.contains(".") && !name.hasPrefix(".") ? [path] : files(below: path)
    }.filter { $0.hasSuffix(".json") }
  }

  @Test func everyFileOfTheHouseholdRoundTripsByteForByte() throws {
    let root = FormatFixtureTests.folder + "/household/"
    let paths = FormatFixtureTests.files(below: FormatFixtureTests.folder + "/household")
    #expect(paths.count == 35)
    for path in paths {
      let relative = String(path.dropFirst(root.utf8.count))
      let (kind, collection) = try #require(ObjectPath.kind(ofPath: relative))
      let bytes = try #require(Corpus.bytes(path))
      let file = ObjectFile.read(bytes, kind: kind, zones: TimeZoneDatabase())
      let problems = file.findings.filter { !["W406", "W408"].contains($0.code) }
      #expect(problems == [], "\(relative)")
      let members = try #require(file.members)
      #expect(CanonicalJSON.bytes(members) == bytes, "\(relative)")
      if let object = file.object {
        let path = ObjectPath.path(kind: object.kind, collection: collection, uid: object.uid)
        #expect(path == relative)
      }
    }
  }

  @Test func everyInvalidFileIsRefusedWithItsCode() throws {
    let index = try #require(Corpus.bytes(FormatFixtureTests.folder + "/invalid/index.tsv"))
    let lines = String(decoding: index, as: UTF8.self).split(separator: "\n").dropFirst()
    let names = Corpus.names(in: FormatFixtureTests.folder + "/invalid")
    #expect(lines.count == names.count - 1 && lines.count == 74)
    for line in lines {
      let fields = line.split(separator: "\t").map(String.init)
      let bytes = try #require(Corpus.bytes(FormatFixtureTests.folder + "/invalid/" + fields[0]))
      let kind: FileKind = fields[1] == "event" ? .event : .reminder
      let code = String(fields[0].prefix(4))
      if fields[0] == "E311-month-as-number.json" {
        // A number is a hand edit that reading repairs; the checked form has text.
        let raw = try JSONText.parse(bytes)
        let codes = ObjectValidator.problems(in: raw, kind: kind).map(\.code)
        #expect(codes.filter { $0.hasPrefix("E") } == [code])
        #expect(ObjectFile.read(bytes, kind: kind).isUsable)
        continue
      }
      let file = ObjectFile.read(bytes, kind: kind)
      let errors = file.findings.filter(\.isError)
      #expect(errors.map(\.code) == [code], "\(fields[0]): \(errors)")
      #expect(!file.isUsable)
      #expect(errors.allSatisfy { $0.line >= 1 && $0.column >= 1 && !$0.message.isEmpty })
    }
  }

  @Test func positionsLeadToTheMember() throws {
    func first(_ name: String) throws -> Finding {
      let bytes = try #require(Corpus.bytes(FormatFixtureTests.folder + "/invalid/" + name))
      return try #require(ObjectFile.read(bytes, kind: .event).findings.first)
    }
    #expect(try first("E302-30-February.json").line == 5)
    #expect(try first("E314-excluded-with-changes.json").line == 12)
    #expect(try first("E102-trailing-comma.json").line == 5)
    #expect(try first("E106-conflict-markers.json").line == 3)
    #expect(try first("E103-duplicate-member.json").line == 4)
  }

  @Test func everyWarningIsReportedAloneAndTheFileIsUsed() throws {
    let zones = TimeZoneDatabase()
    let names = Corpus.names(in: FormatFixtureTests.folder + "/warnings")
    #expect(names.count == 23)
    for name in names {
      let bytes = try #require(Corpus.bytes(FormatFixtureTests.folder + "/warnings/" + name))
      let isTask = String(decoding: bytes, as: UTF8.self).contains("\"Task\"")
      let file = ObjectFile.read(bytes, kind: isTask ? .reminder : .event, zones: zones)
      #expect(file.isUsable && file.object != nil, "\(name)")
      #expect(file.findings.map(\.code) == [String(name.prefix(4))], "\(name): \(file.findings)")
    }
  }

  @Test func everyHandEditIsNormalisedAsWrittenDown() throws {
    let folder = FormatFixtureTests.folder + "/normalise/"
    let inputs = Corpus.names(in: folder).filter { $0.hasSuffix(".in.json") }
    #expect(inputs.count == 7)
    for name in inputs {
      let input = try #require(Corpus.bytes(folder + name))
      let expected = try #require(Corpus.bytes(folder + name.dropLast(8) + ".out.json"))
      let kind: FileKind = name.contains("reminder") ? .reminder : .event
      let file = ObjectFile.read(input, kind: kind)
      let members = try #require(file.members)
      #expect(
        String(decoding: CanonicalJSON.bytes(members), as: UTF8.self)
          == String(decoding: expected, as: UTF8.self), "\(name)")
      #expect(Normaliser.normalise(members, kind: kind) == members, "\(name) twice")
    }
  }

  @Test func mutatedFilesNeverTrapAndAlwaysSayWhere() throws {
    var random = SeededGenerator(seed: 20_261_201)
    let paths = FormatFixtureTests.files(below: FormatFixtureTests.folder)
    for path in paths {
      let bytes = try #require(Corpus.bytes(path))
      for _ in 0..<60 {
        var mutated = bytes
        for _ in 0..<random.integer(1...4) where !mutated.isEmpty {
          let index = random.integer(0...(mutated.count - 1))
          switch random.integer(0...3) {
          case 0: mutated[index] = UInt8(random.integer(0...255))
          case 1: mutated.remove(at: index)
          case 2: mutated.insert(UInt8(random.integer(32...126)), at: index)
          default: mutated.removeLast(mutated.count - index)
          }
        }
        let file = ObjectFile.read(mutated, kind: .event)
        #expect(file.isUsable || file.findings.contains(where: \.isError), "seed \(random.seed)")
        if let members = file.members {
          let text = CanonicalJSON.bytes(members)
          #expect(try JSONText.parse(text) == members, "seed \(random.seed)")
        }
      }
    }
  }
}
