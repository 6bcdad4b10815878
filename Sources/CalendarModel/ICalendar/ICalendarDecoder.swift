public import CivilTime
import Recurrence

/// Reads iCalendar (RFC 5545, and the vCalendar 1.0 that is still about) as objects of ours.
public enum ICalendarDecoder {
  /// Reads a file. Nothing is lost silently: each VEVENT and VTODO becomes part of an item or is
  /// refused with its line and the reason; what has no member of ours stays in `iCalendar`.
  ///
  /// - Parameter zones: zone data that TZIDs are matched with.
  public static func decode(_ bytes: [UInt8], zones: TimeZoneDatabase) -> ICalendarDocument {
    let reader = ComponentReader(bytes)
    var document = ICalendarDocument()
    document.refusals = reader.problems
    for line in reader.latin1Lines.prefix(1) {
      document.warnings.append(.init(line: line, message: "not UTF-8; read as Latin-1"))
    }
    let calendars = reader.roots.filter { $0.name == "VCALENDAR" }
    let loose = reader.roots.filter { $0.name != "VCALENDAR" }
    for calendar in calendars { readHeader(of: calendar, into: &document) }
    let matcher = ZoneMatcher(zones: zones, calendars: calendars)
    var components: [ICalendarComponent] = []
    for component in calendars.flatMap(\.children) + loose {
      switch component.name {
      case "VEVENT", "VTODO": components.append(component)
      case "VTIMEZONE": continue
      default:
        document.refusals.append(
          .init(
            line: component.line, component: component.name, uid: component.first("UID")?.text,
            reason: "\(component.name) is neither an event nor a reminder"))
      }
    }
    var assembler = SeriesAssembler(matcher: matcher, document: document)
    assembler.assemble(components)
    document = assembler.document
    document.items.sort { $0.line < $1.line }
    document.refusals.sort { $0.line < $1.line }
    if calendars.isEmpty && loose.isEmpty && document.refusals.isEmpty {
      document.refusals.append(
        .init(line: 1, component: "", uid: nil, reason: "no calendar in the file"))
    }
    return document
  }

  private static func readHeader(
    of calendar: ICalendarComponent, into document: inout ICalendarDocument
  ) {
    let name = calendar.first("NAME") ?? calendar.first("X-WR-CALNAME")
    if document.name == nil { document.name = name?.text.trimmed }
    let color = calendar.first("COLOR") ?? calendar.first("X-APPLE-CALENDAR-COLOR")
    if document.color == nil, let text = color?.text.trimmed.lowercased() {
      // Apple writes the opacity behind the colour.
      document.color = text.hasPrefix("#") ? String(text.prefix(7)) : text
    }
    if document.timeZone == nil {
      document.timeZone = calendar.first("X-WR-TIMEZONE")?.text.trimmed
    }
    for malformed in calendar.malformed {
      document.warnings.append(.init(line: malformed.line, message: malformed.reason))
    }
  }
}

/// Puts components of one UID together: a master and its overrides make one series.
struct SeriesAssembler {
  private let matcher: ZoneMatcher
  private(set) var document: ICalendarDocument
  private var usedUIDs: Set<String> = []

  init(matcher: ZoneMatcher, document: ICalendarDocument) {
    self.matcher = matcher
    self.document = document
  }

  mutating func assemble(_ components: [ICalendarComponent]) {
    var groups: [String: [ICalendarComponent]] = [:]
    var order: [String] = []
    for component in components {
      let uid = component.first("UID")?.text.trimmed ?? ""
      let key = component.name + "\n" + (uid.isEmpty ? "line \(component.line)" : uid)
      if groups[key] == nil { order.append(key) }
      groups[key, default: []].append(component)
    }
    for key in order { assemble(group: groups[key] ?? []) }
  }

  private mutating func refuse(_ component: ICalendarComponent, _ line: Int, _ reason: String) {
    document.refusals.append(
      .init(
        line: line, component: component.name, uid: component.first("UID")?.text, reason: reason))
  }

  private mutating func assemble(group: [ICalendarComponent]) {
    let masters = group.filter { $0.first("RECURRENCE-ID") == nil }
    var overrides = group.filter { $0.first("RECURRENCE-ID") != nil }
    for (index, master) in masters.enumerated() {
      // Overrides belong to the first master of their UID.
      if build(master, overrides: index == 0 ? overrides : [], isCopy: index > 0), index == 0 {
        overrides = []
      }
    }
    for override in overrides { build(override, overrides: [], isCopy: false, isAlone: true) }
  }

  /// Segments before single overrides, which stand on them; among those of one ID the highest
  /// SEQUENCE comes last and holds.
  private static func inOrder(_ overrides: [ICalendarComponent]) -> [ICalendarComponent] {
    func key(_ component: ICalendarComponent) -> (Int, String, Int) {
      let line = component.first("RECURRENCE-ID")
      let sequence = component.first("SEQUENCE").flatMap { Int($0.value.trimmed) } ?? 0
      return (line?.parameter("RANGE") == nil ? 1 : 0, line?.value ?? "", sequence)
    }
    return overrides.enumerated().sorted { left, right in
      let (one, two) = (key(left.element), key(right.element))
      return one == two ? left.offset < right.offset : one < two
    }.map(\.element)
  }

  @discardableResult
  private mutating func build(
    _ component: ICalendarComponent, overrides: [ICalendarComponent], isCopy: Bool,
    isAlone: Bool = false
  ) -> Bool {
    let kind: CalendarObject.Kind = component.name == "VTODO" ? .reminder : .event
    var builder = SeriesBuilder(component, kind: kind, matcher: matcher)
    do throws(ComponentError) {
      try builder.readMaster(isAlone: isAlone)
    } catch {
      refuse(component, error.line, error.reason)
      return false
    }
    var used = 1
    for override in SeriesAssembler.inOrder(overrides) {
      do throws(ComponentError) {
        try builder.add(override)
        used += 1
      } catch {
        refuse(override, error.line, error.reason)
      }
    }
    var members = builder.members
    giveUID(component, &members, isCopy: isCopy, warnings: &builder.warnings)
    members = Normaliser.normalise(members, kind: kind.fileKind)
    if let problem = ObjectValidator.problems(in: members, kind: kind.fileKind)
      .first(where: { $0.code.hasPrefix("E") })
    {
      refuse(component, component.line, "\(problem.pointer): \(problem.message)")
      return false
    }
    guard CanonicalJSON.bytes(members).count <= JSONText.bytesMax else {
      refuse(component, component.line, "more than 1 MiB in one object")
      return false
    }
    document.items.append(
      ImportedItem(
        object: CalendarObject(kind: kind, members: members), line: component.line,
        components: used,
        warnings: builder.warnings))
    return true
  }

  /// Gives an object its UID: its own, or one derived from its content where it has none or shares
  /// it with another object of the file.
  private mutating func giveUID(
    _ component: ICalendarComponent, _ members: inout JSONObject, isCopy: Bool,
    warnings: inout [ICalendarWarning]
  ) {
    var uid = component.first("UID")?.text.trimmed ?? ""
    uid = String(uid.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F })
    let content = CanonicalJSON.inline(.object(members))
    let key = component.name + uid + (members["recurrenceId"]?.stringValue ?? "")
    if uid.isEmpty {
      uid = ObjectPath.derivedUUID(namespace: ObjectPath.namespace, name: content)
      warnings.append(
        .init(line: component.line, message: "no UID; one was derived from the content"))
    } else if uid.utf8.count > 1_024 {
      uid = ObjectPath.derivedUUID(namespace: ObjectPath.namespace, name: uid)
      warnings.append(.init(line: component.line, message: "the UID is too long; one was derived"))
    } else if isCopy || usedUIDs.contains(key) {
      uid = ObjectPath.derivedUUID(namespace: ObjectPath.namespace, name: uid + "\n" + content)
      warnings.append(
        .init(line: component.line, message: "the UID stands twice; this object got a new one"))
    }
    usedUIDs.insert(key)
    members["uid"] = .string(uid)
  }
}

/// Builds one series from a master and its overrides.
struct SeriesBuilder {
  private let kind: CalendarObject.Kind
  private let master: ICalendarComponent
  private let matcher: ZoneMatcher
  private(set) var members = JSONObject()
  var warnings: [ICalendarWarning] = []
  private var zone: String?
  private var repeatsWithinDay = false

  init(_ component: ICalendarComponent, kind: CalendarObject.Kind, matcher: ZoneMatcher) {
    master = component
    self.kind = kind
    self.matcher = matcher
  }

  private var rules: TimeZoneRules { zone.flatMap { matcher.zones.rules(named: $0) } ?? .utc }

  private var anchor: DateOrDateTime? {
    CalendarObject(kind: kind, members: members).anchor
  }

  mutating func readMaster(isAlone: Bool) throws(ComponentError) {
    var converter = ComponentConverter(master, kind: kind, matcher: matcher)
    do throws(ComponentError) {
      try converter.convert()
    } catch {
      // A single item with an unknown zone is written in UTC if its VTIMEZONE says how.
      throw error
    }
    members = converter.members
    warnings = converter.warnings
    zone = members["timeZone"]?.stringValue
    if isAlone, let line = master.first("RECURRENCE-ID") {
      let value = try converter.moment(line)
      members["recurrenceId"] = .string(value.moment.description)
      if let zone = value.zone { members["recurrenceIdTimeZone"] = .string(zone) }
    }
    // An occurrence on its own has no rule, whatever its component says.
    guard !isAlone else { return }
    try readRules()
    try readDates()
  }

  private mutating func readRules() throws(ComponentError) {
    let lines = master.all("RRULE").filter { !$0.value.trimmed.isEmpty }
    guard let line = lines.first else { return }
    guard let anchor else {
      warnings.append(.init(line: line.line, message: "RRULE without a date was left out"))
      return
    }
    var repairs: [String] = []
    var rule: RecurrenceRule
    do throws(RecurrenceRuleError) {
      rule = try RecurrenceRule(parsing: line.value, mode: .lenient, repairs: &repairs)
    } catch {
      throw ComponentError(line: line.line, reason: "RRULE: \(error)")
    }
    for repair in repairs { warnings.append(.init(line: line.line, message: "RRULE: " + repair)) }
    if case .instant(let until) = rule.until {
      rule.until = anchor.isDate ? .date(until.utc.date) : .dateTime(rules.civil(at: until))
    }
    if anchor.isDate, case .dateTime(let until) = rule.until { rule.until = .date(until.date) }
    repeatsWithinDay = rule.repeatsWithinDay
    members["recurrenceRule"] = .object(rule.json)
    var occurrences = rule.occurrences(start: anchor.dateTime)
    if rule.isEvaluable, occurrences.next() == nil, occurrences.stop == .neverMatches {
      members["recurrenceRule"] = nil
      warnings.append(.init(line: line.line, message: "RRULE never matches and was left out"))
    }
    for extra in lines.dropFirst() { addSecondRule(extra, anchor) }
    for excluded in master.all("EXRULE") { addExcludedRule(excluded, anchor) }
  }

  /// A second rule becomes extra dates, up to ten years of them.
  private mutating func addSecondRule(_ line: ContentLine, _ anchor: DateOrDateTime) {
    guard let rule = try? RecurrenceRule(parsing: line.value, mode: .lenient) else {
      warnings.append(
        .init(line: line.line, message: "a second RRULE that cannot be read was left out"))
      return
    }
    let horizon = anchor.date.adding(days: 3_653)
    var count = 0
    for civil in rule.occurrences(start: anchor.dateTime) {
      if civil.date > horizon || count >= 1_000 { break }
      addDate(anchor.isDate ? .date(civil.date) : .dateTime(civil), duration: nil)
      count += 1
    }
    let note = rule.isFinite ? "" : "; dates after \(horizon) were left out"
    warnings.append(
      .init(line: line.line, message: "a second RRULE became \(count) extra dates\(note)"))
  }

  private mutating func addExcludedRule(_ line: ContentLine, _ anchor: DateOrDateTime) {
    guard let rule = try? RecurrenceRule(parsing: line.value, mode: .lenient) else {
      warnings.append(.init(line: line.line, message: "an EXRULE that cannot be read was left out"))
      return
    }
    let horizon = anchor.date.adding(days: 3_653)
    for civil in rule.occurrences(start: anchor.dateTime).prefix(1_000) {
      if civil.date > horizon { break }
      set(id(.dateTime(civil)), ["excluded": true])
    }
    warnings.append(.init(line: line.line, message: "EXRULE became exclusions up to \(horizon)"))
  }

  private func id(_ moment: DateOrDateTime) -> RecurrenceID {
    repeatsWithinDay ? RecurrenceID(moment) : RecurrenceID(.date(moment.date))
  }

  private mutating func set(_ id: RecurrenceID, _ patch: JSONObject) {
    var map = members["recurrenceOverrides"]?.objectValue ?? JSONObject()
    map[id.text] = .object(patch)
    members["recurrenceOverrides"] = .object(map)
  }

  /// A moment on the clock of the series.
  private func local(_ value: ZonedMoment) -> DateOrDateTime {
    guard case .dateTime(let civil) = value.moment, let foreign = value.zone, foreign != zone,
      let other = matcher.zones.rules(named: foreign)
    else { return value.moment }
    // A UTC value in a floating or all-day series is taken as it is written.
    if zone == nil { return value.moment }
    return .dateTime(rules.civil(at: other.instant(of: civil)))
  }

  private mutating func readDates() throws(ComponentError) {
    guard let anchor else { return }
    var converter = ComponentConverter(master, kind: kind, matcher: matcher)
    let repeats = members["recurrenceRule"] != nil
    for line in master.all("RDATE") {
      for item in line.value.split(separator: ",") {
        let parts = item.split(separator: "/").map { String($0).trimmed }
        guard let first = parts.first, let value = try? converter.moment(line, value: first) else {
          warnings.append(.init(line: line.line, message: "RDATE '\(item)' was left out"))
          continue
        }
        var duration: CalendarDuration?
        if parts.count > 1 {
          duration = CalendarDuration(parts[1])
          if duration == nil, let end = try? converter.moment(line, value: parts[1]) {
            duration = CalendarDuration(
              seconds: end.moment.dateTime.civilSeconds - value.moment.dateTime.civilSeconds)
          }
        }
        addDate(local(value), duration: duration)
      }
    }
    guard repeats || members["recurrenceOverrides"] != nil else {
      if let line = master.first("EXDATE") {
        warnings.append(.init(line: line.line, message: "EXDATE without a rule was left out"))
      }
      return
    }
    for line in master.all("EXDATE") {
      for item in line.value.split(separator: ",") where !String(item).trimmed.isEmpty {
        guard let value = try? converter.moment(line, value: String(item)) else {
          warnings.append(.init(line: line.line, message: "EXDATE '\(item)' was left out"))
          continue
        }
        let moment = local(value)
        let key = repeatsWithinDay && moment.isDate ? RecurrenceID(moment) : id(moment)
        if !repeatsWithinDay, let time = moment.time, let own = anchor.time, time != own {
          warnings.append(
            .init(
              line: line.line,
              message: "EXDATE \(moment) is not at the series' time; its day is excluded"))
        }
        set(key, ["excluded": true])
      }
    }
  }

  private mutating func addDate(_ moment: DateOrDateTime, duration: CalendarDuration?) {
    guard let anchor else { return }
    var moment = moment
    if anchor.isDate { moment = .date(moment.date) }
    if moment.date == anchor.date, moment.time == anchor.time || moment.isDate { return }
    var patch: JSONObject = ["added": true]
    if let time = moment.time, time != anchor.time { patch["start"] = .string(moment.description) }
    if let duration, !duration.isNegative, duration.description != members["duration"]?.stringValue
    {
      patch["duration"] = .string(duration.description)
    }
    var key = id(moment)
    let taken = members["recurrenceOverrides"]?.objectValue?[key.text] != nil
    if taken || key.value.date == anchor.date || generates(key) {
      if moment.time == anchor.time || moment.isDate { return }
      key = RecurrenceID(moment)
    }
    if patch["start"] != nil, kind == .reminder { patch["start"] = nil; key = RecurrenceID(moment) }
    set(key, patch)
  }

  private func generates(_ id: RecurrenceID) -> Bool {
    guard let series = try? Series(CalendarObject(kind: kind, members: members)) else {
      return false
    }
    return members["recurrenceRule"] != nil && series.generates(id)
  }

  // MARK: - Overrides

  private static let neverPatched: Set<String> = [
    "@type", "uid", "created", "updated", "sequence", "organizerCalendarAddress", "privacy",
    "relatedTo", "iCalendar", "recurrenceRule", "recurrenceOverrides", "futureOverrides",
    "timeZone",
    "start", "due",
  ]

  mutating func add(_ override: ICalendarComponent) throws(ComponentError) {
    guard let line = override.first("RECURRENCE-ID") else { return }
    guard let anchor else {
      throw ComponentError(line: override.line, reason: "an override of an item without a date")
    }
    var converter = ComponentConverter(override, kind: kind, matcher: matcher)
    try converter.convert()
    warnings += converter.warnings
    let id = id(local(try converter.moment(line)))
    let isFuture = line.parameter("RANGE")?.uppercased() == "THISANDFUTURE"
    var inherited = CalendarObject(kind: kind, members: members)
    if let series = try? Series(inherited), let values = series.values(at: id) {
      inherited = values
    }
    var patch = self.patch(from: inherited.members, to: converter.members)
    move(&patch, converter, inherited, id)
    for name in ["privacy", "relatedTo"] where converter.members[name] != members[name] {
      if converter.members[name] != nil {
        warnings.append(
          .init(line: override.line, message: "'\(name)' of one occurrence was left out"))
      }
    }
    if let left = converter.members["iCalendar"], left != members["iCalendar"] {
      warnings.append(
        .init(
          line: override.line,
          message: "properties of one occurrence without a member of ours were left out"))
    }
    if isFuture, addFuture(patch, at: id, anchor, line.line) { return }
    if !generates(id) {
      if members["recurrenceRule"] == nil && members["recurrenceOverrides"] == nil
        && id.value.date == anchor.date
      {
        members = Patch.applied(patch, to: members)
        return
      }
      patch["added"] = true
    }
    if patch.isEmpty { return }
    set(id, patch)
  }

  /// The members that differ, map entries one by one.
  private func patch(from old: JSONObject, to new: JSONObject) -> JSONObject {
    var patch = JSONObject()
    let names = Set(old.names).union(new.names).subtracting(SeriesBuilder.neverPatched)
    for name in names {
      let (before, after) = (old[name], new[name])
      if before == after { continue }
      if MemberShape.maps.contains(name), let one = before?.objectValue,
        let two = after?.objectValue
      {
        for key in Set(one.names).union(two.names) where one[key] != two[key] {
          patch["\(name)/\(Patch.escaped(key))"] = two[key] ?? .null
        }
      } else {
        patch[name] = after ?? .null
      }
    }
    return patch
  }

  /// Writes the override's own start where it is not the one it inherits.
  private func move(
    _ patch: inout JSONObject, _ converter: ComponentConverter, _ inherited: CalendarObject,
    _ id: RecurrenceID
  ) {
    let own = CalendarObject(kind: kind, members: converter.members)
    let name = inherited.anchorName
    guard let moment = own.moment(name) ?? own.anchor else { return }
    let ownZone = converter.members["timeZone"]?.stringValue
    if moment.description == inherited[name]?.stringValue, ownZone == zone { return }
    if !moment.isDate, ownZone != zone, let other = ownZone, let mine = zone,
      let from = matcher.zones.rules(named: other), let to = matcher.zones.rules(named: mine)
    {
      // The same instant on the series' clock needs no zone of its own.
      let civil = to.civil(at: from.instant(of: moment.dateTime))
      if civil.description != inherited[name]?.stringValue {
        patch[name] = .string(civil.description)
      }
      return
    }
    patch[name] = .string(moment.description)
    if ownZone != zone { patch["timeZone"] = ownZone.map { .string($0) } ?? .null }
    if kind == .reminder, name == "start", let due = own["due"], due != inherited["due"] {
      patch["due"] = due
    }
  }

  /// Writes RANGE=THISANDFUTURE as a segment; false if it can only be an override.
  private mutating func addFuture(
    _ patch: JSONObject, at id: RecurrenceID, _ anchor: DateOrDateTime, _ line: Int
  ) -> Bool {
    let frequency = members["recurrenceRule"]?.objectValue?["frequency"]?.stringValue
    var patch = patch
    let name = CalendarObject(kind: kind, members: members).anchorName
    let moved = patch[name]?.stringValue.flatMap { DateOrDateTime(extended: $0) }
    let days = moved.map { $0.date.days(since: id.value.date) } ?? 0
    guard frequency != nil, id.value.date != anchor.date,
      days == 0 || frequency == "daily" || frequency == "weekly"
    else {
      warnings.append(
        .init(line: line, message: "RANGE=THISANDFUTURE was read as this occurrence only"))
      return false
    }
    if days != 0, let moved {
      patch["shift"] = .string(days < 0 ? "-P\(-days)D" : "P\(days)D")
      patch[name] = .string(moved.adding(days: -days).description)
      if moved.time == anchor.time { patch[name] = nil }
    }
    if patch.isEmpty { return true }
    var map = members["futureOverrides"]?.objectValue ?? JSONObject()
    map[id.text] = .object(patch)
    members["futureOverrides"] = .object(map)
    return true
  }
}

extension CalendarObject.Kind {
  /// The kind of file that holds such an object.
  public var fileKind: FileKind { self == .event ? .event : .reminder }
}
