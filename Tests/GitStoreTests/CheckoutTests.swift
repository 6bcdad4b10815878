import GitStore
import Glibc
import Testing

@Suite struct CheckoutTests {
  @Test func writesChangesAndRemovesFiles() throws {
    let fixture = try GitFixture()
    let repository = try fixture.repository()
    try repository.commitFiles(["a/x": "1", "a/y": "2", "b": "3"])
    #expect(fixture.read("a/x") == "1")
    #expect(try fixture.git("status", "--porcelain") == "")
    try repository.commitFiles(["a/x": "1b", "a/y": nil, "c/d/e": "4"])
    #expect(fixture.read("a/x") == "1b")
    #expect(fixture.read("c/d/e") == "4")
    #expect(!fixture.exists("a/y"))
    try repository.commitFiles(["c/d/e": nil])
    #expect(!fixture.exists("c/d"))
    #expect(try fixture.git("status", "--porcelain") == "")
    #expect(try fixture.git("log", "--format=%s") == "change\nchange\nchange")
    #expect(try fixture.git("fsck", "--strict") == "")
  }

  @Test func turnsFilesIntoFoldersAndBack() throws {
    let fixture = try GitFixture()
    let repository = try fixture.repository()
    try repository.commitFiles(["a": "1"])
    try repository.commitFiles(["a": nil, "a/b": "2"])
    #expect(fixture.read("a/b") == "2")
    try repository.commitFiles(["a/b": nil, "a": "3"])
    #expect(fixture.read("a") == "3")
    #expect(try fixture.git("status", "--porcelain") == "")
  }

  @Test func keepsUncommittedWork() throws {
    let fixture = try GitFixture()
    let repository = try fixture.repository()
    let base = try repository.commitFiles(["edited": "1", "removed": "1", "gone": "1", "ok": "1"])
    try fixture.write("edited", "mine")
    try fixture.write("gone", "mine too")
    try fixture.write("new", "untracked")
    unlink(fixture.folder + "/removed")
    let next = try repository.makeCommit(
      ["edited": "2", "removed": "2", "gone": nil, "new": "2", "ok": "2"], onto: base)
    let kept = try repository.moveHead(to: next, expecting: base, message: "m")
    #expect(kept.map(\.path).sorted() == ["edited", "gone", "new", "removed"])
    #expect(kept.allSatisfy { $0.isUncommittedWork })
    #expect(fixture.read("edited") == "mine")
    #expect(fixture.read("gone") == "mine too")
    #expect(fixture.read("new") == "untracked")
    #expect(!fixture.exists("removed"))
    #expect(fixture.read("ok") == "2")
    let status = try fixture.git("status", "--porcelain").split(separator: "\n").sorted()
    #expect(status == [" D removed", " M edited", " M new", "?? gone"])
  }

  @Test func takesAFileThatAlreadyHoldsTheNewContents() throws {
    let fixture = try GitFixture()
    let repository = try fixture.repository()
    let base = try repository.commitFiles(["a": "1"])
    try fixture.write("a", "2")
    try fixture.write("b", "3")
    let next = try repository.makeCommit(["a": "2", "b": "3"], onto: base)
    #expect(try repository.moveHead(to: next, expecting: base, message: "m").isEmpty)
    #expect(try fixture.git("status", "--porcelain") == "")
  }

  @Test func keepsWhatTheUserStaged() throws {
    let fixture = try GitFixture()
    let repository = try fixture.repository()
    let base = try repository.commitFiles(["a": "1", "b": "1"])
    try fixture.write("b", "staged")
    try fixture.write("new", "staged too")
    try fixture.git("add", "-A")
    let next = try repository.makeCommit(["a": "2"], onto: base)
    try repository.moveHead(to: next, expecting: base, message: "m")
    let status = try fixture.git("status", "--porcelain").split(separator: "\n").sorted()
    #expect(status == ["A  new", "M  b"])
  }

  @Test func neverWritesThroughLinks() throws {
    let fixture = try GitFixture()
    let repository = try fixture.repository("/r")
    mkdir(fixture.folder + "/outside", 0o777)
    try #require(symlink(fixture.folder + "/outside", fixture.folder + "/r/home") == 0)
    try #require(symlink(fixture.folder + "/outside/f", fixture.folder + "/r/f") == 0)
    let commit = try repository.makeCommit(["home/secret": "1", "f": "2", "ok": "3"])
    let kept = try repository.moveHead(to: commit, expecting: nil, message: "m")
    #expect(kept.map(\.path).sorted() == ["f", "home/secret"])
    #expect(!fixture.exists("outside/secret") && !fixture.exists("outside/f"))
    #expect(fixture.read("r/ok") == "3")
    #expect(errorKind { try repository.setWorkFile("home/x", [1]) } == "file")
    #expect(errorKind { try repository.setWorkFile("../x", [1]) } == "file")
    #expect(errorKind { try repository.setWorkFile(".git/config", [1]) } == "file")
    #expect(errorKind { _ = try repository.workFile("home/x") } == "file")
    #expect(errorKind { _ = try repository.workFile("f") } == "file")
    #expect(repository.plainFiles(below: "home/").isEmpty)
  }

  /// A tree can say that `a` is a link and that there are files in `a/`; a link that came with the
  /// same commit must not lead anywhere either.
  @Test func refusesATreeWithALinkAndAFolderOfOneName() throws {
    let fixture = try GitFixture()
    let repository = try fixture.repository("/r")
    mkdir(fixture.folder + "/outside", 0o777)
    let inner = try repository.commit(repository.makeCommit(["x": "1"])).tree
    let target = try repository.writeBlob(Array("../outside".utf8))
    try repository.flush()
    let evil = try GitProgram(directory: fixture.folder + "/r").require(
      ["hash-object", "-t", "tree", "-w", "--literally", "--stdin"],
      input: Array("120000 a\0".utf8) + target.bytes + Array("40000 a\0".utf8) + inner.bytes)
    try repository.refreshObjects()
    let commit = try repository.writeCommit(
      tree: #require(ObjectID(evil.outputText)), parents: [], message: "evil", author: ada)
    _ = try repository.moveHead(to: commit, expecting: nil, message: "m")
    #expect(!fixture.exists("outside/x"))
  }

  @Test func carriesLinksProgramsAndSubmodulesAlong() throws {
    let fixture = try GitFixture()
    let repository = try fixture.repository()
    let blob = try repository.writeBlob(Array("target".utf8))
    let tree = try repository.writeTree(
      from: nil,
      edits: [
        TreeEdit(path: "run", id: blob, mode: .executable),
        TreeEdit(path: "link", id: blob, mode: .link),
        TreeEdit(
          path: "sub", id: ObjectID("0100000000000000000000000000000000000000"), mode: .submodule),
      ])
    let commit = try repository.writeCommit(
      tree: tree, parents: [], message: "modes", author: ada)
    #expect(try repository.moveHead(to: commit, expecting: nil, message: "m").isEmpty)
    #expect(access(fixture.folder + "/run", X_OK) == 0)
    #expect(try fixture.git("ls-files", "--stage", "run").hasPrefix("100755"))
    #expect(try fixture.git("status", "--porcelain", "--ignore-submodules") == "")
    let plain = try repository.writeTree(
      from: tree,
      edits: [
        TreeEdit(path: "run", id: blob, mode: .file), TreeEdit(path: "link", id: blob, mode: .file),
        TreeEdit(path: "sub", id: nil),
      ])
    let second = try repository.writeCommit(
      tree: plain, parents: [commit], message: "plain", author: ada)
    #expect(try repository.moveHead(to: second, expecting: commit, message: "m").isEmpty)
    #expect(access(fixture.folder + "/run", X_OK) != 0)
    #expect(fixture.read("link") == "target")
    #expect(try fixture.git("status", "--porcelain") == "")
  }

  @Test func convertsLineEndsAsTheAttributesSay() throws {
    let fixture = try GitFixture()
    let repository = try fixture.repository()
    try repository.commitFiles([
      ".gitattributes": "*.json text eol=lf\n*.bat text eol=crlf\n", "a.json": "1\n",
    ])
    let head = try repository.commitFiles(["b.bat": "x\ny\n"])
    #expect(fixture.read("b.bat") == "x\r\ny\r\n")
    #expect(try fixture.git("status", "--porcelain") == "")
    try fixture.write("a.json", "1\r\n")
    #expect(try repository.workFile("a.json") == Array("1\n".utf8))
    #expect(try repository.workTreeChanges(below: [""]).isEmpty)
    let next = try repository.makeCommit(["a.json": "2\n"], onto: head)
    #expect(try repository.moveHead(to: next, expecting: head, message: "m").isEmpty)
    #expect(fixture.read("a.json") == "2\n")
  }

  @Test func changesNothingWhileAnotherGitHoldsTheIndex() throws {
    let fixture = try GitFixture()
    let repository = try fixture.repository()
    let head = try repository.commitFiles(["a": "1"])
    let next = try repository.makeCommit(["a": "2"], onto: head)
    try fixture.write(".git/index.lock", "")
    do {
      try repository.moveHead(to: next, expecting: head, message: "m", waitMilliseconds: 1)
      Issue.record("the lock was ignored")
    } catch {
      #expect(error == .locked(path: repository.gitDirectory + "index.lock"))
    }
    #expect(repository.head == head)
    #expect(fixture.read("a") == "1")
    #expect(fixture.exists(".git/index.lock"))
    unlink(fixture.folder + "/.git/index.lock")
    try repository.moveHead(to: next, expecting: head, message: "m")
    #expect(fixture.read("a") == "2")
    #expect(!fixture.exists(".git/index.lock"))
  }

  @Test func leavesNothingBehindWhenTheBranchWasMoved() throws {
    let fixture = try GitFixture()
    let repository = try fixture.repository()
    let head = try repository.commitFiles(["a": "1"])
    try repository.commitFiles(["a": "2"])
    let late = try repository.makeCommit(["a": "3"], onto: head)
    #expect(
      errorKind { try repository.moveHead(to: late, expecting: head, message: "m") } == "moved")
    #expect(fixture.read("a") == "2")
    #expect(!fixture.exists(".git/index.lock") && !fixture.exists(".git/almanac/checkout"))
    #expect(try fixture.git("status", "--porcelain") == "")
  }

  /// The states in which a process can die between moving the branch and writing the index.
  @Test(arguments: 0...2) func finishesWhatADeadProcessLeft(step: Int) throws {
    let fixture = try GitFixture()
    let repository = try fixture.repository()
    let head = try repository.commitFiles(["a": "1", "b": "1", "gone": "1"])
    let old = try repository.commit(head).tree
    let next = try repository.makeCommit(
      ["a": "2", "b": "2", "gone": nil, "new": "2"], onto: head)
    try fixture.write(".git/almanac/checkout", "\(old) \(next)\n")
    if step > 0 {
      try repository.updateReference(
        "refs/heads/main", to: next, expecting: head, message: "m")
    }
    if step > 1 {
      try repository.setWorkFile("a", Array("2".utf8))
      try repository.setWorkFile("new", Array("2".utf8))
    }
    #expect(try repository.workTreeChanges(below: [""]).isEmpty)
    #expect(try fixture.git("status", "--porcelain") == "")
    #expect(fixture.read("b") == (step > 0 ? "2" : "1"))
    #expect(fixture.exists("gone") == (step == 0))
    #expect(!fixture.exists(".git/almanac/checkout"))
  }

  @Test func triesAgainWhatCouldNotBeWritten() throws {
    let fixture = try GitFixture()
    let repository = try fixture.repository()
    let head = try repository.commitFiles(["a": "1", "d": "1"])
    let next = try repository.makeCommit(
      ["a": "2", "d": nil, "d/e": "2"], onto: head)
    // A device in the place of a file: neither a file nor ours.
    try #require(mkfifo(fixture.folder + "/pipe", 0o600) == 0)
    let third = try repository.makeCommit(["pipe": "3"], onto: next)
    try repository.moveHead(to: next, expecting: head, message: "m")
    let kept = try repository.moveHead(to: third, expecting: next, message: "m")
    #expect(kept.map(\.path) == ["pipe"])
    #expect(fixture.read("d/e") == "2")
    unlink(fixture.folder + "/pipe")
    #expect(
      try repository.workTreeChanges(below: [""]) == [WorkTreeChange(path: "pipe", kind: .removed)])
  }

  @Test func setsIndexEntriesOfGivenPathsOnly() throws {
    let fixture = try GitFixture()
    let repository = try fixture.repository()
    let head = try repository.commitFiles(["a": "1", "b": "1"])
    let blob = try repository.writeBlob(Array("2".utf8))
    let next = try repository.makeCommit(["a": "2", "b": nil], onto: head)
    try repository.updateReference("refs/heads/main", to: next, expecting: head, message: "m")
    try repository.setWorkFile("a", Array("2".utf8))
    try repository.setWorkFile("b", nil)
    try repository.setIndex([("a", blob), ("b", nil)])
    #expect(try fixture.git("status", "--porcelain") == "")
  }
}
