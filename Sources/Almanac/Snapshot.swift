public import CalendarModel
public import CivilTime
import GitStore
import SearchIndex

/// A calendar or list of a store.
public struct CollectionInfo: Sendable, Hashable {
  /// The folder name.
  public let slug: String
  /// Whether it holds events or reminders.
  public let kind: CalendarObject.Kind
  /// The members of its `calendar.json` or `list.json`.
  public let members: JSONObject

  /// The name people see.
  public var name: String { members["name"]?.stringValue ?? slug }
  /// The colour; nil if it has none.
  public var color: String? { members["color"]?.stringValue }
  /// Whether its objects must not change.
  public var isReadOnly: Bool { members["readOnly"] == true }
  /// The zone for new items; nil if it has none.
  public var timeZone: String? { members["timeZone"]?.stringValue }
}

/// An object of a store and where it is.
public struct StoredObject: Sendable {
  /// The path from the store's root.
  public let path: String
  /// The slug of its calendar or list.
  public let collection: String
  /// The object.
  public let object: CalendarObject
  /// What is odd about its file, or wrong with the uncommitted version of it.
  public let findings: [Finding]

  /// The object's UID.
  public var uid: String { object.uid }
}

/// One occurrence in a view, with the object it belongs to.
public struct AgendaEntry: Sendable {
  /// The object.
  public let stored: StoredObject
  /// The occurrence.
  public let occurrence: SeriesOccurrence
  /// Whether the object repeats.
  public let repeats: Bool

  /// `uid@recurrence-id`, or the UID of an object that does not repeat.
  public var occurrenceID: String {
    occurrence.recurrenceID.map { "\(stored.uid)@\($0)" } ?? stored.uid
  }
}

/// A view of a store at one commit, with uncommitted edits of the files it shows.
public final class Snapshot {
  /// The commit; nil before the first.
  public let commit: String?
  /// The store's own metadata.
  public let store: JSONObject
  /// Calendars and lists, in their order.
  public let collections: [CollectionInfo]

  private let replica: Replica
  private let tree: ObjectID?
  private var loaded: [String: StoredObject?] = [:]
  /// The store's files by path, read from the tree when first needed.
  lazy var files: [String: ObjectID] = readFiles()
  private lazy var index: CalendarIndex? = tree.flatMap { replica.index(for: $0) }

  init(replica: Replica, commit: ObjectID?) throws(ReplicaError) {
    self.replica = replica
    self.commit = commit?.description
    let repository = replica.repository
    let prefix = replica.prefix
    let tree = try git { () throws(GitError) in
      try commit.map { id throws(GitError) in try repository.commit(id).tree }
    }
    self.tree = tree
    func members(_ path: String, _ kind: FileKind) -> JSONObject? {
      guard let tree, let blob = (try? repository.file(prefix + path, in: tree)) ?? nil,
        let bytes = try? repository.blob(blob)
      else { return nil }
      return ObjectFile.read(bytes, kind: kind).members ?? JSONObject()
    }
    store = members("almanac.json", .store) ?? JSONObject()
    var found: [CollectionInfo] = []
    for (root, kind) in [("calendars", CalendarObject.Kind.event), ("lists", .reminder)] {
      guard let tree else { break }
      let slugs = try git { () throws(GitError) in
        try repository.folders(in: tree, at: prefix + root)
      }
      for slug in slugs {
        let path = ObjectPath.metadataPath(kind: kind, collection: slug)
        guard let metadata = members(path, kind == .event ? .calendar : .list) else { continue }
        found.append(CollectionInfo(slug: slug, kind: kind, members: metadata))
      }
    }
    collections = found.sorted { left, right in
      let leftOrder = left.members["order"]?.stringValue ?? "~"
      let rightOrder = right.members["order"]?.stringValue ?? "~"
      return (left.kind.rawValue, leftOrder, left.name, left.slug)
        < (right.kind.rawValue, rightOrder, right.name, right.slug)
    }
    if let format = store["format"]?.integerValue, format > 1 {
      throw .newerFormat(format)
    }
  }

  private func readFiles() -> [String: ObjectID] {
    guard let tree, let list = try? replica.repository.files(in: tree, below: replica.prefix) else {
      return [:]
    }
    var files: [String: ObjectID] = [:]
    files.reserveCapacity(list.count)
    for file in list { files[String(file.path.dropFirst(replica.prefix.utf8.count))] = file.blob }
    return files
  }

  /// The blob of a file; nil if there is none.
  func blob(_ path: String) -> ObjectID? {
    guard let tree else { return nil }
    return (try? replica.repository.file(replica.prefix + path, in: tree)) ?? nil
  }

  /// Paths of the objects of a kind, in order.
  public func paths(of kind: CalendarObject.Kind? = nil) -> [String] {
    files.keys.filter { path in
      guard let found = ObjectPath.kind(ofPath: path)?.kind.objectKind else { return false }
      return kind == nil || kind == found
    }.sorted()
  }

  /// The objects of a kind, all of them without one; files that cannot be used are left out.
  public func objects(of kind: CalendarObject.Kind? = nil) -> [StoredObject] {
    paths(of: kind).compactMap { object(atPath: $0) }
  }

  /// The object in a file as it is committed; nil if the file cannot be used.
  public func object(atPath path: String) -> StoredObject? {
    if let known = loaded[path] { return known }
    let result = load(path)
    loaded[path] = .some(result)
    return result
  }

  private func load(_ path: String) -> StoredObject? {
    guard let (kind, collection) = ObjectPath.kind(ofPath: path), let blob = blob(path),
      let bytes = try? replica.repository.blob(blob)
    else { return nil }
    let file = ObjectFile.read(bytes, kind: kind, zones: replica.environment.zones)
    guard var object = file.object else { return nil }
    if object.uid.isEmpty { object.uid = derivedUID(path) }
    return StoredObject(path: path, collection: collection, object: object, findings: [])
  }

  /// The UID of a file that has none: it follows from the store's UID and the path.
  func derivedUID(_ path: String) -> String {
    Snapshot.derivedUID(path, store: store["uid"]?.stringValue ?? "")
  }

  static func derivedUID(_ path: String, store: String) -> String {
    ObjectPath.derivedUUID(namespace: ObjectPath.namespace, name: store + "/" + path)
  }

  /// The object as its file in the work tree says, where that was edited and is usable; else as it
  /// is committed, with the finding that stands in the way.
  public func current(_ stored: StoredObject) -> StoredObject {
    guard let bytes = replica.editedBytes(stored.path, committed: blob(stored.path)),
      let (kind, collection) = ObjectPath.kind(ofPath: stored.path)
    else { return stored }
    let file = ObjectFile.read(bytes, kind: kind, zones: replica.environment.zones)
    guard var object = file.object else {
      return StoredObject(
        path: stored.path, collection: collection, object: stored.object, findings: file.findings)
    }
    if object.uid.isEmpty { object.uid = derivedUID(stored.path) }
    return StoredObject(path: stored.path, collection: collection, object: object, findings: [])
  }

  // MARK: - Finding things

  /// The calendar or list with a slug or name.
  public func collection(
    named name: String, kind: CalendarObject.Kind? = nil
  ) throws(ReplicaError) -> CollectionInfo {
    let candidates = collections.filter { kind == nil || $0.kind == kind }
    if let match = candidates.first(where: { $0.slug == name }) { return match }
    let lower = name.lowercased()
    if let match = candidates.first(where: { $0.name.lowercased() == lower }) { return match }
    throw .noSuchCollection(name, known: candidates.map(\.slug))
  }

  /// The calendar or list for new items: the store's default, else the first.
  public func defaultCollection(of kind: CalendarObject.Kind) -> CollectionInfo? {
    let name = kind == .event ? "defaultCalendar" : "defaultList"
    let slug = store[name]?.stringValue
    return collections.first { $0.kind == kind && $0.slug == slug }
      ?? collections.first { $0.kind == kind && !$0.isReadOnly }
  }

  /// The object that an ID means: a UID, an unambiguous beginning of one (four characters or more),
  /// or words that are found in exactly one title.
  public func find(_ text: String) throws(ReplicaError) -> StoredObject {
    if let exact = object(uid: text) { return current(exact) }
    let lower = text.lowercased()
    var matches =
      text.utf8.count >= 4
      ? objects(try index?.rows(uidPrefix: text)) { $0.uid.hasPrefix(text) } : []
    if matches.isEmpty, text.utf8.count >= 4, lower != text {
      matches = objects(try index?.rows(uidPrefix: lower)) { $0.uid.hasPrefix(lower) }
    }
    if matches.isEmpty {
      let titled = objects(try index?.rows(titleHolding: lower)) {
        $0.object.title.lowercased().contains(lower)
      }
      matches = titled.filter { $0.object.title.lowercased() == lower }
      if matches.isEmpty { matches = titled }
    }
    guard let first = matches.first else { throw .notFound(text) }
    guard matches.count == 1 else {
      throw .ambiguous(text, candidates: matches.map { ($0.uid, $0.object.title) })
    }
    return current(first)
  }

  /// The object with a UID, as committed; nil if there is none that can be used.
  public func object(uid: String) -> StoredObject? {
    objects(try index?.rows(uid: uid)) { $0.uid == uid }.first
  }

  /// The objects of index rows, or without an index all those that a test lets pass.
  private func objects(
    _ rows: @autoclosure () throws -> [IndexRow]?, where test: (StoredObject) -> Bool
  ) -> [StoredObject] {
    guard let rows = (try? rows()) ?? nil else { return objects().filter(test) }
    return rows.compactMap { object(atPath: $0.path) }.filter(test)
  }

  // MARK: - What happens when

  /// The occurrences of events (or reminders) that share time with a window, in time order.
  ///
  /// - Parameters:
  ///   - collections: slugs; empty for all.
  ///   - text: words that title, notes or a place must hold; empty for all.
  public func agenda(
    of kind: CalendarObject.Kind = .event, from: Instant, to: Instant,
    collections slugs: Set<String> = [], text: String = ""
  ) -> [AgendaEntry] {
    let zone = replica.environment.localZone
    let zones = replica.environment.zones
    var entries: [AgendaEntry] = []
    let rows = { [index] in
      try index?.rows(kind: Replica.number(of: kind), from: from.seconds, to: to.seconds)
    }
    for stored in objects(try rows(), where: { $0.object.kind == kind }) {
      guard slugs.isEmpty || slugs.contains(stored.collection), stored.matches(text) else {
        continue
      }
      guard let found = occurrences(of: stored, from, to, zones, zone), !found.isEmpty else {
        continue
      }
      let shown = current(stored)
      guard let series = try? Series(shown.object) else { continue }
      let again =
        shown.object == stored.object
        ? found : series.occurrences(from: from, to: to, zones: zones, floatingZone: zone)
      entries += again.map { AgendaEntry(stored: shown, occurrence: $0, repeats: series.repeats) }
    }
    return entries.sorted { left, right in
      let (one, two) = (left.occurrence, right.occurrence)
      if one.startInstant != two.startInstant { return one.startInstant < two.startInstant }
      if one.start.isDate != two.start.isDate { return one.start.isDate }
      return (one.endInstant, one.object.title, left.occurrenceID)
        < (two.endInstant, two.object.title, right.occurrenceID)
    }
  }

  private func occurrences(
    of stored: StoredObject, _ from: Instant, _ to: Instant, _ zones: TimeZoneDatabase,
    _ zone: TimeZoneRules
  ) -> [SeriesOccurrence]? {
    guard let series = try? Series(stored.object) else { return nil }
    return series.occurrences(from: from, to: to, zones: zones, floatingZone: zone)
  }

  /// The first occurrence of a repeating reminder that is neither completed nor cancelled; for one
  /// that does not repeat nil.
  public func firstOpenOccurrence(of stored: StoredObject) -> RecurrenceID? {
    guard let series = try? Series(stored.object), series.repeats else { return nil }
    for id in series.visibleIDs().prefix(20_000) {
      let progress = series.override(id)?["progress"]?.stringValue
      if progress != "completed" && progress != "cancelled" { return id }
    }
    return nil
  }

  /// Files that cannot be used, with what is wrong, as they are in the work tree or committed.
  public func unreadable() -> [(path: String, finding: Finding)] {
    var result: [(path: String, finding: Finding)] = []
    for path in files.keys.sorted() {
      guard let (kind, _) = ObjectPath.kind(ofPath: path), let blob = files[path] else { continue }
      let bytes =
        replica.editedBytes(path, committed: blob) ?? (try? replica.repository.blob(blob)) ?? []
      let file = ObjectFile.read(bytes, kind: kind, zones: replica.environment.zones)
      if let finding = file.findings.first(where: \.isError) {
        result.append((path, finding))
      }
    }
    return result
  }
}

extension StoredObject {
  /// Whether every word of a text is found in title, notes, place or tags, case aside.
  func matches(_ text: String) -> Bool {
    guard !text.isEmpty else { return true }
    var hay = object.title + " " + object.notes
    for member in object["locations"]?.objectValue?.members ?? [] {
      hay += " " + (member.value.objectValue?["name"]?.stringValue ?? "")
    }
    hay += " " + (object["keywords"]?.objectValue?.names.joined(separator: " ") ?? "")
    let lower = hay.lowercased()
    return text.lowercased().split(separator: " ").allSatisfy { lower.contains($0) }
  }
}
