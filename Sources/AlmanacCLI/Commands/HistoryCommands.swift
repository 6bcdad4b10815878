import Almanac
import CalendarModel
import CivilTime

/// `log`, `undo` and `check`.
enum HistoryCommands {
  @Sendable static func log(_ session: Session) throws -> ExitStatus {
    let limit = try session.number("limit") ?? 50
    let entries: [HistoryEntry]
    if let name = session.invocation.operands.first {
      let item = try session.item(name)
      entries = try item.replica.history(path: item.stored.path, limit: limit)
    } else {
      entries = try session.replica().history(limit: limit)
    }
    if session.isJSON {
      session.write(
        .array(
          entries.map { entry in
            [
              "commit": .string(entry.commit), "at": .string(entry.at.description),
              "by": .string(entry.author), "subject": .string(entry.subject),
              "merge": .bool(entry.isMerge),
            ]
          }))
      return .done
    }
    var table = Table()
    for entry in entries {
      let when = Words.moment(.dateTime(session.zone.civil(at: entry.at)), now: session.today)
      let commit = session.terminal.shortensIDs ? String(entry.commit.prefix(8)) : entry.commit
      table.add([
        .init(commit, .dim), .init(when), .init(Terminal.safe(entry.author)),
        .init(Terminal.safe(entry.subject)),
      ])
    }
    for line in table.lines(session.terminal) { session.output.line(line) }
    return .done
  }

  @Sendable static func undo(_ session: Session) throws -> ExitStatus {
    let replica = try session.replica()
    let outcome = try undo(session.invocation.operands.first, replica, session)
    if session.isJSON {
      let id = (outcome.write.created + outcome.write.updated + outcome.write.removed).first
      session.write(OutcomeText.json(id: id, write: outcome.write, isDryRun: session.isDryRun))
    } else {
      session.output.line(
        (session.isDryRun ? "would take back: " : "took back: ") + Terminal.safe(outcome.subject))
    }
    return .done
  }

  private static func undo(
    _ revision: String?, _ replica: Replica, _ session: Session
  ) throws -> UndoOutcome {
    do throws(ReplicaError) {
      return try replica.undo(revision, dryRun: session.isDryRun)
    } catch {
      guard case .notFound = error else { throw error }
      throw CommandError.cannot(
        revision.map { "there is no commit '\($0)'" }
          ?? "there is no action of this clone to take back",
        hint: "'almanac log' lists the actions")
    }
  }

  @Sendable static func check(_ session: Session) throws -> ExitStatus {
    let replica = try session.replica()
    let report = try replica.check(fix: session.invocation.has("fix"))
    if session.isJSON {
      var json: JSONObject = [
        "files": .number(String(report.files)), "fixed": OutcomeText.strings(report.fixed),
        "findings": .array(report.findings.map(json)),
      ]
      json["commit"] = report.commit.map { .string($0) }
      session.write(.object(json))
    } else {
      for path in report.fixed { session.output.line("fixed \(Terminal.safe(path))") }
      for found in report.findings {
        let path = found.path.isEmpty ? "almanac.json" : found.path
        let finding = found.finding
        let pointer = finding.pointer.isEmpty ? "" : "\(finding.pointer): "
        session.output.line(
          Terminal.safe(
            "\(path):\(finding.line):\(finding.column): \(finding.code) \(pointer)\(finding.message)"
          ))
      }
      let errors = report.findings.count { $0.finding.isError }
      session.note(
        "checked \(Words.count(report.files, "file")): \(Words.count(errors, "error")), "
          + Words.count(report.findings.count - errors, "warning"))
      if report.findings.contains(where: { ["W101", "W201", "W402"].contains($0.finding.code) }) {
        session.note("'almanac check --fix' mends W101, W201 and W402")
      }
    }
    return report.hasErrors ? .cannot : .done
  }

  private static func json(_ found: StoreFinding) -> JSONValue {
    [
      "path": .string(found.path), "line": .number(String(found.finding.line)),
      "column": .number(String(found.finding.column)), "code": .string(found.finding.code),
      "pointer": .string(found.finding.pointer), "message": .string(found.finding.message),
    ]
  }
}
