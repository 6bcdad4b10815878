import Almanac
import CalendarModel

/// `calendars`, `lists`, `calendar add`, `list add`.
enum CollectionCommands {
  @Sendable static func calendars(_ session: Session) throws -> ExitStatus {
    try list(.event, session)
  }

  @Sendable static func lists(_ session: Session) throws -> ExitStatus {
    try list(.reminder, session)
  }

  @Sendable static func addCalendar(_ session: Session) throws -> ExitStatus {
    try add(session.invocation.has("reminders") ? .reminder : .event, session)
  }

  @Sendable static func addList(_ session: Session) throws -> ExitStatus {
    try add(.reminder, session)
  }

  private static func list(_ kind: CalendarObject.Kind, _ session: Session) throws -> ExitStatus {
    var rows: [JSONValue] = []
    var table = Table()
    for replica in try session.replicas() {
      let snapshot = try replica.snapshot()
      let usual = snapshot.defaultCollection(of: kind)?.slug
      for info in snapshot.collections where info.kind == kind {
        var json: JSONObject = [
          "slug": .string(info.slug), "name": .string(info.name),
          "kind": kind == .event ? "calendar" : "list", "readOnly": .bool(info.isReadOnly),
        ]
        json["color"] = info.color.map { .string($0) }
        json["timeZone"] = info.timeZone.map { .string($0) }
        rows.append(.object(json))
        var marks: [String] = []
        if info.slug == usual { marks.append("default") }
        if info.isReadOnly { marks.append("read-only") }
        table.add([
          .init(Terminal.safe(info.slug)), .init(Terminal.safe(info.name)),
          .init(Terminal.safe(info.color ?? ""), .dim),
          .init(marks.joined(separator: ", "), .dim),
        ])
      }
    }
    if session.isJSON {
      session.write(.array(rows))
    } else {
      for line in table.lines(session.terminal) { session.output.line(line) }
    }
    return .done
  }

  private static func add(_ kind: CalendarObject.Kind, _ session: Session) throws -> ExitStatus {
    let name = session.invocation.operands[0]
    guard !name.trimmingSpaces.isEmpty, name.count <= 255 else {
      throw CommandError.usage("a name has 1 to 255 characters")
    }
    let color = session.invocation.value("color")?.lowercased()
    if let color, !ColorNames.isColor(color) {
      let near = Suggestion.nearest(to: color, among: Array(ColorNames.names.keys))
      throw CommandError.usage(
        "--color cannot be '\(color)'",
        hint: near.map { "did you mean '\($0)'?" } ?? "write a name such as teal, or #12ab9f")
    }
    let replica = try session.replica()
    let slug = ObjectPath.slug(for: name)
    let known = try replica.snapshot().collections.first { $0.kind == kind && $0.slug == slug }
    if known != nil { throw ReplicaError.collectionExists(name) }
    if !session.isDryRun { _ = try replica.addCollection(kind, name: name, color: color) }
    let word = kind == .event ? "calendar" : "list"
    session.note("\(session.isDryRun ? "would add" : "added") the \(word) \"\(name)\"")
    if session.isJSON {
      session.write([
        "slug": .string(slug), "name": .string(name), "changed": .bool(!session.isDryRun),
      ])
    } else {
      session.output.line(slug)
    }
    return .done
  }
}
