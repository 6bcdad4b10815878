import GitStore
import Glibc
import Testing

@Suite struct GitProgramTests {
  @Test func passesInputArgumentsAndEnvironment() throws {
    let fixture = try GitFixture()
    let program = GitProgram(directory: fixture.folder)
    let large = [UInt8](repeating: UInt8(ascii: "x"), count: 3_000_000)
    let result = try program.run(["hash-object", "--stdin"], input: large)
    #expect(result.status == 0 && result.outputText.utf8.count == 40)
    try fixture.git("init", "--quiet")
    try fixture.git(
      "config", "alias.show-me", "!printf '%s|' \"$1\" \"$EXTRA\" \"$LC_ALL\" #")
    #expect(
      try program.require(["show-me", "a b'\"$(id)"], environment: ["EXTRA": "e"]).outputText
        .hasPrefix("a b'\"$(id)|e|C|"))
  }

  @Test func survivesAProgramThatDoesNotRead() throws {
    let fixture = try GitFixture()
    try fixture.git("init", "--quiet")
    let input = [UInt8](repeating: 0, count: 5_000_000)
    let result = try GitProgram(directory: fixture.folder).run(["--version"], input: input)
    #expect(result.status == 0)
    #expect(result.outputText.hasPrefix("git version"))
  }

  @Test func reportsStatusSignalsAndLines() throws {
    let fixture = try GitFixture()
    try fixture.git("init", "--quiet")
    try fixture.git(
      "config", "alias.fail", "!printf 'one\\rtwo\\nhttps://u:secret@h/x' >&2; exit 7 #")
    try fixture.git("config", "alias.die", "!kill -9 $PPID #")
    let program = GitProgram(directory: fixture.folder)
    var lines: [String] = []
    let result = try program.run(["fail"], progress: { lines.append($0) })
    #expect(result.status == 7)
    #expect(lines == ["one", "two", "https://h/x"])
    #expect(result.errorText == "one\rtwo\nhttps://h/x")
    #expect(try program.run(["die"]).status == 137)
    #expect(errorKind { try program.require(["fail"]) } == "program")
  }

  @Test func saysThatGitIsMissing() throws {
    let fixture = try GitFixture()
    let program = GitProgram(directory: fixture.folder, executable: "no-such-git-here")
    #expect(errorKind { _ = try program.run(["--version"]) } == "gitMissing")
    let other = GitProgram(directory: fixture.folder)
    #expect(errorKind { _ = try other.run(["a\0b"]) } == "gitMissing")
  }

  @Test func ignoresTheRepositoryOfASurroundingHook() throws {
    let fixture = try GitFixture()
    _ = try fixture.repository("/outer")
    _ = try fixture.repository("/inner")
    let program = GitProgram(directory: fixture.folder + "/outer")
    // What a hook of another repository would set, given by hand, still counts.
    let given = try program.require(
      ["rev-parse", "--absolute-git-dir"],
      environment: ["GIT_DIR": fixture.folder + "/inner/.git"])
    #expect(given.outputText == fixture.folder + "/inner/.git")
    #expect(
      try program.require(["rev-parse", "--absolute-git-dir"]).outputText
        == fixture.folder + "/outer/.git")
  }

  @Test func doesNotWaitForWhatGitLeavesBehind() throws {
    let fixture = try GitFixture()
    try fixture.git("init", "--quiet")
    try fixture.git(
      "config", "alias.leave", "!(exec cat /proc/self/fd/9 9<>hold >&2 &) ; echo done #")
    try #require(mkfifo(fixture.folder + "/hold", 0o600) == 0)
    let result = try GitProgram(directory: fixture.folder).run(["leave"])
    #expect(result.outputText == "done")
    // Let the process that was left behind end.
    let descriptor = open(fixture.folder + "/hold", O_WRONLY | O_NONBLOCK)
    if descriptor >= 0 { close(descriptor) }
  }

  @Test func runsFromManyThreadsAtOnce() async throws {
    let fixture = try GitFixture()
    let folder = fixture.folder
    let counts = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<12 {
        group.addTask {
          let input = [UInt8](repeating: UInt8(number), count: 200_000)
          return try GitProgram(directory: folder).run(["hash-object", "--stdin"], input: input)
            .output.count
        }
      }
      return try await group.reduce(into: [Int]()) { $0.append($1) }
    }
    #expect(counts == [Int](repeating: 41, count: 12))
  }

  @Test func takesPasswordsOutOfAddresses() {
    let cases = [
      ("https://ada:secret@example.org/x.git", "https://example.org/x.git"),
      ("https://ada@example.org", "https://example.org"),
      ("'https://a:b@c/' and ssh://d@e:22/f", "'https://c/' and ssh://e:22/f"),
      ("https://example.org/a@b", "https://example.org/a@b"),
      ("https://a:p@ss@example.org/", "https://example.org/"),
      ("git@example.org:x.git", "git@example.org:x.git"), ("", ""), ("://", "://"),
    ]
    for (text, expected) in cases { #expect(GitProgram.redacted(text) == expected) }
  }
}
