import Almanac
import CalendarModel
import CivilTime

/// An item that somebody named, with the occurrence if one was.
struct NamedItem {
  let replica: Replica
  let snapshot: Snapshot
  let stored: StoredObject
  let series: Series
  /// The occurrence; nil if none was named, or the item does not repeat.
  let id: RecurrenceID?
}

extension Session {
  /// The item that `ID`, `ID@WHEN`, `last` or words of a title mean.
  func item(_ text: String) throws -> NamedItem {
    let replicas = try replicas()
    var failure: ReplicaError = .notFound(text)
    var found: [NamedItem] = []
    for replica in replicas {
      let snapshot = try replica.snapshot()
      do {
        if let item = try item(text, replica, snapshot) { found.append(item) }
      } catch let error as ReplicaError {
        if case .notFound = error { continue }
        failure = error
      }
    }
    guard let first = found.first else { throw failure }
    if found.count > 1 {
      throw ReplicaError.ambiguous(
        text, candidates: found.map { ($0.stored.uid, $0.stored.object.title) })
    }
    first.replica.rememberItem(first.stored.uid)
    return first
  }

  private func item(
    _ text: String, _ replica: Replica, _ snapshot: Snapshot
  ) throws -> NamedItem? {
    // A foreign UID may hold an @ of its own, so the whole text comes first.
    if let stored = snapshot.object(uid: text) {
      return try named(snapshot.current(stored), nil, replica, snapshot)
    }
    var name = text[...]
    var id: RecurrenceID?
    if let at = text.lastIndex(of: "@"),
      let when = Session.recurrenceID(text[text.index(after: at)...])
    {
      name = text[..<at]
      id = when
    }
    if name == "last" {
      guard let uid = replica.lastItem, let stored = snapshot.object(uid: uid) else { return nil }
      return try named(snapshot.current(stored), id, replica, snapshot)
    }
    return try named(snapshot.find(String(name)), id, replica, snapshot)
  }

  /// Reads a recurrence ID; a date-time may lack its seconds.
  private static func recurrenceID(_ text: Substring) -> RecurrenceID? {
    RecurrenceID(text) ?? (text.utf8.count == 16 ? RecurrenceID(text + ":00") : nil)
  }

  private func named(
    _ stored: StoredObject, _ id: RecurrenceID?, _ replica: Replica, _ snapshot: Snapshot
  ) throws -> NamedItem {
    let series: Series
    do throws(ModelError) {
      series = try Series(stored.object)
    } catch {
      throw ReplicaError.invalid(
        path: stored.path,
        finding: Finding(code: "E300", pointer: error.pointer, message: error.reason))
    }
    guard let id else {
      return NamedItem(
        replica: replica, snapshot: snapshot, stored: stored, series: series, id: nil)
    }
    guard series.occurrence(id, zones: surroundings.zones, floatingZone: zone) != nil else {
      throw CommandError.cannot(
        "there is no occurrence \(id) of \"\(stored.object.title)\"",
        hint: series.repeats
          ? "'almanac occurrences \(stored.uid.prefix(8))' lists those there are"
          : "it does not repeat; name it without the date")
    }
    return NamedItem(
      replica: replica, snapshot: snapshot, stored: stored, series: series,
      id: series.repeats ? id : nil)
  }

  /// The calendar or list that somebody named, in any of the stores, or the default one.
  func collection(
    _ kind: CalendarObject.Kind, named name: String?, creates: Bool
  ) throws -> (replica: Replica, snapshot: Snapshot, info: CollectionInfo) {
    let replicas = try replicas(creates: creates)
    var failure: ReplicaError?
    for replica in replicas {
      let snapshot = try replica.snapshot()
      do throws(ReplicaError) {
        if let name {
          return (replica, snapshot, try snapshot.collection(named: name, kind: kind))
        }
        if let info = snapshot.defaultCollection(of: kind) { return (replica, snapshot, info) }
      } catch {
        failure = failure ?? error
      }
    }
    let word = kind == .event ? "calendar" : "list"
    guard case .noSuchCollection(let name, let known)? = failure else {
      throw CommandError.cannot(
        "the store has no \(word)", hint: "'almanac \(word) add NAME' makes one")
    }
    let near = Suggestion.nearest(to: name, among: known)
    throw CommandError.cannot(
      "there is no \(word) '\(name)'"
        + (known.isEmpty ? "" : "; there is \(Suggestion.list(known, "and"))"),
      hint: near.map { "did you mean '\($0)'?" } ?? "'almanac \(word) add NAME' makes one")
  }

  /// A whole number of at least a least value.
  func number(_ name: String, least: Int = 1) throws(CommandError) -> Int? {
    guard let text = invocation.value(name) else { return nil }
    guard let number = Int(text), number >= least, number <= 1_000_000 else {
      throw .usage("--\(name) cannot be '\(text)': it is a whole number of at least \(least)")
    }
    return number
  }
}
