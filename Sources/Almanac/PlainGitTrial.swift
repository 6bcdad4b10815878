import CalendarModel
import CivilTime
import GitStore

/// What git alone makes of two people's edits of .ics files, one file an event, as programs without
/// a merge of their own keep them. Tried for real in a scratch repository.
struct PlainGitTrial {
  /// What came out.
  struct Outcome: Sendable {
    /// Whether git stopped with a conflict.
    var conflicts: Bool
    /// The lines between the conflict markers, markers included; empty without a conflict.
    var conflictLines: [String]
    /// Starts that the merged files show in the window, on the wall clock.
    var starts: [String]
  }

  let folder: String
  let zones: TimeZoneDatabase

  /// Merges two versions of some files over their base.
  func merge(
    base: [String: String], ours: [String: String], theirs: [String: String], from: Instant,
    to: Instant
  ) throws(ReplicaError) -> Outcome {
    FilePath.makeFolders(folder)
    let git = GitProgram(directory: folder)
    let identity = [
      "GIT_AUTHOR_NAME": "trial", "GIT_AUTHOR_EMAIL": "trial@example.org",
      "GIT_COMMITTER_NAME": "trial", "GIT_COMMITTER_EMAIL": "trial@example.org",
    ]
    func run(_ arguments: String...) throws(ReplicaError) -> GitProgram.Result {
      do throws(GitError) {
        return try git.run(
          ["-c", "commit.gpgsign=false", "-c", "core.autocrlf=false"] + arguments,
          environment: identity)
      } catch {
        throw .git(error.description)
      }
    }
    func commit(_ files: [String: String], _ message: String) throws(ReplicaError) {
      for (name, text) in files { FilePath.write(folder + "/" + name, Array(text.utf8)) }
      _ = try run("add", "-A")
      _ = try run("commit", "-qm", message)
    }
    _ = try run("init", "-q", "-b", "main", ".")
    try commit(base, "base")
    _ = try run("checkout", "-qb", "theirs")
    try commit(theirs, "theirs")
    _ = try run("checkout", "-q", "main")
    try commit(ours, "ours")
    let merge = try run("merge", "-q", "--no-edit", "theirs")
    var outcome = Outcome(conflicts: merge.status != 0, conflictLines: [], starts: [])
    for name in Set(base.keys).union(ours.keys).union(theirs.keys).sorted() {
      guard let bytes = FilePath.contents(folder + "/" + name) else { continue }
      if outcome.conflicts {
        outcome.conflictLines += PlainGitTrial.conflict(in: String(decoding: bytes, as: UTF8.self))
      } else {
        outcome.starts += starts(bytes, from, to)
      }
    }
    outcome.starts.sort()
    return outcome
  }

  private static func conflict(in text: String) -> [String] {
    var lines: [String] = []
    var inside = false
    for line in text.split(whereSeparator: \.isNewline) {
      if line.hasPrefix("<<<<<<<") { inside = true }
      if inside { lines.append(String(line)) }
      if line.hasPrefix(">>>>>>>") { inside = false }
    }
    return lines
  }

  private func starts(_ bytes: [UInt8], _ from: Instant, _ to: Instant) -> [String] {
    ICalendarDecoder.decode(bytes, zones: zones).items.flatMap { item -> [String] in
      guard let series = try? Series(item.object) else { return [] }
      return series.occurrences(from: from, to: to, zones: zones, floatingZone: .utc)
        .map(\.start.description)
    }
  }
}
