import CalendarModel
import CivilTime
import Testing

@testable import CalendarMerge

/// The cases with two heads: what is shown and what is listed, both ways round.
struct MergeCaseTests {
  static let cases = MergeCase.load("merge-cases.tsv")

  /// A case played: the common state, and each side's commits.
  struct Play {
    let base: ObjectVersion?
    let remembered: ObjectVersion?
    let kind: FileKind
    let ours: [HistoryCommit]
    let theirs: [HistoryCommit]

    init(_ row: MergeCase) throws {
      let (object, isDeleted) = row.start
      let start = try #require(object)
      base = isDeleted ? nil : start
      remembered = isDeleted ? start : nil
      kind = start.members["@type"] == "Task" ? .reminder : .event
      ours = try Play.commits(row.first, from: 11, by: "A", base: base, deleted: start)
      theirs = try Play.commits(row.second, from: 21, by: "B", base: base, deleted: start)
    }

    static func commits(
      _ text: String, from number: Int, by: String, base: ObjectVersion?, deleted: ObjectVersion,
      parent: String = ""
    ) throws -> [HistoryCommit] {
      var editor = EditLanguage(version: base, deleted: deleted)
      var commits: [HistoryCommit] = []
      for (index, edit) in ShownOccurrences.separated(text, by: " ; ").enumerated()
      where !edit.isEmpty {
        try editor.apply(edit)
        commits.append(
          HistoryCommit(
            id: "\(by)\(number + index)", parents: [commits.last?.id ?? parent],
            at: Instant(seconds: 1_780_000_000 + Int64(number + index)), by: by,
            version: editor.version))
      }
      return commits
    }

    var history: ObjectHistory {
      ObjectHistory(kind: kind, base: base, remembered: remembered, commits: ours + theirs)
    }
  }

  @Test(arguments: cases)
  func showsAndListsWhatTheTableSays(_ row: MergeCase) throws {
    let play = try Play(row)
    let history = play.history
    let heads = [play.ours.last?.id ?? "", play.theirs.last?.id ?? ""]
    let merged = history.merged(heads)
    let base = try #require(row.start.object)
    #expect(
      try ShownOccurrences.of(merged, comparedWith: base) == ShownOccurrences.parse(row.expected))
    #expect(ListedConflicts.of(merged) == ListedConflicts.parse(row.conflict))
    #expect(history.merged(heads.reversed()) == merged)
    let swapped = ObjectHistory(
      kind: play.kind, base: play.base, remembered: play.remembered,
      commits: play.theirs + play.ours)
    #expect(swapped.merged(heads) == merged)
    try expectValid(merged, play.kind)
  }

  /// The same with two versions and the stamps of their units, without the commits.
  @Test(arguments: cases)
  func twoVersionsWithStampsGiveTheSame(_ row: MergeCase) throws {
    let play = try Play(row)
    // What was deleted before is not known to a merge of two versions.
    guard play.base != nil else { return }
    let history = play.history
    func side(_ commits: [HistoryCommit]) -> ObjectMerge.Side {
      let written = commits.map { history.nodes[history.node($0.id)].written }
      return (
        commits.isEmpty ? play.base : commits.last?.version,
        { unit in written.last { $0[unit] != nil }?[unit]?.stamp }
      )
    }
    let ours = side(play.ours)
    let theirs = side(play.theirs)
    let merged = ObjectMerge.merge(kind: play.kind, base: play.base, ours: ours, theirs: theirs)
    #expect(merged == history.merged([play.ours.last?.id ?? "", play.theirs.last?.id ?? ""]))
    #expect(
      ObjectMerge.merge(kind: play.kind, base: play.base, ours: theirs, theirs: ours) == merged)
  }

  /// Without stamps rivals are ordered by their bytes; sides still do not matter.
  @Test(arguments: cases)
  func fallbackDoesNotDependOnSides(_ row: MergeCase) throws {
    let play = try Play(row)
    let ours: ObjectMerge.Side = (
      play.ours.isEmpty ? play.base : play.ours.last?.version, { _ in nil }
    )
    let theirs: ObjectMerge.Side = (
      play.theirs.isEmpty ? play.base : play.theirs.last?.version, { _ in nil }
    )
    let merged = ObjectMerge.merge(kind: play.kind, base: play.base, ours: ours, theirs: theirs)
    #expect(
      ObjectMerge.merge(kind: play.kind, base: play.base, ours: theirs, theirs: ours) == merged)
    try expectValid(merged, play.kind)
    let again = ObjectMerge.merge(
      kind: play.kind, base: play.base, ours: (merged, { _ in nil }), theirs: (merged, { _ in nil })
    )
    #expect(again == merged)
  }

  @Test func everyCaseIsThere() {
    #expect(MergeCaseTests.cases.count == 118)
    #expect(MergeCase.bases.count == 11)
  }
}

/// A merged object has no errors and is in canonical form.
func expectValid(_ version: ObjectVersion?, _ kind: FileKind) throws {
  guard let version else { return }
  let bytes = CanonicalJSON.bytes(version.members)
  let file = ObjectFile.read(bytes, kind: kind)
  #expect(file.members == version.members)
  #expect(file.findings.filter { $0.isError || $0.code == "W101" } == [])
}
