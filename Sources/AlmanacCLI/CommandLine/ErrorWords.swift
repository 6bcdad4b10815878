import Almanac
import CalendarModel
import CivilTime
import Recurrence

/// Errors of the library as message, advice and exit status.
enum ErrorWords {
  static func commandError(for error: any Error) -> CommandError {
    switch error {
    case let error as CommandError: error
    case let error as ReplicaError: replica(error)
    case let error as EditError:
      switch error {
      case .replica(let inner): replica(inner)
      case .span(let inner): span(inner)
      }
    case let error as SpanError: span(error)
    case let error as ModelError: .cannot("\(error)", hint: "'almanac check' says more")
    default: .defect("\(error)")
    }
  }

  private static func replica(_ error: ReplicaError) -> CommandError {
    let hint: String?
    switch error {
    case .noStore: hint = "'almanac init' makes one"
    case .storeExists: hint = "use it with -C, or name another folder"
    case .newerFormat: hint = "use a newer almanac; this one opens the store for reading only"
    case .notFound: hint = "'almanac agenda' and 'almanac reminders' show IDs; titles do, too"
    case .ambiguous: hint = "type more of the ID"
    case .noSuchCollection: hint = "'almanac calendars' and 'almanac lists' show those there are"
    case .collectionExists: hint = "'almanac calendars' lists them"
    case .readOnly: hint = "name another with --calendar or --list"
    case .unreadable: hint = "mend the file; 'almanac check' lists what is wrong"
    case .invalid: hint = nil
    case .noRemote(let name):
      hint =
        name == nil
        ? "add one with 'almanac remote add origin URL'" : "'almanac remote' lists them"
    case .unrelatedHistories: hint = "to bring its items here, export there and 'almanac import'"
    case .offline: hint = "your changes are saved here; 'almanac sync' sends them later"
    case .refused: hint = "'git -C STORE push' shows git's own words"
    case .busy: hint = "try again"
    case .repositoryState: hint = nil
    case .git: hint = nil
    }
    return .cannot(error.description, hint: hint)
  }

  private static func span(_ error: SpanError) -> CommandError {
    switch error {
    case .noSuchOccurrence(let id):
      return .cannot(
        "there is no occurrence \(id)", hint: "'almanac occurrences ID' lists those there are")
    case .occurrenceNeeded:
      return .cannot(
        "the item repeats, and no occurrence is named",
        hint: "name one as ID@2026-12-17, or say --all")
    case .recurrenceChangeNeedsSpan:
      return .cannot(
        "how an item repeats cannot change for one occurrence only", hint: "say --future or --all")
    case .invalidSpan(let id):
      return .cannot(
        "the occurrence \(id) was moved on its own, so its start cannot hold for later ones",
        hint: "edit another occurrence with --future, or this one with --this")
    case .datesInverted: return .cannot("the end would lie before the start")
    case .startConflictsWithRule(let suggestion):
      return .cannot(
        "the new date does not fit how the item repeats",
        hint: suggestion.map { "give the rule, too: --rule '\($0.text)'" }
          ?? "give the rule, too: --rule or --every")
    case .ruleGeneratesNothing:
      return .cannot("the rule can never make an occurrence")
    case .exceptionsInTheWay(let kept):
      return .cannot(
        "these have values of their own: " + kept.map { "\($0.id)" }.joined(separator: ", "),
        hint: "--keep leaves them as they are, --reset takes them along")
    case .outOfOrder(let id):
      return .cannot(
        "it would lie on or behind the occurrence \(id)",
        hint: "choose a time between its neighbours")
    case .invalid(let inner): return .cannot("\(inner)")
    }
  }
}
