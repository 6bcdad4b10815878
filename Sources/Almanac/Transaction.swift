public import CalendarModel
import GitStore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What a write did to a store.
public struct WriteOutcome: Sendable {
  /// The commit; nil if nothing changed.
  public var commit: String?
  /// UIDs that are new.
  public var created: [String] = []
  /// UIDs that changed.
  public var updated: [String] = []
  /// UIDs that are gone.
  public var removed: [String] = []
  /// Files of the work tree that were left alone because they hold an edit with an error.
  public var leftAlone: [(path: String, finding: Finding)] = []
  /// What people should know, in words.
  public var notes: [String] = []
  /// The commit that is taken back by this one; nil for any other action.
  var undone: String?

  /// The outcome of a write that changed nothing.
  public init() {}
}

extension Replica {
  /// How often a write is tried again after another process was faster.
  static let attemptsMax = 8

  /// Writes files as one commit.
  @discardableResult
  func write(
    _ files: [String: [UInt8]?], subject: String, op: String
  ) throws(ReplicaError) -> WriteOutcome {
    try transact(op: op) { _ throws(ReplicaError) in (files, subject, WriteOutcome()) }
  }

  /// Makes one action: computes files from a snapshot and commits them, again from the start if
  /// another process was faster. Uncommitted hand edits are committed first, as an action of their
  /// own.
  ///
  /// - Parameter body: returns paths with their new bytes (nil removes), the subject of the commit
  ///   and the outcome to fill in; it may run several times.
  func transact(
    op: String,
    _ body: (Snapshot) throws(ReplicaError) -> ([String: [UInt8]?], String, WriteOutcome)
  ) throws(ReplicaError) -> WriteOutcome {
    let lock = StoreLock(repository.gitDirectory + "almanac")
    defer { lock.release() }
    for _ in 0..<Replica.attemptsMax {
      do {
        let leftAlone = try commitHandEdits()
        let head = repository.head
        var (files, subject, outcome) = try body(try Snapshot(replica: self, commit: head))
        for (path, finding) in leftAlone {
          // A file that is wrong is never written over.
          if files[path] != nil { throw ReplicaError.unreadable(path: path, finding: finding) }
        }
        outcome.leftAlone = leftAlone
        let message = self.message(subject, op: op, undoing: outcome.undone)
        outcome.commit = try commit(files, onto: head, parents: head.map { [$0] } ?? [], message)?
          .description
        return outcome
      } catch GitError.moved {
        continue
      } catch let error as GitError {
        throw .git(error.description)
      } catch let error as ReplicaError {
        throw error
      } catch {
        throw .git("\(error)")
      }
    }
    throw .busy
  }

  /// A commit message: the subject and the trailers of FORMAT.md.
  func message(_ subject: String, op: String, undoing undone: String? = nil) -> String {
    let line = subject.unicodeScalars.map { $0.value < 0x20 ? " " : String($0) }.joined()
    let undoes = undone.map { "Almanac-Undoes: \($0)\n" } ?? ""
    return "\(line)\n\nAlmanac-Op: \(op)\nAlmanac-Replica: \(replicaID())\n\(undoes)"
  }

  /// Commits files onto a commit and moves the branch; the work tree follows path by path.
  ///
  /// - Returns: the commit; nil if nothing changed.
  func commit(
    _ files: [String: [UInt8]?], onto head: ObjectID?, parents: [ObjectID], _ message: String
  ) throws -> ObjectID? {
    let oldTree = try head.map { id throws(GitError) in try repository.commit(id).tree }
    let paths = files.keys.sorted()
    let blobs = try repository.writeBlobs(paths.compactMap { files[$0] ?? nil })
    var changes: [(path: String, blob: ObjectID?)] = []
    var next = blobs.makeIterator()
    for path in paths {
      let bytes = files[path] ?? nil
      let place = path.hasPrefix("/") ? String(path.dropFirst()) : prefix + path
      changes.append((place, bytes == nil ? nil : next.next()))
    }
    let tree = try repository.writeTree(from: oldTree, changes: changes)
    if tree == oldTree && parents.count < 2 { return nil }
    let commit = try repository.writeCommit(
      tree: tree, parents: parents, message: message, author: signature())
    try repository.moveHead(
      to: commit, expecting: head,
      message: "almanac: " + (message.split(separator: "\n").first.map(String.init) ?? ""))
    return commit
  }

  /// The folders and files of the work tree that are ours.
  var ownFolders: [String] { ["calendars/", "lists/", "almanac.json"].map { prefix + $0 } }

  /// Commits uncommitted edits of our files as their own action.
  ///
  /// - Returns: edited files that are left as they are because they are wrong.
  @discardableResult
  func commitHandEdits() throws -> [(path: String, finding: Finding)] {
    guard repository.workDirectory != nil, let head = repository.head else { return [] }
    var files: [String: [UInt8]?] = [:]
    var leftAlone: [(path: String, finding: Finding)] = []
    var titles: [String] = []
    for change in try repository.workTreeChanges(below: ownFolders) {
      let path = String(change.path.dropFirst(prefix.utf8.count))
      guard let (kind, _) = ObjectPath.kind(ofPath: path) else { continue }
      guard change.kind != .removed else {
        files[path] = .some(nil)
        titles.append(FilePath.last(path))
        continue
      }
      let bytes: [UInt8]
      do {
        bytes = try repository.workFile(change.path) ?? []
      } catch {
        leftAlone.append((path, Finding(code: "E102", message: "\(error)")))
        continue
      }
      let file = ObjectFile.read(bytes, kind: kind, zones: environment.zones)
      if let finding = file.findings.first(where: \.isError) {
        leftAlone.append((path, finding))
        continue
      }
      files[path] = bytes
      titles.append(
        file.members?["title"]?.stringValue ?? file.members?["name"]?.stringValue ?? path)
    }
    guard !files.isEmpty else { return leftAlone }
    let what = files.count == 1 ? "\"\(titles[0])\"" : "\(files.count) files"
    _ = try commit(
      files, onto: head, parents: [head], message("edit \(what) by hand", op: "hand-edit"))
    return leftAlone
  }
}

/// A lock that the system releases when the process ends, however it ends. It only saves processes
/// a race; the reference update is what keeps them apart.
final class StoreLock {
  private let descriptor: Int32

  init(_ folder: String) {
    FilePath.makeFolders(folder)
    descriptor = open(folder + "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
    if descriptor >= 0 { while flock(descriptor, LOCK_EX) != 0 && errno == EINTR {} }
  }

  func release() {
    if descriptor >= 0 { close(descriptor) }
  }
}
