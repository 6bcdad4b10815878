import GitStore
import Testing

@Suite struct ReferenceTests {
  @Test func movesOnlyFromWhereItIsExpected() throws {
    let fixture = try GitFixture()
    let repository = try fixture.repository()
    let first = try repository.makeCommit(["a": "1"])
    let second = try repository.makeCommit(["a": "2"], onto: first)
    let main = "refs/heads/main"
    func move(_ id: ObjectID, _ expected: ObjectID?) -> String {
      errorKind {
        try repository.updateReference(main, to: id, expecting: expected, message: "m")
      }
    }
    #expect(move(second, first) == "moved")
    #expect(move(first, nil) == "nothing thrown")
    #expect(move(second, nil) == "moved")
    #expect(move(second, second) == "moved")
    #expect(move(second, first) == "nothing thrown")
    #expect(repository.head == second)
    try fixture.git("pack-refs", "--all")
    #expect(move(first, first) == "moved")
    #expect(move(first, second) == "nothing thrown")
    #expect(try fixture.git("rev-parse", "main") == first.description)
    #expect(try repository.references(below: "refs/heads/") == [main])
  }

  @Test func writesReflogs() throws {
    let fixture = try GitFixture()
    let repository = try fixture.repository()
    let first = try repository.commitFiles(["a": "1"])
    let second = try repository.makeCommit(["a": "2"], onto: first)
    try repository.updateReference(
      "refs/heads/main", to: second, expecting: first, message: "almanac: two\nlines")
    #expect(try fixture.git("log", "-g", "-1", "--format=%gs", "main") == "almanac: two lines")
    #expect(try fixture.git("log", "-g", "-1", "--format=%gs", "HEAD") == "almanac: two lines")
  }

  @Test func saysWhoBlocksALockedReference() throws {
    let fixture = try GitFixture()
    let repository = try fixture.repository()
    let first = try repository.commitFiles(["a": "1"])
    let second = try repository.makeCommit(["a": "2"], onto: first)
    try fixture.write(".git/refs/heads/main.lock", "")
    do {
      try repository.updateReference(
        "refs/heads/main", to: second, expecting: first, message: "m", waitMilliseconds: 1)
      Issue.record("a locked reference was moved")
    } catch {
      #expect(error == .locked(path: repository.commonDirectory + "refs/heads/main.lock"))
    }
    #expect(repository.head == first)
  }

  @Test func refusesNamesThatAreNone() throws {
    let fixture = try GitFixture()
    let repository = try fixture.repository()
    let commit = try repository.commitFiles(["a": "1"])
    for name in ["refs/heads/../x", "refs/heads/a..b", "refs/heads/main/x"] {
      #expect(
        errorKind {
          try repository.updateReference(name, to: commit, expecting: nil, message: "m")
        } == "failed")
    }
    #expect(repository.commit(named: "HEAD") == commit)
    #expect(repository.commit(named: "no such thing") == nil)
  }

  /// Many writers, each with its own handle: every commit that was reported as done is in the
  /// history, and none twice.
  @Test(arguments: [false, true]) func losesNoConcurrentCommit(bare: Bool) async throws {
    let fixture = try GitFixture()
    _ = try fixture.repository("/r", bare: bare)
    let path = fixture.folder + "/r"
    let writers = 4
    let rounds = 12
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<writers {
        group.addTask {
          let repository = try Repository.open(path)
          for round in 0..<rounds {
            while true {
              let head = repository.head
              let commit = try repository.makeCommit(
                ["w\(writer)/\(round)": "\(writer) \(round)"], onto: head,
                message: "\(writer) \(round)\n")
              do {
                try repository.moveHead(
                  to: commit, expecting: head, message: "m", waitMilliseconds: 60_000)
                break
              } catch GitError.moved {
                continue
              }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let repository = try Repository.open(path)
    let head = try #require(repository.head)
    let log = try repository.log(from: [head]).map { try repository.commit($0).subject }
    #expect(log.count == writers * rounds)
    #expect(Set(log).count == writers * rounds)
    #expect(try repository.files(in: repository.commit(head).tree).count == writers * rounds)
    #expect(try fixture.git("fsck", "--strict", "--no-dangling", in: "/r") == "")
    if !bare { #expect(try fixture.git("status", "--porcelain", in: "/r") == "") }
  }
}
