import GitStore
import Glibc
import Testing

@Suite struct RepositoryTests {
  @Test func opensFromAFolderInside() throws {
    let fixture = try GitFixture()
    _ = try fixture.repository()
    try fixture.write("calendars/home/a.txt", "a")
    let found = try Repository.open(fixture.folder + "/calendars/home")
    #expect(found.workDirectory?.hasSuffix(fixture.folder + "/") == true)
    #expect(!found.isBare)
  }

  @Test func saysThereIsNoRepository() throws {
    let fixture = try GitFixture()
    #expect(errorKind { _ = try Repository.open(fixture.folder) } == "notARepository")
    #expect(errorKind { _ = try Repository.open(fixture.folder + "/none") } == "notARepository")
  }

  @Test func createsOnBranchMainWhateverTheUserPrefers() throws {
    let fixture = try GitFixture()
    let repository = try fixture.repository()
    #expect(repository.headReference == "refs/heads/main")
    #expect(repository.head == nil)
    #expect(try fixture.git("symbolic-ref", "HEAD") == "refs/heads/main")
  }

  @Test func creatingAgainKeepsTheBranch() throws {
    let fixture = try GitFixture()
    try fixture.git("init", "--quiet", "--initial-branch", "diary")
    #expect(try fixture.repository().headReference == "refs/heads/diary")
  }

  @Test func createsBareRepositories() throws {
    let fixture = try GitFixture()
    let repository = try fixture.repository("/deep/er.git", bare: true)
    #expect(repository.isBare)
    #expect(repository.workDirectory == nil)
    #expect(try fixture.git("rev-parse", "--is-bare-repository", in: "/deep/er.git") == "true")
    let commit = try repository.makeCommit(["a": "1"])
    #expect(try repository.moveHead(to: commit, expecting: nil, message: "first").isEmpty)
    #expect(try fixture.git("rev-parse", "main", in: "/deep/er.git") == commit.description)
  }

  @Test func opensLinkedWorkTrees() throws {
    let fixture = try GitFixture()
    let main = try fixture.repository("/main")
    try main.commitFiles(["a": "1"])
    try fixture.git("worktree", "add", "--quiet", "../other", in: "/main")
    let other = try Repository.open(fixture.folder + "/other")
    #expect(other.headReference == "refs/heads/other")
    #expect(other.commonDirectory == main.gitDirectory)
    #expect(other.gitDirectory == main.gitDirectory + "worktrees/other/")
    try other.commitFiles(["b": "2"])
    #expect(try fixture.git("status", "--porcelain", in: "/other") == "")
    #expect(try fixture.git("status", "--porcelain", in: "/main") == "")
    #expect(fixture.read("other/b") == "2")
    #expect(!fixture.exists("main/b"))
    let path = try fixture.git("rev-parse", "--git-path", "almanac", in: "/other")
    #expect(other.gitDirectory + "almanac" == path)
  }

  @Test func opensASeparateGitFolder() throws {
    let fixture = try GitFixture()
    try fixture.git("init", "--quiet", "--separate-git-dir", fixture.folder + "/store", "work")
    let repository = try Repository.open(fixture.folder + "/work")
    #expect(repository.gitDirectory.hasSuffix("/store/"))
    try repository.commitFiles(["a": "1"])
    #expect(try fixture.git("status", "--porcelain", in: "/work") == "")
  }

  @Test func namesWhatItCannotRead() throws {
    let fixture = try GitFixture()
    try fixture.git("init", "--quiet", "--object-format", "sha256", "new")
    #expect(errorKind { _ = try Repository.open(fixture.folder + "/new") } == "unsupported")
  }

  @Test(.enabled(if: getuid() == 0)) func saysWhenSomebodyElseOwnsIt() throws {
    let fixture = try GitFixture()
    _ = try fixture.repository("/theirs")
    try #require(chown(fixture.folder + "/theirs", 65_534, 65_534) == 0)
    try #require(chown(fixture.folder + "/theirs/.git", 65_534, 65_534) == 0)
    #expect(errorKind { _ = try Repository.open(fixture.folder + "/theirs") } == "foreignOwner")
  }

  @Test func readsAndWritesSettings() throws {
    let fixture = try GitFixture()
    let repository = try fixture.repository()
    #expect(repository.config("merge.almanac.driver") == nil)
    try repository.setConfig("merge.almanac.driver", "'/a b/almanac' merge-file %O %A %B %P")
    #expect(
      repository.config("merge.almanac.driver") == "'/a b/almanac' merge-file %O %A %B %P")
    #expect(
      try fixture.git("config", "--local", "merge.almanac.driver")
        == "'/a b/almanac' merge-file %O %A %B %P")
    try fixture.git("config", "x.on", "yes")
    #expect(repository.configBool("x.on") == true)
    #expect(repository.configBool("x.off") == nil)
    try fixture.write(".git/config.lock", "")
    #expect(errorKind { try repository.setConfig("x.y", "1") } == "locked")
  }

  @Test func knowsADetachedHead() throws {
    let fixture = try GitFixture()
    let repository = try fixture.repository()
    let first = try repository.commitFiles(["a": "1"])
    try fixture.git("checkout", "--quiet", "--detach")
    #expect(repository.isHeadDetached)
    #expect(repository.head == first)
    let second = try repository.commitFiles(["a": "2"])
    #expect(repository.head == second)
    #expect(repository.reference("refs/heads/main") == first)
    #expect(try fixture.git("status", "--porcelain") == "")
  }
}
