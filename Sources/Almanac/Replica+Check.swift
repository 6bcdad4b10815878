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
  /// - Parameter fix: rewrites what is safe to rewrite (W101, W201, W402) as one commit.
  public func check(fix: Bool = false) throws(ReplicaError) -> CheckReport {
    var report = CheckReport()
    if fix {
      let write = try transact(op: "format") { snapshot throws(ReplicaError) in
        var files: [String: [UInt8]?] = [:]
        for (path, kind, bytes) in try currentFiles(snapshot) {
          if let repaired = repaired(bytes, kind, path, snapshot) { files[path] = .some(repaired) }
        }
        report.fixed = files.keys.sorted()
        let count = files.count
        return (files, "check: rewrite \(count) \(count == 1 ? "file" : "files")", WriteOutcome())
      }
      report.commit = write.commit
    }
    let snapshot = try snapshot()
    let files = try currentFiles(snapshot)
    report.files = files.count
    var byUID: [String: [String]] = [:]
    var uids: Set<String> = []
    var objects: [(path: String, object: CalendarObject)] = []
    for (path, kind, bytes) in files {
      let file = ObjectFile.read(bytes, kind: kind, zones: environment.zones)
      report.findings += file.findings.map { StoreFinding(path: path, finding: $0) }
      guard let object = file.object else { continue }
      objects.append((path, object))
      uids.insert(object.uid)
      if !object.uid.isEmpty {
        byUID[object.uid + "\n" + (object["recurrenceId"]?.stringValue ?? ""), default: []].append(
          path)
      }
    }
    for (_, paths) in byUID.sorted(by: { $0.key < $1.key }) where paths.count > 1 {
      report.findings.append(
        StoreFinding(
          path: paths[1],
          finding: Finding(code: "E203", message: "the same uid as in \(paths[0])")))
    }
    for (path, object) in objects {
      report.findings += storeFindings(path, object, uids).map {
        StoreFinding(path: path, finding: $0)
      }
    }
    report.findings += try settingsFindings(snapshot)
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

  /// The canonical bytes of a file that is right but not written as it should be; nil if there is
  /// nothing to repair, or nothing that is safe to.
  private func repaired(
    _ bytes: [UInt8], _ kind: FileKind, _ path: String, _ snapshot: Snapshot
  ) -> [UInt8]? {
    let file = ObjectFile.read(bytes, kind: kind)
    guard file.isUsable, var members = file.members else { return nil }
    if members["uid"] == nil { members["uid"] = .string(environment.newUID()) }
    if kind.objectKind != nil {
      if members["created"] == nil { members["created"] = .string(environment.now().description) }
      if members["completed"] != nil, members["progress"] == nil {
        members["progress"] = "completed"
      }
    }
    let canonical = CanonicalJSON.bytes(members)
    return canonical == bytes ? nil : canonical
  }

  /// What is odd about an object among the others.
  private func storeFindings(
    _ path: String, _ object: CalendarObject, _ uids: Set<String>
  ) -> [Finding] {
    var findings: [Finding] = []
    let collection = ObjectPath.kind(ofPath: path)?.collection ?? ""
    if !object.uid.isEmpty {
      let canonical = ObjectPath.path(
        kind: object.kind, collection: collection, uid: object.uid,
        recurrenceID: object["recurrenceId"]?.stringValue)
      if canonical != path {
        findings.append(Finding(code: "W202", message: "its canonical path is \(canonical)"))
      }
    }
    for name in object["relatedTo"]?.objectValue?.names ?? []
    where name == object.uid || !uids.contains(name) {
      let what = name == object.uid ? "itself" : "the unknown uid '\(name)'"
      findings.append(
        Finding(code: "W404", pointer: "relatedTo/\(name)", message: "related to \(what)"))
    }
    guard let series = try? Series(object) else { return findings }
    if series.repeats, series.isEvaluable {
      for (id, patch) in series.overrides where patch["added"] == nil && patch["excluded"] == nil {
        guard !series.generates(id), !Set(patch.names).isSubset(of: ["progress", "completed"])
        else {
          continue
        }
        findings.append(
          Finding(
            code: "W401", pointer: "recurrenceOverrides/\(id)",
            message: "matches no occurrence; drop it, or add \"added\": true"))
      }
      let first = series.segments.first?.values.anchor?.date
      for segment in series.segments.dropFirst() {
        guard let key = segment.key, segment.run == 0, key.value.date != first,
          !series.generates(key)
        else { continue }
        findings.append(
          Finding(
            code: "W304", pointer: "futureOverrides/\(key)",
            message: "\(key) is no date of the series"))
      }
    } else if !series.isEvaluable {
      findings.append(
        Finding(
          code: "W204", pointer: "recurrenceRule/rscale",
          message: "the calendar of the rule is not supported; only the first date is shown"))
    }
    return findings
  }

  private func settingsFindings(_ snapshot: Snapshot) throws(ReplicaError) -> [StoreFinding] {
    var findings: [StoreFinding] = []
    func add(_ code: String, _ message: String) {
      findings.append(StoreFinding(path: "", finding: Finding(code: code, message: message)))
    }
    for name in snapshot.store["extensions"]?.objectValue?.names ?? [] {
      add("W409", "the store needs '\(name)', which this program does not know")
    }
    let driver = repository.config("merge.almanac.driver") ?? ""
    let program = driver.split(separator: "'").first.map(String.init) ?? ""
    if driver.isEmpty {
      add("W501", "git has no merge driver here; run 'almanac init' in this folder")
    } else if !FilePath.exists(program) {
      add("W501", "the merge driver '\(program)' is missing; run 'almanac init' in this folder")
    }
    if try !remotes().isEmpty {
      for path in snapshot.paths() {
        guard let object = snapshot.object(atPath: path)?.object,
          let privacy = object["privacy"]?.stringValue, privacy != "public"
        else { continue }
        findings.append(
          StoreFinding(
            path: path,
            finding: Finding(
              code: "W410", pointer: "privacy",
              message: "'\(privacy)' protects nothing in a store with a remote")))
      }
    }
    return findings
  }
}
