import Glibc
import TestSupport
import Testing

@testable import SearchIndex

@Suite struct CalendarIndexTests {
  static func row(_ number: Int, first: Int64?, last: Int64?, kind: Int = 0) -> IndexRow {
    IndexRow(
      path: "calendars/home/events/aa/\(number).json", blob: "b\(number)", uid: "uid-\(number)",
      kind: kind, collection: "home", title: "title \(number)", first: first, last: last)
  }

  @Test func windowsFindWhatTouchesThemAndEndlessOnes() throws {
    let folder = TemporaryFolder()
    let index = try CalendarIndex(path: folder.path + "/index.sqlite")
    #expect(try index.stamp() == nil)
    let rows = [
      Self.row(1, first: 0, last: 10), Self.row(2, first: 20, last: 30),
      Self.row(3, first: 5, last: nil),
      Self.row(4, first: nil, last: nil), Self.row(5, first: 20, last: 30, kind: 1),
    ]
    try index.update(rows: rows, stamp: "one")
    #expect(try index.rows(kind: 0, from: 11, to: 19).map(\.uid) == ["uid-3"])
    #expect(try index.rows(kind: 0, from: 10, to: 20).map(\.uid) == ["uid-1", "uid-2", "uid-3"])
    #expect(try index.rows(kind: 0, from: -5, to: -1).isEmpty)
    #expect(try index.rows(uidPrefix: "uid-").count == 5)
    #expect(try index.rows(uid: "uid-2") == [rows[1]])
    #expect(try index.rows(titleHolding: "tle 4") == [rows[3]])
    #expect(try index.stamp() == "one")
  }

  @Test func updatesReplaceAndRemoveInOneStep() throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/index.sqlite"
    let index = try CalendarIndex(path: path)
    try index.update(
      rows: [Self.row(1, first: 0, last: 10), Self.row(2, first: 0, last: 1)], stamp: "one")
    var moved = Self.row(1, first: 100, last: 110)
    moved.title = "moved"
    try index.update(
      rows: [moved], removing: [Self.row(2, first: nil, last: nil).path], stamp: "two")
    let other = try CalendarIndex(path: path)
    #expect(try other.rows(kind: 0) == [moved])
    #expect(try other.stamp() == "two")
    try other.update(rows: [], clear: true, stamp: "three")
    #expect(try other.rows(kind: 0).isEmpty)
  }

  @Test func aFileThatIsNoDatabaseIsMadeAnew() throws {
    let folder = TemporaryFolder()
    folder.write("index.sqlite", String(repeating: "this is no database\n", count: 500))
    let index = try CalendarIndex(path: folder.path + "/index.sqlite")
    #expect(try index.stamp() == nil)
    try index.update(rows: [Self.row(1, first: 0, last: 1)], stamp: "x")
    #expect(try CalendarIndex(path: folder.path + "/index.sqlite").rows(kind: 0).count == 1)
  }

  @Test func whereNothingCanBeWrittenItLivesInMemory() throws {
    let index = try CalendarIndex(path: "/nonexistent-folder/index.sqlite")
    try index.update(rows: [Self.row(1, first: 0, last: 1)], stamp: "x")
    #expect(try index.rows(kind: 0).count == 1)
  }

  @Test func rowsOfAnotherTreeAreNeverTakenForThoseSeen() throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/index.sqlite"
    let mine = try CalendarIndex(path: path)
    try mine.update(rows: [Self.row(1, first: 0, last: 1)], stamp: "one")
    let other = try CalendarIndex(path: path)
    #expect(try other.stamp() == "one")
    try other.update(rows: [Self.row(2, first: 0, last: 1)], stamp: "two")
    #expect(throws: SQLiteError.self) { try mine.rows(kind: 0) }
    // Changes since "one" do not bring rows of "two" to "three".
    #expect(throws: SQLiteError.self) {
      try mine.update(rows: [Self.row(3, first: 0, last: 1)], stamp: "three")
    }
    #expect(try other.rows(kind: 0).map(\.uid) == ["uid-1", "uid-2"])
    #expect(try mine.stamp() == "two")
    #expect(try mine.rows(kind: 0).count == 2)
  }

  @Test func openingAgainKeepsWhatAnotherConnectionFilled() throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/index.sqlite"
    let filled = try CalendarIndex(path: path)
    try filled.update(rows: [Self.row(1, first: 0, last: 1)], stamp: "one")
    for _ in 0..<3 { #expect(try CalendarIndex(path: path).stamp() == "one") }
    #expect(try filled.rows(kind: 0).count == 1)
  }

  @Test func damageFoundByAQueryIsMendedByTheNextOpening() throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/index.sqlite"
    do {
      let index = try CalendarIndex(path: path)
      try index.update(
        rows: (0..<2_000).map { Self.row($0, first: 0, last: 1) }, stamp: "one")
    }
    // Everything after the first pages is overwritten; the header stays good.
    let size = try #require(Corpus.bytes(path)).count
    #expect(size > 40_960)
    let file = try #require(fopen(path, "r+b"))
    fseek(file, 20_480, SEEK_SET)
    for _ in 20_480..<size { fputc(0xA5, file) }
    fclose(file)
    for _ in 0..<3 {
      guard let index = try? CalendarIndex(path: path), let stamp = try? index.stamp() else {
        continue
      }
      if stamp == "one" { #expect(throws: SQLiteError.self) { try index.rows(kind: 0) } }
    }
    let mended = try CalendarIndex(path: path)
    try mended.update(rows: [Self.row(1, first: 0, last: 1)], clear: true, stamp: "two")
    #expect(try mended.rows(kind: 0).count == 1)
  }

  @Test func textsWithNullCharactersComeBackWhole() throws {
    let index = try CalendarIndex(path: ":memory:")
    var row = Self.row(1, first: nil, last: nil)
    row.uid = "a\u{0}b"
    try index.update(rows: [row], stamp: "x")
    #expect(try index.rows(uid: "a\u{0}b") == [row])
    #expect(try index.rows(uid: "a").isEmpty)
  }
}
