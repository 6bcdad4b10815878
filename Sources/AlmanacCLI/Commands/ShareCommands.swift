import Almanac
import CalendarModel

/// `sync`, `pull`, `push`, `merge`, `remote`, `status`.
enum ShareCommands {
  @Sendable static func sync(_ session: Session) throws -> ExitStatus {
    try run(session, pulls: true, pushes: true)
  }

  @Sendable static func pull(_ session: Session) throws -> ExitStatus {
    try run(session, pulls: true, pushes: false)
  }

  @Sendable static func push(_ session: Session) throws -> ExitStatus {
    try run(session, pulls: false, pushes: true)
  }

  @Sendable static func merge(_ session: Session) throws -> ExitStatus {
    let replica = try session.replica()
    let report = try replica.merge(session.invocation.operands[0])
    return try finish([(replica, report)], session)
  }

  private static func run(
    _ session: Session, pulls: Bool, pushes: Bool
  ) throws -> ExitStatus {
    var reports: [(Replica, SyncReport)] = []
    for replica in try session.replicas() {
      let report = try replica.sync(
        with: session.invocation.operands.first, pulls: pulls, pushes: pushes,
        dryRun: session.isDryRun, progress: session.progress)
      reports.append((replica, report))
    }
    return try finish(reports, session)
  }

  private static func finish(
    _ reports: [(Replica, SyncReport)], _ session: Session
  ) throws -> ExitStatus {
    var documents: [JSONValue] = []
    var waits = false
    for (replica, report) in reports {
      let came = report.fetched > 0 || !report.merged.isEmpty
      let open = came && !session.isDryRun ? try replica.conflicts() : []
      var uids = report.conflicts
      for conflict in open where !uids.contains(conflict.stored.uid) {
        uids.append(conflict.stored.uid)
      }
      waits = waits || !uids.isEmpty
      if session.isJSON {
        documents.append(json(report, conflicts: uids))
      } else {
        try write(report, conflicts: uids, replica, session)
      }
      for (path, finding) in report.leftAlone {
        session.note("warning: \(path):\(finding); your edit of it is left alone")
      }
    }
    if session.isJSON { session.write(documents.count == 1 ? documents[0] : .array(documents)) }
    return waits && !session.isDryRun ? .conflictsWait : .done
  }

  private static func json(_ report: SyncReport, conflicts: [String]) -> JSONValue {
    var json: JSONObject = [
      "remote": .string(report.remote), "fetched": .number(String(report.fetched)),
      "pushed": .number(String(report.pushed)), "merged": OutcomeText.strings(report.merged),
      "conflicts": OutcomeText.strings(conflicts), "notes": OutcomeText.strings(report.notes),
    ]
    json["head"] = report.head.map { .string($0) }
    return .object(json)
  }

  private static func write(
    _ report: SyncReport, conflicts: [String], _ replica: Replica, _ session: Session
  ) throws {
    let output = session.output
    let would = session.isDryRun ? "would " : ""
    let remote = Terminal.safe(report.remote)
    if report.incoming.isEmpty, report.outgoing.isEmpty, report.fetched == 0 {
      output.line("up to date with \(remote)")
    }
    if !report.incoming.isEmpty {
      output.line("\(would)get \(Words.count(report.fetched, "change")) from \(remote)")
      lines(report.incoming, output)
    }
    if !report.outgoing.isEmpty {
      output.line("\(would)send \(Words.count(report.outgoing.count, "change")) to \(remote)")
      lines(report.outgoing, output)
    }
    if !report.merged.isEmpty {
      output.line("\(would)merge \(Words.count(report.merged.count, "item")) changed on both sides")
    }
    for note in report.notes { output.line("note: \(Terminal.safe(note))") }
    guard !conflicts.isEmpty else { return }
    let snapshot = try replica.snapshot()
    output.line(
      session.terminal.styled(
        "\(Words.count(conflicts.count, "item")) with an open conflict", .red)
        + ", shown by the later value")
    for uid in conflicts.prefix(20) {
      let title = snapshot.object(uid: uid)?.object.title ?? ""
      output.line("  \(session.terminal.id(uid))  \(Terminal.safe(title))")
    }
    session.note("'almanac conflicts' shows the values, 'almanac resolve' settles them")
  }

  private static func lines(_ subjects: [String], _ output: CommandOutput) {
    for subject in subjects.prefix(20) { output.line("  " + Terminal.safe(subject)) }
    if subjects.count > 20 { output.line("  and \(subjects.count - 20) more") }
  }

  // MARK: - Remotes and state

  @Sendable static func remotes(_ session: Session) throws -> ExitStatus {
    let remotes = try session.replica().remotes()
    if session.isJSON {
      session.write(
        .array(remotes.map { ["name": .string($0.name), "url": .string($0.url)] }))
      return .done
    }
    var table = Table()
    for remote in remotes {
      table.add([.init(Terminal.safe(remote.name)), .init(Terminal.safe(remote.url))])
    }
    for line in table.lines(session.terminal) { session.output.line(line) }
    if remotes.isEmpty { session.note("no remotes; 'almanac remote add origin URL' adds one") }
    return .done
  }

  @Sendable static func addRemote(_ session: Session) throws -> ExitStatus {
    let name = session.invocation.operands[0]
    let url = session.invocation.operands[1]
    let replica = try session.replica()
    if try replica.remotes().contains(where: { $0.name == name }) {
      throw CommandError.cannot(
        "there is a remote '\(name)' already", hint: "'almanac remote' lists them")
    }
    try replica.addRemote(name, url: session.address(url))
    session.note("added the remote '\(name)'; 'almanac sync' shares with it")
    if session.isJSON { session.write(["name": .string(name), "url": .string(url)]) }
    return .done
  }

  @Sendable static func status(_ session: Session) throws -> ExitStatus {
    var documents: [JSONValue] = []
    for replica in try session.replicas() {
      let remotes = try replica.remotes()
      let conflicts = try replica.conflicts()
      let snapshot = try replica.snapshot()
      let unreadable = snapshot.unreadable()
      if session.isJSON {
        var json: JSONObject = [
          "path": .string(replica.path),
          "remotes": .array(
            remotes.map { ["name": .string($0.name), "url": .string($0.url)] }),
          "conflicts": .number(String(conflicts.count)),
          "unreadable": OutcomeText.strings(unreadable.map(\.path)),
        ]
        json["commit"] = snapshot.commit.map { .string($0) }
        documents.append(.object(json))
        continue
      }
      var table = Table()
      table.add([.init("store", .dim), .init(Terminal.safe(replica.path))])
      table.add([
        .init("name", .dim), .init(Terminal.safe(snapshot.store["name"]?.stringValue ?? "")),
      ])
      for remote in remotes {
        table.add([.init("remote", .dim), .init(Terminal.safe("\(remote.name)  \(remote.url)"))])
      }
      if remotes.isEmpty { table.add([.init("remote", .dim), .init("none")]) }
      table.add([
        .init("items", .dim),
        .init(
          Words.count(snapshot.paths(of: .event).count, "event") + ", "
            + Words.count(snapshot.paths(of: .reminder).count, "reminder")),
      ])
      table.add([
        .init("conflicts", .dim), .init(conflicts.isEmpty ? "none" : "\(conflicts.count) open"),
      ])
      for line in table.lines(session.terminal) { session.output.line(line) }
      for (path, finding) in unreadable {
        session.output.line("unreadable  \(Terminal.safe("\(path):\(finding)"))")
      }
    }
    if session.isJSON { session.write(documents.count == 1 ? documents[0] : .array(documents)) }
    return .done
  }
}
