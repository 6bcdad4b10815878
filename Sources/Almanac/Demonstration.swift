import CalendarModel
import CivilTime
import GitStore

/// Two replicas and a remote that diverge three times and come together again, beside what git
/// alone makes of the same edits of .ics files. All of it is done for real.
public struct Demonstration {
  /// One divergence and what became of it.
  public struct Round: Sendable {
    /// What Anna did, as it stands in her history.
    public let annas: String
    /// What Ben did, as it stands in his.
    public let bens: String
    /// Whether git alone stopped with a conflict.
    public let plainGitConflicts: Bool
    /// What git alone left in the file between its markers.
    public let plainGitLines: [String]
    /// The starts that git's clean merge shows in the window, where it did not stop.
    public let plainGitStarts: [String]
    /// Conflicts that Almanac noted.
    public let conflicts: Int
    /// The occurrences both replicas show afterwards.
    public let entries: [AgendaEntry]
  }

  /// What is true at the end.
  public struct Result: Sendable {
    /// The three rounds.
    public let rounds: [Round]
    /// The ID of the tree on each side, and on the remote.
    public let trees: (anna: String, ben: String, remote: String)
    /// The folders of the two replicas and the remote.
    public let folders: (anna: String, ben: String, remote: String)
    /// Objects that were imported.
    public let imported: Int
  }

  private let environment: Environment
  private let folder: String
  private let calendar: [UInt8]
  /// The event of the demonstration, in the shipped calendar.
  private static let uid = "5d0b6c2e-7f41-4a9c-8b23-1e6f90a7c354"

  /// Prepares a demonstration in a new folder, over the bytes of an iCalendar file.
  public init(folder: String, calendar: [UInt8], environment: Environment) {
    self.folder = FilePath.absolute(folder)
    self.calendar = calendar
    self.environment = environment
  }

  /// Runs it.
  ///
  /// - Parameter begin: is called before each step with what is about to happen.
  public func run(begin: (String) -> Void = { _ in }) throws -> Result {
    if FilePath.exists(folder + "/anna") { throw ReplicaError.storeExists(folder + "/anna") }
    let remote = folder + "/shared.git"
    FilePath.makeFolders(folder)
    begin("import the calendar into Anna's replica")
    // A repository of its own, also where the folder lies in somebody's repository.
    _ = try Repository.create(folder + "/anna")
    let anna = try Replica.create(folder + "/anna", name: "Household", environment: environment)
    try identify(anna, "Anna")
    let imported = try anna.importICalendar(calendar, calendar: "home", list: "tasks")
    begin("share it by a git remote, and clone it for Ben")
    _ = try git { () throws(GitError) in
      try GitProgram(directory: folder).require([
        "init", "-q", "--bare", "-b", "main", "shared.git",
      ])
    }
    try anna.addRemote("origin", url: remote)
    _ = try anna.sync()
    let ben = try Replica.clone(remote, to: folder + "/ben", environment: environment)
    try identify(ben, "Ben")
    var rounds: [Round] = []
    for (index, divergence) in divergences.enumerated() {
      begin(divergence.title)
      rounds.append(try play(divergence, number: index + 1, anna, ben))
    }
    return Result(
      rounds: rounds,
      trees: (
        try tree(anna), try tree(ben), try tree(try Replica.open(remote, environment: environment))
      ),
      folders: (anna.path, ben.path, remote), imported: imported.created.count)
  }

  private func identify(_ replica: Replica, _ name: String) throws {
    try replica.repository.setConfig("user.name", name)
    try replica.repository.setConfig("user.email", name.lowercased() + "@example.org")
  }

  private func tree(_ replica: Replica) throws -> String {
    guard let head = replica.repository.head else { return "" }
    return try replica.repository.commit(head).tree.description
  }

  private func play(
    _ divergence: Divergence, number: Int, _ anna: Replica, _ ben: Replica
  ) throws -> Round {
    let trial = PlainGitTrial(
      folder: folder + "/plain-git/\(number)", zones: environment.zones)
    let (from, to) = window
    let plain = try trial.merge(
      base: divergence.base, ours: divergence.ours, theirs: divergence.theirs, from: from, to: to)
    let annas = try divergence.anna(anna)
    let bens = try divergence.ben(ben)
    _ = try anna.sync()
    let report = try ben.sync()
    _ = try anna.sync()
    let entries = try ben.snapshot().agenda(from: from, to: to).filter { $0.stored.uid == Self.uid }
    return Round(
      annas: annas, bens: bens, plainGitConflicts: plain.conflicts,
      plainGitLines: plain.conflictLines, plainGitStarts: plain.starts,
      conflicts: report.conflicts.count, entries: entries)
  }

  /// The four weeks that the rounds are about.
  private var window: (from: Instant, to: Instant) {
    let zone = environment.zones.rules(named: "Europe/Berlin") ?? .utc
    func midnight(_ year: Int, _ month: Int, _ day: Int) -> Instant {
      zone.instant(of: CivilDateTime(date: CivilDate(year: year, month: month, day: day) ?? .epoch))
    }
    return (midnight(2026, 11, 30), midnight(2027, 1, 12))
  }

  // MARK: - The divergences

  private struct Divergence {
    let title: String
    let base: [String: String]
    let ours: [String: String]
    let theirs: [String: String]
    let anna: (Replica) throws -> String
    let ben: (Replica) throws -> String
  }

  private static func id(_ text: String) -> RecurrenceID? { RecurrenceID(text) }

  private static func edit(
    _ replica: Replica, _ changes: [(String, JSONValue?)], _ span: EditSpan,
    at id: RecurrenceID? = nil
  ) throws -> String {
    try replica.edit(uid, SeriesEdit(changes), span: span, at: id).subject
  }

  private var divergences: [Divergence] { [titleAndRoom, twoCancelled, futureAndMoved] }

  /// One changes the title, the other the room.
  private var titleAndRoom: Divergence {
    let base = PlainEvent()
    var ours = base
    ours.title = "Choir rehearsal with orchestra"
    ours.stamp = "20261130T180000Z"
    var theirs = base
    theirs.room = "Music school, hall 2"
    theirs.stamp = "20261130T190000Z"
    return Divergence(
      title: "Anna changes the title, Ben the room", base: base.files, ours: ours.files,
      theirs: theirs.files,
      anna: { try Self.edit($0, [("title", "Choir rehearsal with orchestra")], .all) },
      ben: { replica in
        let stored = try replica.snapshot().find(Self.uid)
        let room = stored.object["locations"]?.objectValue?.names.first ?? "room"
        return try Self.edit(replica, [("locations/\(room)/name", "Music school, hall 2")], .all)
      })
  }

  /// Each cancels another date.
  private var twoCancelled: Divergence {
    let base = PlainEvent()
    var ours = base
    ours.excluded = ["20261221T193000"]
    ours.stamp = "20261201T180000Z"
    var theirs = base
    theirs.excluded = ["20261228T193000"]
    theirs.stamp = "20261201T190000Z"
    return Divergence(
      title: "Anna cancels 21 December, Ben 28 December", base: base.files, ours: ours.files,
      theirs: theirs.files,
      anna: { try $0.remove(Self.uid, span: .this, at: Self.id("2026-12-21")).subject },
      ben: { try $0.remove(Self.uid, span: .this, at: Self.id("2026-12-28")).subject })
  }

  /// One changes everything from a date on, the other moves one later occurrence.
  private var futureAndMoved: Divergence {
    let base = PlainEvent()
    var head = base
    head.until = "20261206T225959Z"
    var tail = base
    tail.uid += "-2"
    tail.start = "20261207T180000"
    tail.end = "20261207T200000"
    var theirs = base
    theirs.moved = ("20261214T193000", "20261215T200000", "20261215T220000")
    return Divergence(
      title: "Anna moves it to 18:00 from 7 December on, Ben moves 14 December to the 15th",
      base: base.files, ours: head.files.merging(tail.files) { first, _ in first },
      theirs: theirs.files,
      anna: {
        try Self.edit(
          $0, [("start", "2026-12-07T18:00:00")], .thisAndFuture, at: Self.id("2026-12-07"))
      },
      ben: {
        try Self.edit($0, [("start", "2026-12-15T20:00:00")], .this, at: Self.id("2026-12-14"))
      })
  }
}

/// The event of the demonstration as an .ics file of its own, as a calendar without `futureOverrides`
/// writes it.
private struct PlainEvent {
  var uid = "choir"
  var title = "Choir rehearsal"
  var room = "Parish hall, Reuterstrasse"
  var start = "20260907T193000"
  var end = "20260907T213000"
  var until = "20270712T215959Z"
  var stamp = "20261101T080000Z"
  var excluded: [String] = []
  var moved: (id: String, start: String, end: String)?

  var files: [String: String] {
    var lines = [
      "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//demo//EN", "BEGIN:VEVENT", "UID:\(uid)",
      "DTSTAMP:\(stamp)", "LAST-MODIFIED:\(stamp)", "SUMMARY:\(title)", "LOCATION:\(room)",
      "DTSTART;TZID=Europe/Berlin:\(start)", "DTEND;TZID=Europe/Berlin:\(end)",
      "RRULE:FREQ=WEEKLY;UNTIL=\(until)",
    ]
    for date in excluded { lines.append("EXDATE;TZID=Europe/Berlin:\(date)") }
    lines.append("END:VEVENT")
    if let moved {
      lines += [
        "BEGIN:VEVENT", "UID:\(uid)", "DTSTAMP:\(stamp)",
        "RECURRENCE-ID;TZID=Europe/Berlin:\(moved.id)",
        "SUMMARY:\(title)", "LOCATION:\(room)", "DTSTART;TZID=Europe/Berlin:\(moved.start)",
        "DTEND;TZID=Europe/Berlin:\(moved.end)", "END:VEVENT",
      ]
    }
    lines.append("END:VCALENDAR")
    return ["\(uid).ics": lines.joined(separator: "\n") + "\n"]
  }
}
