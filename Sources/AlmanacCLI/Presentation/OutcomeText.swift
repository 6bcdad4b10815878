import Almanac
import CalendarModel
import CivilTime

/// What a write did, in words and as JSON.
enum OutcomeText {
  /// The document of a write without an edit.
  static func json(id: String?, write: WriteOutcome, isDryRun: Bool) -> JSONValue {
    var json: JSONObject = [
      "changed": .bool(isDryRun ? false : write.commit != nil),
      "created": strings(write.created), "updated": strings(write.updated),
      "removed": strings(write.removed), "kept": .array([]), "detached": .array([]),
      "warnings": strings(write.notes),
    ]
    json["id"] = id.map { .string($0) }
    json["commit"] = write.commit.map { .string($0) }
    return .object(json)
  }

  /// The document of an edit.
  static func json(_ outcome: EditOutcome, isDryRun: Bool) -> JSONValue {
    let uid = outcome.before.uid
    guard var json = json(id: uid, write: outcome.write, isDryRun: isDryRun).objectValue else {
      return .null
    }
    json["kept"] = .array(
      outcome.span.kept.map { kept in
        ["occurrence": .string("\(uid)@\(kept.id)"), "fields": strings(kept.fields)]
      })
    json["detached"] = strings(outcome.span.detached.map(\.text))
    if !outcome.span.dropped.isEmpty {
      json["dropped"] = strings(outcome.span.dropped.map(\.text))
    }
    json["warnings"] = strings(outcome.span.warnings + outcome.write.notes)
    return .object(json)
  }

  static func strings(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }

  /// The lines of an edit: what was done, to how many occurrences, and what kept its own values.
  static func lines(
    _ outcome: EditOutcome, span: EditSpan, at id: RecurrenceID?, _ session: Session
  ) -> [String] {
    guard outcome.span.changed else {
      return ["nothing to change: " + Terminal.safe(outcome.subject)]
    }
    var lines = [done(outcome.subject, session)]
    if let scope = scope(outcome, span: span, at: id) { lines.append("  " + scope) }
    let span = outcome.span
    for kept in span.kept {
      let what = kept.isSegment ? "from \(kept.id) on" : "\(kept.id)"
      lines.append("  \(what) keeps its own " + Suggestion.list(kept.fields, "and"))
    }
    if !span.detached.isEmpty {
      lines.append("  stays as an extra date: " + list(span.detached))
    }
    if !span.dropped.isEmpty { lines.append("  dropped the changes of: " + list(span.dropped)) }
    for warning in span.warnings { lines.append("  warning: \(words(ofWarning: warning))") }
    return lines
  }

  /// An action as it stands in the history, told as done, or as what would be.
  static func done(_ subject: String, _ session: Session) -> String {
    let subject = Terminal.safe(subject)
    if session.isDryRun { return "would " + subject }
    let past = [
      "move": "moved", "rename": "renamed", "change": "changed", "complete": "completed",
      "reopen": "reopened", "remove": "removed", "cancel": "cancelled", "end": "ended",
    ]
    let verb = String(subject.prefix { $0 != " " })
    return (past[verb] ?? verb) + subject.dropFirst(verb.count)
  }

  private static func list(_ ids: [RecurrenceID]) -> String {
    let shown = ids.prefix(10).map(\.text).joined(separator: ", ")
    return ids.count > 10 ? "\(shown) and \(ids.count - 10) more" : shown
  }

  private static func words(ofWarning warning: String) -> String {
    switch warning {
    case "reordered": "it now lies on the other side of another occurrence"
    case "collides": "it now begins together with another occurrence"
    default: Terminal.safe(warning)
    }
  }

  /// How many occurrences an edit covers; nil for an item that does not repeat.
  private static func scope(
    _ outcome: EditOutcome, span: EditSpan, at id: RecurrenceID?
  ) -> String? {
    guard let before = try? Series(outcome.before), before.repeats else { return nil }
    if span == .this { return "1 occurrence" }
    let countMax = 10_000
    let count = before.visibleIDs(from: span == .all ? nil : id).prefix(countMax).reduce(0) {
      count, _ in count + 1
    }
    if count == countMax {
      return span == .all ? "all occurrences" : "all occurrences from \(id?.text ?? "") on"
    }
    return Words.count(count, "occurrence")
  }

  /// Says which hand edits stay uncommitted because they hold an error.
  static func noteLeftAlone(_ write: WriteOutcome, _ session: Session) {
    for (path, finding) in write.leftAlone {
      session.note("warning: \(path):\(finding); your edit of it is left alone")
    }
  }
}

/// Conflicts in words.
enum ConflictText {
  /// The lines of one conflict: what is shown, and the numbered values that are not.
  static func lines(_ conflict: ConflictInfo, _ session: Session) -> [String] {
    var lines = ["  " + Terminal.safe(conflict.pointer)]
    lines.append("    shown: " + words(conflict.shown))
    for (index, other) in conflict.others.enumerated() {
      var text = "    \(index + 1): " + words(other.value)
      if let by = other.by { text += ", by " + Terminal.safe(by) }
      if let at = other.at {
        text += ", " + Words.moment(.dateTime(session.zone.civil(at: at)), now: session.today)
      }
      lines.append(text)
    }
    return lines
  }

  static func words(_ value: JSONValue?) -> String {
    switch value {
    case nil, .null?: "nothing"
    case .string(let text)?: "\"\(Terminal.safe(text))\""
    case let value?: Terminal.safe(CanonicalJSON.inline(value))
    }
  }
}
