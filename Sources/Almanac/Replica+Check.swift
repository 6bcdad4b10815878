public import CalendarModel
import CivilTime
import GitStore

/// A finding of a whole store.
public struct StoreFinding: Sendable {
  /// The file, from the store's root; empty for the store as a whole.
  public let path: String
  /// What was found there.
  public let finding: Finding
}

/// What a check found, and what it repaired.
public struct CheckReport: Sendable {
  /// The findings, by path and line.
  public var findings: [StoreFinding] = []
  /// Files that were looked at.
  public var files = 0
  /// Paths that were repaired.
  public var fixed: [String] = []
  /// The commit of the repairs; nil if there were none.
  public var commit: String?

  /// Whether something is not used as it stands.
  public var hasErrors: Bool { findings.contains { $0.finding.isError } }
}

extension Replica {
  /// Checks every file of the store as it is in the work tree (committed, in a bare one): each on
  /// its own, and all together.
  ///
  /// - Parameter fix: rewrites what is safe to rewrite (E207, W101, W201, W402) as one commit.
  public func check(fix: Bool = false) throws(ReplicaError) -> CheckReport {
    var report = CheckReport()
    if fix {
      let converted = try convertEdited()
      let write = try transact(op: "format") { snapshot throws(ReplicaError) in
        var files: [String: [UInt8]?] = [:]
        for (path, kind, bytes) in try currentFiles(snapshot) {
          if let repaired = repaired(bytes, kind) { files[path] = .some(repaired) }
        }
        report.fixed = Set(files.keys).union(converted).sorted()
        let count = files.count
        return (files, "check: rewrite \(count) \(count == 1 ? "file" : "files")", WriteOutcome())
      }
      report.commit = write.commit
    }
    let snapshot = try snapshot()
    let files = try currentFiles(snapshot)
    report.files = files.count
    var read: [StoreValidator.File] = []
    var texts: [String: [UInt8]] = [:]
    for (path, kind, bytes) in files {
      let file = ObjectFile.read(bytes, kind: kind, zones: environment.zones)
      read.append(.init(path: path, file: file))
      texts[path] = bytes
      var findings = file.findings
      if let object = file.object {
        findings += ObjectValidator.occurrenceProblems(in: object).map { Finding($0, in: bytes) }
      }
      report.findings += findings.map { StoreFinding(path: path, finding: $0) }
    }
    let surroundings = StoreValidator.Surroundings(
      attachments: attachments(snapshot), hasRemote: try !remotes().isEmpty)
    report.findings += StoreValidator.problems(in: read, surroundings).map { found in
      StoreFinding(
        path: found.path, finding: Finding(found.problem, in: texts[found.path] ?? []))
    }
    report.findings += driverFindings()
    report.findings.sort {
      ($0.path, $0.finding.line, $0.finding.column, $0.finding.code)
        < ($1.path, $1.finding.line, $1.finding.column, $1.finding.code)
    }
    return report
  }

  /// The store's files with their bytes: of the work tree, or committed where there is none.
  private func currentFiles(
    _ snapshot: Snapshot
  ) throws(ReplicaError) -> [(path: String, kind: FileKind, bytes: [UInt8])] {
    var paths = Set(snapshot.files.keys)
    if !repository.isBare {
      paths = []
      for folder in ownFolders {
        let found = folder.hasSuffix("/") ? repository.plainFiles(below: folder) : [folder]
        for path in found { paths.insert(String(path.dropFirst(prefix.utf8.count))) }
      }
    }
    var result: [(path: String, kind: FileKind, bytes: [UInt8])] = []
    for path in paths.sorted() {
      guard let (kind, _) = ObjectPath.kind(ofPath: path) else { continue }
      let bytes: [UInt8]?
      if repository.isBare {
        bytes = snapshot.files[path].flatMap { try? repository.blob($0) }
      } else {
        bytes = (try? repository.workFile(prefix + path)) ?? nil
      }
      if let bytes { result.append((path, kind, bytes)) }
    }
    return result
  }

  /// The paths below `files/`, from the store's root.
  private func attachments(_ snapshot: Snapshot) -> [String] {
    if repository.isBare { return snapshot.files.keys.filter { $0.hasPrefix("files/") } }
    return repository.plainFiles(below: prefix + "files/").map {
      String($0.dropFirst(prefix.utf8.count))
    }
  }

  /// Converts files of the work tree that are wrong only in ways that can be repaired. Such a file
  /// is not committed as it stands, so it is repaired in place before the commit.
  private func convertEdited() throws(ReplicaError) -> [String] {
    if repository.isBare { return [] }
    var converted: [String] = []
    for (path, kind, bytes) in try currentFiles(try snapshot()) {
      guard !ObjectFile.read(bytes, kind: kind, zones: environment.zones).isUsable,
        let repaired = repaired(bytes, kind)
      else { continue }
      try git { () throws(GitError) in try repository.setWorkFile(prefix + path, repaired) }
      converted.append(path)
    }
    return converted
  }

  /// The canonical bytes of a file that is right but not written as it should be; nil if there is
  /// nothing to repair, or nothing that is safe to.
  private func repaired(_ bytes: [UInt8], _ kind: FileKind) -> [UInt8]? {
    ObjectRepair.repaired(
      bytes, kind: kind, zones: environment.zones, uid: environment.newUID,
      created: environment.now())
  }

  private func driverFindings() -> [StoreFinding] {
    let driver = repository.config("merge.almanac.driver") ?? ""
    let program = driver.split(separator: "'").first.map(String.init) ?? ""
    let message: String
    if driver.isEmpty {
      message = "git has no merge driver here; run 'almanac init' in this folder"
    } else if !FilePath.exists(program) {
      message = "the merge driver '\(program)' is missing; run 'almanac init' in this folder"
    } else {
      return []
    }
    return [StoreFinding(path: "", finding: Finding(code: "W501", message: message))]
  }
}
