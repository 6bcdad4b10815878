import CalendarModel
import CivilTime
import Glibc
import TestSupport
import Testing

@testable import CalendarMerge

/// The laws of merging, on random objects, edits and histories.
struct MergeLawTests {
  /// How many histories each law is tried on; `ALMANAC_CASES` multiplies it.
  static func seeds(_ count: Int) -> ClosedRange<UInt64> {
    let factor = getenv("ALMANAC_CASES").flatMap { Int(String(cString: $0)) } ?? 1
    let first = getenv("ALMANAC_SEED").flatMap { UInt64(String(cString: $0)) } ?? 1
    return first...(first + UInt64(count * max(factor, 1)) - 1)
  }

  /// A random history: replicas edit and merge with each other.
  struct History {
    var base: ObjectVersion
    var kind: FileKind
    var commits: [HistoryCommit] = []
    /// The newest commit of each replica.
    var heads: [String]
    /// What was done, for the message when a law fails.
    var log: [String] = []
    private var random: SeededGenerator
    private var versions: [String: ObjectVersion?]

    init(seed: UInt64, replicas: Int, steps: Int) throws {
      random = SeededGenerator(seed: seed)
      let name = random.element(of: MergeCase.bases.keys.sorted())
      base = try #require(MergeCase.bases[name])
      kind = base.members["@type"] == "Task" ? .reminder : .event
      heads = Array(repeating: "", count: replicas)
      versions = ["": base]
      log = ["seed \(seed) base \(name)"]
      for step in 0..<steps { play(step) }
    }

    private mutating func play(_ step: Int) {
      let replica = random.integer(0...(heads.count - 1))
      let id = "c\(step)"
      // Clocks are wrong now and then.
      let time = 1_780_000_000 + Int64(random.chance(oneIn: 5) ? random.integer(0...50) : step)
      if step > 2, random.chance(oneIn: 4) {
        let other = random.integer(0...(heads.count - 1))
        guard heads[other] != heads[replica] else { return }
        let pair = [heads[replica], heads[other]]
        let history = ObjectHistory(kind: kind, base: base, commits: commits)
        if history.hasSeen(history.node(pair[0]), history.node(pair[1])) { return }
        if history.hasSeen(history.node(pair[1]), history.node(pair[0])) {
          heads[replica] = heads[other]
          return
        }
        add(id, pair, time, "r\(replica)", history.merged(pair))
        log.append("\(id) = \(pair[0]) * \(pair[1])")
      } else {
        let before = versions[heads[replica]] ?? nil
        var editor = EditLanguage(version: before, deleted: base)
        let edit = RandomEdit.make(&random, before: before, base: base)
        guard (try? editor.apply(edit)) != nil, editor.version != before else { return }
        if editor.version != nil, !isValid(editor.version) { return }
        log.append("\(id) = \(heads[replica]) + \(edit)")
        add(id, [heads[replica]], time, "r\(replica)", editor.version)
      }
      heads[replica] = id
    }

    private mutating func add(
      _ id: String, _ parents: [String], _ time: Int64, _ by: String, _ version: ObjectVersion?
    ) {
      commits.append(
        HistoryCommit(
          id: id, parents: parents, at: Instant(seconds: time), by: by, version: version))
      versions[id] = version
    }

    private func isValid(_ version: ObjectVersion?) -> Bool {
      guard let version else { return true }
      return !ObjectValidator.problems(in: version.members, kind: kind).contains {
        $0.code.hasPrefix("E")
      }
    }

    var object: ObjectHistory { ObjectHistory(kind: kind, base: base, commits: commits) }
  }

  /// The members as text, for messages.
  static func text(_ version: ObjectVersion?) -> String {
    version.map { String(decoding: CanonicalJSON.bytes($0.members), as: UTF8.self) + $0.collection }
      ?? "(deleted)"
  }

  @Test func anyOrderOfMergesEndsInTheSameBytes() throws {
    for seed in Self.seeds(50) {
      let history = try History(seed: seed, replicas: 3, steps: 14)
      var results: [String: [String]] = [:]
      for order in permutations(history.heads) {
        var commits = history.commits
        var head = order[0]
        for (index, next) in order.dropFirst().enumerated() {
          let object = ObjectHistory(kind: history.kind, base: history.base, commits: commits)
          let pair = [head, next].filter { $0 != head || $0 != next }
          let isSeen = object.hasSeen(object.node(head), object.node(next))
          if pair.isEmpty || isSeen { continue }
          if object.hasSeen(object.node(next), object.node(head)) {
            head = next
            continue
          }
          commits.append(HistoryCaseTests.merge("m\(index)", pair, object.merged(pair)))
          head = "m\(index)"
        }
        let last = commits.first { $0.id == head }?.version ?? (head.isEmpty ? history.base : nil)
        results[Self.text(last), default: []].append("\(order)")
      }
      let atOnce = Self.text(history.object.merged(history.heads))
      results[atOnce, default: []].append("at once")
      if results.count > 1 {
        Issue.record("\(history.log.joined(separator: "\n"))\n\(results)")
        return
      }
    }
  }

  @Test func theResultIsValidAndNothingIsLost() throws {
    for seed in Self.seeds(100) {
      let history = try History(seed: seed, replicas: 2, steps: 8)
      let object = history.object
      let merged = object.merged(history.heads)
      guard let merged else { continue }
      let problems = ObjectValidator.problems(in: merged.members, kind: history.kind)
        .filter { $0.code.hasPrefix("E") }
      let bytes = CanonicalJSON.bytes(merged.members)
      let again = ObjectFile.read(bytes, kind: history.kind).members
      var lost: [String] = []
      let shown = Decomposition(merged, frame: object.frame).units
      let entries = ConflictEntries.of(merged)
      for (unit, writes) in object.liveWrites(at: history.heads.map { object.node($0) }) {
        guard case .latest = UnitRule.of(unit), Unit.split(unit).scope.isEmpty else { continue }
        let values = (entries[unit] ?? []).map { $0.objectValue?["value"]?.nonNull }
        for write in writes where write.value != shown[unit] && !values.contains(write.value) {
          // What is inside an entry that is gone is not shown on purpose.
          if let entry = Unit.entry(of: unit), shown[entry + "/@entry"] == nil { continue }
          lost.append("\(unit): \(String(describing: write.value))")
        }
      }
      if !problems.isEmpty || again != merged.members || !lost.isEmpty {
        Issue.record(
          "\(history.log.joined(separator: "\n"))\n\(Self.text(merged))\n\(problems)\n\(lost)")
        return
      }
    }
  }

  @Test func takingApartAndPuttingTogetherChangesNothing() throws {
    for seed in Self.seeds(100) {
      let history = try History(seed: seed, replicas: 1, steps: 8)
      let frame = Frame(
        kind: history.kind, versions: [history.base] + history.commits.compactMap(\.version))
      for commit in history.commits {
        guard var version = commit.version else { continue }
        let units = Decomposition(version, frame: frame).units
        let together = Composition(frame: frame, units: units).version(identity: version.members)
        version.members["conflicts"] = nil
        if together != version {
          Issue.record(
            "\(history.log.joined(separator: "\n"))\n\(Self.text(version))\n\(Self.text(together))")
          return
        }
      }
    }
  }

  @Test func anUnchangedSideYieldsTheOtherAndTwiceIsOnce() throws {
    let unknown: @Sendable (String) -> WriteStamp? = { _ in nil }
    for seed in Self.seeds(60) {
      let history = try History(seed: seed, replicas: 2, steps: 8)
      let versions = history.heads.map { head in
        head.isEmpty ? history.base : history.commits.first { $0.id == head }?.version ?? nil
      }
      func merge(
        _ base: ObjectVersion?, _ ours: ObjectVersion?, _ theirs: ObjectVersion?
      ) -> ObjectVersion? {
        ObjectMerge.merge(
          kind: history.kind, base: base, ours: (ours, unknown), theirs: (theirs, unknown))
      }
      let merged = merge(history.base, versions[0], versions[1])
      var failures: [String] = []
      for version in versions {
        if merge(history.base, history.base, version) != version {
          failures.append("unchanged side")
        }
        if merge(history.base, version, history.base) != version {
          failures.append("unchanged side")
        }
        if merge(history.base, version, version) != version { failures.append("same on both") }
      }
      if merge(history.base, versions[1], versions[0]) != merged { failures.append("sides") }
      if merge(merged, merged, merged) != merged { failures.append("twice") }
      if !failures.isEmpty {
        Issue.record("\(history.log.joined(separator: "\n"))\n\(failures)\n\(Self.text(merged))")
        return
      }
    }
  }

  @Test func linesThatPeopleAddAreAllThere() throws {
    for seed in Self.seeds(60) {
      var random = SeededGenerator(seed: seed)
      let base = (0..<random.integer(0...5)).map { "line \($0)" }
      var versions: [[String]] = []
      for writer in 0..<2 {
        var lines = base
        for number in 0...random.integer(0...2) {
          lines.insert("\(writer)-\(number)", at: random.integer(0...lines.count))
        }
        versions.append(lines)
      }
      var replay = TextReplay(base)
      for (writer, lines) in versions.enumerated() { replay.replay(writer, lines) { _ in false } }
      let merged = replay.visible { _ in true }
      #expect(Set(merged) == Set(versions.flatMap { $0 }), "seed \(seed)")
      #expect(merged.filter { $0.hasPrefix("line") } == base, "seed \(seed)")
      for (writer, lines) in versions.enumerated() {
        #expect(replay.visible { $0 == writer } == lines, "seed \(seed)")
      }
    }
  }
}

/// Edits in the language of the tables, drawn at random.
enum RandomEdit {
  static func make(
    _ random: inout SeededGenerator, before: ObjectVersion?, base: ObjectVersion
  ) -> String {
    guard let before else { return random.chance(oneIn: 2) ? "undelete" : "all title=Back" }
    if random.chance(oneIn: 3),
      let open = before.members["conflicts"]?.objectValue?.names, !open.isEmpty
    {
      return "settle \(random.element(of: open))"
    }
    let start = base.members["start"]?.stringValue ?? "2026-06-01"
    let first = CivilDate(extended: start.prefix(10)) ?? .epoch
    let step = base.members["recurrenceRule"]?.objectValue?["byDay"] == nil ? 7 : 2
    // Dates of the rule mostly; the first one is not the key of a segment.
    let dates = [1, 2, 4].map { first.adding(days: $0 * step).description.dropFirst(5) }
    let date = random.element(of: dates)
    let other = random.element(of: dates)
    let number = random.integer(0...3)
    let hour = random.element(of: ["08:00", "12:30", "19:00"])
    let zone = random.element(of: ["Europe/London", "Asia/Tokyo"])
    var choices = [
      "all title=T\(number)", "all time=\(hour)", "all title=T\(number)", "all color=red",
      "all color=null", "all time=\(hour)",
      "all tz=\(zone)", "all time+tz=\(hour) \(zone)", "all keywords/k\(number)=true",
      "all keywords/k\(number)=null", "all sequence=\(number + 1)",
      "all participants/p\(number)/name=N\(number)", "drop all participants/p\(number)",
      "all locations/l1/name=\"Room \(number)\"", "drop all locations/l1",
      "all example.com:meta/a=\(number)", "all description=\"a\\nb\\nc\(number)\"",
      "all description=\"\(number)\\na\\nb\"", "cal home", "cal side", "delete",
    ]
    if base.members["recurrenceRule"] != nil {
      // Half of the edits are about dates.
      choices = random.chance(oneIn: 2) ? choices : []
      choices += [
        "from \(date) title=S\(number)", "from \(date) color=blue", "from \(date) time=\(hour)",
        "from \(date) time+tz=\(hour) \(zone)", "from \(date) rule=weekly/\(number + 1)",
        "from \(date) locations/l2/name=\"Hall \(number)\"", "on \(date) title=O\(number)",
        "on \(other) color=green", "on \(date) start=\(other)T\(hour)", "skip \(date)",
        "unskip \(date)", "add 08-1\(number)", "end \(date)", "count=\(number + 2)",
        "until=\(date)", "all rule=weekly/\(number + 1)", "on \(date) keywords/k\(number)=true",
        "from \(date) keywords/k\(number)=true",
      ]
      if base.members["recurrenceRule"]?.objectValue?["frequency"] == "weekly" {
        choices += ["all shift=\(number)d", "from \(date) shift=\(number)d"]
      }
    } else {
      choices += ["all date=\(date)", "all date=\(other)"]
    }
    if base.members["@type"] == "Task" {
      choices += [
        "done \(date)", "undone \(date)", "all progress=in-process", "all progress=completed",
        "all completed=2026-06-1\(number)T08:00:00Z",
      ]
    }
    return random.element(of: choices)
  }
}
