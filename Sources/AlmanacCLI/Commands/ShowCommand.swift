import Almanac
import CalendarModel
import CivilTime
import Recurrence

/// `show`: everything about one item.
enum ShowCommand {
  @Sendable static func run(_ session: Session) throws -> ExitStatus {
    let item = try session.item(session.invocation.operands[0])
    if session.isJSON {
      session.write(json(item))
      return .done
    }
    let occurrence = item.id.flatMap {
      item.series.occurrence($0, zones: session.surroundings.zones, floatingZone: session.zone)
    }
    for line in lines(item, occurrence, session) { session.output.line(line) }
    for finding in item.stored.findings {
      session.note("\(item.stored.path):\(finding)")
    }
    return .done
  }

  private static func json(_ item: NamedItem) -> JSONValue {
    var json = item.stored.object.members
    json["calendar"] = .string(item.stored.collection)
    json["path"] = .string(item.stored.path)
    let first = item.stored.object.anchor?.date.description
    json["segments"] = .array(
      item.series.segments.map { segment in
        var values = segment.values.members
        for name in ["recurrenceOverrides", "futureOverrides", "conflicts"] { values[name] = nil }
        var entry: JSONObject = ["values": .object(values)]
        entry["from"] = (segment.key?.text ?? first).map { .string($0) }
        return .object(entry)
      })
    return .object(json)
  }

  private static func lines(
    _ item: NamedItem, _ occurrence: SeriesOccurrence?, _ session: Session
  ) -> [String] {
    let terminal = session.terminal
    let object = occurrence?.object ?? item.stored.object
    let title = Terminal.safe(object.title)
    var lines = [terminal.styled(title.isEmpty ? "untitled" : title, .bold)]
    var rows: [(String, String)] = []
    let zones = session.surroundings.zones
    if let occurrence {
      rows.append(("when", ItemText.when(occurrence, zone: session.zone, now: session.today)))
    } else {
      let shown = Array(
        item.series.upcoming(zones: zones, floatingZone: session.zone).prefix(1))
      if let first = shown.first {
        let when = ItemText.when(first, zone: session.zone, now: session.today)
        rows.append((item.series.repeats ? "first" : "when", when))
      }
    }
    if item.stored.object.kind == .reminder, let due = object.moment("due") {
      rows.append(("due", Words.moment(due, now: session.today)))
    }
    if let json = item.stored.object["recurrenceRule"]?.objectValue,
      let rule = try? RecurrenceRule(json: json)
    {
      rows.append(("repeats", Words.rule(rule, now: session.today)))
    }
    rows += ItemText.details(object, now: session.today)
    let word = item.stored.object.kind == .event ? "calendar" : "list"
    rows.append((word, item.stored.collection))
    if let created = object["created"]?.stringValue { rows.append(("created", created)) }
    rows.append(
      ("id", occurrence?.recurrenceID.map { "\(item.stored.uid)@\($0)" } ?? item.stored.uid))
    rows.append(("file", item.stored.path))
    var table = Table()
    for (name, value) in rows { table.add([.init(name, .dim), .init(Terminal.safe(value))]) }
    lines += table.lines(terminal, indent: "  ")
    if !object.notes.isEmpty {
      lines.append("")
      for line in object.notes.split(separator: "\n", omittingEmptySubsequences: false) {
        lines.append("  " + Terminal.safe(String(line)))
      }
    }
    if occurrence == nil { lines += seriesLines(item, session) }
    return lines + conflictLines(item, session)
  }

  /// Segments and exceptions of a series.
  private static func seriesLines(_ item: NamedItem, _ session: Session) -> [String] {
    var lines: [String] = []
    func block(_ heading: String, _ member: String) {
      let entries = item.stored.object[member]?.objectValue?.members ?? []
      guard !entries.isEmpty else { return }
      lines += ["", session.terminal.styled(heading, .bold)]
      var table = Table()
      for entry in entries.prefix(40) {
        let patch = entry.value.objectValue ?? JSONObject()
        table.add([.init(Terminal.safe(entry.name)), .init(Terminal.safe(words(patch)))])
      }
      lines += table.lines(session.terminal, indent: "  ")
      if entries.count > 40 { lines.append("  and \(entries.count - 40) more") }
    }
    block("From a date on", "futureOverrides")
    block("On single dates", "recurrenceOverrides")
    return lines
  }

  /// A patch in words.
  private static func words(_ patch: JSONObject) -> String {
    if patch["excluded"] == true { return "does not happen" }
    var parts: [String] = patch["added"] == true ? ["extra date"] : []
    for member in patch.members where member.name != "added" {
      let text: String
      switch member.value {
      case .string(let value): text = value
      case .null: text = "none"
      default: text = CanonicalJSON.inline(member.value, name: member.name)
      }
      parts.append("\(member.name): \(text)")
    }
    return parts.joined(separator: ", ")
  }

  private static func conflictLines(_ item: NamedItem, _ session: Session) -> [String] {
    let conflicts = item.snapshot.conflicts(of: item.stored)
    guard !conflicts.isEmpty else { return [] }
    return ["", session.terminal.styled("Conflicts", .red)]
      + conflicts.flatMap { ConflictText.lines($0, session) }
  }
}

/// `occurrences`: those of one item.
enum OccurrencesCommand {
  static let countMax = 20

  @Sendable static func run(_ session: Session) throws -> ExitStatus {
    let item = try session.item(session.invocation.operands[0])
    let limit = try session.number("limit") ?? countMax
    let dates = session.dates
    let from = try session.invocation.value("from").map { text throws(CommandError) in
      session.zone.instant(of: try dates.parse(text, for: "--from").value.dateTime)
    }
    let to = try session.invocation.value("to").map { text throws(CommandError) -> Instant in
      switch try dates.parse(text, for: "--to") {
      case .dateTime(let value): session.zone.instant(of: value)
      case let moment:
        session.zone.instant(of: CivilDateTime(date: moment.lastDate.adding(days: 1)))
      }
    }
    let found = occurrences(of: item, from: from, to: to, limit: limit + 1, session)
    let shown = Array(found.prefix(limit))
    if session.isJSON {
      session.write(
        .array(
          shown.map {
            OccurrenceJSON.occurrence($0, of: item.stored, repeats: item.series.repeats)
          }))
    } else {
      var table = Table()
      for occurrence in shown { table.add(cells(occurrence, item, session)) }
      for line in table.lines(session.terminal) { session.output.line(line) }
      if shown.isEmpty { session.note("no occurrences") }
    }
    if found.count > limit {
      session.note("these are the first \(limit); --limit and --from show more")
    }
    return .done
  }

  private static func cells(
    _ occurrence: SeriesOccurrence, _ item: NamedItem, _ session: Session
  ) -> [Table.Cell] {
    let mark = occurrence.isAdded ? "extra" : occurrence.isDetached ? "changed" : ""
    return [
      .init(ItemText.when(occurrence, zone: session.zone, now: session.today)),
      .init(Terminal.safe(occurrence.object.title)), .init(mark, .dim),
      .init(
        session.terminal.id(item.stored.uid, recurrenceID: occurrence.recurrenceID?.text), .dim),
    ]
  }

  /// The occurrences of a window in time order, found in wider and wider stretches.
  private static func occurrences(
    of item: NamedItem, from: Instant?, to: Instant?, limit: Int, _ session: Session
  ) -> [SeriesOccurrence] {
    let zones = session.surroundings.zones
    guard let extent = item.series.extent(zones: zones, floatingZone: session.zone) else {
      return []
    }
    let start = max(from ?? extent.first, extent.first)
    let last = Instant(utc: CivilDateTime(date: .last))
    let end = min(to ?? last, extent.last?.adding(seconds: 1) ?? last)
    var reach: Int64 = 64 * 86_400
    while true {
      let stop = min(end, start.adding(seconds: reach))
      let found = item.series.occurrences(
        from: start, to: stop, zones: zones, floatingZone: session.zone)
      if found.count >= limit || stop >= end { return Array(found.prefix(limit)) }
      reach *= 4
    }
  }
}
