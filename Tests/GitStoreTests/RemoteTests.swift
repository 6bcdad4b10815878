import GitStore
import Glibc
import Testing

@Suite struct RemoteTests {
  /// A bare repository `hub` with one commit, and clones of it.
  private func hub(_ fixture: GitFixture, clones: [String]) throws -> [Repository] {
    let hub = try fixture.repository("/hub", bare: true)
    let first = try hub.makeCommit(["a": "1"])
    try hub.moveHead(to: first, expecting: nil, message: "first")
    return try clones.map { name in
      let program = GitProgram(directory: fixture.folder)
      let failure = try program.clone(fixture.folder + "/hub", to: fixture.folder + "/" + name)
      #expect(failure == nil)
      return try Repository.open(fixture.folder + "/" + name)
    }
  }

  @Test func exchangesCommits() throws {
    let fixture = try GitFixture()
    let clones = try hub(fixture, clones: ["one", "two"])
    let one = GitProgram(directory: fixture.folder + "/one")
    let two = GitProgram(directory: fixture.folder + "/two")
    #expect(try one.remotes() == ["origin"])
    #expect(try one.remoteURL("origin") == fixture.folder + "/hub")
    #expect(try one.remoteURL("none") == nil)
    let main = "refs/heads/main"
    #expect(try one.push("origin", from: main, to: main) == .upToDate)
    let next = try clones[0].commitFiles(["a": "2"])
    #expect(try one.push("origin", from: main, to: main, setsUpstream: true) == .updated)
    #expect(try one.listRemote("origin").references[main] == next)
    var lines = 0
    #expect(try two.fetch("origin", progress: { _ in lines += 1 }) == nil)
    try clones[1].refreshObjects()
    #expect(clones[1].reference("refs/remotes/origin/main") == next)
    #expect(try clones[1].commit(next).parents.count == 1)
    #expect(lines > 0)
  }

  @Test func tellsAnOvertakenPushFromARefusedOne() throws {
    let fixture = try GitFixture()
    let clones = try hub(fixture, clones: ["one", "two"])
    let one = GitProgram(directory: fixture.folder + "/one")
    let two = GitProgram(directory: fixture.folder + "/two")
    let main = "refs/heads/main"
    try clones[0].commitFiles(["a": "2"])
    try clones[1].commitFiles(["a": "3"])
    #expect(try one.push("origin", from: main, to: main) == .updated)
    guard case .overtaken = try two.push("origin", from: main, to: main) else {
      Issue.record("not overtaken")
      return
    }
    #expect(try two.fetch("origin") == nil)
    guard case .overtaken = try two.push("origin", from: main, to: main) else {
      Issue.record("not overtaken after the fetch")
      return
    }
    try fixture.write("hub/hooks/pre-receive", "#!/bin/sh\necho 'not on Sundays' >&2\nexit 1\n")
    try #require(chmod(fixture.folder + "/hub/hooks/pre-receive", 0o755) == 0)
    try clones[0].commitFiles(["a": "4"])
    guard case .refused(let reason) = try one.push("origin", from: main, to: main) else {
      Issue.record("not refused")
      return
    }
    #expect(reason.contains("pre-receive hook declined"))
  }

  @Test func tellsOfflineFromRefused() throws {
    let fixture = try GitFixture()
    let clones = try hub(fixture, clones: ["one"])
    let one = GitProgram(directory: fixture.folder + "/one")
    try one.addRemote("gone", url: fixture.folder + "/gone")
    guard case .refused(let reason)? = try one.fetch("gone") else {
      Issue.record("a missing folder is not offline")
      return
    }
    #expect(reason.contains("does not appear to be a git repository"))
    // Nothing listens on port 1 of this machine.
    try one.addRemote("dead", url: "git://127.0.0.1:1/x")
    #expect(try one.remoteURL("dead") == "git://127.0.0.1:1/x")
    guard case .offline(let text)? = try one.fetch("dead") else {
      Issue.record("a closed port is offline")
      return
    }
    #expect(text.contains("unable to connect"))
    try one.addRemote("secret", url: "https://ada:secret@127.0.0.1:1/x")
    #expect(try one.remoteURL("secret") == "https://127.0.0.1:1/x")
    let failure = try one.fetch("secret")
    #expect(failure != nil && failure?.reason.contains("ada") == false)
    try clones[0].commitFiles(["a": "2"])
    guard
      case .failed(.offline) = try one.push(
        "dead", from: "refs/heads/main", to: "refs/heads/main")
    else {
      Issue.record("a push to a closed port is offline")
      return
    }
    #expect(try one.listRemote("gone").failure != nil)
    #expect(try one.clone(fixture.folder + "/gone", to: fixture.folder + "/copy") != nil)
    #expect(!fixture.exists("copy"))
    #expect(errorKind { try one.addRemote("dead", url: "x") } == "program")
  }

  @Test func readsMessagesOfTransports() {
    let offline = [
      "ssh: Could not resolve hostname example.org: Name or service not known\n"
        + "fatal: Could not read from remote repository.",
      "fatal: unable to access 'https://h/': Could not resolve host: h",
      "fatal: unable to access 'https://h/': Failed to connect to h port 443: Connection refused",
      "ssh: connect to host h port 22: No route to host",
      "ssh: connect to host h port 22: Connection timed out",
      "fatal: unable to look up h (port 9418) (Temporary failure in name resolution)",
    ]
    for message in offline {
      guard case .offline = RemoteFailure(message: message) else {
        Issue.record("\(message) is offline")
        continue
      }
    }
    let refused = [
      "git@h: Permission denied (publickey).\nfatal: Could not read from remote repository.",
      "fatal: Authentication failed for 'https://h/x/'",
      "fatal: could not read Username for 'https://h': terminal prompts disabled",
      "remote: Repository not found.\nfatal: repository 'https://h/x/' not found", "",
    ]
    for message in refused {
      guard case .refused = RemoteFailure(message: message) else {
        Issue.record("\(message) is refused")
        continue
      }
    }
    #expect(
      RemoteFailure(message: "error: a\nReceiving objects:  50% (1/2)\nfatal: b\n").reason == "a; b"
    )
  }
}
