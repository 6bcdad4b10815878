import Almanac
import CalendarModel
import CivilTime
import Recurrence

/// `add` and `remind`.
enum AddCommand {
  @Sendable static func add(_ session: Session) throws -> ExitStatus {
    let invocation = session.invocation
    guard let startText = invocation.value("start") else {
      throw CommandError.usage(
        "'add' needs --start", hint: "such as --start 'fri 9am', or 'almanac remind' for a reminder"
      )
    }
    if invocation.has("end"), invocation.has("duration") {
      throw CommandError.usage("--end and --duration both say how long", hint: "give one of them")
    }
    try check(startText, "start", session)
    let target = try session.collection(
      .event, named: invocation.value("calendar"), creates: true)
    let items = try session.itemArguments(.event, target.info)
    let start = items.stored(try items.dates.parse(startText, for: "--start"))
    var object = CalendarObject(kind: .event, members: [:])
    object["start"] = .string(start.description)
    object["timeZone"] =
      start.isDate ? Optional.none : items.storedZone.map { .string($0.id.name) }
    if let text = invocation.value("end") {
      object["duration"] = .string(try items.duration(from: start, to: text).description)
    } else if let text = invocation.value("duration") {
      let duration = try DurationArgument.parse(text, option: "duration")
      if start.isDate, duration.seconds != 0 {
        throw CommandError.usage("--duration '\(text)' has hours, but the start is a whole day")
      }
      object["duration"] = .string(duration.description)
    }
    return try finish(object, items, target, start: start, session)
  }

  @Sendable static func remind(_ session: Session) throws -> ExitStatus {
    let invocation = session.invocation
    for name in ["due", "start"] {
      if let text = invocation.value(name) { try check(text, name, session) }
    }
    let target = try session.collection(.reminder, named: invocation.value("list"), creates: true)
    let items = try session.itemArguments(.reminder, target.info)
    var object = CalendarObject(kind: .reminder, members: [:])
    var anchor: DateOrDateTime?
    for name in ["due", "start"] {
      guard let text = invocation.value(name) else { continue }
      let value = items.stored(try items.dates.parse(text, for: "--\(name)"))
      object[name] = .string(value.description)
      anchor = value
    }
    if anchor?.isDate == false { object["timeZone"] = items.storedZone.map { .string($0.id.name) } }
    return try finish(object, items, target, start: anchor, session)
  }

  /// Reads what can be wrong before a store is made for it.
  private static func check(_ text: String, _ name: String, _ session: Session) throws {
    let items = try session.itemArguments(.event, nil)
    _ = try items.dates.parse(text, for: "--\(name)")
    _ = try RecurrenceArguments(dates: items.dates).rule(session.invocation)
  }

  private static func finish(
    _ object: CalendarObject, _ items: ItemArguments,
    _ target: (replica: Replica, snapshot: Snapshot, info: CollectionInfo),
    start: DateOrDateTime?, _ session: Session
  ) throws -> ExitStatus {
    let invocation = session.invocation
    var object = object
    object["title"] = .string(invocation.operands[0])
    if let uid = invocation.value("uid") {
      guard target.snapshot.object(uid: uid) == nil else {
        throw CommandError.cannot(
          "the UID '\(uid)' is in use", hint: "'almanac edit' changes the item")
      }
      object.uid = uid
    }
    if let rule = try RecurrenceArguments(dates: items.dates).rule(invocation) {
      guard let start else {
        throw CommandError.usage("what repeats needs a date", hint: "give --due or --start")
      }
      object["recurrenceRule"] = .object(items.storedRule(rule, start: start).json)
    }
    for (pointer, value) in try items.plainChanges(current: object, session: session) {
      Patch.set(value, at: pointer, in: &object.members)
    }
    addDefaults(to: &object, target, items, start: start)
    let added = try target.replica.add([object], to: target.info, dryRun: session.isDryRun)
    guard let stored = added.objects.first else {
      throw CommandError.defect("the store added nothing")
    }
    if !session.isDryRun { target.replica.rememberItem(stored.uid) }
    echo(stored, target.info, session)
    if session.isJSON {
      session.write(
        OutcomeText.json(id: stored.uid, write: added.write, isDryRun: session.isDryRun))
    } else if !session.isDryRun {
      session.output.line(session.terminal.id(stored.uid))
    }
    OutcomeText.noteLeftAlone(added.write, session)
    return .done
  }

  /// What a new item takes from its calendar and its owner.
  private static func addDefaults(
    to object: inout CalendarObject,
    _ target: (replica: Replica, snapshot: Snapshot, info: CollectionInfo), _ items: ItemArguments,
    start: DateOrDateTime?
  ) {
    if object["alerts"] == nil, let start {
      let name = start.isDate ? "defaultAlertsWithoutTime" : "defaultAlertsWithTime"
      object["alerts"] = target.info.members[name]
    }
    if object["participants"] != nil, object["organizerCalendarAddress"] == nil {
      object["organizerCalendarAddress"] = .string("mailto:" + target.replica.ownAddress)
    }
  }

  /// Says what was understood: the resolved date above all.
  private static func echo(_ object: CalendarObject, _ info: CollectionInfo, _ session: Session) {
    let verb = session.isDryRun ? "would add" : "added"
    var text = "\(verb) \"\(object.title)\""
    if let series = try? Series(object) {
      let first = Array(
        series.upcoming(zones: session.surroundings.zones, floatingZone: session.zone).prefix(1))
      if object.kind == .reminder, let due = object.moment("due") {
        text += ", due " + Words.moment(due, now: session.today)
      } else if let first = first.first {
        text += ", " + ItemText.when(first, zone: session.zone, now: session.today)
      }
    }
    if let json = object["recurrenceRule"]?.objectValue, let rule = try? RecurrenceRule(json: json)
    {
      text += ", " + Words.rule(rule, now: session.today)
    }
    session.note(text + ", to \(info.name)")
    if let moment = object.anchor, case .dateTime(let civil) = moment, let name = object.timeZone,
      let zone = session.surroundings.zones.rules(named: name)
    {
      switch zone.resolve(civil) {
      case .unique: break
      case .gap(let instant, _, _):
        session.note(
          "warning: \(civil) does not exist in \(name), where clocks go forward; "
            + "it is read as \(zone.civil(at: instant))")
      case .fold:
        session.note("warning: \(civil) comes twice in \(name); the first one is meant")
      }
    }
  }
}

extension Session {
  /// The reader of item options: times are read in `--timezone` if given, else on the clock of the
  /// session, and stored in `--timezone`, else `--tz`, else the calendar's zone, else the system's.
  func itemArguments(
    _ kind: CalendarObject.Kind, _ info: CollectionInfo?, current: SeriesOccurrence? = nil
  ) throws(CommandError) -> ItemArguments {
    if invocation.has("timezone"), invocation.has("floating") {
      throw .usage("--timezone and --floating exclude each other")
    }
    var typed = zone
    var stored: TimeZoneRules? = zone
    if let name = invocation.value("timezone") {
      typed = try Session.zone(named: name, option: "--timezone", surroundings.zones)
      stored = typed
    } else if invocation.has("floating") {
      stored = nil
    } else if let current {
      if !current.start.isDate {
        stored = current.timeZone.flatMap { surroundings.zones.rules(named: $0) }
        // A time typed for an item means its own clock, unless the person names another.
        if invocation.globals["tz"] == nil, let stored { typed = stored }
      }
    } else if invocation.globals["tz"] == nil, let name = info?.timeZone,
      let rules = surroundings.zones.rules(named: name)
    {
      stored = rules
    }
    var base: CivilDateTime?
    if let current { base = CivilDateTime(date: current.start.date) }
    return ItemArguments(
      invocation: invocation, kind: kind, dates: DateArguments(now: now, zone: typed, base: base),
      typedZone: typed, storedZone: stored)
  }
}
