import Almanac
import CalendarModel
import CivilTime

/// `agenda`, `today`, `tomorrow`, `week`, `next` and the bare program.
enum AgendaCommand {
  /// Days from the first on, the end not included.
  private struct Window {
    let from: DateOrDateTime
    let to: DateOrDateTime
  }

  @Sendable static func bare(_ session: Session) throws -> ExitStatus {
    _ = try session.replicas(creates: true)
    let window = days(session.today, 7)
    try show(window, session)
    if !session.isJSON { try ReminderListCommand.showDue(before: window.to.date, session) }
    return .done
  }

  @Sendable static func today(_ session: Session) throws -> ExitStatus {
    let window = days(session.today, 1)
    try show(window, session)
    if !session.isJSON { try ReminderListCommand.showDue(before: window.to.date, session) }
    return .done
  }

  @Sendable static func tomorrow(_ session: Session) throws -> ExitStatus {
    try show(days(session.today.adding(days: 1), 1), session)
    return .done
  }

  @Sendable static func week(_ session: Session) throws -> ExitStatus {
    try show(days(session.today, 7), session)
    return .done
  }

  @Sendable static func agenda(_ session: Session) throws -> ExitStatus {
    let invocation = session.invocation
    let dates = session.dates
    let from =
      try invocation.value("from").map { text throws(CommandError) in
        try dates.parse(text, for: "--from").value
      } ?? .date(session.today)
    let to: DateOrDateTime
    if let text = invocation.value("to") {
      if invocation.has("days") {
        throw CommandError.usage("--to and --days both end the window", hint: "give one of them")
      }
      switch try dates.after(from.dateTime).parse(text, for: "--to") {
      case .dateTime(let value): to = .dateTime(value)
      case let moment: to = .date(moment.lastDate.adding(days: 1))
      }
    } else {
      let count = try session.number("days") ?? 7
      to = .date(from.date.adding(days: count))
    }
    guard from < to else {
      throw CommandError.usage(
        "the window ends before it begins: from \(from) to \(invocation.value("to") ?? "")")
    }
    try show(Window(from: from, to: to), session)
    return .done
  }

  @Sendable static func next(_ session: Session) throws -> ExitStatus {
    let limit = try session.number("limit") ?? 1
    var entries: [AgendaEntry] = []
    var reach: Int64 = 8 * 86_400
    // Wider and wider windows, so that the usual answer costs little.
    while entries.count < limit, reach < 40_000 * 86_400 {
      entries = try self.entries(
        from: session.now, to: session.now.adding(seconds: reach), session
      ).filter { $0.occurrence.startInstant >= session.now }
      reach *= 8
    }
    entries = Array(entries.prefix(limit))
    let last = entries.last.map { session.zone.civil(at: $0.occurrence.startInstant).date }
    try write(entries, from: session.today, to: last ?? session.today, session)
    if entries.isEmpty { session.note("nothing is coming up") }
    return .done
  }

  // MARK: - Finding and showing

  private static func days(_ first: CivilDate, _ count: Int) -> Window {
    Window(from: .date(first), to: .date(first.adding(days: count)))
  }

  private static func show(_ window: Window, _ session: Session) throws {
    var entries = try entries(
      from: session.zone.instant(of: window.from.dateTime),
      to: session.zone.instant(of: window.to.dateTime), session)
    if let limit = try session.number("limit"), entries.count > limit {
      session.note("there are \(entries.count - limit) more; --limit shows them")
      entries = Array(entries.prefix(limit))
    }
    let last = window.to.isDate ? window.to.date.adding(days: -1) : window.to.date
    try write(entries, from: window.from.date, to: last, session)
    if entries.isEmpty, !session.isJSON {
      let first = Words.day(window.from.date, now: session.today)
      let span =
        last <= window.from.date
        ? "on \(first)" : "from \(first) to \(Words.day(last, now: session.today))"
      session.note("nothing planned \(span)")
    }
  }

  private static func entries(
    from: Instant, to: Instant, _ session: Session
  ) throws -> [AgendaEntry] {
    let names = session.invocation.all("calendar")
    let text = session.invocation.value("text") ?? ""
    var entries: [AgendaEntry] = []
    var unknown = Set(names)
    var failure: ReplicaError?
    for replica in try session.replicas() {
      let snapshot = try replica.snapshot()
      var slugs: Set<String> = []
      for name in names {
        do throws(ReplicaError) {
          slugs.insert(try snapshot.collection(named: name, kind: .event).slug)
          unknown.remove(name)
        } catch {
          failure = error
        }
      }
      if !names.isEmpty, slugs.isEmpty { continue }
      entries += snapshot.agenda(of: .event, from: from, to: to, collections: slugs, text: text)
    }
    if let failure, !unknown.isEmpty { throw failure }
    if session.invocation.globals["store"].map({ $0.count > 1 }) ?? false {
      entries.sort { $0.occurrence.startInstant < $1.occurrence.startInstant }
    }
    return entries
  }

  /// Writes occurrences as the result, in text or JSON.
  static func write(
    _ entries: [AgendaEntry], from: CivilDate, to: CivilDate, _ session: Session
  ) throws {
    if session.isJSON {
      session.write(
        .array(
          entries.map {
            OccurrenceJSON.occurrence($0.occurrence, of: $0.stored, repeats: $0.repeats)
          }))
      return
    }
    let layout = AgendaLayout(
      terminal: session.terminal, zone: session.zone, today: session.today,
      colors: try session.colors())
    for line in layout.lines(entries, from: from, to: to) { session.output.line(line) }
  }
}

extension Session {
  /// The colours of calendars and lists by slug.
  func colors() throws -> [String: String] {
    guard terminal.hasColor else { return [:] }
    var colors: [String: String] = [:]
    for replica in try replicas() {
      for info in try replica.snapshot().collections { colors[info.slug] = info.color }
    }
    return colors
  }
}
