import CalendarModel

/// Where calendars and lists are: folders are known by the UID in them, so that a renamed folder is
/// still the same calendar.
struct FolderMerge {
  enum Side {
    case common
    case ours
    case theirs
    case any
  }

  /// One calendar or list.
  struct Folder {
    let kind: FileKind
    /// Its UID, or two if both sides made it at one place.
    var uids: Set<String>
    /// The paths of its metadata on any side, sorted.
    var paths: [String]
  }

  /// The UIDs at a metadata path by side.
  private var uids: [String: (common: String?, ours: String?, theirs: String?)] = [:]
  /// The folder's slug in the merged store by kind and UID.
  private var settled: [String: String] = [:]
  /// Slugs that are taken, by kind.
  private var taken: Set<String> = []

  static func slug(_ path: String) -> String {
    let parts = path.split(separator: "/")
    return parts.count > 1 ? String(parts[1]) : ""
  }

  static func metadataPath(_ kind: FileKind, _ slug: String) -> String {
    kind == .calendar ? "calendars/\(slug)/calendar.json" : "lists/\(slug)/list.json"
  }

  /// The metadata path of the folder that an object is in.
  static func metadataPath(ofFolder path: String) -> String {
    metadataPath(path.hasPrefix("calendars/") ? .calendar : .list, slug(path))
  }

  mutating func add(_ path: String, common: String?, ours: String?, theirs: String?) {
    uids[path] = (common, ours, theirs)
  }

  /// The calendars and lists, by kind and UID in order.
  func identities() -> [Folder] {
    var result: [Folder] = []
    for path in uids.keys.sorted() {
      guard let found = uids[path] else { continue }
      let kind: FileKind = path.hasPrefix("calendars/") ? .calendar : .list
      var groups: [Set<String>] = [found.common, found.ours, found.theirs].compactMap { $0 }
        .map { [$0] }
      if found.common == nil, let mine = found.ours, let other = found.theirs {
        groups = [[mine, other]]
      }
      for group in groups {
        let known = result.firstIndex { $0.kind == kind && !$0.uids.isDisjoint(with: group) }
        if let known {
          result[known].uids.formUnion(group)
          if !result[known].paths.contains(path) { result[known].paths.append(path) }
        } else {
          result.append(Folder(kind: kind, uids: group, paths: [path]))
        }
      }
    }
    return result.sorted {
      ($0.kind.rawValue, $0.uids.min() ?? "") < ($1.kind.rawValue, $1.uids.min() ?? "")
    }
  }

  /// Fixes the place of a calendar or list; another one at that place makes it move aside.
  ///
  /// - Parameter slug: nil if it is deleted; it keeps its place for objects that stay.
  @discardableResult
  mutating func settle(_ folder: Folder, at slug: String?) -> String {
    let wanted = slug ?? FolderMerge.slug(folder.paths[0])
    var free = wanted
    var number = 2
    while slug != nil, !taken.insert("\(folder.kind.rawValue)/\(free)").inserted {
      free = "\(wanted)-\(number)"
      number += 1
    }
    for uid in folder.uids { settled["\(folder.kind.rawValue)/\(uid)"] = free }
    return free
  }

  /// The slug that the folder of an object has in the merged store.
  func slug(_ path: String, side: Side) -> String {
    let metadata = FolderMerge.metadataPath(ofFolder: path)
    let slug = FolderMerge.slug(path)
    guard let found = uids[metadata] else { return slug }
    let uid: String?
    switch side {
    case .common: uid = found.common ?? found.ours ?? found.theirs
    case .ours: uid = found.ours ?? found.common ?? found.theirs
    case .theirs: uid = found.theirs ?? found.common ?? found.ours
    case .any: uid = found.common ?? found.ours ?? found.theirs
    }
    let kind = metadata.hasPrefix("calendars/") ? FileKind.calendar : .list
    return uid.flatMap { settled["\(kind.rawValue)/\($0)"] } ?? slug
  }

  /// The path of an object in the merged store.
  func moved(_ path: String, side: Side) -> String {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count > 2 else { return path }
    return ([parts[0], slug(path, side: side)] + parts.dropFirst(2)).joined(separator: "/")
  }
}
