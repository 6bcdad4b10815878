import CalendarModel
import CivilTime
import Testing

@testable import CalendarMerge

/// Every pattern of base, ours and theirs, for every kind of unit.
struct ThreeWayTests {
  /// A unit, its values (nil: absent), and whether a difference is never a conflict.
  struct Pattern: Sendable, CustomTestStringConvertible {
    let pointer: String
    let values: [JSONValue?]
    var isQuiet = false
    var kind = FileKind.event

    var testDescription: String { pointer }
  }

  static let patterns: [Pattern] = [
    Pattern(pointer: "title", values: [nil, "A", "B"]),
    Pattern(pointer: "color", values: [nil, "red", "blue"]),
    Pattern(pointer: "duration", values: [nil, "PT1H", "PT2H"]),
    Pattern(pointer: "status", values: [nil, "confirmed", "cancelled", "tentative"]),
    Pattern(pointer: "sequence", values: [nil, 1, 2], isQuiet: true),
    Pattern(
      pointer: "updated", values: [nil, "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"],
      isQuiet: true),
    Pattern(pointer: "keywords", values: [nil, ["a": true], ["b": true], ["a": true, "b": true]]),
    Pattern(pointer: "locations", values: [nil, ["l": ["name": "A"]], ["l": ["name": "B"]]]),
    Pattern(pointer: "example.com:x", values: [nil, 1, "text", ["a": 1], [1, 2]]),
    Pattern(
      pointer: "example.com:y", values: [nil, ["a": 1], ["a": 2, "b": [:]], ["a": ["c": 1]]]),
    Pattern(
      pointer: "recurrenceRule",
      values: [nil, ["frequency": "weekly"], ["frequency": "daily", "count": 3]]),
    Pattern(
      pointer: "recurrenceOverrides",
      values: [
        nil, ["2026-06-01": ["title": "A"]], ["2026-06-01": ["title": "B"]],
        ["2026-06-01": ["title": nil]],
      ]),
    Pattern(pointer: "order", values: [nil, "a", "b"], isQuiet: true, kind: .reminder),
    Pattern(
      pointer: "progress", values: [nil, "completed", "in-process", "failed"], kind: .reminder),
    Pattern(pointer: "due", values: [nil, "2026-06-01", "2026-06-02"], kind: .reminder),
    Pattern(pointer: "description", values: [nil, "A", "B", ["A", "B"]]),
    Pattern(pointer: "name", values: ["A", "B"], kind: .calendar),
    Pattern(pointer: "color", values: [nil, "red", "blue"], kind: .list),
    Pattern(pointer: "extensions", values: [nil, ["a": true], ["b": true]], kind: .store),
  ]

  private func version(_ pattern: Pattern, _ value: JSONValue?) -> ObjectVersion {
    var members: JSONObject = [
      "@type": .string(pattern.kind.rawValue), "uid": "x@example.com",
      "created": "2026-01-01T00:00:00Z",
    ]
    switch pattern.kind {
    case .event: members["start"] = "2026-06-01T09:00:00"
    case .calendar, .list: members["name"] = "N"
    case .store: members["format"] = 1
    case .reminder: break
    }
    members[pattern.pointer] = value
    return ObjectVersion(
      members: Normaliser.normalise(members, kind: pattern.kind), collection: "c")
  }

  @Test(arguments: patterns)
  func everyPatternObeysTheLaws(_ pattern: Pattern) throws {
    let unknown: @Sendable (String) -> WriteStamp? = { _ in nil }
    let versions = pattern.values.map { version(pattern, $0) }
    for base in versions + [nil] as [ObjectVersion?] {
      for ours in versions {
        for theirs in versions {
          let merged = try #require(
            ObjectMerge.merge(
              kind: pattern.kind, base: base, ours: (ours, unknown), theirs: (theirs, unknown)))
          let swapped = ObjectMerge.merge(
            kind: pattern.kind, base: base, ours: (theirs, unknown), theirs: (ours, unknown))
          #expect(swapped == merged)
          if ours == base { #expect(merged == theirs) }
          if theirs == base { #expect(merged == ours) }
          if ours == theirs { #expect(merged == ours) }
          let entries = ConflictEntries.of(merged)
          if pattern.isQuiet { #expect(entries.isEmpty) }
          try expectNothingLost(merged, [ours, theirs], base, pattern)
        }
      }
    }
  }

  /// Every value that a side wrote is shown, listed, or the rule says why not.
  private func expectNothingLost(
    _ merged: ObjectVersion, _ sides: [ObjectVersion], _ base: ObjectVersion?, _ pattern: Pattern
  ) throws {
    let frame = Frame(kind: pattern.kind, versions: [merged, base].compactMap { $0 } + sides)
    func units(_ version: ObjectVersion?) -> [String: JSONValue] {
      Decomposition(version, frame: frame).units
    }
    let (shown, common) = (units(merged), units(base))
    let entries = ConflictEntries.of(merged)
    for side in sides {
      for (unit, value) in units(side) where common[unit] != value && shown[unit] != value {
        guard case .latest = UnitRule.of(unit) else { continue }
        let listed = (entries[unit] ?? []).contains { $0.objectValue?["value"] == value }
        #expect(listed, "\(unit) \(value)")
      }
    }
  }
}
