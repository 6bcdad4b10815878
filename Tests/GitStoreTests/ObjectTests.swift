import GitStore
import Glibc
import Testing

@Suite struct ObjectTests {
  @Test func readsAndPrintsIDs() {
    let text = "0123456789abcdef0123456789abcdef01234567"
    #expect(ObjectID(text)?.description == text)
    #expect(ObjectID(text.uppercased())?.description == text)
    #expect(ObjectID(text).map { ObjectID(bytes: $0.bytes[...]) } == ObjectID(text))
    for wrong in ["", "0123", text + "0", text.dropLast() + "g", text.dropLast(2) + "+1"] {
      #expect(ObjectID(wrong) == nil)
    }
    let low = ObjectID("00000000000000000000000000000000000000ff")
    let high = ObjectID("0100000000000000000000000000000000000000")
    #expect(low != nil && high != nil)
    if let low, let high { #expect(low < high && !(high < low)) }
  }

  @Test func namesBlobsAsGitDoes() throws {
    let fixture = try GitFixture()
    let repository = try fixture.repository()
    for bytes in [[], [0], Array("text\n".utf8), [UInt8](repeating: 0xFF, count: 100_000)] {
      try fixture.writeBytes("file", bytes)
      let id = try repository.writeBlob(bytes)
      #expect(try fixture.git("hash-object", "file") == id.description)
      #expect(try repository.blobID(of: bytes) == id)
      #expect(try repository.blob(id) == bytes)
      try repository.flush()
      #expect(try repository.blob(id) == bytes)
      #expect(try fixture.git("cat-file", "-s", id.description) == "\(bytes.count)")
    }
  }

  @Test func refusesAnObjectOfAnotherKind() throws {
    let fixture = try GitFixture()
    let repository = try fixture.repository()
    let commit = try repository.makeCommit(["a": "1"])
    #expect(errorKind { _ = try repository.blob(commit) } == "failed")
    try repository.flush()
    #expect(errorKind { _ = try repository.blob(commit) } == "failed")
    let none = try #require(ObjectID("0100000000000000000000000000000000000000"))
    #expect(errorKind { _ = try repository.commit(none) } == "failed")
  }

  @Test func writesTheCommitThatGitWrites() throws {
    let fixture = try GitFixture()
    let repository = try fixture.repository()
    let first = try repository.makeCommit(["a": "1"], message: "first")
    let tree = try repository.commit(first).tree
    let commit = try repository.writeCommit(
      tree: tree, parents: [first], message: "Grüße\n\nAlmanac-Op: add\n", author: ada,
      committer: Signature(name: "Bob", email: "b@x", seconds: 7, offsetMinutes: -570))
    try repository.flush()
    let same = try GitProgram(directory: fixture.folder).require(
      ["commit-tree", tree.description, "-p", first.description, "-F", "-"],
      input: Array("Grüße\n\nAlmanac-Op: add\n".utf8),
      environment: [
        "GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.org",
        "GIT_AUTHOR_DATE": "@1796126400 +0100", "GIT_COMMITTER_NAME": "Bob",
        "GIT_COMMITTER_EMAIL": "b@x", "GIT_COMMITTER_DATE": "@7 -0930",
      ]
    ).outputText
    #expect(commit.description == same)
    let read = try repository.commit(commit)
    #expect(read.author == ada)
    #expect(read.committer.name == "Bob" && read.committer.offsetMinutes == -570)
    #expect(read.committer.seconds == 7)
    #expect(read.parents == [first])
    #expect(read.subject == "Grüße")
    #expect(read.trailer("Almanac-Op") == "add")
    #expect(read.trailer("Other") == nil)
  }

  @Test func writesNothingThatFsckComplainsAbout() throws {
    let fixture = try GitFixture()
    let repository = try fixture.repository()
    let odd = Signature(
      name: "  <Ada\n\0> ", email: "", seconds: -5, offsetMinutes: 100_000)
    let tree = try repository.writeTree(from: nil, edits: [])
    let commit = try repository.writeCommit(
      tree: tree, parents: [], message: "a\0b", author: odd)
    try repository.moveHead(to: commit, expecting: nil, message: "odd\nmessage")
    #expect(try fixture.git("fsck", "--strict") == "")
    #expect(try repository.commit(commit).author.name == "Ada")
    #expect(try fixture.git("log", "-1", "--format=%an|%ae|%s") == "Ada|unknown|ab")
  }

  @Test func readsCommitsOfOtherPrograms() throws {
    let fixture = try GitFixture()
    let repository = try fixture.repository()
    let tree = try repository.writeTree(from: nil, edits: [])
    try repository.flush()
    func raw(_ header: String, _ message: String) throws -> ObjectID {
      let result = try GitProgram(directory: fixture.folder).require(
        ["hash-object", "-t", "commit", "-w", "--literally", "--stdin"],
        input: Array("tree \(tree)\n\(header)\n\(message)".utf8))
      try repository.refreshObjects()
      return try #require(ObjectID(result.outputText))
    }
    let signed = try repository.commit(
      raw(
        """
        author A <a@x> 5 +0000
        committer B <b@x> 6 +0000
        gpgsig -----BEGIN
         tree of text
         author nobody
         -----END
        mergetag object 1

        """, "\n\nsubject\nbody"))
    #expect(signed.author.name == "A" && signed.committer.name == "B")
    #expect(signed.message == "subject\nbody")
    let broken = try repository.commit(raw("author nobody at all\ncommitter x\n", ""))
    #expect(broken.author.name == "nobody at all" && broken.author.seconds == 0)
    #expect(broken.message == "" && broken.subject == "")
    let none = try raw("nothing else\n", "")
    #expect(errorKind { _ = try repository.commit(none) } == "failed")
  }

  @Test func signsThroughTheUsersProgramOrRefuses() throws {
    let fixture = try GitFixture()
    let repository = try fixture.repository()
    try fixture.write(
      "sign",
      "#!/bin/sh\ncat >/dev/null\necho '[GNUPG:] SIG_CREATED ' >&2\necho signature-of-test\n")
    try GitProgram(directory: fixture.folder).require(["config", "commit.gpgsign", "true"])
    try GitProgram(directory: fixture.folder).require(
      ["config", "gpg.program", fixture.folder + "/sign"])
    #expect(errorKind { _ = try repository.makeCommit(["a": "1"]) } == "program")
    try #require(chmod(fixture.folder + "/sign", 0o755) == 0)
    let commit = try repository.makeCommit(["a": "1"], message: "signed\n")
    let text = try fixture.git("cat-file", "commit", commit.description)
    #expect(text.contains("gpgsig signature-of-test"))
    #expect(text.contains("author Ada <ada@example.org> 1796126400 +0100"))
    #expect(try repository.commit(commit).message == "signed\n")
  }
}
