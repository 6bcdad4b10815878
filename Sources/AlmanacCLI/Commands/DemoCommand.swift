import Almanac
import CalendarModel
import CivilTime

/// `demo`: two replicas diverge and merge, beside what git alone makes of it.
enum DemoCommand {
  @Sendable static func run(_ session: Session) throws -> ExitStatus {
    let zone = session.surroundings.zones.rules(named: "Europe/Berlin") ?? .utc
    let now = Instant(extended: "2026-11-30T12:00:00Z") ?? session.now
    var environment = session.environment
    environment.now = { now }
    environment.localZoneName = zone.id.name
    let folder = try freeFolder(session)
    let demonstration = Demonstration(
      folder: folder, calendar: Array(DemoCalendar.text.utf8), environment: environment)
    let terminal = session.terminal
    var step = 0
    var titles: [String] = []
    let result = try demonstration.run { title in
      step += 1
      titles.append(title)
      if !session.isJSON { session.note("\(step). \(title)") }
    }
    let isSame = result.trees.anna == result.trees.ben && result.trees.ben == result.trees.remote
    if session.isJSON {
      session.write([
        "imported": .number(String(result.imported)), "same": .bool(isSame),
        "tree": .string(result.trees.anna), "anna": .string(result.folders.anna),
        "ben": .string(result.folders.ben), "remote": .string(result.folders.remote),
      ])
    } else {
      let rounds = titles.suffix(result.rounds.count)
      let today = zone.civil(at: now).date
      session.output.line(
        "Anna imports \(result.imported) items, shares them by a git remote, and Ben clones it.")
      for (index, (title, round)) in zip(rounds, result.rounds).enumerated() {
        session.output.line()
        session.output.line(terminal.styled("Round \(index + 1): \(title)", .bold))
        write(round, today, zone, session)
      }
      writeEnd(result, isSame, session)
    }
    guard isSame else {
      throw CommandError.defect("the replicas differ: \(result.trees)")
    }
    return .done
  }

  /// The folder that was named, else `almanac-demo` with the first number that is free.
  private static func freeFolder(_ session: Session) throws -> String {
    if let name = session.invocation.operands.first {
      return session.surroundings.absolutePath(name)
    }
    for number in 1...1_000 {
      let name = number == 1 ? "almanac-demo" : "almanac-demo-\(number)"
      let path = session.surroundings.absolutePath(name)
      if !fileExists(path) { return path }
    }
    throw CommandError.cannot("there are too many demonstrations here", hint: "name a folder")
  }

  private static func write(
    _ round: Demonstration.Round, _ today: CivilDate, _ zone: TimeZoneRules, _ session: Session
  ) {
    let output = session.output
    output.line("  Anna: \(Terminal.safe(round.annas))")
    output.line("  Ben:  \(Terminal.safe(round.bens))")
    output.line()
    if round.plainGitConflicts {
      output.line("  git alone, with .ics files: stops, and leaves this in the calendar")
      for line in round.plainGitLines.prefix(8) { output.line("      " + Terminal.safe(line)) }
    } else {
      output.line("  git alone, with .ics files: merges without a word, and then shows")
      for line in round.plainGitStarts.prefix(8) {
        let start = DateOrDateTime(extended: line)
        output.line("      " + (start.map { Words.moment($0, now: today) } ?? Terminal.safe(line)))
      }
    }
    output.line()
    let conflicts =
      round.conflicts == 0
      ? "no conflict" : Words.count(round.conflicts, "conflict")
    output.line("  almanac sync on both sides: \(conflicts), and both show")
    var table = Table()
    for entry in round.entries {
      let when = ItemText.when(entry.occurrence, zone: zone, now: today)
      let place = ItemText.place(entry.occurrence.object) ?? ""
      table.add([
        .init(when), .init(Terminal.safe(entry.occurrence.object.title)),
        .init(Terminal.safe(place), .dim),
      ])
    }
    for line in table.lines(session.terminal, indent: "      ") { output.line(line) }
  }

  private static func writeEnd(
    _ result: Demonstration.Result, _ isSame: Bool, _ session: Session
  ) {
    let output = session.output
    output.line()
    output.line("Anna's tree    \(result.trees.anna)")
    output.line("Ben's tree     \(result.trees.ben)")
    output.line("remote's tree  \(result.trees.remote)")
    output.line(isSame ? "All three are the same." : "They differ.")
    output.line()
    output.line("Look around:  almanac -C \(result.folders.anna) --now 2026-11-30T12:00:00Z agenda")
    output.line("              git -C \(result.folders.ben) log --graph --oneline")
  }
}
