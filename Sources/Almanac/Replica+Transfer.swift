public import CalendarModel
import CivilTime
import GitStore

/// What an import did, or would do, with one file.
public struct ImportReport: Sendable {
  /// The calendar or list that events and reminders went to; nil if none did.
  public var calendar: String?
  /// The list that reminders went to; nil if none did.
  public var list: String?
  /// UIDs that are new.
  public var created: [String] = []
  /// UIDs whose object was brought to a newer version.
  public var updated: [String] = []
  /// UIDs that were here in the same version, or in one changed here since.
  public var unchanged: [String] = []
  /// What was not imported, with line and reason.
  public var refused: [ICalendarRefusal] = []
  /// What could not be kept as it was.
  public var warnings: [ICalendarWarning] = []
  /// The commit; nil if nothing changed.
  public var commit: String?
}

extension Replica {
  /// Imports an iCalendar file as one commit. Objects are matched by UID: the same file again is
  /// no change, a newer version of an object updates it, and what was changed here since its import
  /// stays.
  ///
  /// - Parameters:
  ///   - calendar: the calendar for events; nil for one named as the file's, which is made if it is
  ///     missing, else the default one.
  ///   - list: the list for reminders; nil for the default one.
  public func importICalendar(
    _ bytes: [UInt8], calendar: String? = nil, list: String? = nil, dryRun: Bool = false
  ) throws(ReplicaError) -> ImportReport {
    let document = ICalendarDecoder.decode(bytes, zones: environment.zones)
    var report = ImportReport()
    report.refused = document.refusals
    report.warnings = document.warnings + document.items.flatMap(\.warnings)
    let created = environment.now().description
    let calendarUID = environment.newUID()
    var result = report
    func attempt(_ snapshot: Snapshot) throws(ReplicaError) -> (
      [String: [UInt8]?], String, WriteOutcome
    ) {
      result = report
      var files: [String: [UInt8]?] = [:]
      var byUID: [String: StoredObject] = [:]
      if !document.items.isEmpty {
        for stored in snapshot.objects() { byUID[key(stored.object)] = stored }
      }
      for item in document.items {
        let kind = item.object.kind
        var object = item.object
        if let known = byUID[key(object)] {
          guard let newer = update(known.object, with: object) else {
            result.unchanged.append(object.uid)
            continue
          }
          files[known.path] = .some(CanonicalJSON.bytes(newer.members))
          result.updated.append(object.uid)
          continue
        }
        let target = try target(
          kind, named: kind == .event ? calendar : list, document, snapshot, calendarUID, &files)
        if kind == .event { result.calendar = target.slug } else { result.list = target.slug }
        if object["created"] == nil { object["created"] = object["updated"] ?? .string(created) }
        let path = ObjectPath.path(
          kind: kind, collection: target.slug, uid: object.uid,
          recurrenceID: object["recurrenceId"]?.stringValue)
        files[path] = .some(CanonicalJSON.bytes(object.members))
        result.created.append(object.uid)
      }
      let count = result.created.count + result.updated.count
      let name = document.name.map { " from \"\($0)\"" } ?? ""
      let subject = "import \(count) \(count == 1 ? "item" : "items")\(name)"
      return (count == 0 ? [:] : files, subject, WriteOutcome())
    }
    if dryRun {
      _ = try attempt(try snapshot())
    } else {
      result.commit = try transact(op: "import", attempt).commit
    }
    return result
  }

  private func key(_ object: CalendarObject) -> String {
    object.kind.rawValue + object.uid + "\n" + (object["recurrenceId"]?.stringValue ?? "")
  }

  /// The newer version of an object that is here, or nil if there is nothing to do: the same, an
  /// older one, or one that was changed here since.
  private func update(_ known: CalendarObject, with new: CalendarObject) -> CalendarObject? {
    var new = new
    new["created"] = known["created"]
    new["conflicts"] = known["conflicts"]
    if new == known { return nil }
    let sequences = (known["sequence"]?.integerValue ?? 0, new["sequence"]?.integerValue ?? 0)
    if sequences.1 != sequences.0 { return sequences.1 > sequences.0 ? new : nil }
    // `updated` is there only as long as nobody has changed the object here.
    guard let before = known["updated"]?.stringValue else { return nil }
    guard let after = new["updated"]?.stringValue else { return nil }
    if after == before { return nil }
    return after > before ? new : nil
  }

  /// The calendar or list that an import goes to; a calendar named as the file's is made.
  private func target(
    _ kind: CalendarObject.Kind, named name: String?, _ document: ICalendarDocument,
    _ snapshot: Snapshot, _ uid: String, _ files: inout [String: [UInt8]?]
  ) throws(ReplicaError) -> CollectionInfo {
    if let name {
      let info = try snapshot.collection(named: name, kind: kind)
      if info.isReadOnly { throw .readOnly(info.name) }
      return info
    }
    if kind == .event, let title = document.name, !title.isEmpty {
      let slug = ObjectPath.slug(for: title)
      if let info = snapshot.collections.first(where: { $0.kind == kind && $0.slug == slug }) {
        if info.isReadOnly { throw .readOnly(info.name) }
        return info
      }
      var members: JSONObject = [
        "@type": "Calendar", "name": .string(String(title.prefix(255))),
        "created": .string(environment.now().description), "uid": .string(uid),
      ]
      if let color = document.color { members["color"] = .string(color) }
      if let zone = document.timeZone, environment.zones.rules(named: zone) != nil {
        members["timeZone"] = .string(zone)
      }
      members = Normaliser.normalise(members, kind: .calendar)
      files[ObjectPath.metadataPath(kind: kind, collection: slug)] = .some(
        CanonicalJSON.bytes(members))
      return CollectionInfo(slug: slug, kind: kind, members: members)
    }
    guard let info = snapshot.defaultCollection(of: kind) else {
      throw .noSuchCollection(kind == .event ? "a calendar" : "a list", known: [])
    }
    return info
  }
}
