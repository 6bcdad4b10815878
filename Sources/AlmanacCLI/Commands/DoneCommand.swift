import Almanac
import CalendarModel
import CivilTime

/// `done` and `undone`.
enum DoneCommand {
  @Sendable static func done(_ session: Session) throws -> ExitStatus {
    try run(session, completes: true)
  }

  @Sendable static func undone(_ session: Session) throws -> ExitStatus {
    try run(session, completes: false)
  }

  private static func run(_ session: Session, completes: Bool) throws -> ExitStatus {
    var documents: [JSONValue] = []
    // All names are looked up first, so that a wrong one changes nothing.
    let items = try session.invocation.operands.map { try session.item($0) }
    for item in items where item.stored.object.kind != .reminder {
      throw CommandError.cannot(
        "\"\(item.stored.object.title)\" is an event, not a reminder",
        hint: "'almanac reminders' lists reminders")
    }
    for item in items {
      let id = try item.id ?? occurrence(of: item, completes: completes)
      var edit = SeriesEdit()
      edit.set("progress", completes ? JSONValue.string("completed") : Optional.none)
      edit.set(
        "completed", completes ? JSONValue.string(session.now.description) : Optional.none)
      if completes, isCompleted(item, id) {
        session.note("\"\(item.stored.object.title)\" is done already")
        documents.append(
          OutcomeText.json(id: item.stored.uid, write: WriteOutcome(), isDryRun: session.isDryRun))
        continue
      }
      let span: EditSpan = item.series.repeats ? .this : .all
      let outcome = try item.replica.edit(
        item.stored.uid, edit, span: span, at: id, dryRun: session.isDryRun)
      if session.isJSON {
        documents.append(OutcomeText.json(outcome, isDryRun: session.isDryRun))
      } else {
        session.output.line(
          outcome.span.changed
            ? OutcomeText.done(outcome.subject, session)
            : "nothing to change: \"\(Terminal.safe(item.stored.object.title))\"")
      }
      OutcomeText.noteLeftAlone(outcome.write, session)
    }
    if session.isJSON {
      session.write(documents.count == 1 ? documents[0] : .array(documents))
    }
    return .done
  }

  private static func isCompleted(_ item: NamedItem, _ id: RecurrenceID?) -> Bool {
    let progress =
      id.map { item.series.override($0)?["progress"]?.stringValue }
      ?? item.stored.object["progress"]?.stringValue
    return progress == "completed"
  }

  /// The occurrence that is meant where none is named: the first open one, or the last completed.
  private static func occurrence(
    of item: NamedItem, completes: Bool
  ) throws -> RecurrenceID? {
    guard item.series.repeats else { return nil }
    if completes {
      guard let id = item.snapshot.firstOpenOccurrence(of: item.stored) else {
        throw CommandError.cannot(
          "\"\(item.stored.object.title)\" has no open occurrence",
          hint: "'almanac undone ID@WHEN' opens one again")
      }
      return id
    }
    let completed = (item.stored.object["recurrenceOverrides"]?.objectValue?.members ?? [])
      .filter { $0.value.objectValue?["progress"] == "completed" }
      .compactMap { RecurrenceID($0.name) }
    guard let last = completed.max() else {
      throw CommandError.cannot("\"\(item.stored.object.title)\" has no completed occurrence")
    }
    return last
  }
}
