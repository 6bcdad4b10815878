import CalendarModel
import CivilTime
import GitStore
import TestSupport
import Testing

@testable import Almanac

/// Replicas that meet at a remote, all on real repositories.
@Suite struct SyncTests {
  /// Some replicas of one store with a remote, each with its own author.
  static func replicas(_ folder: TemporaryFolder, _ names: [String]) throws -> [Replica] {
    let remote = folder.path + "/shared.git"
    try GitProgram(directory: folder.path).require([
      "init", "-q", "--bare", "-b", "main", "shared.git",
    ])
    var result: [Replica] = []
    for (index, name) in names.enumerated() {
      let environment = testEnvironment(
        "2026-11-30T12:00:0\(index)Z", seed: UInt64(index) * 1_000 + 1)
      if index == 0 {
        let first = try Replica.create(folder.path + "/" + name, environment: environment)
        try first.addRemote("origin", url: remote)
        let home = try first.snapshot().collection(named: "home")
        _ = try first.add([weekly("Choir", uid: uid)], to: home)
        _ = try first.sync()
        result.append(first)
      } else {
        result.append(
          try Replica.clone(remote, to: folder.path + "/" + name, environment: environment))
      }
      try result[index].repository.setConfig("user.name", name)
      try result[index].repository.setConfig("user.email", name + "@example.org")
    }
    return result
  }

  static let uid = "6f6a0b0e-54a5-4a3e-9f0e-0b6f4e3f2a11"

  static func tree(_ replica: Replica) throws -> ObjectID {
    try replica.repository.commit(try #require(replica.repository.head)).tree
  }

  /// Syncs until nobody has anything new, and expects one tree and clean work trees.
  static func settle(_ replicas: [Replica]) throws {
    for _ in 0..<2 { for replica in replicas { _ = try replica.sync() } }
    let trees = Set(try replicas.map(tree))
    #expect(trees.count == 1)
    for replica in replicas {
      #expect(try replica.repository.workTreeChanges(below: [""]).isEmpty)
      #expect(try replica.check().findings.filter { $0.finding.isError }.isEmpty)
    }
  }

  @Test func aNewTimeForAllAndASkipBothHold() throws {
    let folder = TemporaryFolder()
    let replicas = try Self.replicas(folder, ["anna", "ben"])
    let id = try #require(RecurrenceID("2026-12-17"))
    _ = try replicas[0].edit(
      Self.uid, SeriesEdit([("start", "2026-12-03T18:00:00")]), span: .all)
    _ = try replicas[1].remove(Self.uid, span: .this, at: id)
    try Self.settle(replicas)
    let object = try replicas[0].snapshot().find(Self.uid).object
    #expect(object["start"] == "2026-12-03T18:00:00")
    #expect(object["recurrenceOverrides"]?.objectValue?.names == ["2026-12-17"])
    #expect(object["conflicts"] == nil)
  }

  @Test func aConflictIsNotedOnceAndSettledEverywhere() throws {
    let folder = TemporaryFolder()
    let replicas = try Self.replicas(folder, ["anna", "ben", "cleo"])
    for (replica, title) in zip(replicas, ["A", "B", "C"]) {
      _ = try replica.edit(Self.uid, SeriesEdit([("title", .string(title))]), span: .all)
    }
    try Self.settle(replicas)
    let conflicts = try replicas[0].conflicts()
    #expect(conflicts.map(\.pointer) == ["title"])
    #expect(conflicts.first?.others.map(\.value) == ["A", "B"])
    #expect(conflicts.first?.others.map(\.by) == ["anna", "ben"])
    _ = try replicas[1].edit(
      Self.uid, SeriesEdit([("title", "B"), ("conflicts", nil)]), span: .all)
    _ = try replicas[2].edit(Self.uid, SeriesEdit([("color", "red")]), span: .all)
    try Self.settle(replicas)
    #expect(try replicas[2].conflicts().isEmpty)
    #expect(try replicas[2].snapshot().find(Self.uid).object.title == "B")
  }

  @Test func deletedAgainstEditedComesBackWithANote() throws {
    let folder = TemporaryFolder()
    let replicas = try Self.replicas(folder, ["anna", "ben"])
    _ = try replicas[0].remove(Self.uid, span: .all)
    _ = try replicas[1].edit(Self.uid, SeriesEdit([("title", "B")]), span: .all)
    try Self.settle(replicas)
    #expect(try replicas[0].conflicts().map(\.pointer) == ["@object"])
  }

  @Test func theDeletionThatLostCanStillBeChosen() throws {
    let folder = TemporaryFolder()
    let replicas = try Self.replicas(folder, ["anna", "ben"])
    _ = try replicas[0].remove(Self.uid, span: .all)
    _ = try replicas[1].edit(Self.uid, SeriesEdit([("title", "B")]), span: .all)
    try Self.settle(replicas)
    _ = try replicas[0].settle(Self.uid, pointers: ["@object"], .other(number: 1))
    try Self.settle(replicas)
    #expect(try replicas[1].snapshot().objects().isEmpty)
  }

  @Test func aMergeByGitAloneIsRepairedByTheNextSync() throws {
    let folder = TemporaryFolder()
    let replicas = try Self.replicas(folder, ["anna", "ben"])
    // The start is a line, the zone another one; lines may be mixed.
    _ = try replicas[0].edit(
      Self.uid, SeriesEdit([("start", "2026-12-03T18:00:00"), ("title", "A")]), span: .all)
    _ = try replicas[0].sync()
    let file = try replicas[1].snapshot().find(Self.uid).path
    let text = try #require(folder.text("ben/" + file))
    folder.write("ben/" + file, text.replacing("Europe/Berlin", with: "Europe/London"))
    let git = GitProgram(directory: folder.path + "/ben")
    try git.require(["commit", "-qam", "by hand"])
    try git.require(["fetch", "-q", "origin"])
    let mixed = text.replacing("Europe/Berlin", with: "Europe/London")
      .replacing("T19:30:00", with: "T18:00:00").replacing("Choir", with: "A")
    folder.write("ben/" + file, mixed)
    try git.require(["add", file])
    func line(_ arguments: [String]) throws -> String {
      try git.require(arguments).outputText.split(separator: "\n").map(String.init).first ?? ""
    }
    let tree = try line(["write-tree"])
    let merge = try line([
      "commit-tree", tree, "-p", "HEAD", "-p", "origin/main", "-m", "by git alone",
    ])
    try git.require(["update-ref", "HEAD", merge])
    try Self.settle(replicas.reversed())
    let object = try replicas[0].snapshot().find(Self.uid).object
    #expect(object["title"] == "A")
    #expect(object["conflicts"]?.objectValue?.names == ["@hour"])
    let isMixed = object["start"] == "2026-12-03T18:00:00" && object["timeZone"] == "Europe/London"
    #expect(!isMixed)
  }

  @Test func theDriverUsesTheHistoryIfGitMergesTwoCommits() throws {
    let folder = TemporaryFolder()
    let replicas = try Self.replicas(folder, ["anna", "ben"])
    _ = try replicas[0].edit(Self.uid, SeriesEdit([("title", "Z")]), span: .all)
    _ = try replicas[0].sync()
    _ = try replicas[1].edit(Self.uid, SeriesEdit([("title", "B")]), span: .all)
    let git = GitProgram(directory: folder.path + "/ben")
    try git.require(["fetch", "-q", "origin"])
    let file = try replicas[1].snapshot().find(Self.uid).path
    let other = try #require(replicas[1].repository.commit(named: "origin/main"))
    func bytes(_ revision: String) throws -> [UInt8] {
      try git.require(["show", "\(revision):\(file)"]).output
    }
    let (base, ours, theirs) = (try bytes("HEAD~1"), try bytes("HEAD"), try bytes("origin/main"))
    // Ben's clock is later; by bytes Z would be shown.
    let merged = try MergeDriver.merge(
      base: base, ours: ours, theirs: theirs, path: file, replica: replicas[1],
      candidates: ["MERGE_HEAD", other.description])
    #expect(try JSONText.parse(merged)["title"] == "B")
    let fallback = try MergeDriver.merge(base: base, ours: ours, theirs: theirs, path: file)
    #expect(try JSONText.parse(fallback)["title"] == "Z")
    #expect(throws: ReplicaError.self) {
      try MergeDriver.merge(base: base, ours: ours, theirs: Array("{".utf8), path: file)
    }
  }

  @Test func manyEditsOnThreeReplicasEndInOneTree() throws {
    for seed in UInt64(1)...2 {
      var random = SeededGenerator(seed: seed)
      let folder = TemporaryFolder()
      let replicas = try Self.replicas(folder, ["anna", "ben", "cleo"])
      for _ in 0..<12 {
        let replica = random.element(of: replicas)
        if random.chance(oneIn: 3) {
          _ = try replica.sync()
          continue
        }
        let date = random.element(of: ["2026-12-10", "2026-12-17", "2026-12-24"])
        let span = random.element(of: [EditSpan.this, .thisAndFuture, .all])
        let (name, value) = random.element(
          of: [
            ("title", JSONValue.string("T\(random.integer(0...9))")), ("color", "red"),
            ("duration", "PT3H"),
          ])
        // An edit may be refused, such as one of a date that another one skipped.
        _ = try? replica.edit(
          Self.uid, SeriesEdit([(name, value)]), span: span, at: RecurrenceID(date))
        if random.chance(oneIn: 4) {
          _ = try? replica.remove(Self.uid, span: .this, at: RecurrenceID(date))
        }
      }
      try Self.settle(replicas)
    }
  }
}
