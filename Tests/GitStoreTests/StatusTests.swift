import GitStore
import Glibc
import Testing

@Suite struct StatusTests {
  @Test func findsEditsInGivenFolders() throws {
    let fixture = try GitFixture()
    let repository = try fixture.repository()
    try repository.commitFiles(["s/a": "1", "s/b": "1", "s/c": "1", "t/d": "1", "top": "1"])
    #expect(try repository.workTreeChanges(below: [""]).isEmpty)
    try fixture.write("s/a", "longer")
    unlink(fixture.folder + "/s/b")
    try fixture.write("s/new/x", "1")
    try fixture.write("t/d", "2")
    try fixture.write("top", "2")
    #expect(
      try repository.workTreeChanges(below: ["s/"]) == [
        WorkTreeChange(path: "s/a", kind: .modified), WorkTreeChange(path: "s/b", kind: .removed),
        WorkTreeChange(path: "s/new/x", kind: .added),
      ])
    #expect(
      try repository.workTreeChanges(below: ["top", "none"]) == [
        WorkTreeChange(path: "top", kind: .modified)
      ])
    #expect(try repository.workTreeChanges(below: ["", "s/"]).count == 5)
    #expect(try repository.isModified("s/a"))
    #expect(try !repository.isModified("s/c"))
  }

  /// An edit of the same length in the instant in which the index was written.
  @Test func seesEditsThatStatDataHide() throws {
    let fixture = try GitFixture()
    let repository = try fixture.repository()
    for round in 0..<10 {
      let texts = ["\(round % 10)a", "\(round % 10)b"]
      try repository.commitFiles(["f": texts[0]])
      try fixture.write("f", texts[1])
      #expect(try repository.isModified("f"), "round \(round)")
      #expect(try fixture.git("status", "--porcelain") == " M f", "round \(round)")
      // Another write of the index must not make the edit look old.
      let head = try #require(repository.head)
      let next = try repository.makeCommit(["g": texts[0]], onto: head)
      try repository.moveHead(to: next, expecting: head, message: "m")
      #expect(try repository.isModified("f"), "round \(round)")
      #expect(try fixture.git("status", "--porcelain") == " M f", "round \(round)")
      try fixture.git("checkout", "--", "f")
    }
  }

  @Test func respectsIgnoresAndOtherRepositories() throws {
    let fixture = try GitFixture()
    let repository = try fixture.repository()
    try repository.commitFiles([".gitignore": "*.bak\n", "s/a": "1"])
    try fixture.write("s/a.bak", "1")
    try fixture.git("init", "--quiet", "s/inner")
    try fixture.write("s/inner/x", "1")
    try fixture.write("s/.tmp-1-0", "half")
    try #require(symlink("a", fixture.folder + "/s/link") == 0)
    #expect(try repository.workTreeChanges(below: ["s/"]).isEmpty)
  }

  @Test func readsAnIndexThatGitWrote() throws {
    let fixture = try GitFixture()
    let repository = try fixture.repository()
    try fixture.write("a", "1")
    try fixture.write("b", "1")
    try fixture.git("add", "a")
    try fixture.git("add", "--intent-to-add", "b")
    #expect(
      try repository.workTreeChanges(below: [""]) == [WorkTreeChange(path: "b", kind: .modified)])
    try fixture.git("add", "b")
    try fixture.git("commit", "--quiet", "-m", "one")
    try fixture.git("update-index", "--index-version", "4")
    try fixture.git("update-index", "--skip-worktree", "a")
    unlink(fixture.folder + "/a")
    #expect(try repository.workTreeChanges(below: [""]).isEmpty)
    try repository.commitFiles(["c": "1"])
    #expect(try fixture.git("status", "--porcelain") == "")
    #expect(try fixture.git("ls-files", "-t").contains("S a"))
  }

  @Test func seesAnUnfinishedMerge() throws {
    let fixture = try GitFixture()
    let repository = try fixture.repository()
    let base = try repository.commitFiles(["a": "1\n", "b": "1\n"])
    let ours = try repository.commitFiles(["a": "2\n"])
    let theirs = try repository.makeCommit(["a": "3\n"], onto: base)
    try repository.updateReference(
      "refs/heads/other", to: theirs, expecting: nil, message: "m")
    #expect(!repository.isBusyWithMerge)
    let result = try GitProgram(directory: fixture.folder).run(["merge", "other"])
    #expect(result.status == 1)
    #expect(repository.isBusyWithMerge)
    #expect(
      try repository.workTreeChanges(below: [""]) == [WorkTreeChange(path: "a", kind: .modified)])
    let text = fixture.read("a")
    let next = try repository.makeCommit(["a": "4\n", "b": "4\n"], onto: ours)
    let kept = try repository.moveHead(to: next, expecting: ours, message: "m")
    #expect(kept.map(\.path) == ["a"])
    #expect(fixture.read("a") == text)
    #expect(try fixture.git("status", "--porcelain") == "UU a")
  }

  @Test func needsNoWorkTree() throws {
    let fixture = try GitFixture()
    let repository = try fixture.repository(bare: true)
    #expect(try repository.workTreeChanges(below: [""]).isEmpty)
    #expect(try repository.workFile("a") == nil)
    #expect(repository.plainFiles(below: "").isEmpty)
    #expect(
      try repository.materialise(from: nil, to: repository.writeTree(from: nil, edits: [])).isEmpty)
  }
}
