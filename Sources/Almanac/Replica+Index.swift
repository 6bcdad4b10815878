import CalendarModel
import CivilTime
import GitStore
import SearchIndex

extension Replica {
  /// Numbers of the kinds in the index; a file that cannot be used has -1.
  static func number(of kind: CalendarObject.Kind) -> Int { kind == .event ? 0 : 1 }

  /// Seconds by which the extent of an object is widened in the index, so that another local zone
  /// or other zone data need no new index.
  static let extentSlack: Int64 = 2 * 86_400

  /// The index, brought up to a tree by what differs from the tree it reflects; nil where it cannot
  /// be used, and everything is read from the tree.
  func index(for tree: ObjectID) -> CalendarIndex? {
    FilePath.makeFolders(repository.gitDirectory + "almanac")
    guard let index = try? CalendarIndex(path: repository.gitDirectory + "almanac/index.sqlite"),
      let stamp = try? index.stamp() ?? ""
    else { return nil }
    if stamp == tree.description { return index }
    do {
      if let old = ObjectID(stamp), let changes = try? repository.changes(from: old, to: tree) {
        try update(index, changes, to: tree)
      } else {
        try rebuild(index, tree)
      }
      return index
    } catch {
      return nil
    }
  }

  private func update(_ index: CalendarIndex, _ changes: [TreeChange], to tree: ObjectID) throws {
    var rows: [IndexRow] = []
    var removed: [String] = []
    let store = storeUID(tree)
    for change in changes where change.path.hasPrefix(prefix) {
      let path = String(change.path.dropFirst(prefix.utf8.count))
      if let blob = change.new, let row = row(path, blob, store) {
        rows.append(row)
      } else {
        removed.append(path)
      }
    }
    try index.update(rows: rows, removing: removed, stamp: tree.description)
  }

  private func rebuild(_ index: CalendarIndex, _ tree: ObjectID) throws {
    var rows: [IndexRow] = []
    let store = storeUID(tree)
    for file in try repository.files(in: tree, below: prefix) {
      if let row = row(String(file.path.dropFirst(prefix.utf8.count)), file.blob, store) {
        rows.append(row)
      }
    }
    try index.update(rows: rows, clear: true, stamp: tree.description)
  }

  /// The UID of the store, from which those of files without one are derived.
  private func storeUID(_ tree: ObjectID) -> String {
    guard let blob = (try? repository.file(prefix + "almanac.json", in: tree)) ?? nil,
      let bytes = try? repository.blob(blob)
    else { return "" }
    return ObjectFile.read(bytes, kind: .store).members?["uid"]?.stringValue ?? ""
  }

  private func row(_ path: String, _ blob: ObjectID, _ store: String) -> IndexRow? {
    guard let (kind, collection) = ObjectPath.kind(ofPath: path), kind.objectKind != nil,
      let bytes = try? repository.blob(blob)
    else { return nil }
    var row = IndexRow(
      path: path, blob: blob.description, uid: "", kind: -1, collection: collection, title: "",
      first: nil, last: nil)
    guard let object = ObjectFile.read(bytes, kind: kind, zones: environment.zones).object
    else { return row }
    row.kind = Replica.number(of: object.kind)
    row.uid =
      object.uid.isEmpty ? Snapshot.derivedUID(path, store: store) : object.uid
    row.title = object.title.lowercased()
    guard let series = try? Series(object),
      let extent = series.extent(zones: environment.zones, floatingZone: environment.localZone)
    else { return row }
    row.first = extent.first.adding(seconds: -Replica.extentSlack).seconds
    row.last = extent.last?.adding(seconds: Replica.extentSlack).seconds
    return row
  }
}
