import Almanac
import CalendarModel
import CivilTime
import Recurrence

/// `edit` and `remove`.
enum EditCommand {
  @Sendable static func edit(_ session: Session) throws -> ExitStatus {
    let item = try session.item(session.invocation.operands[0])
    let (span, policy) = try scope(item, session)
    let edit = try changes(of: item, span: span, session)
    guard !edit.changes.isEmpty else {
      throw CommandError.usage(
        "'edit' needs something to change", hint: "such as --title, --start or --notes")
    }
    let outcome = try item.replica.edit(
      item.stored.uid, edit, span: span, at: at(item, span), policy: policy,
      dryRun: session.isDryRun)
    return report(outcome, span: span, item, session)
  }

  @Sendable static func remove(_ session: Session) throws -> ExitStatus {
    let item = try session.item(session.invocation.operands[0])
    let (span, _) = try scope(item, session)
    let outcome = try item.replica.remove(
      item.stored.uid, span: span, at: at(item, span), dryRun: session.isDryRun)
    return report(outcome, span: span, item, session)
  }

  private static func report(
    _ outcome: EditOutcome, span: EditSpan, _ item: NamedItem, _ session: Session
  ) -> ExitStatus {
    if session.isJSON {
      session.write(OutcomeText.json(outcome, isDryRun: session.isDryRun))
    } else {
      for line in OutcomeText.lines(outcome, span: span, at: item.id, session) {
        session.output.line(line)
      }
    }
    OutcomeText.noteLeftAlone(outcome.write, session)
    return .done
  }

  private static func at(_ item: NamedItem, _ span: EditSpan) -> RecurrenceID? { item.id }

  /// The span and the policy that options name, checked against the item.
  private static func scope(
    _ item: NamedItem, _ session: Session
  ) throws -> (EditSpan, ExceptionPolicy) {
    let invocation = session.invocation
    let spans = [("this", EditSpan.this), ("future", .thisAndFuture), ("all", .all)]
      .filter { invocation.has($0.0) }
    guard spans.count < 2 else {
      throw CommandError.usage(
        Suggestion.list(spans.map { "--\($0.0)" }, "and") + " exclude each other")
    }
    let policies = [("keep", ExceptionPolicy.keep), ("reset", .reset), ("refuse", .refuse)]
      .filter { invocation.has($0.0) }
    guard policies.count < 2 else {
      throw CommandError.usage(
        Suggestion.list(policies.map { "--\($0.0)" }, "and") + " exclude each other")
    }
    let policy = policies.first?.1 ?? .keep
    guard item.series.repeats else { return (.all, policy) }
    if let span = spans.first?.1 {
      if span != .all, item.id == nil {
        throw CommandError.cannot(
          "\"\(item.stored.object.title)\" repeats, and --\(spans[0].0) needs an occurrence",
          hint: "name it as \(item.stored.uid.prefix(8))@2026-12-17; "
            + "'almanac occurrences \(item.stored.uid.prefix(8))' lists them")
      }
      return (span, policy)
    }
    guard item.id != nil else {
      throw CommandError.cannot(
        "\"\(item.stored.object.title)\" repeats, and no occurrence is named",
        hint: "say --all, or name one as \(item.stored.uid.prefix(8))@DATE; "
          + "'almanac occurrences \(item.stored.uid.prefix(8))' lists them")
    }
    return (.this, policy)
  }

  // MARK: - Changes

  private static func changes(
    of item: NamedItem, span: EditSpan, _ session: Session
  ) throws -> SeriesEdit {
    let invocation = session.invocation
    let zones = session.surroundings.zones
    let occurrence: SeriesOccurrence?
    if let id = item.id {
      occurrence = item.series.occurrence(id, zones: zones, floatingZone: session.zone)
    } else {
      occurrence =
        Array(
          item.series.upcoming(zones: zones, floatingZone: session.zone).prefix(1)
        ).first
    }
    let current = occurrence?.object ?? item.stored.object
    let items = try session.itemArguments(item.stored.object.kind, nil, current: occurrence)
    var edit = SeriesEdit()
    for field in invocation.all("clear") { try clear(field, current, &edit) }
    for (pointer, value) in try items.plainChanges(current: current, session: session) {
      edit.set(pointer, value)
    }
    try addTimes(to: &edit, current, occurrence, items, session)
    if invocation.has("remove-rule") { edit.set("recurrenceRule", nil) }
    if let rule = try RecurrenceArguments(dates: session.dates).rule(invocation) {
      let start = edit["start"]??.stringValue.flatMap { DateOrDateTime(extended: $0) }
      edit.set(
        "recurrenceRule", .object(items.storedRule(rule, start: start ?? occurrence?.start).json))
    }
    return edit
  }

  private static func addTimes(
    to edit: inout SeriesEdit, _ current: CalendarObject, _ occurrence: SeriesOccurrence?,
    _ items: ItemArguments, _ session: Session
  ) throws {
    let invocation = session.invocation
    var start = current.moment("start")
    var isTimed = current.anchor.map { !$0.isDate } ?? false
    for name in ["start", "due"] {
      guard let text = invocation.value(name) else { continue }
      if name == "due", items.kind == .event {
        throw CommandError.usage("an event has no --due", hint: "--start and --end move it")
      }
      var value = items.stored(try items.dates.parse(text, for: "--\(name)"))
      // A day alone moves the day: the time of day is another wish.
      if value.isDate, !invocation.has("all-day"), let time = current.moment(name)?.time {
        value = .dateTime(CivilDateTime(date: value.date, time: time))
      }
      edit.set(name, .string(value.description))
      if name == "start" { start = value }
      isTimed = !value.isDate
    }
    if invocation.has("all-day") {
      guard !invocation.has("timezone") else {
        throw CommandError.usage("an item of whole days has no --timezone")
      }
      for name in ["start", "due"] {
        guard let moment = current.moment(name), !invocation.has(name) else { continue }
        edit.set(name, .string(moment.date.description))
        if name == "start" { start = .date(moment.date) }
      }
      isTimed = false
      edit.set("timeZone", nil)
      if current["duration"] != nil, !invocation.has("end"), !invocation.has("duration") {
        edit.set("duration", nil)
      }
    }
    addZone(to: &edit, current, items, isTimed: isTimed, session)
    if let text = invocation.value("end") {
      guard let start else { throw CommandError.usage("a reminder has no --end") }
      edit.set("duration", .string(try items.duration(from: start, to: text).description))
    } else if let text = invocation.value("duration") {
      edit.set(
        "duration", .string(try DurationArgument.parse(text, option: "duration").description))
    }
  }

  /// The zone goes with the start: both are written, or neither.
  private static func addZone(
    to edit: inout SeriesEdit, _ current: CalendarObject, _ items: ItemArguments, isTimed: Bool,
    _ session: Session
  ) {
    guard isTimed else { return }
    let name = items.storedZone?.id.name
    guard name != current.timeZone,
      session.invocation.has("timezone")
        || session.invocation.has("floating") || current.anchor?.isDate == true
    else { return }
    edit.set("timeZone", name.map { .string($0) })
    let anchor = current.anchorName
    if edit[anchor] == nil { edit.set(anchor, current[anchor]) }
  }

  /// The members behind the names that `--clear` takes.
  static let clearable: [String: [String]] = [
    "notes": ["description"], "location": ["locations", "mainLocationId"], "url": ["links/url"],
    "tags": ["keywords"], "tag": ["keywords"], "alerts": ["alerts"], "alert": ["alerts"],
    "attendees": ["participants", "organizerCalendarAddress"], "color": ["color"],
    "due": ["due"], "start": ["start"], "end": ["duration"], "duration": ["duration"],
    "priority": ["priority"], "status": ["status"], "parent": ["relatedTo"],
    "rule": ["recurrenceRule"], "title": ["title"],
  ]

  private static func clear(
    _ field: String, _ current: CalendarObject, _ edit: inout SeriesEdit
  ) throws(CommandError) {
    guard let members = clearable[field] else {
      let near = Suggestion.nearest(to: field, among: Array(clearable.keys))
      throw .usage(
        "--clear cannot be '\(field)'",
        hint: near.map { "did you mean '\($0)'?" }
          ?? "it is " + Suggestion.list(clearable.keys.sorted()))
    }
    for member in members where Patch.value(at: member, in: current.members) != nil {
      edit.set(member, nil)
    }
  }
}
