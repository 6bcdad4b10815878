import CalendarModel
import CivilTime
import Testing

@testable import CalendarMerge

/// The cases with more heads or a longer history: every order of merging ends in the same bytes.
struct HistoryCaseTests {
  static let cases = MergeCase.load("history-cases.tsv")

  /// The commits of a history such as `A = O +10{all title=X} ; M = A * B`, and the one a name
  /// stands for.
  static func play(
    _ row: MergeCase
  ) throws -> (
    kind: FileKind, base: ObjectVersion, commits: [HistoryCommit], names: [String: String]
  ) {
    let base = try #require(row.start.object)
    let kind: FileKind = base.members["@type"] == "Task" ? .reminder : .event
    var commits: [HistoryCommit] = []
    var names: [String: String] = ["O": ""]
    var versions: [String: ObjectVersion?] = ["O": base]
    for step in ShownOccurrences.separated(row.first, by: " ; ") {
      let words = step.split(separator: " ", maxSplits: 3).map(String.init)
      let parent = try #require(names[words[2]])
      if words[3].hasPrefix("*") {
        let other = try #require(names[String(words[3].dropFirst(2))])
        let history = ObjectHistory(kind: kind, base: base, commits: commits)
        let merged = history.merged([parent, other])
        commits.append(merge(words[0], [parent, other], merged))
        names[words[0]] = words[0]
        versions[words[0]] = merged
      } else {
        let parts = words[3].dropFirst().split(separator: "{", maxSplits: 1).map(String.init)
        let edits = try MergeCaseTests.Play.commits(
          String(parts[1].dropLast()), from: try #require(Int(parts[0])) + 1, by: words[0],
          base: versions[words[2]] ?? nil, deleted: base, parent: parent)
        commits += edits
        names[words[0]] = edits.last?.id
        versions[words[0]] = edits.last?.version
      }
    }
    return (kind, base, commits, names)
  }

  static func merge(_ id: String, _ parents: [String], _ version: ObjectVersion?) -> HistoryCommit {
    HistoryCommit(
      id: id, parents: parents, at: Instant(seconds: 1_780_000_900), by: "M", version: version)
  }

  @Test(arguments: cases)
  func everyOrderEndsInTheSame(_ row: MergeCase) throws {
    let (kind, base, commits, names) = try HistoryCaseTests.play(row)
    let heads = row.second.split(separator: " ").compactMap { names[String($0)] }
    var results: Set<ObjectVersion?> = []
    for order in permutations(heads) {
      // One after the other, with a merge commit in between, as git does it.
      var commits = commits
      var head = order[0]
      for (index, next) in order.dropFirst().enumerated() {
        for pair in [[head, next], [next, head]] {
          let merged = ObjectHistory(kind: kind, base: base, commits: commits).merged(pair)
          if pair[0] == head {
            commits.append(HistoryCaseTests.merge("merge\(index)", pair, merged))
          } else {
            #expect(commits.last?.version == merged)
          }
        }
        head = "merge\(index)"
      }
      results.insert(commits.last?.version)
      // All at once.
      results.insert(ObjectHistory(kind: kind, base: base, commits: commits).merged(order))
    }
    #expect(results.count == 1)
    let merged = try #require(results.first)
    #expect(
      try ShownOccurrences.of(merged, comparedWith: base) == ShownOccurrences.parse(row.expected))
    #expect(ListedConflicts.of(merged) == ListedConflicts.parse(row.conflict))
    try expectValid(merged, kind)
  }

  @Test func everyCaseIsThere() { #expect(HistoryCaseTests.cases.count == 14) }
}

/// All orders of some elements.
func permutations<Element>(_ elements: [Element]) -> [[Element]] {
  guard elements.count > 1 else { return [elements] }
  return elements.indices.flatMap { index -> [[Element]] in
    var rest = elements
    let element = rest.remove(at: index)
    return permutations(rest).map { [element] + $0 }
  }
}
