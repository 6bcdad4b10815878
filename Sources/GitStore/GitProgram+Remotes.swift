/// Why an exchange with a remote failed.
package enum RemoteFailure: Hashable, Sendable {
  /// The other side was not reached; it may be later.
  case offline(String)
  /// The other side was reached (or needs no network) and said no, or there is no such repository.
  case refused(String)

  /// What git said, in one line.
  package var reason: String {
    switch self {
    case .offline(let reason), .refused(let reason): reason
    }
  }

  /// Reads the messages of git, ssh and curl (in English) of a run that failed.
  package init(message: String) {
    let offline = [
      "could not resolve", "name or service not known", "temporary failure in name resolution",
      "no address associated", "network is unreachable", "no route to host", "connection refused",
      "connection timed out", "operation timed out", "failed to connect", "couldn't connect",
      "connection reset", "connection closed by", "network is down", "unable to connect",
      "nodename nor servname",
    ]
    let lines = message.split { $0 == "\n" || $0 == ";" }
      .map { line in
        var text = String(line.drop { $0 == " " })
        for prefix in ["fatal: ", "error: ", "remote: ", "ssh: "] where text.hasPrefix(prefix) {
          text.removeFirst(prefix.count)
        }
        return text
      }
      .filter { !$0.isEmpty && !$0.contains("% (") }
    let lowered = message.lowercased()
    let reason = lines.joined(separator: "; ")
    self = offline.contains { lowered.contains($0) } ? .offline(reason) : .refused(reason)
  }
}

/// What a remote answered to the push of one reference.
package enum PushAnswer: Hashable, Sendable {
  /// It has the commit now.
  case updated
  /// It had the commit already.
  case upToDate
  /// Somebody else pushed first: fetch, merge and try again.
  case overtaken(String)
  /// It does not want it (a hook, a protected branch, no permission).
  case refused(String)
  /// There was no answer about this reference.
  case failed(RemoteFailure)
}

extension GitProgram {
  /// Settings of the user that would make a plain fetch or push do more than that.
  private static let plain = ["-c", "submodule.recurse=false", "-c", "push.followTags=false"]

  /// The remotes' names, in git's order.
  package func remotes() throws(GitError) -> [String] {
    try require(["remote"]).outputText.split(separator: "\n").map(String.init)
  }

  /// The address of a remote without user and password; nil if there is no such remote.
  package func remoteURL(_ name: String) throws(GitError) -> String? {
    let result = try run(["remote", "get-url", "--", name])
    return result.status == 0 ? GitProgram.redacted(result.outputText) : nil
  }

  /// Adds a remote.
  package func addRemote(_ name: String, url: String) throws(GitError) {
    try require(["remote", "add", "--", name, url])
  }

  /// The references of a remote or an address, without fetching; nil if it was not reached.
  package func listRemote(
    _ remote: String
  ) throws(GitError) -> (references: [String: ObjectID], failure: RemoteFailure?) {
    let result = try run(["ls-remote", "--", remote])
    guard result.status == 0 else { return ([:], RemoteFailure(message: result.errorText)) }
    var references: [String: ObjectID] = [:]
    for line in result.outputText.split(separator: "\n") {
      let words = line.split(separator: "\t")
      if words.count == 2, let id = ObjectID(words[0]) { references[String(words[1])] = id }
    }
    return (references, nil)
  }

  /// Fetches a remote into `refs/remotes/` as its refspec says.
  ///
  /// - Returns: nil, or why it failed.
  package func fetch(
    _ remote: String, progress: ((String) -> Void)? = nil
  ) throws(GitError) -> RemoteFailure? {
    let result = try run(
      GitProgram.plain + ["fetch", "--progress", "--", remote], progress: progress)
    return result.status == 0 ? nil : RemoteFailure(message: result.errorText)
  }

  /// Pushes one reference to a remote, never by force.
  ///
  /// - Parameter setsUpstream: whether the branch follows the remote's from then on.
  package func push(
    _ remote: String, from reference: String, to target: String, setsUpstream: Bool = false,
    progress: ((String) -> Void)? = nil
  ) throws(GitError) -> PushAnswer {
    var arguments = GitProgram.plain + ["push", "--porcelain", "--progress"]
    if setsUpstream { arguments.append("--set-upstream") }
    arguments += ["--", remote, "\(reference):\(target)"]
    let result = try run(arguments, progress: progress)
    return GitProgram.answer(
      about: target, output: result.outputText, status: result.status, errors: result.errorText)
  }

  /// Reads the lines of `git push --porcelain`: a flag, from and to, what happened, each followed
  /// by a tab.
  static func answer(
    about target: String, output: String, status: Int32, errors: String
  ) -> PushAnswer {
    for line in output.split(separator: "\n") {
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
      guard fields.count >= 3, fields[1].hasSuffix(":" + target) else { continue }
      switch fields[0] {
      case "=": return .upToDate
      case "!": return refusal(String(fields[2]))
      default: return .updated
      }
    }
    if status == 0 { return .upToDate }
    return .failed(RemoteFailure(message: errors))
  }

  private static func refusal(_ summary: String) -> PushAnswer {
    let races = [
      "fetch first", "non-fast-forward", "stale info", "cannot lock ref", "failed to update ref",
      "incorrect old value provided", "reference already exists",
    ]
    return races.contains { summary.contains($0) } ? .overtaken(summary) : .refused(summary)
  }

  /// Copies a repository to a folder that is not there or is empty.
  ///
  /// - Returns: nil, or why it failed; git then leaves nothing behind.
  package func clone(
    _ url: String, to folder: String, bare: Bool = false, progress: ((String) -> Void)? = nil
  ) throws(GitError) -> RemoteFailure? {
    let result = try run(
      GitProgram.plain + ["clone", "--progress"] + (bare ? ["--bare"] : []) + ["--", url, folder],
      progress: progress)
    return result.status == 0 ? nil : RemoteFailure(message: result.errorText)
  }
}
