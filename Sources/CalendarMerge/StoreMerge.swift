import CalendarModel

/// One run of merging two stores.
struct StoreMerge {
  let history: StoreHistory
  let files: StoreFiles
  let parsed: ParsedFiles
  var result = StoreMergeResult()
  /// Where calendars and lists end up, by what they are called on each side.
  var folders = FolderMerge()
  /// Objects at their places in the merged tree, for finding two that want one place.
  private var placed: [String: String] = [:]
  /// Where objects stand that stay or come, by folder: `calendars/home`.
  private var inhabited: Set<String> = []

  /// Everything that may concern one object: the paths at which it, or one of its name, was.
  private struct Group {
    var kind: FileKind
    var paths: Set<String> = []
  }

  /// Whether one head is looked at for what merges of texts left in it.
  private let isRepair: Bool

  init(history: StoreHistory, files: StoreFiles, isRepair: Bool = false) {
    self.history = history
    self.files = files
    self.isRepair = isRepair
    parsed = ParsedFiles(read: files.read)
  }

  /// Merges what concerns some paths.
  ///
  /// - Parameter differences: the paths at which the two trees differ.
  mutating func run(_ paths: Set<String>, differences: Set<String>) {
    var groups: [Group] = []
    var groupOfKey: [String: Int] = [:]
    var metadata: [String] = []
    for path in paths.sorted() {
      guard let (kind, _) = ObjectPath.kind(ofPath: path) else {
        if differences.contains(path) { mergeForeign(path) }
        continue
      }
      switch kind {
      case .store: mergeStoreFile(path)
      case .calendar, .list: metadata.append(path)
      case .event, .reminder:
        add(path, kind, to: &groups, &groupOfKey)
      }
    }
    mergeFolders(metadata, objects: groups.flatMap(\.paths))
    for group in groups where !group.paths.isEmpty { mergeObjects(group) }
    keepInhabitedFolders()
    result.merged = Set(result.merged).sorted()
    result.conflicted = Set(result.conflicted).sorted()
    result.reports = Set(result.reports).sorted()
  }

  /// Adds a path to the group of its object; one that several objects want joins their groups.
  private func add(
    _ path: String, _ kind: FileKind, to groups: inout [Group], _ groupOfKey: inout [String: Int]
  ) {
    let keys = keys(of: path, kind)
    let known = Set(keys.compactMap { groupOfKey[$0] }).sorted()
    let target = known.first ?? groups.count
    if known.isEmpty { groups.append(Group(kind: kind)) }
    groups[target].paths.insert(path)
    for other in known.dropFirst() {
      groups[target].paths.formUnion(groups[other].paths)
      groups[other].paths = []
      for (key, index) in groupOfKey where index == other { groupOfKey[key] = target }
    }
    for key in keys { groupOfKey[key] = target }
  }

  /// What files of one object have in common in their names: the stem, for files that a person
  /// named the one that would follow from the UID.
  private func keys(of path: String, _ kind: FileKind) -> Set<String> {
    let stem = String(path.split(separator: "/").last?.dropLast(".json".count) ?? "")
    if ObjectPath.isUUID(stem) || stem.hasPrefix("_") && stem.utf8.count == 27 {
      return [kind.rawValue + stem]
    }
    var keys: Set<String> = []
    for blob in [files.common(path), files.ours(path), files.theirs(path)].compactMap({ $0 }) {
      guard let members = parsed.members(blob, kind), let uid = members["uid"]?.stringValue else {
        continue
      }
      let stem = ObjectPath.stem(uid: uid, recurrenceID: members["recurrenceId"]?.stringValue)
      keys.insert(kind.rawValue + stem)
    }
    return keys.isEmpty ? [kind.rawValue + path] : keys
  }

  // MARK: - Objects

  private struct Identity: Hashable, Comparable {
    var uid: String
    var recurrenceID: String?

    static func < (left: Identity, right: Identity) -> Bool {
      (left.uid, left.recurrenceID ?? "") < (right.uid, right.recurrenceID ?? "")
    }
  }

  /// The identity of the object in a blob; nil if it cannot be read or has no UID.
  private func identity(_ blob: String, _ kind: FileKind) -> Identity? {
    guard let members = parsed.members(blob, kind), let uid = members["uid"]?.stringValue else {
      return nil
    }
    return Identity(uid: uid, recurrenceID: members["recurrenceId"]?.stringValue)
  }

  private mutating func mergeObjects(_ group: Group) {
    let isOurs = group.paths.contains { history.touchedByOurs.contains($0) }
    let isTheirs = group.paths.contains { history.touchedByTheirs.contains($0) }
    if isOurs != isTheirs { return takeSide(group, ours: isOurs) }
    var identities: Set<Identity> = []
    for path in group.paths {
      for blob in [files.common(path), files.ours(path), files.theirs(path)].compactMap({ $0 }) {
        if let identity = identity(blob, group.kind) { identities.insert(identity) }
      }
    }
    if identities.isEmpty {
      for path in group.paths.sorted() where files.ours(path) != files.theirs(path) {
        mergeForeign(path)
      }
      return
    }
    for identity in identities.sorted() { mergeObject(identity, group) }
  }

  /// Takes what one side alone changed, at the place where its calendar is now.
  private mutating func takeSide(_ group: Group, ours isOurs: Bool) {
    for path in group.paths.sorted() {
      let blob = isOurs ? files.ours(path) : files.theirs(path)
      if !isOurs, files.ours(path) != nil, blob == nil { remove(path) }
      guard let blob else { continue }
      let target = folders.moved(path, side: isOurs ? .ours : .theirs)
      place(path, blob: .blob(blob), at: target, owner: blob, ours: files.ours(path))
    }
  }

  /// Writes a file of an object, unless our tree has it.
  private mutating func place(
    _ path: String, blob: MergedFile, at target: String, owner: String, ours: String?
  ) {
    inhabited.insert(folder(target))
    if let other = placed[target], other != owner {
      result.reports.append("\(target): two objects want this place")
    }
    placed[target] = owner
    if target != path, ours != nil { remove(path) }
    if case .blob(let id) = blob, files.ours(target) == id {
      if case .some(.none) = result.edits[target] { result.edits[target] = nil }
      return
    }
    result.edits[target] = .some(blob)
  }

  private mutating func remove(_ path: String) {
    if result.edits[path] == nil { result.edits[path] = .some(nil) }
  }

  private func folder(_ path: String) -> String {
    path.split(separator: "/").prefix(2).joined(separator: "/")
  }

  private mutating func mergeObject(_ identity: Identity, _ group: Group) {
    let kind = group.kind
    let paths = group.paths.sorted()
    func path(_ blob: (String) -> String?) -> String? {
      paths.first { path in blob(path).map { self.identity($0, kind) == identity } ?? false }
    }
    let (base, mine, other) = (path(files.common), path(files.ours), path(files.theirs))
    if !isRepair, let mine, mine == other, let blob = files.ours(mine), blob == files.theirs(mine),
      folders.moved(mine, side: .ours) == mine
    {
      // Both sides have come to the same by themselves.
      return place(mine, blob: .blob(blob), at: mine, owner: "\(identity)", ours: blob)
    }
    func version(_ path: String?, _ blob: (String) -> String?, _ side: FolderMerge.Side)
      -> ObjectVersion?
    {
      guard let path, let members = blob(path).flatMap({ parsed.members($0, kind) }) else {
        return nil
      }
      return ObjectVersion(members: members, collection: folders.slug(path, side: side))
    }
    let versions = history.versions(of: paths, root: files.common) { state in
      var isUnreadable = false
      for path in state.keys.sorted() {
        guard let blob = state[path] else { continue }
        guard let members = parsed.members(blob, kind) else {
          isUnreadable = true
          continue
        }
        if self.identity(blob, kind) == identity {
          return .version(
            ObjectVersion(members: members, collection: folders.slug(path, side: .any)))
        }
      }
      return isUnreadable ? .unreadable : .nothing
    }
    let common = version(base, files.common, .common)
    let remembered =
      common == nil && mine != nil && other != nil
      ? files.remembered(mine ?? "").flatMap { ParsedFiles.members(of: $0, kind) }
        .map { ObjectVersion(members: $0, collection: folders.slug(mine ?? "", side: .ours)) } : nil
    let object = ObjectHistory(
      kind: kind, base: common, remembered: remembered, commits: versions.commits)
    let merged = result(of: object, versions.heads)
    keepUnreadable(paths, kind, merged: merged)
    let before = [version(mine, files.ours, .ours), version(other, files.theirs, .theirs)]
    note(identity.uid, merged, before)
    guard let merged else {
      if let mine { remove(mine) }
      return
    }
    let target = self.target(merged, identity, kind, base: base, ours: mine, theirs: other)
    let content: MergedFile
    if merged.members == before[0]?.members, let mine, let blob = files.ours(mine) {
      content = .blob(blob)
    } else if merged.members == before[1]?.members, let other, let blob = files.theirs(other) {
      content = .blob(blob)
    } else {
      content = .bytes(CanonicalJSON.bytes(merged.members))
    }
    place(
      mine ?? target, blob: content, at: target, owner: "\(identity)",
      ours: mine.flatMap { files.ours($0) })
  }

  private func result(of object: ObjectHistory, _ heads: [String]) -> ObjectVersion? {
    guard isRepair, let head = heads.first else { return object.merged(heads) }
    return object.needsRepair(head) ? object.repaired(head) : object.merged([head])
  }

  private mutating func note(
    _ uid: String, _ merged: ObjectVersion?, _ before: [ObjectVersion?]
  ) {
    result.merged.append(uid)
    let known = before.reduce(into: Set<String>()) { $0.formUnion(ConflictEntries.of($1).keys) }
    if !Set(ConflictEntries.of(merged).keys).isSubset(of: known) { result.conflicted.append(uid) }
  }

  /// The path of a merged object: that of the side which moved it, in the folder where its calendar
  /// is now. Of two objects that want one path the second one gets its canonical path.
  private func target(
    _ merged: ObjectVersion, _ identity: Identity, _ kind: FileKind, base: String?, ours: String?,
    theirs: String?
  ) -> String {
    func tail(_ path: String?) -> String? {
      path.map { $0.split(separator: "/").dropFirst(2).joined(separator: "/") }
    }
    let (common, mine, other) = (tail(base), tail(ours), tail(theirs))
    let chosen: String?
    switch (mine, other) {
    case (let mine?, let other?) where mine != other:
      chosen = mine == common ? other : other == common ? mine : min(mine, other)
    default: chosen = mine ?? other ?? common
    }
    let root = kind == .event ? "calendars" : "lists"
    let objectKind: CalendarObject.Kind = kind == .event ? .event : .reminder
    let canonical = ObjectPath.path(
      kind: objectKind, collection: merged.collection, uid: identity.uid,
      recurrenceID: identity.recurrenceID)
    guard let chosen else { return canonical }
    let path = "\(root)/\(merged.collection)/\(chosen)"
    if let other = placed[path], other != "\(identity)" { return canonical }
    return path
  }

  /// Keeps the bytes of a version that cannot be read beside the file that is shown.
  private mutating func keepUnreadable(
    _ paths: [String], _ kind: FileKind, merged: ObjectVersion?
  ) {
    for path in paths {
      for (blob, name) in [(files.ours(path), "our"), (files.theirs(path), "their")] {
        guard let blob, parsed.members(blob, kind) == nil, !parsed.hasMarkers(blob),
          let bytes = parsed.bytes(blob)
        else { continue }
        let beside = StoreMerge.beside(path, bytes)
        if files.ours(beside) == nil { result.edits[beside] = .blob(blob) }
        result.reports.append(
          "\(path): \(name) version cannot be read; it is kept as \(beside)")
      }
    }
  }

  // MARK: - Other files

  /// The name for a version that cannot stand at its path.
  static func beside(_ path: String, _ bytes: [UInt8]) -> String {
    let hex = SHA256.hash(bytes).prefix(4).map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    return "\(path).theirs-\(hex.joined())"
  }

  private mutating func mergeForeign(_ path: String) {
    let (base, mine, other) = (files.common(path), files.ours(path), files.theirs(path))
    if mine == other || other == base { return }
    if mine == base {
      result.edits[path] = .some(other.map { .blob($0) })
      return
    }
    guard let mine else {
      result.edits[path] = .some(other.map { .blob($0) })
      result.reports.append("\(path): removed here and changed there; it is kept")
      return
    }
    guard let other else {
      result.reports.append("\(path): changed here and removed there; it is kept")
      return
    }
    let bytes = [base, mine, other].map { $0.flatMap { parsed.bytes($0) } ?? [] }
    if let merged = files.mergeText(bytes[0], bytes[1], bytes[2]) {
      if merged != bytes[1] { result.edits[path] = .bytes(merged) }
      return
    }
    let beside = StoreMerge.beside(path, bytes[2])
    result.edits[beside] = .blob(other)
    result.reports.append("\(path): both sides changed it; theirs is \(beside)")
  }

  /// Merges `almanac.json` member by member.
  private mutating func mergeStoreFile(_ path: String) {
    guard isRepair || files.ours(path) != files.theirs(path) else { return }
    let merged = mergeMetadata([path], kind: .store, uids: nil)
    write(merged.version, at: path, from: [path], kind: .store)
  }

  private mutating func write(
    _ version: ObjectVersion?, at target: String, from paths: [String], kind: FileKind
  ) {
    for path in paths where path != target && files.ours(path) != nil { remove(path) }
    guard let version else {
      if files.ours(target) != nil { remove(target) }
      return
    }
    for blob in ([target] + paths).flatMap({ [files.ours($0), files.theirs($0)] }).compactMap({ $0 }
    )
    where parsed.members(blob, kind) == version.members {
      if files.ours(target) != blob { result.edits[target] = .blob(blob) }
      return
    }
    result.edits[target] = .bytes(CanonicalJSON.bytes(version.members))
  }

  /// Merges the metadata of the store, a calendar or a list.
  private func mergeMetadata(
    _ paths: [String], kind: FileKind, uids: Set<String>?
  ) -> (version: ObjectVersion?, isBoth: Bool) {
    func version(_ blob: String?, _ path: String) -> ObjectVersion? {
      guard let blob, var members = parsed.members(blob, kind) else { return nil }
      if let uids {
        guard uids.contains(members["uid"]?.stringValue ?? "") else { return nil }
        // Two that were made at one place are one.
        members["uid"] = uids.min().map { .string($0) }
      }
      return ObjectVersion(members: members, collection: FolderMerge.slug(path))
    }
    let base = paths.lazy.compactMap { version(files.common($0), $0) }.first
    let versions = history.versions(of: paths, root: files.common) { state in
      var isUnreadable = false
      for path in state.keys.sorted() {
        guard let blob = state[path] else { continue }
        if let version = version(blob, path) { return .version(version) }
        if parsed.members(blob, kind) == nil { isUnreadable = true }
      }
      return isUnreadable ? .unreadable : .nothing
    }
    let object = ObjectHistory(kind: kind, base: base, commits: versions.commits)
    let isBoth =
      paths.contains { history.touchedByOurs.contains($0) }
      && paths.contains { history.touchedByTheirs.contains($0) }
    return (result(of: object, versions.heads), isBoth)
  }

  // MARK: - Calendars and lists

  /// Merges the metadata of calendars and lists, and learns where each is now.
  private mutating func mergeFolders(_ metadata: [String], objects: [String]) {
    var candidates = Set(metadata)
    for path in objects { candidates.insert(FolderMerge.metadataPath(ofFolder: path)) }
    for path in candidates.sorted() {
      let kind: FileKind = path.hasPrefix("calendars/") ? .calendar : .list
      func uid(_ blob: String?) -> String? {
        blob.flatMap { parsed.members($0, kind) }?["uid"]?.stringValue
      }
      folders.add(
        path, common: uid(files.common(path)), ours: uid(files.ours(path)),
        theirs: uid(files.theirs(path)))
    }
    for folder in folders.identities() {
      let touched = folder.paths.contains { metadata.contains($0) }
      guard touched else {
        if let path = folder.paths.first { folders.settle(folder, at: FolderMerge.slug(path)) }
        continue
      }
      let merged = mergeMetadata(folder.paths, kind: folder.kind, uids: folder.uids)
      let slug = folders.settle(folder, at: merged.version?.collection)
      let target = FolderMerge.metadataPath(folder.kind, slug)
      write(merged.version, at: target, from: folder.paths, kind: folder.kind)
      if merged.isBoth, let uid = folder.uids.min() {
        let before = folder.paths.flatMap { [files.ours($0), files.theirs($0)] }.map { blob in
          blob.flatMap { parsed.members($0, folder.kind) }
            .map { ObjectVersion(members: $0, collection: "") }
        }
        note(uid, merged.version, before)
      }
    }
  }

  /// A calendar that objects stay in or come to is not deleted.
  private mutating func keepInhabitedFolders() {
    for folder in inhabited.sorted() {
      let path = folder + (folder.hasPrefix("calendars/") ? "/calendar.json" : "/list.json")
      let isThere: Bool
      switch result.edits[path] {
      case .some(.some): isThere = true
      case .some(.none): isThere = false
      case nil: isThere = files.ours(path) != nil
      }
      if isThere { continue }
      guard let blob = files.ours(path) ?? files.theirs(path) ?? files.common(path) else {
        continue
      }
      if files.ours(path) == blob {
        result.edits[path] = nil
      } else {
        result.edits[path] = .blob(blob)
      }
      result.reports.append("\(folder): deleted on one side; kept, since the other side uses it")
    }
  }
}
