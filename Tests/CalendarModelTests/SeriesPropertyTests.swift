import CivilTime
import TestSupport
import Testing

@testable import CalendarModel

/// What every edit of every series keeps, on random ones.
@Suite struct SeriesPropertyTests {
  static let zones = TimeZoneDatabase()
  static let idsMax = 60

  typealias Shown = [RecurrenceID: CalendarObject]

  /// The first occurrences by ID, as they are shown.
  static func shown(_ object: CalendarObject) throws -> (Shown, ids: [RecurrenceID]) {
    let series = try Series(object)
    let ids = Array(series.visibleIDs().prefix(idsMax))
    #expect(Set(ids).count == ids.count && ids == ids.sorted(), "an occurrence twice: \(ids)")
    var shown: Shown = [:]
    for id in ids {
      let occurrence = series.occurrence(id, zones: zones, floatingZone: .utc)
      #expect(occurrence?.recurrenceID == (series.repeats ? id : nil), "\(id) is not found")
      #expect(occurrence != nil, "\(id) is not found")
      shown[id] = occurrence?.object
    }
    return (shown, ids)
  }

  static func text(_ object: CalendarObject?) -> String {
    object.map { String(decoding: CanonicalJSON.bytes($0.members), as: UTF8.self) } ?? "gone"
  }

  /// The occurrence without its times.
  static func timeless(_ object: CalendarObject?) -> JSONObject? {
    guard var members = object?.members else { return nil }
    for name in ["start", "due", "timeZone", "duration"] { members[name] = nil }
    return members
  }

  struct Step {
    var before: CalendarObject
    var edit: SeriesEdit
    var subject: SeriesRandom.Subject
    var span: EditSpan
    var id: RecurrenceID
    var policy: ExceptionPolicy
    var outcome: SpanOutcome
  }

  static func valid(_ object: CalendarObject) {
    let kind: FileKind = object.kind == .event ? .event : .reminder
    let file = ObjectFile.read(CanonicalJSON.bytes(object.members), kind: kind)
    let findings = file.findings.filter { $0.isError || $0.code == "W101" }
    #expect(findings == [])
  }

  @Test(arguments: 0..<4) func randomEditsKeepWhatTheyDoNotWrite(block: UInt64) throws {
    var edits = 0
    var refused = 0
    for seed in (block * 40)..<(block * 40 + 40) {
      var random = SeriesRandom(seed: seed)
      var object = random.object()
      Self.valid(object)
      for number in 0..<4 {
        let (shown, ids) = try Self.shown(object)
        guard try Series(object).repeats, !ids.isEmpty else { break }
        let id = random.generator.element(of: ids.prefix(10))
        let subject = random.generator.element(of: SeriesRandom.Subject.allCases)
        let span = random.generator.element(of: EditSpan.allCases)
        let policy: ExceptionPolicy = random.generator.chance(oneIn: 4) ? .reset : .keep
        let edit = random.edit(subject, of: try #require(shown[id]))
        let outcome: SpanOutcome
        edits += 1
        do {
          outcome = try Series(object).applying(edit, span: span, at: id, policy: policy)
        } catch is SpanError {
          refused += 1
          continue
        }
        let step = Step(
          before: object, edit: edit, subject: subject, span: span, id: id, policy: policy,
          outcome: outcome)
        let next = try #require(outcome.object)
        let problem = try Self.problem(step, shown, ids)
        guard let problem else {
          object = next
          continue
        }
        let changes = edit.changes.map { "\($0.pointer)=\(String(describing: $0.value))" }
        Issue.record(
          """
          seed \(seed) step \(number): \(problem)
          \(span) \(subject) at \(id) \(policy): \(changes)
          \(Self.text(object))
          -> \(Self.text(next))
          """)
        return
      }
    }
    #expect(edits > 80 && refused * 2 < edits, "\(refused) of \(edits) refused")
  }

  /// What is wrong with an edit's outcome; nil if all is well.
  static func problem(_ step: Step, _ before: Shown, _ ids: [RecurrenceID]) throws -> String? {
    let object = try #require(step.outcome.object)
    valid(object)
    let kind: FileKind = object.kind == .event ? .event : .reminder
    let file = ObjectFile.read(CanonicalJSON.bytes(object.members), kind: kind)
    if let finding = file.findings.first(where: { $0.isError || $0.code == "W101" }) {
      return "\(finding)"
    }
    let (after, newIDs) = try shown(object)
    if let problem = try lostException(step) { return problem }
    if let problem = try count(object) { return problem }
    if step.subject == .nothing { return step.outcome.changed ? "changed by nothing" : nil }
    let changesRule = [.rule, .interval, .end, .noRule].contains(step.subject)
    // The edited occurrence shows what was written.
    if !changesRule {
      for change in step.edit.changes {
        guard let now = after[step.id] else { break }
        let segment = try Series(object).segment(at: step.id)
        let isSpecific = step.span == .all && segment?.key != nil
        if Patch.value(at: change.pointer, in: now.members) != change.value, !isSpecific {
          return "the edited occurrence does not show \(change.pointer)"
        }
      }
    }
    let bound = min(ids.last, newIDs.last)
    for id in ids {
      if step.subject == .end { continue }
      let isOutside = step.span == .this ? id != step.id : id < step.id
      if isOutside && step.span != .all {
        if ids.count >= idsMax, let bound, id > bound { continue }
        if text(before[id]) != text(after[id]) { return "\(id) was not edited but changed" }
      }
      if step.subject == .hour || step.subject == .day, step.policy == .keep,
        timeless(before[id]) != timeless(after[id]), after[id] != nil
      {
        return "\(id) lost a field by a move"
      }
    }
    if [.title, .place, .hour].contains(step.subject), ids != newIDs { return "IDs changed" }
    return nil
  }

  private static func min(_ left: RecurrenceID?, _ right: RecurrenceID?) -> RecurrenceID? {
    guard let left, let right else { return nil }
    return Swift.min(left, right)
  }

  /// Exclusions stay where the IDs do; content stays unless it is listed.
  private static func lostException(_ step: Step) throws -> String? {
    let object = try #require(step.outcome.object)
    let after = object["recurrenceOverrides"]?.objectValue ?? JSONObject()
    for (id, patch) in try Series(step.before).overrides where id != step.id {
      if step.subject == .noRule, !Series.hasContent(patch) { continue }
      if step.subject == .noRule, step.outcome.object?["recurrenceRule"] == nil { continue }
      guard var now = after[id.text]?.objectValue else {
        if step.outcome.dropped.contains(id) { continue }
        return "the exception at \(id) is gone and not listed"
      }
      if step.policy == .reset { continue }
      now["added"] = patch["added"]
      if patch.names.contains(where: { now[$0] != patch[$0] }) {
        return "the exception at \(id) changed"
      }
    }
    return nil
  }

  /// A counted series makes as many IDs as it counts, whatever its segments.
  private static func count(_ object: CalendarObject) throws -> String? {
    guard let count = object["recurrenceRule"]?.objectValue?["count"] else { return nil }
    let futures = Series.patches(object["futureOverrides"])
    if futures.contains(where: { $0.patch["recurrenceRule"]?.isNull == true }) { return nil }
    let series = try Series(object)
    let made = Series.IDs(series: series, from: nil).prefix(50).reduce(0) { sum, _ in sum + 1 }
    return count == .number(String(made)) ? nil : "\(made) occurrences, not \(count)"
  }

  @Test(arguments: 0..<2) func windowsRemovalsAndSplits(block: UInt64) throws {
    for seed in (10_000 + block * 40)..<(10_000 + block * 40 + 40) {
      var random = SeriesRandom(seed: seed)
      var object = random.object()
      for _ in 0..<3 {
        let (shown, ids) = try Self.shown(object)
        guard try Series(object).repeats, !ids.isEmpty else { break }
        let id = random.generator.element(of: ids.prefix(8))
        let subject = random.generator.element(of: SeriesRandom.Subject.allCases.prefix(6))
        let edit = random.edit(subject, of: try #require(shown[id]))
        let outcome = try? Series(object).applying(edit, span: .thisAndFuture, at: id)
        object = outcome?.object ?? object
      }
      try Self.checkWindows(object, &random.generator)
      let (shown, ids) = try Self.shown(object)
      guard try Series(object).repeats, !ids.isEmpty else { continue }
      let id = random.generator.element(of: ids.prefix(8))
      let one = try Series(object).removing(span: .this, at: id)
      let cut = try Series(object).removing(span: .thisAndFuture, at: id)
      for (outcome, rest) in [(one, ids.filter { $0 != id }), (cut, ids.filter { $0 < id })] {
        let comment: Comment = "seed \(seed) at \(id): \(Self.text(object))"
        guard let left = outcome.object else {
          #expect(rest.isEmpty, comment)
          continue
        }
        Self.valid(left)
        let (after, newIDs) = try Self.shown(left)
        #expect(newIDs.prefix(50) == rest.prefix(50), comment)
        for id in rest.prefix(50) {
          #expect(Self.text(after[id]) == Self.text(shown[id]), comment)
        }
      }
      guard let split = try? Series(object).splitting(at: id), let head = split.head else {
        continue
      }
      Self.valid(split.tail)
      let (tail, tailIDs) = try Self.shown(split.tail)
      let (_, headIDs) = try Self.shown(head)
      let comment: Comment =
        "seed \(seed) at \(id): \(Self.text(object)) tail \(Self.text(split.tail))"
      #expect((headIDs + tailIDs).prefix(50) == ids.prefix(50), comment)
      for id in tailIDs.prefix(40) {
        var (old, new) = (shown[id], tail[id])
        for name in ["uid", "relatedTo"] {
          old?[name] = nil
          new?[name] = nil
        }
        #expect(old == nil || Self.text(old) == Self.text(new), comment)
      }
    }
  }

  private static func checkWindows(
    _ object: CalendarObject, _ generator: inout SeededGenerator
  ) throws {
    let series = try Series(object)
    let floating = try #require(zones.rules(named: "America/New_York"))
    let begin = try #require(Instant(extended: "2025-12-01T00:00:00Z"))
    let end = begin.adding(seconds: 700 * 86_400)
    let whole = series.occurrences(from: begin, to: end, zones: zones, floatingZone: floating)
    for _ in 0..<12 {
      let from = begin.adding(seconds: Int64(generator.integer(0...690)) * 86_400)
      let to = from.adding(seconds: Int64(generator.integer(1...400)) * 3_600)
      let window = series.occurrences(from: from, to: to, zones: zones, floatingZone: floating)
      let filtered = whole.filter { $0.overlaps(from: from, to: to) }
      if to < end {
        #expect(
          SeriesHouseholdTests.lines(window) == SeriesHouseholdTests.lines(filtered),
          "seed \(generator.seed) from \(from) to \(to): \(text(object))")
      }
    }
    guard let extent = series.extent(zones: zones, floatingZone: floating) else {
      #expect(whole.isEmpty)
      return
    }
    for occurrence in whole {
      #expect(occurrence.startInstant >= extent.first, "\(text(object))")
      #expect(extent.last.map { occurrence.endInstant <= $0 } ?? true, "\(text(object))")
    }
    let known = Set(whole.compactMap(\.recurrenceID))
    for occurrence in series.upcoming(zones: zones, floatingZone: floating).prefix(200)
    where occurrence.overlaps(from: begin, to: end) {
      #expect(occurrence.recurrenceID.map { known.contains($0) } ?? true)
    }
  }
}
