import CLibgit2

/// What a name in a tree stands for.
package enum FileMode: UInt32, Hashable, Sendable {
  /// A folder.
  case folder = 0o040000
  /// A plain file.
  case file = 0o100644
  /// A plain file that can be run.
  case executable = 0o100755
  /// A symbolic link; the blob is its target.
  case link = 0o120000
  /// A commit of another repository.
  case submodule = 0o160000

  /// Whether this is a plain file.
  package var isFile: Bool { self == .file || self == .executable }

  /// Reads any number an old git may have written.
  init(number: UInt32) {
    switch number & 0o170000 {
    case 0o040000: self = .folder
    case 0o120000: self = .link
    case 0o160000: self = .submodule
    default: self = number & 0o111 != 0 ? .executable : .file
    }
  }
}

/// One file of a tree.
package struct TreeFile: Hashable, Sendable {
  /// Its path from the root.
  package let path: String
  /// Its blob.
  package let blob: ObjectID
}

/// A path that differs between two trees.
package struct TreeChange: Hashable, Sendable {
  /// The path from the root; a name that is not UTF-8 has U+FFFD in it.
  package let path: String
  /// The blob before (of a submodule: the commit); nil if it was added.
  package let old: ObjectID?
  /// The blob after; nil if it was removed.
  package let new: ObjectID?
  /// What it was; nil if it was added.
  package let oldMode: FileMode?
  /// What it is; nil if it was removed.
  package let newMode: FileMode?
}

/// One line of a tree, with the name as it is.
struct TreeEntry {
  let name: ArraySlice<UInt8>
  let mode: FileMode
  let id: ObjectID

  var text: String { String(decoding: name, as: UTF8.self) }

  /// Git's order: folders sort as if their name ended with a slash.
  static func precedes(_ left: TreeEntry, _ right: TreeEntry) -> Bool {
    let common = min(left.name.count, right.name.count)
    for offset in 0..<common {
      let one = left.name[left.name.startIndex + offset]
      let two = right.name[right.name.startIndex + offset]
      if one != two { return one < two }
    }
    func next(_ entry: TreeEntry) -> UInt8 {
      common < entry.name.count
        ? entry.name[entry.name.startIndex + common]
        : entry.mode == .folder ? UInt8(ascii: "/") : 0
    }
    return next(left) < next(right)
  }
}

extension Repository {
  /// Trees nested deeper are refused, so that no tree can exhaust the stack.
  static let depthMax = 256

  /// The lines of a tree.
  func entries(of tree: ObjectID) throws(GitError) -> [TreeEntry] {
    let bytes = try object(tree, GIT_OBJECT_TREE, "tree")
    var entries: [TreeEntry] = []
    entries.reserveCapacity(bytes.count / 40)
    var position = 0
    while position < bytes.count {
      // Octal digits, a space, the name, a NUL, 20 bytes.
      var mode: UInt32 = 0
      while position < bytes.count, case let digit = bytes[position] &- 0x30, digit < 8 {
        mode = mode << 3 | UInt32(digit)
        position += 1
      }
      let start = position + 1
      var zero = start
      while zero < bytes.count, bytes[zero] != 0 { zero += 1 }
      guard zero + 20 < bytes.count, bytes[position] == UInt8(ascii: " "), zero > start,
        let id = ObjectID(bytes: bytes[(zero + 1)...(zero + 20)])
      else { throw .failed(operation: "read the tree \(tree)", code: -1, message: "it is damaged") }
      entries.append(TreeEntry(name: bytes[start..<zero], mode: FileMode(number: mode), id: id))
      position = zero + 21
    }
    return entries
  }

  /// What stands at a path of a tree; nil if there is nothing. The empty path is the tree itself.
  package func entry(
    _ path: String, in tree: ObjectID
  ) throws(GitError) -> (id: ObjectID, mode: FileMode)? {
    var found = (id: tree, mode: FileMode.folder)
    for part in path.utf8.split(separator: UInt8(ascii: "/")) {
      guard found.mode == .folder,
        let entry = try entries(of: found.id).first(where: { $0.name.elementsEqual(part) })
      else { return nil }
      found = (entry.id, entry.mode)
    }
    return found
  }

  /// The plain file at a path of a tree; nil if there is none.
  package func file(_ path: String, in tree: ObjectID) throws(GitError) -> ObjectID? {
    guard let entry = try entry(path, in: tree), entry.mode.isFile else { return nil }
    return entry.id
  }

  /// The plain files of a tree whose paths begin with a prefix such as `calendars/` (empty for
  /// all), in git's order; symbolic links and submodules are left out.
  ///
  /// - Complexity: reads the folders that can hold such files.
  package func files(in tree: ObjectID, below prefix: String = "") throws(GitError) -> [TreeFile] {
    var files: [TreeFile] = []
    try collect(tree, path: "", below: prefix, depth: 0, into: &files)
    return files
  }

  private func collect(
    _ tree: ObjectID, path: String, below prefix: String, depth: Int, into files: inout [TreeFile]
  ) throws(GitError) {
    try Repository.requireDepth(depth, of: tree)
    for entry in try entries(of: tree) {
      let inner = path + entry.text
      switch entry.mode {
      case .folder:
        let folder = inner + "/"
        if folder.hasPrefix(prefix) || prefix.hasPrefix(folder) {
          try collect(entry.id, path: folder, below: prefix, depth: depth + 1, into: &files)
        }
      case .file, .executable:
        if inner.hasPrefix(prefix) { files.append(TreeFile(path: inner, blob: entry.id)) }
      case .link, .submodule: continue
      }
    }
  }

  private static func requireDepth(_ depth: Int, of tree: ObjectID) throws(GitError) {
    guard depth < depthMax else {
      throw .failed(
        operation: "read the tree \(tree)", code: -1,
        message: "folders are nested deeper than \(depthMax)")
    }
  }

  /// The names of the folders directly below a folder of a tree (empty for its root), in git's
  /// order; none if there is no such folder.
  package func folders(in tree: ObjectID, at path: String) throws(GitError) -> [String] {
    guard let entry = try entry(path, in: tree), entry.mode == .folder else { return [] }
    return try entries(of: entry.id).filter { $0.mode == .folder }.map(\.text)
  }

  // MARK: - Differences

  /// The paths that differ between two trees, in git's order; nil stands for an empty tree.
  /// Where a file became a folder, the file is removed and the files in the folder are added.
  ///
  /// - Parameter prefix: only paths that begin so.
  /// - Complexity: follows the subtrees that differ, not the size of the trees.
  package func changes(
    from old: ObjectID?, to new: ObjectID?, below prefix: String = ""
  ) throws(GitError) -> [TreeChange] {
    var changes: [TreeChange] = []
    try compare(old, new, path: "", below: prefix, depth: 0, into: &changes)
    return changes
  }

  private func compare(
    _ old: ObjectID?, _ new: ObjectID?, path: String, below prefix: String, depth: Int,
    into changes: inout [TreeChange]
  ) throws(GitError) {
    if old == new { return }
    try Repository.requireDepth(depth, of: new ?? old ?? ObjectID(git_oid()))
    let before = try old.map { id throws(GitError) in try entries(of: id) } ?? []
    let after = try new.map { id throws(GitError) in try entries(of: id) } ?? []
    var (left, right) = (0, 0)
    while left < before.count || right < after.count {
      var one = left < before.count ? before[left] : nil
      var two = right < after.count ? after[right] : nil
      if let first = one, let second = two {
        if TreeEntry.precedes(first, second) { two = nil }
        if TreeEntry.precedes(second, first) { one = nil }
      }
      if one != nil { left += 1 }
      if two != nil { right += 1 }
      guard let entry = two ?? one, one?.id != two?.id || one?.mode != two?.mode else { continue }
      let inner = path + entry.text
      if entry.mode == .folder {
        let folder = inner + "/"
        guard folder.hasPrefix(prefix) || prefix.hasPrefix(folder) else { continue }
        try compare(
          one?.id, two?.id, path: folder, below: prefix, depth: depth + 1, into: &changes)
      } else if inner.hasPrefix(prefix) {
        changes.append(
          TreeChange(
            path: inner, old: one?.id, new: two?.id, oldMode: one?.mode, newMode: two?.mode))
      }
    }
  }
}
