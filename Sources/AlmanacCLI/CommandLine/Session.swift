import Almanac
import CalendarModel
import CivilTime

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// One run of one command: what was typed, where it runs, and the stores it works on.
final class Session {
  let invocation: Invocation
  let surroundings: Surroundings
  let output: CommandOutput
  /// The moment that counts as now.
  let now: Instant
  /// The name of the zone in which times are shown and read.
  let zoneName: String
  let zone: TimeZoneRules
  let terminal: Terminal
  private var opened: [Replica]?

  init(
    _ invocation: Invocation, _ surroundings: Surroundings, _ output: CommandOutput
  ) throws(CommandError) {
    self.invocation = invocation
    self.surroundings = surroundings
    self.output = output
    let globals = invocation.globals
    if let text = globals["now"]?.last ?? surroundings.variable("ALMANAC_NOW") {
      guard let instant = Instant(extended: text) ?? Instant(basic: text) else {
        throw .usage(
          "now cannot be '\(text)': it is no instant", hint: "write it as 2026-11-30T12:00:00Z")
      }
      now = instant
    } else {
      now = surroundings.clock()
    }
    if let name = globals["tz"]?.last {
      zone = try Session.zone(named: name, option: "--tz", surroundings.zones)
      zoneName = zone.id.name
    } else {
      let found = surroundings.zones.rules(named: surroundings.systemZoneName)
      zone = found ?? .utc
      zoneName = found == nil ? "UTC" : surroundings.systemZoneName
    }
    let hasColor: Bool
    switch globals["color"]?.last {
    case "always": hasColor = true
    case "never": hasColor = false
    default:
      hasColor =
        surroundings.isTerminal && surroundings.variable("NO_COLOR") == nil
        && surroundings.variables["TERM"] != "dumb"
    }
    terminal = Terminal(
      hasColor: hasColor, columns: surroundings.isTerminal ? max(40, surroundings.columns) : nil,
      shortensIDs: surroundings.isTerminal)
  }

  /// The rules of a zone that somebody named.
  static func zone(
    named name: String, option: String, _ zones: TimeZoneDatabase
  ) throws(CommandError) -> TimeZoneRules {
    if let rules = zones.rules(named: name) { return rules }
    let known = zones.names()
    let lower = name.lowercased()
    let same = known.first { $0.lowercased() == lower }
    let city = known.first { $0.lowercased().hasSuffix("/" + lower.replacing(" ", with: "_")) }
    let near = same ?? city ?? Suggestion.nearest(to: name, among: known)
    throw .usage(
      "\(option) cannot be '\(name)': there is no such zone",
      hint: near.map { "did you mean '\($0)'?" } ?? "zones are named like Europe/Berlin")
  }

  var isJSON: Bool { invocation.globals["json"] != nil }
  var isQuiet: Bool { invocation.globals["quiet"] != nil }
  var isDryRun: Bool { invocation.has("dry-run") }

  /// Today on the clock of the zone.
  var today: CivilDate { zone.civil(at: now).date }

  /// The reader of typed dates.
  var dates: DateArguments { DateArguments(now: now, zone: zone) }

  /// Writes a line beside the result, unless the person wants quiet.
  func note(_ text: String) {
    if !isQuiet { output.note(Terminal.safe(text)) }
  }

  /// Writes a JSON document as the result.
  func write(_ document: JSONValue) { output.write(JSONOutput.document(document)) }

  /// What the store takes from outside.
  var environment: Environment {
    let now = now
    var environment = Environment(
      now: { now }, randomBytes: surroundings.randomBytes, zones: surroundings.zones,
      localZoneName: zoneName, loginName: surroundings.loginName, hostName: surroundings.hostName)
    environment.author = (
      surroundings.variable("GIT_AUTHOR_NAME"), surroundings.variable("GIT_AUTHOR_EMAIL")
    )
    return environment
  }

  // MARK: - Stores

  /// The stores that the command works on, opened: those of `-C`, else the one of the variable, of
  /// the folders upwards, or of the user.
  ///
  /// - Parameter creates: makes the user's own store where there is none.
  func replicas(creates: Bool = false) throws -> [Replica] {
    if let opened { return opened }
    var result: [Replica] = []
    if let paths = invocation.globals["store"] {
      for path in paths {
        result.append(
          try Replica.open(surroundings.absolutePath(path), environment: environment))
      }
    } else {
      result = [try defaultReplica(creates: creates)]
    }
    opened = result
    return result
  }

  /// The store for commands that work on one.
  func replica(creates: Bool = false) throws -> Replica {
    let all = try replicas(creates: creates)
    guard all.count == 1, let first = all.first else {
      throw CommandError.usage(
        "'\(invocation.command.name)' works on one store, but \(all.count) are named",
        hint: "give -C once")
    }
    return first
  }

  private func defaultReplica(creates: Bool) throws -> Replica {
    if let path = surroundings.variable("ALMANAC_STORE") {
      return try Replica.open(surroundings.absolutePath(path), environment: environment)
    }
    var folder = surroundings.workingDirectory
    while true {
      if access(folder + "/almanac.json", F_OK) == 0 {
        return try Replica.open(folder, environment: environment)
      }
      guard let slash = folder.lastIndex(of: "/"), folder != "/" else { break }
      folder = slash == folder.startIndex ? "/" : String(folder[..<slash])
    }
    let home = try homeStore()
    if access(home + "/almanac.json", F_OK) == 0 || access(home + "/HEAD", F_OK) == 0 {
      return try Replica.open(home, environment: environment)
    }
    guard creates, !isDryRun else {
      throw CommandError.cannot(
        "there is no store here, and none at '\(home)'",
        hint: "'almanac' makes one there, 'almanac init' one in this folder")
    }
    let replica = try Replica.create(home, name: "Calendar", environment: environment)
    note("made a store for your calendars at \(home)")
    if replica.isIdentityGuessed {
      note(
        "git knows no name of yours, so changes are signed "
          + "\(surroundings.loginName)@\(surroundings.hostName); "
          + "'git config --global user.name' and 'user.email' change that")
    }
    return replica
  }

  /// Where the user's own store is.
  private func homeStore() throws(CommandError) -> String {
    if let data = surroundings.variable("XDG_DATA_HOME") { return data + "/almanac" }
    guard let home = surroundings.variable("HOME") else {
      throw .cannot("there is no home folder to look for a store in", hint: "name one with -C")
    }
    return home + "/.local/share/almanac"
  }
}
