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
    #expect(try index.rows(kind: 0).isEmpty)
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
}
