import CalendarModel
import CivilTime
import Testing

@testable import CalendarMerge

/// Settling conflicts: taking the other value gives what the other side alone would show.
struct ConflictSettlementTests {
  static let cases = MergeCaseTests.cases.filter { $0.conflict != "no" }

  @Test(arguments: cases)
  func keepingWhatIsShownOnlyRemovesTheEntry(_ row: MergeCase) throws {
    let (merged, kind) = try merge(row)
    var expected = merged
    expected.members["conflicts"] = nil
    var settled = merged
    for pointer in ConflictEntries.of(merged).keys.sorted() {
      guard
        case .version(let next)? = ConflictSettlement.settle(
          pointer, .shown, in: settled, kind: kind)
      else {
        Issue.record("\(row.id) \(pointer)")
        continue
      }
      settled = next
    }
    #expect(settled == expected)
  }

  @Test(arguments: cases)
  func takingTheOtherValueShowsItAndIsValid(_ row: MergeCase) throws {
    let (merged, kind) = try merge(row)
    for (pointer, entries) in ConflictEntries.of(merged) where !DerivedNote.isNote(pointer) {
      let settled = ConflictSettlement.settle(pointer, .other(index: 0), in: merged, kind: kind)
      if pointer == "@object" {
        #expect(settled == .deleted)
        continue
      }
      guard case .version(let version)? = settled else {
        Issue.record("\(row.id) \(pointer)")
        continue
      }
      try expectValid(version, kind)
      #expect(version.members["conflicts"]?.objectValue?[pointer] == nil)
      let frame = Frame(kind: kind, versions: [version])
      let units = Decomposition(version, frame: frame).units
      let value = entries[0].objectValue?["value"]?.nonNull
      switch Unit.last(pointer) {
      case "@occurrence": #expect(units[pointer] == "excluded")
      case "@entry": #expect(units[pointer] == nil)
      default:
        let now = units[pointer].map {
          ZoneFrame.inherits(pointer, anchorName: frame.anchorName)
            ? ZoneFrame.spelledOut($0, pointer, in: units) : $0
        }
        #expect(now == value, "\(row.id) \(pointer)")
      }
    }
  }

  /// A settled conflict does not come back, whoever merges it with what.
  @Test func aSettledConflictBeatsWhatItHasSeen() throws {
    let row = try #require(MergeCaseTests.cases.first { $0.id == "M019" })
    let play = try MergeCaseTests.Play(row)
    let merged = play.history.merged(["A11", "B21"])
    guard let merged,
      case .version(let settled)? = ConflictSettlement.settle(
        "@hour", .other(index: 0), in: merged, kind: play.kind)
    else {
      Issue.record("nothing to settle")
      return
    }
    func commit(_ id: String, _ parents: [String], _ version: ObjectVersion) -> HistoryCommit {
      HistoryCommit(
        id: id, parents: parents, at: Instant(seconds: 1_780_001_000), by: "C", version: version)
    }
    let history = ObjectHistory(
      kind: play.kind, base: play.base,
      commits: play.ours + play.theirs + [
        commit("M", ["A11", "B21"], merged), commit("S", ["M"], settled),
      ])
    #expect(history.merged(["S", "B21"]) == settled)
    #expect(history.merged(["A11", "S"]) == settled)
    #expect(settled.members["start"] == "2026-06-01T10:00:00")
  }

  @Test func thereIsNothingToSettleWithoutAConflict() throws {
    let base = try #require(MergeCase.bases["B1"])
    #expect(ConflictSettlement.settle("title", .shown, in: base, kind: .event) == nil)
  }

  private func merge(_ row: MergeCase) throws -> (ObjectVersion, FileKind) {
    let play = try MergeCaseTests.Play(row)
    let merged = play.history.merged([play.ours.last?.id ?? "", play.theirs.last?.id ?? ""])
    return (try #require(merged), play.kind)
  }
}
