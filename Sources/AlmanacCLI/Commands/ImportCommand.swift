import Almanac
import CalendarModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// `import`.
enum ImportCommand {
  @Sendable static func run(_ session: Session) throws -> ExitStatus {
    let invocation = session.invocation
    // Every file is read before any is imported.
    let files = try invocation.operands.map { name in (name, try bytes(of: name, session)) }
    let replica = try target(session)
    var documents: [JSONValue] = []
    var hasFailure = false
    for (name, bytes) in files {
      let report = try replica.importICalendar(
        bytes, calendar: invocation.value("calendar"), list: invocation.value("list"),
        dryRun: session.isDryRun)
      if let last = report.created.last { replica.rememberItem(last) }
      let isEmpty = report.created.isEmpty && report.updated.isEmpty && report.unchanged.isEmpty
      hasFailure = hasFailure || isEmpty
      if isEmpty, report.refused.isEmpty {
        session.note("\(name): holds no events and no reminders; is it an iCalendar file?")
      }
      if session.isJSON {
        documents.append(json(name, report))
      } else {
        write(name, report, session)
      }
    }
    if session.isJSON { session.write(.array(documents)) }
    return hasFailure ? .cannot : .done
  }

  /// The store that holds the calendar or list that is named, else the first.
  private static func target(_ session: Session) throws -> Replica {
    let invocation = session.invocation
    if let name = invocation.value("calendar") {
      return try session.collection(.event, named: name, creates: true).replica
    }
    if let name = invocation.value("list") {
      return try session.collection(.reminder, named: name, creates: true).replica
    }
    guard let first = try session.replicas(creates: true).first else {
      throw CommandError.cannot("there is no store", hint: "'almanac init' makes one")
    }
    return first
  }

  private static func bytes(of name: String, _ session: Session) throws -> [UInt8] {
    if name == "-" { return session.surroundings.readInput() }
    let path = session.surroundings.absolutePath(name)
    guard let bytes = fileContents(path) else {
      throw CommandError.cannot("'\(name)' cannot be read: \(String(cString: strerror(errno)))")
    }
    return bytes
  }

  private static func write(_ name: String, _ report: ImportReport, _ session: Session) {
    let output = session.output
    var parts: [String] = []
    if !report.created.isEmpty { parts.append("\(report.created.count) new") }
    if !report.updated.isEmpty { parts.append("\(report.updated.count) updated") }
    if !report.unchanged.isEmpty { parts.append("\(report.unchanged.count) unchanged") }
    if !report.refused.isEmpty { parts.append("\(report.refused.count) refused") }
    let places = [report.calendar, report.list].compactMap { $0 }
    let into = places.isEmpty ? "" : ", into " + Suggestion.list(places, "and")
    let counts = parts.isEmpty ? "nothing" : parts.joined(separator: ", ")
    let prefix = session.isDryRun ? "would import " : ""
    output.line("\(Terminal.safe(name)): \(prefix)\(counts)\(into)")
    for refusal in report.refused {
      output.line(
        "  \(Terminal.safe(name)):\(refusal.line): refused "
          + Terminal.safe(words(refusal)))
    }
    for warning in report.warnings {
      session.note("\(name):\(warning.line): warning: \(warning.message)")
    }
  }

  private static func words(_ refusal: ICalendarRefusal) -> String {
    refusal.component + (refusal.uid.map { " '\($0)'" } ?? "") + ": " + refusal.reason
  }

  private static func json(_ name: String, _ report: ImportReport) -> JSONValue {
    var json: JSONObject = [
      "file": .string(name), "created": OutcomeText.strings(report.created),
      "updated": OutcomeText.strings(report.updated),
      "unchanged": OutcomeText.strings(report.unchanged),
      "warnings": .array(
        report.warnings.map { ["line": .number(String($0.line)), "message": .string($0.message)] }),
      "refused": .array(
        report.refused.map { refusal in
          var entry: JSONObject = [
            "line": .number(String(refusal.line)), "component": .string(refusal.component),
            "reason": .string(refusal.reason),
          ]
          entry["uid"] = refusal.uid.map { .string($0) }
          return .object(entry)
        }),
    ]
    json["calendar"] = report.calendar.map { .string($0) }
    json["list"] = report.list.map { .string($0) }
    json["commit"] = report.commit.map { .string($0) }
    return .object(json)
  }
}

/// Whether there is a file or folder at a path.
func fileExists(_ path: String) -> Bool { access(path, F_OK) == 0 }

/// The bytes of a file; nil if it cannot be read, with `errno` saying why.
func fileContents(_ path: String) -> [UInt8]? {
  guard let file = fopen(path, "rb") else { return nil }
  defer { fclose(file) }
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 65_536)
  while true {
    let count = fread(&buffer, 1, buffer.count, file)
    if count == 0 { return ferror(file) == 0 ? bytes : nil }
    bytes.append(contentsOf: buffer[..<count])
  }
}

/// Writes a file; false if that fails, with `errno` saying why.
func writeFile(_ bytes: [UInt8], to path: String) -> Bool {
  guard let file = fopen(path, "wb") else { return false }
  let count = fwrite(bytes, 1, bytes.count, file)
  return fclose(file) == 0 && count == bytes.count
}
