import CLibgit2

/// One change of a tree: what a path shall hold.
package struct TreeEdit: Sendable {
  /// The path from the root.
  package var path: String
  /// The blob, or of a submodule the commit; nil removes the path.
  package var id: ObjectID?
  /// What it is; nil keeps what a file was and makes new ones plain. Never a folder.
  package var mode: FileMode?

  /// Creates a change.
  package init(path: String, id: ObjectID?, mode: FileMode? = nil) {
    self.path = path
    self.id = id
    self.mode = mode
  }
}

extension Repository {
  /// A new tree from an old one (nil: empty) and changes by path; a nil blob removes.
  package func writeTree(
    from old: ObjectID?, changes: [(path: String, blob: ObjectID?)]
  ) throws(GitError) -> ObjectID {
    try writeTree(from: old, edits: changes.map { TreeEdit(path: $0.path, id: $0.blob) })
  }

  /// A new tree from an old one (nil: empty) and changes. A folder left empty goes; removing what
  /// is not there, or is a folder, does nothing.
  ///
  /// - Throws: `GitError.file` for a path that cannot stand in a repository, or a file where a
  ///   folder with other files stays.
  /// - Complexity: reads and writes the folders with changes, and no others.
  package func writeTree(
    from old: ObjectID?, edits: [TreeEdit]
  ) throws(GitError) -> ObjectID {
    var root = FolderEdit()
    for edit in edits {
      try GitPath.require(edit.path)
      let parts = edit.path.utf8.split(separator: UInt8(ascii: "/"))
      guard parts.count < Repository.depthMax else {
        throw .file(path: edit.path, reason: "this path has too many folders")
      }
      root.insert(parts.map { Array($0) }[...], edit)
    }
    if let tree = try write(root, onto: old) { return tree }
    return try add(GIT_OBJECT_TREE, [])
  }

  /// Changes below one folder.
  private struct FolderEdit {
    var files: [[UInt8]: TreeEdit] = [:]
    var folders: [[UInt8]: FolderEdit] = [:]

    mutating func insert(_ parts: ArraySlice<[UInt8]>, _ edit: TreeEdit) {
      guard let first = parts.first else { return }
      if parts.count == 1 {
        files[first] = edit
      } else {
        folders[first, default: FolderEdit()].insert(parts.dropFirst(), edit)
      }
    }
  }

  /// The new tree of a folder; nil if it is empty.
  private func write(_ edit: FolderEdit, onto old: ObjectID?) throws(GitError) -> ObjectID? {
    var entries: [[UInt8]: TreeEntry] = [:]
    if let old {
      for entry in try self.entries(of: old) { entries[Array(entry.name)] = entry }
    }
    for (name, inner) in edit.folders {
      let before = entries[name]
      let isFolder = before?.mode == .folder
      if let id = try write(inner, onto: isFolder ? before?.id : nil) {
        entries[name] = TreeEntry(name: name[...], mode: .folder, id: id)
      } else if isFolder {
        entries[name] = nil
      }
    }
    for (name, file) in edit.files {
      let before = entries[name]
      guard let id = file.id else {
        if before?.mode != .folder { entries[name] = nil }
        continue
      }
      if before?.mode == .folder {
        throw .file(path: file.path, reason: "a folder of this name holds other files")
      }
      let kept = before.flatMap { $0.mode.isFile ? $0.mode : nil }
      let mode = file.mode ?? kept ?? .file
      if mode != .submodule { try requireObject(id, for: file.path) }
      entries[name] = TreeEntry(name: name[...], mode: mode, id: id)
    }
    if entries.isEmpty { return nil }
    var bytes: [UInt8] = []
    for entry in entries.values.sorted(by: TreeEntry.precedes) {
      bytes.append(contentsOf: String(entry.mode.rawValue, radix: 8).utf8)
      bytes.append(UInt8(ascii: " "))
      bytes.append(contentsOf: entry.name)
      bytes.append(0)
      bytes.append(contentsOf: entry.id.bytes)
    }
    return try add(GIT_OBJECT_TREE, bytes)
  }

  /// A tree must not name a blob that does not exist.
  private func requireObject(_ id: ObjectID, for path: String) throws(GitError) {
    if pending.objects[id] != nil { return }
    let database = try openDatabase()
    var raw = id.raw
    guard unsafe git_odb_exists(database.pointer, &raw) == 1 else {
      throw .file(path: path, reason: "the object \(id) is not in the repository")
    }
  }
}
