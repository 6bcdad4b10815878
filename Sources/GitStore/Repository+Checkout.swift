import CLibgit2

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A file of the work tree that was left as it is.
package struct KeptFile: Hashable, Sendable {
  /// The path from the root of the work tree.
  package let path: String
  /// Why, in words.
  package let reason: String
  /// Whether it holds somebody's uncommitted work; else it could not be written and will be tried
  /// again.
  package let isUncommittedWork: Bool
}

extension Repository {
  /// Moves the branch of HEAD (or a detached HEAD) to a commit by compare-and-swap and brings work
  /// tree and index along, path by path.
  ///
  /// The index is locked first, so that nothing happens if another git is at work. A file that
  /// holds neither the old nor the new contents is somebody's uncommitted work and is kept; git then
  /// shows it as changed against the new commit. If the process dies between the steps, the next call
  /// of this, `recoverWorkTree` or `workTreeChanges` finishes them.
  ///
  /// - Parameter expected: the commit HEAD must be at; nil if it must have none yet.
  /// - Returns: the files that were kept.
  /// - Throws: `GitError.moved` or `.locked`, both before anything changed; another error once the
  ///   branch has moved leaves the rest to the next call.
  @discardableResult
  package func moveHead(
    to commit: ObjectID, expecting expected: ObjectID?, message: String,
    waitMilliseconds: Int = 2_000
  ) throws(GitError) -> [KeptFile] {
    let reference = headReference
    guard workDirectory != nil else {
      try updateReference(
        reference, to: commit, expecting: expected, message: message,
        waitMilliseconds: waitMilliseconds)
      return []
    }
    try flush()
    let lock = try IndexLock(self, waitMilliseconds: waitMilliseconds)
    try finish(holding: lock)
    guard headReference == reference else { throw .moved(reference: "HEAD") }
    let old = try expected.map { id throws(GitError) in try self.commit(id).tree }
    let new = try self.commit(commit).tree
    try writeJournal(old: old, commit: commit)
    do throws(GitError) {
      try updateReference(
        reference, to: commit, expecting: expected, message: message,
        waitMilliseconds: waitMilliseconds)
    } catch {
      _ = unsafe unlink(journalPath)
      throw error
    }
    return try follow(from: old, to: new, holding: lock)
  }

  /// Brings work tree and index from one tree to another, path by path, without moving a reference;
  /// see `moveHead`.
  @discardableResult
  package func materialise(
    from old: ObjectID?, to new: ObjectID, waitMilliseconds: Int = 2_000
  ) throws(GitError) -> [KeptFile] {
    guard workDirectory != nil else { return [] }
    try flush()
    let lock = try IndexLock(self, waitMilliseconds: waitMilliseconds)
    let kept = try apply(try changes(from: old, to: new), lock)
    try lock.commit()
    return kept
  }

  /// Finishes what a `moveHead` left undone whose process died. Cheap if there is nothing to do.
  package func recoverWorkTree(waitMilliseconds: Int = 2_000) throws(GitError) {
    guard workDirectory != nil, unsafe access(journalPath, F_OK) == 0 else { return }
    let lock = try IndexLock(self, waitMilliseconds: waitMilliseconds)
    try finish(holding: lock)
    try lock.commit()
  }

  // MARK: - The journal

  private var journalPath: String { gitDirectory + "almanac/checkout" }

  private func writeJournal(old: ObjectID?, commit: ObjectID) throws(GitError) {
    if unsafe mkdir(gitDirectory + "almanac", 0o777) != 0 && errno != EEXIST {
      throw fileError(gitDirectory + "almanac")
    }
    try replaceFile(
      journalPath, journalPath, Array("\(old?.description ?? "-") \(commit)\n".utf8),
      isExecutable: false)
  }

  private func finish(holding lock: IndexLock) throws(GitError) {
    guard unsafe access(journalPath, F_OK) == 0 else { return }
    let words = String(decoding: try readAll(journalPath, journalPath), as: UTF8.self)
      .split { $0 == " " || $0 == "\n" }
    if words.count == 2, let commit = ObjectID(words[1]), let head,
      (try? isAncestor(commit, of: head)) == true
    {
      let changes = try changes(from: ObjectID(words[0]), to: try self.commit(head).tree)
      guard try apply(changes, lock).allSatisfy(\.isUncommittedWork) else { return }
    }
    _ = unsafe unlink(journalPath)
  }

  private func follow(
    from old: ObjectID?, to new: ObjectID, holding lock: IndexLock
  ) throws(GitError) -> [KeptFile] {
    let kept = try apply(try changes(from: old, to: new), lock)
    try lock.commit()
    if kept.allSatisfy(\.isUncommittedWork) { _ = unsafe unlink(journalPath) }
    return kept
  }

  // MARK: - Paths

  /// What stands at a path of the work tree.
  private enum WorkState: Equatable {
    case nothing
    case folder
    case other
    case object(ObjectID, FileMode)
  }

  /// What one pass over changed paths knows.
  private struct Pass {
    let lock: IndexLock
    /// Whether any file may have other line ends in the work tree.
    let converts: Bool
    /// Folders that are there and are reached through no link.
    var folders: Set<Substring> = []
  }

  private func apply(_ changes: [TreeChange], _ lock: IndexLock) throws(GitError) -> [KeptFile] {
    var kept: [KeptFile] = []
    var pass = Pass(lock: lock, converts: convertsLines())
    // Removals come first: a folder may have to make room for a file.
    for isRemoval in [true, false] {
      for change in changes where (change.new == nil) == isRemoval {
        do throws(GitError) {
          if let file = try apply(change, &pass) { kept.append(file) }
        } catch .file(_, let reason) {
          // The index stays too, so that the old contents do not look like a new edit.
          kept.append(KeptFile(path: change.path, reason: reason, isUncommittedWork: false))
        }
      }
    }
    return kept
  }

  private func apply(
    _ change: TreeChange, _ pass: inout Pass
  ) throws(GitError) -> KeptFile? {
    let path = change.path
    let lock = pass.lock
    if path.unicodeScalars.contains("\u{FFFD}") {
      return KeptFile(path: path, reason: "its name is not UTF-8", isUncommittedWork: true)
    }
    if let reason = GitPath.problem(path) {
      return KeptFile(path: path, reason: reason, isUncommittedWork: true)
    }
    if lock.isConflicted(path) {
      return KeptFile(
        path: path, reason: "a merge of it is not finished", isUncommittedWork: true)
    }
    var reason: String?
    if change.oldMode != .submodule && change.newMode != .submodule {
      reason = try bring(change, &pass)
    }
    if let id = change.new, let mode = change.newMode {
      var status = stat()
      let exists = unsafe lstat((workDirectory ?? "") + path, &status) == 0
      try lock.set(path, id, mode, file: exists && reason == nil ? status : nil)
    } else {
      lock.remove(path)
    }
    return reason.map { KeptFile(path: path, reason: $0, isUncommittedWork: true) }
  }

  /// Brings one path from old to new.
  ///
  /// - Returns: why the file was kept; nil if it now is the new one.
  private func bring(
    _ change: TreeChange, _ pass: inout Pass
  ) throws(GitError) -> String? {
    let path = change.path
    let state: WorkState
    do throws(GitError) {
      if !pass.folders.contains(folder(of: path)) { try refuseLinks(path) }
      state = try workState(path)
    } catch .file(_, let reason) {
      return reason
    }
    func matches(_ id: ObjectID?, _ mode: FileMode?) -> Bool {
      guard let id, let mode else { return state == .nothing }
      guard case .object(let present, let kind) = state else { return false }
      return present == id && (kind == mode || (kind.isFile && mode.isFile))
    }
    guard let id = change.new, let mode = change.newMode else {
      switch state {
      case .nothing, .folder: return nil
      case .object where matches(change.old, change.oldMode): try removeWorkFile(path)
      case .object, .other: return "it has uncommitted changes"
      }
      return nil
    }
    let isExact = state == .object(id, mode)
    if isExact { return nil }
    switch state {
    case .nothing:
      // A file that git knows and that is gone was removed by somebody.
      if change.old != nil && pass.lock.entry(path) != nil { return "it was removed" }
    case .folder:
      if unsafe rmdir((workDirectory ?? "") + path) != 0 { return "a folder is in its place" }
    case .object, .other:
      if !matches(id, mode) && !matches(change.old, change.oldMode) {
        return "it has uncommitted changes"
      }
    }
    try put(path, id, mode, &pass)
    return nil
  }

  private func folder(of path: String) -> Substring {
    path.lastIndex(of: "/").map { path[..<$0] } ?? ""
  }

  private func put(
    _ path: String, _ id: ObjectID, _ mode: FileMode, _ pass: inout Pass
  ) throws(GitError) {
    guard let root = workDirectory else { return }
    let bytes = try blob(id)
    if !pass.folders.contains(folder(of: path)) {
      try makeFolders(above: path)
      pass.folders.insert(folder(of: path))
    }
    guard mode == .link else {
      let content = pass.converts ? try filtered(bytes, path, GIT_FILTER_TO_WORKTREE) : bytes
      return try replaceFile(root + path, path, content, isExecutable: mode == .executable)
    }
    _ = unsafe unlink(root + path)
    pass.folders.removeAll()
    guard unsafe symlink(String(decoding: bytes, as: UTF8.self), root + path) == 0 else {
      throw fileError(path)
    }
  }

  private func workState(_ path: String) throws(GitError) -> WorkState {
    let full = (workDirectory ?? "") + path
    var status = stat()
    guard unsafe lstat(full, &status) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return .nothing }
      throw fileError(path)
    }
    switch status.st_mode & S_IFMT {
    case S_IFDIR: return .folder
    case S_IFREG:
      guard let bytes = try workFile(path, bytesMax: .max) else { return .nothing }
      let mode: FileMode = status.st_mode & 0o100 != 0 ? .executable : .file
      return .object(try blobID(of: bytes), mode)
    case S_IFLNK:
      var buffer = [CChar](repeating: 0, count: 4_096)
      let count = unsafe readlink(full, &buffer, buffer.count)
      guard count >= 0 else { throw fileError(path) }
      return .object(
        try blobID(of: buffer[..<count].map { UInt8(bitPattern: $0) }), .link)
    default: return .other
    }
  }

  /// Whether any file here may have other line ends in the work tree than in the repository.
  private func convertsLines() -> Bool {
    if config("core.autocrlf")?.lowercased() == "true" { return true }
    if config("core.eol")?.lowercased() == "crlf" { return true }
    let places = [(workDirectory ?? "") + ".gitattributes", commonDirectory + "info/attributes"]
    return places.contains { place in
      guard let bytes = try? readAll(place, place) else { return false }
      return String(decoding: bytes, as: UTF8.self).contains("crlf")
    }
  }
}

extension Repository {
  /// Brings the index entries of paths to blobs (nil removes), each with the stat data of its file,
  /// so that `git status` is clean; other entries stay as they are.
  package func setIndex(_ changes: [(path: String, blob: ObjectID?)]) throws(GitError) {
    guard let root = workDirectory, !changes.isEmpty else { return }
    try flush()
    let lock = try IndexLock(self, waitMilliseconds: 2_000)
    for change in changes {
      guard let blob = change.blob else {
        lock.remove(change.path)
        continue
      }
      let known = lock.entry(change.path)?.mode
      let mode = known.flatMap { $0.isFile ? $0 : nil } ?? .file
      // Stat data vouch for the contents, so they are taken only from a file that has these.
      let bytes = (try? workFile(change.path)) ?? nil
      let isSame = try bytes.map { bytes throws(GitError) in try blobID(of: bytes) } == blob
      var status = stat()
      let exists = unsafe lstat(root + change.path, &status) == 0
      try lock.set(change.path, blob, mode, file: isSame && exists ? status : nil)
    }
    try lock.commit()
  }
}
