import Almanac
import CalendarModel
import CivilTime

/// A reminder in a list, or one occurrence of a repeating one.
struct ReminderRow {
  let stored: StoredObject
  let object: CalendarObject
  let recurrenceID: RecurrenceID?
  let repeats: Bool
  let isDetached: Bool
  /// When it is due: the end of the day for a date. Nil if it has neither due nor start.
  let dueInstant: Instant?
  let due: DateOrDateTime?
  let zone: TimeZoneRules

  var isCompleted: Bool {
    ["completed", "cancelled", "failed"].contains(object["progress"]?.stringValue ?? "")
  }

  init(
    _ stored: StoredObject, _ occurrence: SeriesOccurrence?, repeats: Bool, _ session: Session
  ) {
    self.stored = stored
    self.repeats = repeats
    object = occurrence?.object ?? stored.object
    recurrenceID = occurrence?.recurrenceID
    isDetached = occurrence?.isDetached ?? false
    due = object.moment("due") ?? object.moment("start")
    let name = object.timeZone
    zone = name.flatMap { session.surroundings.zones.rules(named: $0) } ?? session.zone
    switch due {
    case nil: dueInstant = nil
    case .date(let date)?:
      dueInstant = session.zone.instant(of: CivilDateTime(date: date.adding(days: 1)))
    case .dateTime(let value)?: dueInstant = zone.instant(of: value)
    }
  }
}

/// `reminders`, and the reminders that belong to a day.
enum ReminderListCommand {
  @Sendable static func run(_ session: Session) throws -> ExitStatus {
    let invocation = session.invocation
    if invocation.has("all"), invocation.has("completed") {
      throw CommandError.usage("--all and --completed exclude each other")
    }
    var rows = try rows(session, names: invocation.all("list"))
    if !invocation.has("all") {
      let wanted = invocation.has("completed")
      rows = rows.filter { $0.isCompleted == wanted }
    }
    for tag in invocation.all("tag") {
      rows = rows.filter { $0.object["keywords"]?.objectValue?[tag] == true }
    }
    if let text = invocation.value("due") {
      let bound = try dueBound(text, session)
      rows = rows.filter { row in row.dueInstant.map { $0 <= bound } ?? false }
    }
    try write(rows, session)
    if rows.isEmpty, !session.isJSON { session.note("no reminders") }
    return .done
  }

  /// Writes the open reminders due before a day, below an agenda.
  static func showDue(before day: CivilDate, _ session: Session) throws {
    let bound = session.zone.instant(of: CivilDateTime(date: day))
    let rows = try rows(session, names: []).filter { row in
      !row.isCompleted && (row.dueInstant.map { $0 <= bound } ?? false)
    }
    guard !rows.isEmpty else { return }
    if !session.output.standardOutput.isEmpty { session.output.line() }
    session.output.line(session.terminal.styled("Reminders", .bold))
    try write(rows, session)
  }

  private static func dueBound(_ text: String, _ session: Session) throws -> Instant {
    func endOfDay(_ date: CivilDate) -> Instant {
      session.zone.instant(of: CivilDateTime(date: date.adding(days: 1)))
    }
    switch text {
    case "overdue": return session.now
    case "week": return endOfDay(session.today.adding(days: 6))
    default:
      switch try session.dates.parse(text, for: "--due") {
      case .dateTime(let value): return session.zone.instant(of: value)
      case let moment: return endOfDay(moment.lastDate)
      }
    }
  }

  // MARK: - Finding

  /// All reminders of some lists, those due first, then by order.
  private static func rows(_ session: Session, names: [String]) throws -> [ReminderRow] {
    var rows: [ReminderRow] = []
    var unknown = Set(names)
    var failure: ReplicaError?
    for replica in try session.replicas() {
      let snapshot = try replica.snapshot()
      var slugs: Set<String> = []
      for name in names {
        do throws(ReplicaError) {
          slugs.insert(try snapshot.collection(named: name, kind: .reminder).slug)
          unknown.remove(name)
        } catch {
          failure = error
        }
      }
      if !names.isEmpty, slugs.isEmpty { continue }
      for stored in snapshot.objects(of: .reminder)
      where slugs.isEmpty || slugs.contains(stored.collection) {
        rows += self.rows(of: snapshot.current(stored), snapshot, session)
      }
    }
    if let failure, !unknown.isEmpty { throw failure }
    return rows.sorted(by: inOrder)
  }

  /// A reminder as rows: itself, or the completed occurrences and the first open one of a series.
  private static func rows(
    of stored: StoredObject, _ snapshot: Snapshot, _ session: Session
  ) -> [ReminderRow] {
    let zones = session.surroundings.zones
    guard let series = try? Series(stored.object) else { return [] }
    guard series.repeats else { return [ReminderRow(stored, nil, repeats: false, session)] }
    var ids: [RecurrenceID] = []
    for member in stored.object["recurrenceOverrides"]?.objectValue?.members ?? [] {
      if let id = RecurrenceID(member.name),
        member.value.objectValue?["progress"]?.stringValue.map({ $0 != "in-process" }) ?? false
      {
        ids.append(id)
      }
    }
    if let open = snapshot.firstOpenOccurrence(of: stored), !ids.contains(open) { ids.append(open) }
    return ids.compactMap { id in
      series.occurrence(id, zones: zones, floatingZone: session.zone)
        .map { ReminderRow(stored, $0, repeats: true, session) }
    }
  }

  private static func inOrder(_ left: ReminderRow, _ right: ReminderRow) -> Bool {
    let key = { (row: ReminderRow) in
      (
        row.dueInstant?.seconds ?? .max, row.object["order"]?.stringValue ?? "~",
        row.object.title, row.stored.uid
      )
    }
    return key(left) < key(right)
  }

  // MARK: - Showing

  private static func write(_ rows: [ReminderRow], _ session: Session) throws {
    if session.isJSON {
      session.write(.array(rows.map { OccurrenceJSON.reminder($0) }))
      return
    }
    var table = Table()
    for row in rows {
      let isOverdue = !row.isCompleted && (row.dueInstant.map { $0 < session.now } ?? false)
      let when = row.due.map { due -> String in
        let value: DateOrDateTime
        switch due {
        case .date: value = due
        case .dateTime(let time):
          value = .dateTime(session.zone.civil(at: row.zone.instant(of: time)))
        }
        return Words.moment(value, now: session.today) + (isOverdue ? ", overdue" : "")
      }
      var title = Terminal.safe(row.object.title)
      if let priority = row.object["priority"]?.integerValue, priority > 0, priority < 5 {
        title = "! " + title
      }
      if ItemText.isConflicted(row.stored.object, at: row.recurrenceID) { title += "  [conflict]" }
      table.add([
        .init(row.isCompleted ? "[x]" : "[ ]"),
        row.isCompleted ? .init(title, .dim) : .init(title),
        isOverdue ? .init(when ?? "", .red) : .init(when ?? ""),
        .init(Terminal.safe(row.stored.collection), .dim),
        .init(
          session.terminal.id(row.stored.uid, recurrenceID: row.recurrenceID?.text), .dim),
      ])
    }
    for line in table.lines(session.terminal, indent: "  ") { session.output.line(line) }
  }
}
