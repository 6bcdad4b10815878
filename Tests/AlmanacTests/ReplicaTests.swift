import CalendarModel
import CivilTime
import Synchronization
import TestSupport
import Testing

@testable import Almanac

/// An environment that is the same in every run.
func testEnvironment(_ now: String = "2026-11-30T12:00:00Z", seed: UInt64 = 1) -> Environment {
  let random = Mutex(SeededGenerator(seed: seed))
  let instant = Instant(extended: now) ?? Instant(seconds: 0)
  return Environment(
    now: { instant },
    randomBytes: { count in
      random.withLock { generator in
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
      }
    }, zones: TimeZoneDatabase(), localZoneName: "Europe/Berlin", loginName: "tester",
    hostName: "host")
}

func weekly(_ title: String, uid: String = "", start: String = "2026-12-03T19:30:00")
  -> CalendarObject
{
  var members: JSONObject = [
    "title": .string(title), "start": .string(start), "timeZone": "Europe/Berlin",
    "duration": "PT2H",
    "recurrenceRule": ["frequency": "weekly", "until": "2027-07-15"],
  ]
  if !uid.isEmpty { members["uid"] = .string(uid) }
  return CalendarObject(kind: .event, members: members)
}

@Suite struct ReplicaTests {
  static func replica(_ folder: TemporaryFolder, _ name: String = "a", seed: UInt64 = 1) throws
    -> Replica
  {
    try Replica.create(folder.path + "/" + name, environment: testEnvironment(seed: seed))
  }

  static func addWeekly(_ replica: Replica, _ title: String = "Choir rehearsal") throws
    -> CalendarObject
  {
    let home = try replica.snapshot().collection(named: "home")
    return try #require(try replica.add([weekly(title)], to: home).objects.first)
  }

  @Test func aNewStoreHasACalendarAndAListAndACleanStatus() throws {
    let folder = TemporaryFolder()
    let replica = try Self.replica(folder)
    let snapshot = try replica.snapshot()
    #expect(snapshot.collections.map(\.slug).sorted() == ["home", "tasks"])
    #expect(try replica.repository.workTreeChanges(below: [""]).isEmpty)
    #expect(try replica.check().findings.filter { $0.finding.isError }.isEmpty)
  }

  @Test func addingMakesOneCommitThatSaysWhat() throws {
    let folder = TemporaryFolder()
    let replica = try Self.replica(folder)
    let object = try Self.addWeekly(replica)
    let history = try replica.history()
    #expect(history.map(\.subject) == ["add \"Choir rehearsal\"", "create the store"])
    let path = ObjectPath.path(kind: .event, collection: "home", uid: object.uid)
    let text = try #require(folder.text("a/" + path))
    #expect(text.contains("\"title\": \"Choir rehearsal\""))
    #expect(try replica.repository.workTreeChanges(below: [""]).isEmpty)
  }

  @Test func anEditOfTheFutureReadsLikeASentence() throws {
    let folder = TemporaryFolder()
    let replica = try Self.replica(folder)
    let uid = try Self.addWeekly(replica).uid
    let outcome = try replica.edit(
      uid, SeriesEdit([("start", "2026-12-10T18:00:00")]), span: .thisAndFuture,
      at: RecurrenceID("2026-12-10"))
    #expect(outcome.subject == "move \"Choir rehearsal\" to 18:00 from 10 December")
    #expect(outcome.object?["futureOverrides"] == ["2026-12-10": ["start": "2026-12-10T18:00:00"]])
    #expect(try replica.history().first?.subject == outcome.subject)
  }

  @Test func anEditThatChangesNothingMakesNoCommit() throws {
    let folder = TemporaryFolder()
    let replica = try Self.replica(folder)
    let uid = try Self.addWeekly(replica).uid
    let count = try replica.history().count
    let outcome = try replica.edit(uid, SeriesEdit([("title", "Choir rehearsal")]), span: .all)
    #expect(!outcome.span.changed && outcome.write.commit == nil)
    #expect(try replica.history().count == count)
  }

  @Test func anUncommittedHandEditIsShownAndCommittedFirst() throws {
    let folder = TemporaryFolder()
    let replica = try Self.replica(folder)
    let uid = try Self.addWeekly(replica).uid
    let path = ObjectPath.path(kind: .event, collection: "home", uid: uid)
    let text = try #require(folder.text("a/" + path))
    folder.write("a/" + path, text.replacing("Choir rehearsal", with: "Choir, by hand"))
    #expect(try replica.snapshot().find(uid).object.title == "Choir, by hand")
    _ = try Self.addWeekly(replica, "Another")
    #expect(
      try replica.history().prefix(2).map(\.subject)
        == ["add \"Another\"", "edit \"Choir, by hand\" by hand"])
    #expect(try replica.snapshot().object(uid: uid)?.object.title == "Choir, by hand")
  }

  @Test func aHandEditWithAnErrorStaysAndRefusesWritesWhileTheRestProceeds() throws {
    let folder = TemporaryFolder()
    let replica = try Self.replica(folder)
    let uid = try Self.addWeekly(replica).uid
    let path = ObjectPath.path(kind: .event, collection: "home", uid: uid)
    let broken = "{ \"title\": \"half a fi"
    folder.write("a/" + path, broken)
    let outcome = try replica.add(
      [weekly("Other")], to: replica.snapshot().collection(named: "home"))
    #expect(outcome.write.leftAlone.map(\.path) == [path])
    #expect(folder.text("a/" + path) == broken)
    #expect(try replica.snapshot().find(uid).object.title == "Choir rehearsal")
    #expect(try replica.snapshot().find(uid).findings.first?.code == "E102")
    #expect(throws: EditError.self) {
      _ = try replica.edit(uid, SeriesEdit([("title", "x")]), span: .all)
    }
    #expect(folder.text("a/" + path) == broken)
  }

  @Test func importingTwiceChangesNothingTheSecondTime() throws {
    let folder = TemporaryFolder()
    let replica = try Self.replica(folder)
    let text = """
      BEGIN:VCALENDAR\r\nX-WR-CALNAME:Team\r\nBEGIN:VEVENT\r\nUID:one@example.org\r\nDTSTAMP:20261101T080000Z\r
      SUMMARY:Planning\r\nDTSTART;TZID=Europe/Berlin:20261208T130000\r\nDURATION:PT3H\r\nEND:VEVENT\r\nEND:VCALENDAR\r

      """
    let first = try replica.importICalendar(Array(text.utf8))
    #expect(first.created == ["one@example.org"] && first.calendar == "team")
    let second = try replica.importICalendar(Array(text.utf8))
    #expect(second.commit == nil && second.unchanged == ["one@example.org"])
    let newer = text.replacing("20261101T080000Z", with: "20261102T080000Z")
      .replacing("Planning", with: "Planning, moved")
    #expect(try replica.importICalendar(Array(newer.utf8)).updated == ["one@example.org"])
    _ = try replica.edit("one@example.org", SeriesEdit([("title", "Mine")]), span: .all)
    let third = try replica.importICalendar(
      Array(newer.replacing("20261102", with: "20261103").utf8))
    #expect(third.unchanged == ["one@example.org"])
    #expect(try replica.snapshot().find("one@example.org").object.title == "Mine")
  }

  @Test func findsByBeginningOfTheUIDAndByTitle() throws {
    let folder = TemporaryFolder()
    let replica = try Self.replica(folder)
    let uid = try Self.addWeekly(replica).uid
    _ = try Self.addWeekly(replica, "Choir concert")
    let snapshot = try replica.snapshot()
    #expect(try snapshot.find(String(uid.prefix(8))).uid == uid)
    #expect(try snapshot.find("choir rehearsal").uid == uid)
    #expect(throws: ReplicaError.self) { _ = try snapshot.find("choir") }
    #expect(throws: ReplicaError.self) { _ = try snapshot.find("nothing") }
  }

  @Test func aStoreInsideARepositoryCommitsItsOwnPathsOnly() throws {
    let folder = TemporaryFolder()
    let outer = try Replica.create(folder.path + "/dot", environment: testEnvironment())
    _ = outer
    folder.write("dot/bashrc", "alias a=b\n")
    let inner = try Replica.create(folder.path + "/dot/cal", environment: testEnvironment(seed: 2))
    #expect(inner.prefix == "cal/")
    _ = try Self.addWeekly(inner)
    #expect(folder.text("dot/bashrc") == "alias a=b\n")
    let changes = try inner.repository.workTreeChanges(below: [""])
    #expect(changes.map(\.path) == ["bashrc"])
  }

  @Test func twoProcessesLoseNothing() async throws {
    let folder = TemporaryFolder()
    _ = try Self.replica(folder)
    let path = folder.path + "/a"
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<3 {
        group.addTask {
          for number in 0..<6 {
            let replica = try Replica.open(
              path, environment: testEnvironment(seed: UInt64(writer * 100 + number + 10)))
            let home = try replica.snapshot().collection(named: "home")
            _ = try replica.add([weekly("Event \(writer)-\(number)")], to: home)
          }
        }
      }
      try await group.waitForAll()
    }
    let replica = try Replica.open(path, environment: testEnvironment())
    #expect(try replica.snapshot().objects(of: .event).count == 18)
    #expect(try replica.history().count == 19)
    #expect(try replica.repository.workTreeChanges(below: [""]).isEmpty)
  }
}
