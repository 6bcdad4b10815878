import CalendarModel
public import CivilTime

/// Actions in words, for commit subjects and for what a command says it did.
public enum ActionWords {
  static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
  ]

  /// A date as people say it: `3 December`, with the year where it is not that of `now`.
  public static func date(_ date: CivilDate, now: CivilDate? = nil) -> String {
    let (year, month, day) = date.parts
    let name = "\(day) \(months[month - 1])"
    return now?.year == year ? name : "\(name) \(year)"
  }

  /// The title in quotes.
  static func title(_ object: CalendarObject) -> String {
    let title = object.title.isEmpty ? "untitled" : object.title
    return "\"" + String(title.unicodeScalars.map { $0.value < 0x20 ? " " : Character($0) }) + "\""
  }

  /// The subject of an edit: `move "Choir rehearsal" to 18:00 from 3 December`.
  static func edit(
    _ object: CalendarObject, _ edit: SeriesEdit, span: EditSpan, at id: RecurrenceID?,
    repeats: Bool,
    now: CivilDate
  ) -> String {
    let title = title(object)
    var scope = ""
    if repeats, let id {
      switch span {
      case .this: scope = " on \(date(id.value.date, now: now))"
      case .thisAndFuture: scope = " from \(date(id.value.date, now: now))"
      case .all: scope = ""
      }
    }
    func value(_ pointer: String) -> String? {
      if case .some(.some(let value)) = edit[pointer] { return value.stringValue }
      return nil
    }
    if case .some(.none) = edit["progress"] { return "reopen \(title)\(scope)" }
    if let progress = value("progress") {
      return progress == "completed" ? "complete \(title)\(scope)" : "reopen \(title)\(scope)"
    }
    let names = edit.changes.map { $0.pointer.split(separator: "/")[0] }
    if let moment = (value("start") ?? value("due")).flatMap({ DateOrDateTime(extended: $0) }),
      names.allSatisfy({ ["start", "due", "timeZone", "duration"].contains($0) })
    {
      let sameDay = id.map { $0.value.date == moment.date } ?? (object.anchor?.date == moment.date)
      var target: [String] = []
      if !sameDay { target.append(date(moment.date, now: now)) }
      if let time = moment.time { target.append(String(time.description.prefix(5))) }
      return "move \(title) to \(target.joined(separator: " "))\(scope)"
    }
    if names == ["title"], let new = value("title") {
      return "rename \(title) to \"\(new)\"\(scope)"
    }
    let unique = names.reduce(into: [String]()) { list, name in
      let word = words[String(name)] ?? String(name)
      if !list.contains(word) { list.append(word) }
    }
    return "change \(unique.joined(separator: ", ")) of \(title)\(scope)"
  }

  private static let words = [
    "recurrenceRule": "repetition", "description": "notes", "locations": "place",
    "keywords": "tags", "alerts": "alerts", "participants": "people",
    "freeBusyStatus": "availability",
    "start": "start", "due": "due date", "links": "link", "mainLocationId": "place",
  ]

  /// The subject of a removal.
  static func remove(
    _ object: CalendarObject, span: EditSpan, at id: RecurrenceID?, repeats: Bool, now: CivilDate
  ) -> String {
    guard repeats, let id, span != .all else { return "remove \(title(object))" }
    let day = date(id.value.date, now: now)
    return span == .this
      ? "cancel \(title(object)) on \(day)" : "end \(title(object)) before \(day)"
  }
}
