import GitStore
import Glibc
import Testing

/// A temporary folder with git, away from the settings of whoever runs the tests.
final class GitFixture {
  /// The folder, without a slash at its end.
  let folder: String

  /// Nobody's home, set once before libgit2 and git look for it.
  private static let isolation: Bool = {
    var template = Array("/tmp/almanac-git-home-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { return false }
    let home = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    setenv("HOME", home, 1)
    setenv("XDG_CONFIG_HOME", home + "/config", 1)
    setenv("GIT_CONFIG_GLOBAL", home + "/gitconfig", 1)
    setenv("GIT_CONFIG_NOSYSTEM", "1", 1)
    setenv("GIT_AUTHOR_NAME", "Ada", 1)
    setenv("GIT_AUTHOR_EMAIL", "ada@example.org", 1)
    setenv("GIT_COMMITTER_NAME", "Ada", 1)
    setenv("GIT_COMMITTER_EMAIL", "ada@example.org", 1)
    return true
  }()

  init() throws {
    try #require(GitFixture.isolation)
    var template = Array("/tmp/almanac-git-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    GitFixture.remove(folder)
  }

  static func remove(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      unlink(path)
      return
    }
    if let stream = opendir(path) {
      while let entry = readdir(stream) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name != "." && name != ".." { remove(path + "/" + name) }
      }
      closedir(stream)
    }
    rmdir(path)
  }

  /// What the git program prints, without the line break at the end; a failure fails the test.
  @discardableResult
  func git(_ arguments: String..., in subfolder: String = "") throws -> String {
    try GitProgram(directory: folder + subfolder).require(arguments).outputText
  }

  /// A new repository in the folder, or in one below it.
  func repository(_ subfolder: String = "", bare: Bool = false) throws -> Repository {
    try Repository.create(folder + subfolder, bare: bare)
  }

  func write(_ path: String, _ text: String) throws {
    try writeBytes(path, Array(text.utf8))
  }

  func writeBytes(_ path: String, _ bytes: [UInt8]) throws {
    let parts = path.split(separator: "/").dropLast()
    var prefix = folder
    for part in parts {
      prefix += "/" + part
      mkdir(prefix, 0o777)
    }
    let file = try #require(fopen(folder + "/" + path, "wb"))
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
  }

  func read(_ path: String) -> String? {
    guard let file = fopen(folder + "/" + path, "rb") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
      bytes += buffer[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  func exists(_ path: String) -> Bool { access(folder + "/" + path, F_OK) == 0 }
}

/// The author of all commits in tests.
let ada = Signature(
  name: "Ada", email: "ada@example.org", seconds: 1_796_126_400, offsetMinutes: 60)

extension Repository {
  /// Commits texts by path (nil removes) onto a commit, without moving anything.
  func makeCommit(
    _ files: [String: String?], onto parent: ObjectID? = nil, also others: [ObjectID] = [],
    message: String = "change\n", seconds: Int64 = 1_796_126_400
  ) throws -> ObjectID {
    var edits: [TreeEdit] = []
    for (path, text) in files {
      let blob = try text.map { try writeBlob(Array($0.utf8)) }
      edits.append(TreeEdit(path: path, id: blob))
    }
    let tree = try writeTree(from: parent.map { try commit($0).tree }, edits: edits)
    var author = ada
    author.seconds = seconds
    return try writeCommit(
      tree: tree, parents: (parent.map { [$0] } ?? []) + others, message: message, author: author)
  }

  /// Commits texts by path onto HEAD; work tree and index follow.
  @discardableResult
  func commitFiles(_ files: [String: String?], message: String = "change\n") throws -> ObjectID {
    let commit = try makeCommit(files, onto: head, message: message)
    try moveHead(to: commit, expecting: head, message: "test")
    return commit
  }
}

/// The case of a `GitError`, to compare without its texts.
func kind(_ error: (any Error)?) -> String {
  guard let error = error as? GitError else { return "none" }
  switch error {
  case .failed: return "failed"
  case .moved: return "moved"
  case .notARepository: return "notARepository"
  case .foreignOwner: return "foreignOwner"
  case .unsupported: return "unsupported"
  case .locked: return "locked"
  case .file: return "file"
  case .gitMissing: return "gitMissing"
  case .program: return "program"
  }
}

/// The case of the `GitError` that a closure throws.
func errorKind(_ body: () throws -> Void) -> String {
  do {
    try body()
    return "nothing thrown"
  } catch {
    return kind(error)
  }
}
