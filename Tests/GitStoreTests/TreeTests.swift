import GitStore
import TestSupport
import Testing

@Suite struct TreeTests {
  @Test func refusesPathsThatLeadElsewhere() {
    let wrong = [
      "", "/", "/etc/passwd", "a//b", "a/", "../a", "a/../b", ".", "a/./b", ".git/config",
      "a/.git", "a/.GIT/hooks/x", ".git ", ".git.", ".git . .", "git~1/config", "GIT~1",
      ".g\u{200C}it/config", "\u{FEFF}.git", ".git::$INDEX_ALLOCATION", ".git\\hooks",
      "a\nb", "a\0b", String(repeating: "x", count: 256),
      String(repeating: "a/", count: 2_500) + "a",
    ]
    for path in wrong { #expect(GitPath.problem(path) != nil, "\(path.debugDescription)") }
    let right = [
      "a", ".gitattributes", ".github/x", "a/.gitignore", "git", "a~1", "..a", "a..", "Ärger/ü",
      "calendars/home/events/6f/6f6a.json", "a b", "-rf",
    ]
    for path in right { #expect(GitPath.problem(path) == nil, "\(path)") }
  }

  @Test func refusesHostilePathsInTrees() throws {
    let fixture = try GitFixture()
    let repository = try fixture.repository()
    let blob = try repository.writeBlob([1])
    for path in ["../a", "/a", ".git/config", "a/.Git/x", ""] {
      #expect(
        errorKind {
          _ = try repository.writeTree(from: nil, changes: [(path: path, blob: blob)])
        } == "file")
    }
  }

  @Test func writesTheTreeThatGitWrites() throws {
    let fixture = try GitFixture()
    let repository = try fixture.repository()
    let files = ["a.txt", "a/b", "a-b", "a0", "b/c/d/e", "b/c/f", "ü", "a/z"]
    for path in files where path != "a/b" { try fixture.write(path, "<\(path)>") }
    try fixture.write("a/b", "<a/b>")
    try fixture.git("add", "-A")
    let expected = try fixture.git("write-tree")
    var texts: [String: String?] = [:]
    for path in files { texts[path] = "<\(path)>" }
    let commit = try repository.makeCommit(texts)
    #expect(try repository.commit(commit).tree.description == expected)
    #expect(
      try repository.files(in: repository.commit(commit).tree).map(\.path)
        == fixture.git("-c", "core.quotePath=false", "ls-files").split(separator: "\n").map(
          String.init))
  }

  @Test func keepsModesAndForeignNames() throws {
    let fixture = try GitFixture()
    let repository = try fixture.repository()
    let blob = try repository.writeBlob(Array("x".utf8))
    let tree = try repository.writeTree(
      from: nil,
      edits: [
        TreeEdit(path: "run", id: blob, mode: .executable),
        TreeEdit(path: "link", id: blob, mode: .link),
        TreeEdit(
          path: "sub", id: ObjectID("0100000000000000000000000000000000000000"), mode: .submodule),
      ])
    try repository.flush()
    // A name in Latin-1, as old repositories have them.
    let listing = try fixture.git("ls-tree", tree.description) + "\n100644 blob \(blob)\tcaf"
    let foreign = try GitProgram(directory: fixture.folder).require(
      ["mktree"], input: Array(listing.utf8) + [0xE9, 0x0A])
    try repository.refreshObjects()
    let base = try #require(ObjectID(foreign.outputText))
    let other = try repository.writeBlob(Array("y".utf8))
    let edited = try repository.writeTree(from: base, changes: [("run", other), ("new", other)])
    try repository.flush()
    let before = try fixture.git("ls-tree", base.description)
    let after = try fixture.git("ls-tree", edited.description)
    #expect(after.contains("100755 blob \(other)\trun"))
    #expect(after.contains("100644 blob \(other)\tnew"))
    for line in before.split(separator: "\n") where !line.hasSuffix("\trun") {
      #expect(after.contains(line))
    }
    #expect(try repository.files(in: edited).map(\.path) == ["caf\u{FFFD}", "new", "run"])
  }

  @Test func neverDropsAFolderForAFile() throws {
    let fixture = try GitFixture()
    let repository = try fixture.repository()
    let base = try repository.commit(repository.makeCommit(["a/x": "1", "a/y": "2"])).tree
    let blob = try repository.writeBlob([3])
    #expect(
      errorKind { _ = try repository.writeTree(from: base, changes: [("a", blob)]) } == "file")
    // Removing a file that is a folder here removes nothing.
    #expect(try repository.writeTree(from: base, changes: [("a", nil)]) == base)
    #expect(try repository.writeTree(from: base, changes: [("none/at/all", nil)]) == base)
    let replaced = try repository.writeTree(
      from: base, changes: [("a/x", nil), ("a/y", nil), ("a", blob)])
    #expect(try repository.files(in: replaced).map(\.path) == ["a"])
    let back = try repository.writeTree(from: replaced, changes: [("a", nil), ("a/x", blob)])
    #expect(try repository.files(in: back).map(\.path) == ["a/x"])
  }

  @Test func refusesBlobsThatDoNotExist() throws {
    let fixture = try GitFixture()
    let repository = try fixture.repository()
    let none = ObjectID("0100000000000000000000000000000000000000")
    #expect(
      errorKind { _ = try repository.writeTree(from: nil, changes: [("a", none)]) } == "file")
  }

  @Test func refusesTreesNestedTooDeep() throws {
    let fixture = try GitFixture()
    let repository = try fixture.repository()
    let path = String(repeating: "d/", count: 300) + "f"
    try GitProgram(directory: fixture.folder).require(
      ["fast-import", "--quiet"],
      input: Array(
        "commit refs/heads/deep\ncommitter a <a> 0 +0000\ndata 0\nM 100644 inline \(path)\ndata 0\n"
          .utf8))
    let deep = try #require(repository.commit(named: "deep"))
    let tree = try repository.commit(deep).tree
    #expect(errorKind { _ = try repository.files(in: tree) } == "failed")
    #expect(errorKind { _ = try repository.changes(from: nil, to: tree) } == "failed")
  }

  @Test func listsFilesBelowAPrefixOnly() throws {
    let fixture = try GitFixture()
    let repository = try fixture.repository()
    let commit = try repository.makeCommit([
      "store/calendars/a": "1", "store/lists/b": "2", "store2/c": "3", "d": "4",
    ])
    let tree = try repository.commit(commit).tree
    #expect(
      try repository.files(in: tree, below: "store/").map(\.path) == [
        "store/calendars/a", "store/lists/b",
      ])
    #expect(try repository.files(in: tree, below: "store/lists/b").map(\.path) == ["store/lists/b"])
    #expect(try repository.file("store/lists/b", in: tree) != nil)
    #expect(try repository.file("store/lists", in: tree) == nil)
    #expect(try repository.file("store/lists/b/c", in: tree) == nil)
    #expect(try repository.entry("store/lists", in: tree)?.mode == .folder)
    #expect(try repository.folders(in: tree, at: "") == ["store", "store2"])
    #expect(try repository.folders(in: tree, at: "store") == ["calendars", "lists"])
    #expect(try repository.folders(in: tree, at: "d").isEmpty)
    #expect(try repository.folders(in: tree, at: "none").isEmpty)
    #expect(try repository.blob(atPath: "d", of: commit) == Array("4".utf8))
    #expect(try repository.blob(atPath: "e", of: commit) == nil)
  }

  /// Random edits give the trees and differences that git itself gives.
  @Test(arguments: 1...12) func agreesWithGitOnRandomEdits(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let fixture = try GitFixture()
    let repository = try fixture.repository()
    let names = ["a", "a.b", "a-", "b", "c0", "c"]
    func path() -> String {
      (0...random.integer(0...2)).map { _ in random.element(of: names) }.joined(separator: "/")
    }
    var old: ObjectID?
    var model: [String: String] = [:]
    for round in 0..<6 {
      var edits: [String: String?] = [:]
      for _ in 0..<random.integer(1...8) {
        let path = path()
        if random.chance(oneIn: 3) {
          if model[path] != nil { edits[path] = .some(nil) }
        } else {
          edits[path] = "\(round) \(random.integer(0...3))"
        }
      }
      var next = model
      for (path, text) in edits { next[path] = text ?? nil }
      // A path cannot be a file and a folder.
      let clash = next.keys.contains { path in next.keys.contains { $0.hasPrefix(path + "/") } }
      if clash { continue }
      let tree = try repository.writeTree(
        from: old,
        changes: edits.map {
          (path: $0.key, blob: try $0.value.map { try repository.writeBlob(Array($0.utf8)) })
        })
      try repository.flush()
      var info = ""
      for (path, text) in next {
        info += "100644 \(try repository.blobID(of: Array(text.utf8)))\t\(path)\n"
      }
      try fixture.git("read-tree", "--empty")
      try GitProgram(directory: fixture.folder).require(
        ["update-index", "--index-info"], input: Array(info.utf8))
      #expect(try fixture.git("write-tree") == tree.description, "seed \(seed) round \(round)")
      let empty = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
      let expected = try fixture.git(
        "diff-tree", "-r", "--no-renames", "--name-status", old?.description ?? empty,
        tree.description)
      let found = try repository.changes(from: old, to: tree).map { change in
        (change.old == nil ? "A" : change.new == nil ? "D" : "M") + "\t" + change.path
      }
      #expect(found.sorted() == expected.split(separator: "\n").map(String.init).sorted())
      old = tree
      model = next
    }
  }
}
