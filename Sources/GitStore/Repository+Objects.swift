import CLibgit2

extension Repository {
  /// The bytes of a blob.
  package func blob(_ id: ObjectID) throws(GitError) -> [UInt8] {
    try object(id, GIT_OBJECT_BLOB, "file")
  }

  /// The bytes of the file at a path of a commit; nil if there is none.
  package func blob(atPath path: String, of commit: ObjectID) throws(GitError) -> [UInt8]? {
    guard let id = try file(path, in: self.commit(commit).tree) else { return nil }
    return try blob(id)
  }

  /// Writes a blob, together with others when a reference moves or `flush()` is called.
  package func writeBlob(_ bytes: [UInt8]) throws(GitError) -> ObjectID {
    try add(GIT_OBJECT_BLOB, bytes)
  }

  /// Writes blobs; see `writeBlob`.
  ///
  /// - Returns: their IDs in order.
  package func writeBlobs(_ blobs: [[UInt8]]) throws(GitError) -> [ObjectID] {
    var ids: [ObjectID] = []
    ids.reserveCapacity(blobs.count)
    for blob in blobs { ids.append(try writeBlob(blob)) }
    return ids
  }

  /// The ID that bytes have as a blob, without writing them.
  package func blobID(of bytes: [UInt8]) throws(GitError) -> ObjectID {
    try Repository.hash(bytes, GIT_OBJECT_BLOB)
  }

  /// Makes objects that another process has just written visible here.
  package func refreshObjects() throws(GitError) {
    let database = try openDatabase()
    try check(unsafe git_odb_refresh(database.pointer), "read the object database")
  }

  // MARK: - Commits

  /// A commit.
  package func commit(_ id: ObjectID) throws(GitError) -> Commit {
    guard let commit = Commit(id, try object(id, GIT_OBJECT_COMMIT, "commit")) else {
      throw .failed(operation: "read the commit \(id)", code: -1, message: "it is damaged")
    }
    return commit
  }

  /// Writes a commit; with `commit.gpgsign` the user's own git signs it, with the user's program
  /// and key.
  ///
  /// - Parameter committer: nil for the author.
  /// - Throws: `GitError.program` with the reason if it cannot be signed; nothing is written then.
  package func writeCommit(
    tree: ObjectID, parents: [ObjectID], message: String, author: Signature,
    committer: Signature? = nil
  ) throws(GitError) -> ObjectID {
    var message = message.replacing("\0", with: "")
    if !message.utf8.elementsEqual("".utf8), message.utf8.last != UInt8(ascii: "\n") {
      message += "\n"
    }
    let committer = committer ?? author
    if configBool("commit.gpgsign") ?? false {
      return try writeSignedCommit(
        tree: tree, parents: parents, message: message, author: author, committer: committer)
    }
    var text = "tree \(tree)\n"
    for parent in parents { text += "parent \(parent)\n" }
    text += "author \(author.text)\ncommitter \(committer.text)\n\n\(message)"
    return try add(GIT_OBJECT_COMMIT, Array(text.utf8))
  }

  private func writeSignedCommit(
    tree: ObjectID, parents: [ObjectID], message: String, author: Signature, committer: Signature
  ) throws(GitError) -> ObjectID {
    try flush()
    var arguments = ["-c", "i18n.commitEncoding=UTF-8", "commit-tree", "-S"]
    for parent in parents { arguments += ["-p", parent.description] }
    arguments += ["-F", "-", tree.description]
    let result = try GitProgram(directory: gitDirectory).run(
      arguments, input: Array(message.utf8),
      environment: [
        "GIT_AUTHOR_NAME": author.name, "GIT_AUTHOR_EMAIL": author.email,
        "GIT_AUTHOR_DATE": "@" + author.time, "GIT_COMMITTER_NAME": committer.name,
        "GIT_COMMITTER_EMAIL": committer.email, "GIT_COMMITTER_DATE": "@" + committer.time,
        "GIT_DIR": gitDirectory,
      ])
    guard result.status == 0, let id = ObjectID(result.outputText) else {
      throw .program(
        arguments: ["commit-tree", "-S"], status: result.status,
        message: "the commit could not be signed: "
          + result.errorText.split(separator: "\n").joined(separator: "; "))
    }
    try refreshObjects()
    return id
  }
}
