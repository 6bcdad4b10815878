import GitStore
import TestSupport
import Testing

@Suite struct HistoryTests {
  @Test func listsWhatOneSideHasAndTheOtherHasNot() throws {
    let fixture = try GitFixture()
    let repository = try fixture.repository()
    let base = try repository.makeCommit(["a": "0"], seconds: 100)
    let left = try repository.makeCommit(["a": "1"], onto: base, seconds: 90)
    let left2 = try repository.makeCommit(["b": "1"], onto: left, seconds: 300)
    let right = try repository.makeCommit(["c": "1"], onto: base, seconds: 200)
    let merge = try repository.makeCommit([:], onto: left2, also: [right], seconds: 50)
    #expect(try repository.mergeBases(left2, right) == [base])
    #expect(try repository.mergeBases(base, right) == [base])
    #expect(try repository.log(from: [left2], hiding: [right]) == [left2, left])
    #expect(try repository.log(from: [merge], hiding: [base]).count == 4)
    #expect(try repository.log(from: [merge], hiding: [base]).first == merge)
    #expect(try repository.log(from: [merge]).last == base)
    #expect(try repository.log(from: [merge], limit: 2).count == 2)
    #expect(try repository.isAncestor(base, of: merge))
    #expect(try repository.isAncestor(merge, of: merge))
    #expect(try !repository.isAncestor(left, of: right))
    let counts = try repository.aheadBehind(left2, right)
    #expect(counts.ahead == 2 && counts.behind == 1)
    let alone = try repository.makeCommit(["z": "1"])
    #expect(try repository.mergeBases(alone, right) == [])
  }

  @Test func findsAllBasesOfACrissCross() throws {
    let fixture = try GitFixture()
    let repository = try fixture.repository()
    let root = try repository.makeCommit(["a": "0"])
    let one = try repository.makeCommit(["a": "1"], onto: root)
    let two = try repository.makeCommit(["b": "1"], onto: root)
    let left = try repository.makeCommit(["l": "1"], onto: one, also: [two])
    let right = try repository.makeCommit(["r": "1"], onto: two, also: [one])
    #expect(Set(try repository.mergeBases(left, right)) == [one, two])
  }

  @Test func saysWhatEachCommitChanged() throws {
    let fixture = try GitFixture()
    let repository = try fixture.repository()
    let base = try repository.makeCommit(["s/a": "0", "t": "0"])
    let left = try repository.makeCommit(["s/a": "1"], onto: base)
    let right = try repository.makeCommit(["s/b": "1", "t": "1"], onto: base)
    let merge = try repository.makeCommit(["s/b": "1", "t": "1"], onto: left, also: [right])
    func paths(_ id: ObjectID) throws -> [[String]] {
      try repository.changes(of: repository.commit(id), below: "s/").map { $0.map(\.path) }
    }
    #expect(try paths(base) == [["s/a"]])
    #expect(try paths(right) == [["s/b"]])
    #expect(try paths(merge) == [["s/b"], ["s/a"]])
    let touching = try repository.log(from: [merge], touching: ["s/b", "none"]).map(\.id)
    #expect(touching == [right])
    #expect(try repository.log(from: [merge], touching: ["s"]).count == 4)
    #expect(try repository.newestCommit(touching: "s/a", from: merge)?.id == left)
    #expect(try repository.newestCommit(touching: "none", from: merge) == nil)
  }

  /// Random histories: the same sets of commits that the git program finds.
  @Test(arguments: 1...6) func agreesWithGitOnRandomHistories(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let fixture = try GitFixture()
    let repository = try fixture.repository(bare: true)
    var commits = [try repository.makeCommit(["f0": "0"])]
    for number in 1..<25 {
      let first = random.element(of: commits)
      let second = random.element(of: commits)
      let others = second != first && random.chance(oneIn: 3) ? [second] : []
      commits.append(
        try repository.makeCommit(
          ["f\(random.integer(0...3))": "\(number)"], onto: first, also: others,
          message: "\(number)\n", seconds: 1_000 + Int64(random.integer(0...50))))
    }
    try repository.flush()
    for _ in 0..<8 {
      let one = random.element(of: commits)
      let two = random.element(of: commits)
      let bases = try fixture.git("merge-base", "--all", one.description, two.description)
      #expect(
        Set(try repository.mergeBases(one, two).map(\.description))
          == Set(bases.split(separator: "\n").map(String.init)), "seed \(seed)")
      let log = try fixture.git("rev-list", one.description, "^\(two)")
      let found = try repository.log(from: [one], hiding: [two])
      #expect(
        Set(found.map(\.description)) == Set(log.split(separator: "\n").map(String.init)),
        "seed \(seed)")
      // Children come before parents.
      for (index, id) in found.enumerated() {
        for parent in try repository.commit(id).parents {
          #expect(found[...index].contains(parent) == false, "seed \(seed)")
        }
      }
      let path = "f\(random.integer(0...3))"
      let touching = try fixture.git(
        "rev-list", "--full-history", "--no-merges", one.description, "--", path)
      #expect(
        Set(
          try repository.log(from: [one], touching: [path]).filter { $0.parents.count < 2 }
            .map(\.id.description))
          == Set(touching.split(separator: "\n").map(String.init)), "seed \(seed) \(path)")
    }
  }
}
