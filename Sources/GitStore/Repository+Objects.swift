import CLibgit2

/// One file of a tree.
package struct TreeFile: Hashable, Sendable {
  /// Its path from the root.
  package let path: String
  /// Its blob.
  package let blob: ObjectID
}

/// A path that differs between two trees.
package struct TreeChange: Hashable, Sendable {
  /// The path from the root.
  package let path: String
  /// The blob before; nil if it was added.
  package let old: ObjectID?
  /// The blob after; nil if it was removed.
  package let new: ObjectID?
}

extension Repository {
  /// The bytes of a blob.
  package func blob(_ id: ObjectID) throws(GitError) -> [UInt8] {
    var raw = id.raw
    var blob: OpaquePointer?
    try check(unsafe git_blob_lookup(&blob, pointer, &raw), "read the object \(id)")
    defer { unsafe git_blob_free(blob) }
    let size = unsafe Int(git_blob_rawsize(blob))
    guard size > 0, let content = unsafe git_blob_rawcontent(blob) else { return [] }
    return unsafe Array(UnsafeRawBufferPointer(start: content, count: size))
  }

  /// Writes a blob.
  package func writeBlob(_ bytes: [UInt8]) throws(GitError) -> ObjectID {
    try write(bytes, GIT_OBJECT_BLOB)
  }

  /// The ID that bytes have as a blob, without writing them.
  package func blobID(of bytes: [UInt8]) throws(GitError) -> ObjectID {
    var id = git_oid()
    try check(
      unsafe bytes.withUnsafeBytes {
        unsafe git_odb_hash(&id, $0.baseAddress, $0.count, GIT_OBJECT_BLOB)
      }, "hash an object")
    return ObjectID(id)
  }

  private func write(_ bytes: [UInt8], _ type: git_object_t) throws(GitError) -> ObjectID {
    var database: OpaquePointer?
    try check(unsafe git_repository_odb(&database, pointer), "open the object database")
    defer { unsafe git_odb_free(database) }
    var id = git_oid()
    try check(
      unsafe bytes.withUnsafeBytes {
        unsafe git_odb_write(&id, database, $0.baseAddress, $0.count, type)
      }, "write an object")
    return ObjectID(id)
  }

  /// Makes objects that another process has just written visible here.
  package func refreshObjects() throws(GitError) {
    var database: OpaquePointer?
    try check(unsafe git_repository_odb(&database, pointer), "open the object database")
    defer { unsafe git_odb_free(database) }
    try check(unsafe git_odb_refresh(database), "read the object database")
  }

  /// A commit.
  package func commit(_ id: ObjectID) throws(GitError) -> Commit {
    var raw = id.raw
    var commit: OpaquePointer?
    try check(unsafe git_commit_lookup(&commit, pointer, &raw), "read the commit \(id)")
    defer { unsafe git_commit_free(commit) }
    var parents: [ObjectID] = []
    for index in 0..<(unsafe git_commit_parentcount(commit)) {
      if let parent = unsafe git_commit_parent_id(commit, index) {
        parents.append(unsafe ObjectID(parent.pointee))
      }
    }
    guard let tree = unsafe git_commit_tree_id(commit),
      let author = unsafe git_commit_author(commit)
    else { throw .failed(operation: "read the commit \(id)", code: -1, message: "it is damaged") }
    let signature = unsafe author.pointee
    return unsafe Commit(
      id: id, tree: ObjectID(tree.pointee), parents: parents,
      author: Signature(
        name: signature.name.map { unsafe String(cString: $0) } ?? "",
        email: signature.email.map { unsafe String(cString: $0) } ?? "",
        seconds: signature.when.time, offsetMinutes: Int(signature.when.offset)),
      message: git_commit_message(commit).map { unsafe String(cString: $0) } ?? "")
  }

  /// Writes a commit; author and committer are one.
  package func writeCommit(
    tree: ObjectID, parents: [ObjectID], message: String, author: Signature
  ) throws(GitError) -> ObjectID {
    if config("commit.gpgsign").map({ ["true", "yes", "on", "1"].contains($0.lowercased()) })
      ?? false
    {
      return try writeSignedCommit(tree: tree, parents: parents, message: message, author: author)
    }
    var text = "tree \(tree)\n"
    for parent in parents { text += "parent \(parent)\n" }
    text += "author \(author.text)\ncommitter \(author.text)\n\n\(message)"
    if !text.hasSuffix("\n") { text += "\n" }
    return try write(Array(text.utf8), GIT_OBJECT_COMMIT)
  }

  /// Has the user's own git sign the commit, with the user's program and key.
  private func writeSignedCommit(
    tree: ObjectID, parents: [ObjectID], message: String, author: Signature
  ) throws(GitError) -> ObjectID {
    var arguments = ["commit-tree", "-S", tree.description, "-F", "-"]
    for parent in parents { arguments += ["-p", parent.description] }
    let date = "\(author.seconds) +0000"
    let result = try GitProgram(directory: gitDirectory).run(
      arguments, input: Array(message.utf8),
      environment: [
        "GIT_AUTHOR_NAME": author.name, "GIT_AUTHOR_EMAIL": author.email, "GIT_AUTHOR_DATE": date,
        "GIT_COMMITTER_NAME": author.name, "GIT_COMMITTER_EMAIL": author.email,
        "GIT_COMMITTER_DATE": date, "GIT_DIR": gitDirectory,
      ])
    guard result.status == 0, let id = ObjectID(result.outputText) else {
      throw .program(
        arguments: ["commit-tree", "-S"], status: result.status, message: result.errorText)
    }
    try refreshObjects()
    return id
  }

  // MARK: - Trees

  /// The file at a path of a tree; nil if there is none.
  package func file(_ path: String, in tree: ObjectID) throws(GitError) -> ObjectID? {
    unsafe try withTree(tree) { tree throws(GitError) -> ObjectID? in
      var entry: OpaquePointer?
      let status = unsafe git_tree_entry_bypath(&entry, tree, path)
      if status == GIT_ENOTFOUND.rawValue { return nil }
      try check(status, "look up '\(path)'")
      defer { unsafe git_tree_entry_free(entry) }
      guard unsafe git_tree_entry_type(entry) == GIT_OBJECT_BLOB,
        let id = unsafe git_tree_entry_id(entry)
      else { return nil }
      return unsafe ObjectID(id.pointee)
    }
  }

  /// The plain files of a tree below a folder (empty for all), in the order of their paths;
  /// symbolic links and submodules are left out.
  package func files(in tree: ObjectID, below folder: String = "") throws(GitError) -> [TreeFile] {
    var files: [TreeFile] = []
    try collect(tree, prefix: "", below: folder, depth: 0, into: &files)
    return files
  }

  private func collect(
    _ tree: ObjectID, prefix: String, below folder: String, depth: Int, into files: inout [TreeFile]
  ) throws(GitError) {
    guard depth < 64 else { return }
    var folders: [(String, ObjectID)] = []
    unsafe try withTree(tree) { tree throws(GitError) in
      for index in 0..<(unsafe git_tree_entrycount(tree)) {
        guard let entry = unsafe git_tree_entry_byindex(tree, index),
          let name = unsafe git_tree_entry_name(entry), let id = unsafe git_tree_entry_id(entry)
        else { continue }
        let path = unsafe prefix + String(cString: name)
        let object = unsafe ObjectID(id.pointee)
        switch unsafe git_tree_entry_filemode(entry) {
        case GIT_FILEMODE_TREE:
          let inside =
            folder.isEmpty || (path + "/").hasPrefix(folder) || folder.hasPrefix(path + "/")
          if inside { folders.append((path + "/", object)) }
        case GIT_FILEMODE_BLOB, GIT_FILEMODE_BLOB_EXECUTABLE:
          if path.hasPrefix(folder) { files.append(TreeFile(path: path, blob: object)) }
        default: continue
        }
      }
    }
    for (path, object) in folders {
      try collect(object, prefix: path, below: folder, depth: depth + 1, into: &files)
    }
  }

  /// Runs a closure with a tree.
  func withTree<Result>(
    _ id: ObjectID, _ body: (OpaquePointer) throws(GitError) -> Result
  ) throws(GitError) -> Result {
    var raw = id.raw
    var tree: OpaquePointer?
    try check(unsafe git_tree_lookup(&tree, pointer, &raw), "read the tree \(id)")
    defer { unsafe git_tree_free(tree) }
    guard let tree = unsafe tree else {
      throw .failed(operation: "read the tree \(id)", code: -1, message: "it is missing")
    }
    return unsafe try body(tree)
  }

  /// The paths that differ between two trees; nil stands for an empty tree.
  ///
  /// - Complexity: follows the subtrees that differ, not the size of the trees.
  package func changes(
    from old: ObjectID?, to new: ObjectID?
  ) throws(GitError) -> [TreeChange] {
    if old == new { return [] }
    var trees: [OpaquePointer?] = unsafe [nil, nil]
    defer {
      unsafe git_tree_free(trees[0])
      unsafe git_tree_free(trees[1])
    }
    for (index, id) in [old, new].enumerated() {
      guard var raw = id?.raw else { continue }
      unsafe try check(git_tree_lookup(&trees[index], pointer, &raw), "read a tree")
    }
    var diff: OpaquePointer?
    try check(
      unsafe git_diff_tree_to_tree(&diff, pointer, trees[0], trees[1], nil), "compare two trees")
    defer { unsafe git_diff_free(diff) }
    var changes: [TreeChange] = []
    for index in 0..<(unsafe git_diff_num_deltas(diff)) {
      guard let delta = unsafe git_diff_get_delta(diff, index) else { continue }
      let (before, after) = unsafe (delta.pointee.old_file, delta.pointee.new_file)
      guard let path = unsafe after.path ?? before.path else { continue }
      let isAdded = unsafe delta.pointee.status == GIT_DELTA_ADDED
      let isRemoved = unsafe delta.pointee.status == GIT_DELTA_DELETED
      unsafe changes.append(
        TreeChange(
          path: String(cString: path), old: isAdded ? nil : ObjectID(before.id),
          new: isRemoved ? nil : ObjectID(after.id)))
    }
    return changes
  }

  /// A new tree from an old one (nil: empty) and changes by path; a nil blob removes. Only folders
  /// with changes are written; a folder left empty goes.
  package func writeTree(
    from old: ObjectID?, changes: [(path: String, blob: ObjectID?)]
  ) throws(GitError) -> ObjectID {
    var root = Folder()
    for change in changes {
      let parts = change.path.split(separator: "/", omittingEmptySubsequences: false).map(
        String.init)
      guard
        parts.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." && $0.lowercased() != ".git" })
      else { throw .file(path: change.path, reason: "this path cannot stand in a repository") }
      root.insert(parts[...], change.blob)
    }
    if let tree = try write(root, onto: old) { return tree }
    return try write([], GIT_OBJECT_TREE)
  }

  /// Changes below one folder.
  private struct Folder {
    var files: [String: ObjectID?] = [:]
    var folders: [String: Folder] = [:]

    mutating func insert(_ parts: ArraySlice<String>, _ blob: ObjectID?) {
      guard let first = parts.first else { return }
      if parts.count == 1 {
        files[first] = .some(blob)
      } else {
        folders[first, default: Folder()].insert(parts.dropFirst(), blob)
      }
    }
  }

  /// The new tree of a folder; nil if it is empty.
  private func write(_ folder: Folder, onto old: ObjectID?) throws(GitError) -> ObjectID? {
    var subtrees: [String: ObjectID] = [:]
    if let old {
      unsafe try withTree(old) { tree throws(GitError) in
        for name in folder.folders.keys {
          guard let entry = unsafe git_tree_entry_byname(tree, name),
            unsafe git_tree_entry_type(entry) == GIT_OBJECT_TREE,
            let id = unsafe git_tree_entry_id(entry)
          else { continue }
          subtrees[name] = unsafe ObjectID(id.pointee)
        }
      }
    }
    var written: [String: ObjectID?] = [:]
    for (name, inner) in folder.folders {
      written[name] = .some(try write(inner, onto: subtrees[name]))
    }
    var builder: OpaquePointer?
    if let old {
      unsafe try withTree(old) { tree throws(GitError) in
        _ = try check(unsafe git_treebuilder_new(&builder, pointer, tree), "begin a tree")
      }
    } else {
      try check(unsafe git_treebuilder_new(&builder, pointer, nil), "begin a tree")
    }
    defer { unsafe git_treebuilder_free(builder) }
    func set(_ name: String, _ id: ObjectID?, _ mode: git_filemode_t) throws(GitError) {
      guard let id else {
        if unsafe git_treebuilder_get(builder, name) != nil {
          try check(unsafe git_treebuilder_remove(builder, name), "remove '\(name)'")
        }
        return
      }
      var raw = id.raw
      try check(unsafe git_treebuilder_insert(nil, builder, name, &raw, mode), "add '\(name)'")
    }
    for (name, id) in written { try set(name, id, GIT_FILEMODE_TREE) }
    for (name, id) in folder.files where id != nil || folder.folders[name] == nil {
      try set(name, id, GIT_FILEMODE_BLOB)
    }
    if unsafe git_treebuilder_entrycount(builder) == 0 { return nil }
    var id = git_oid()
    try check(unsafe git_treebuilder_write(&id, builder), "write a tree")
    return ObjectID(id)
  }
}

extension Repository {
  /// The names of the folders directly below a folder of a tree (empty for its root), sorted.
  package func folders(in tree: ObjectID, at path: String) throws(GitError) -> [String] {
    var id = tree
    for part in path.split(separator: "/") {
      let next = unsafe try withTree(id) { tree throws(GitError) -> ObjectID? in
        guard let entry = unsafe git_tree_entry_byname(tree, String(part)),
          unsafe git_tree_entry_type(entry) == GIT_OBJECT_TREE,
          let id = unsafe git_tree_entry_id(entry)
        else { return nil }
        return unsafe ObjectID(id.pointee)
      }
      guard let next else { return [] }
      id = next
    }
    return unsafe try withTree(id) { tree throws(GitError) -> [String] in
      var names: [String] = []
      for index in 0..<(unsafe git_tree_entrycount(tree)) {
        guard let entry = unsafe git_tree_entry_byindex(tree, index),
          unsafe git_tree_entry_type(entry) == GIT_OBJECT_TREE,
          let name = unsafe git_tree_entry_name(entry)
        else { continue }
        names.append(unsafe String(cString: name))
      }
      return names
    }
  }
}
