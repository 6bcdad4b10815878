package import CivilTime

/// What one commit, or one side of a merge, did to one file. Contents are named by their blob.
package struct FileChange: Hashable, Sendable {
  /// The path below the root of the store.
  package var path: String
  /// The blob before; nil if there was no file.
  package var before: String?
  /// The blob after; nil if there is no file.
  package var after: String?

  /// Creates a change.
  package init(path: String, before: String?, after: String?) {
    self.path = path
    self.before = before
    self.after = after
  }
}

/// A commit of the store.
package struct StoreCommit: Sendable {
  /// The commit's ID.
  package var id: String
  /// Its parents, in order.
  package var parents: [String]
  /// The author time.
  package var at: Instant
  /// The author's name.
  package var by: String
  /// What it changed against its first parent.
  package var changes: [FileChange]

  /// Creates a commit.
  package init(id: String, parents: [String], at: Instant, by: String, changes: [FileChange]) {
    self.id = id
    self.parents = parents
    self.at = at
    self.by = by
    self.changes = changes
  }
}

/// The commits of two heads since a commit that all of them have seen.
package struct StoreHistory: Sendable {
  /// The commits, parents before children.
  let commits: [StoreCommit]
  /// The parents of each commit by number; -1 is the common commit.
  private let parents: [[Int]]
  private let ours: Int
  private let theirs: Int
  /// What commits changed at a path.
  private let byPath: [String: [(commit: Int, blob: String?)]]
  /// Paths that a commit changed which the other side has not seen.
  let touchedByOurs: Set<String>
  let touchedByTheirs: Set<String>

  /// Creates a history.
  ///
  /// - Parameters:
  ///   - commits: all commits that a head has seen and the common one has not, in any order. Every
  ///     parent that is not among them must be the common commit.
  ///   - ours: our head.
  ///   - theirs: the other head.
  package init(commits: [StoreCommit], ours: String, theirs: String) {
    self.commits = Self.sorted(commits)
    var numbers: [String: Int] = [:]
    for (number, commit) in self.commits.enumerated() { numbers[commit.id] = number }
    parents = self.commits.map { commit in commit.parents.map { numbers[$0] ?? -1 } }
    self.ours = numbers[ours] ?? -1
    self.theirs = numbers[theirs] ?? -1
    var byPath: [String: [(commit: Int, blob: String?)]] = [:]
    for (number, commit) in self.commits.enumerated() {
      for change in commit.changes {
        byPath[change.path, default: []].append((number, change.after))
      }
    }
    self.byPath = byPath
    let seenByOurs = Self.reachable(self.ours, parents)
    let seenByTheirs = Self.reachable(self.theirs, parents)
    var touched: (Set<String>, Set<String>) = ([], [])
    for (number, commit) in self.commits.enumerated() {
      let isOurs = seenByOurs.contains(number) && !seenByTheirs.contains(number)
      let isTheirs = seenByTheirs.contains(number) && !seenByOurs.contains(number)
      for change in commit.changes {
        if isOurs { touched.0.insert(change.path) }
        if isTheirs { touched.1.insert(change.path) }
      }
    }
    (touchedByOurs, touchedByTheirs) = touched
  }

  private static func sorted(_ commits: [StoreCommit]) -> [StoreCommit] {
    let byID = Dictionary(commits.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    var result: [StoreCommit] = []
    var done: Set<String> = []
    for start in commits where done.insert(start.id).inserted {
      var stack: [(commit: StoreCommit, next: Int)] = [(start, 0)]
      while let (commit, next) = stack.last {
        if next < commit.parents.count {
          stack[stack.count - 1].next += 1
          if let parent = byID[commit.parents[next]], done.insert(parent.id).inserted {
            stack.append((parent, 0))
          }
        } else {
          result.append(commit)
          stack.removeLast()
        }
      }
    }
    return result
  }

  private static func reachable(_ head: Int, _ parents: [[Int]]) -> NodeSet {
    var seen = NodeSet()
    var open = head < 0 ? [] : [head]
    while let next = open.popLast() {
      if seen.contains(next) { continue }
      seen.insert(next)
      open += parents[next].filter { $0 >= 0 }
    }
    return seen
  }

  /// What a state of some files holds of an object.
  enum Found {
    case version(ObjectVersion)
    case unreadable
    case nothing
  }

  /// The commits that touched some paths, as versions of one object, and the two heads among them.
  ///
  /// - Parameters:
  ///   - paths: where the object may be.
  ///   - root: the blob at a path in the common commit.
  ///   - find: what a state of these paths, blobs by path, holds of the object.
  /// - Complexity: the number of commits, and of states that differ.
  func versions(
    of paths: [String], root: (String) -> String?, find: ([String: String]) -> Found
  ) -> (commits: [HistoryCommit], heads: [String]) {
    var changed: [Int: [(path: String, blob: String?)]] = [:]
    for path in paths {
      for change in byPath[path] ?? [] {
        changed[change.commit, default: []].append((path, change.blob))
      }
    }
    var rootState: [String: String] = [:]
    for path in paths { rootState[path] = root(path) }
    var states: [Int: [String: String]] = [-1: rootState]
    // The nearest commit at or before each that tells something.
    var alias = [Int](repeating: -1, count: commits.count)
    func resolved(_ number: Int) -> Int { number < 0 ? -1 : alias[number] }
    var result: [HistoryCommit] = []
    for number in commits.indices {
      let seen = parents[number].map(resolved)
      let changes = changed[number] ?? []
      let first = seen.first ?? -1
      if changes.isEmpty, seen.allSatisfy({ $0 == first }) {
        alias[number] = first
        continue
      }
      alias[number] = number
      var state = states[first] ?? [:]
      for change in changes { state[change.path] = change.blob }
      states[number] = state
      let commit = commits[number]
      let found = find(state)
      var version: ObjectVersion?
      var isUnreadable = false
      switch found {
      case .version(let value): version = value
      case .unreadable: isUnreadable = true
      case .nothing: break
      }
      result.append(
        HistoryCommit(
          id: commit.id, parents: seen.map { $0 < 0 ? "" : commits[$0].id }, at: commit.at,
          by: commit.by, version: version, isUnreadable: isUnreadable))
    }
    let heads = [ours, theirs].map(resolved).map { $0 < 0 ? "" : commits[$0].id }
    return (result, heads)
  }
}
