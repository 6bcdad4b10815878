import Almanac
import CalendarModel
import CivilTime

/// Lays occurrences out by day: a heading a day, all-day items first, times in a column.
struct AgendaLayout {
  let terminal: Terminal
  let zone: TimeZoneRules
  let today: CivilDate
  /// The colour of a calendar by its slug.
  let colors: [String: String]

  private struct Row {
    let entry: AgendaEntry
    let time: String
    let isAllDay: Bool
    let suffix: String
    let order: CivilDateTime
  }

  /// The lines for occurrences in time order, on the days of a window; a longer one stands on each
  /// of its days, at most 31.
  func lines(_ entries: [AgendaEntry], from first: CivilDate, to last: CivilDate) -> [String] {
    var days: [CivilDate: [Row]] = [:]
    for entry in entries { add(entry, from: first, to: last, &days) }
    let timeWidth = days.values.joined().map { Terminal.width($0.time) }.max() ?? 0
    let textWidth = min(
      days.values.joined().map { Terminal.width(plainText($0)) }.max() ?? 0,
      max(20, (terminal.columns ?? 1_000) - timeWidth - 6 - 20))
    var lines: [String] = []
    for day in days.keys.sorted() {
      if !lines.isEmpty { lines.append("") }
      let nearby = Words.nearby(day, now: today).map { ", \($0)" } ?? ""
      let heading = Words.day(day, now: today) + nearby
      lines.append(terminal.styled(heading, .bold))
      for row in (days[day] ?? []).sorted(by: inOrder) {
        lines.append(line(row, timeWidth, textWidth))
      }
    }
    return lines
  }

  private func inOrder(_ left: Row, _ right: Row) -> Bool {
    if left.isAllDay != right.isAllDay { return left.isAllDay }
    return left.order < right.order
  }

  private func add(
    _ entry: AgendaEntry, from first: CivilDate, to last: CivilDate,
    _ days: inout [CivilDate: [Row]]
  ) {
    let occurrence = entry.occurrence
    let start =
      occurrence.start.isDate
      ? occurrence.start.dateTime : zone.civil(at: occurrence.startInstant)
    var end = zone.civil(at: occurrence.endInstant)
    if end < start { end = start }
    // The day on which it ends; midnight belongs to the day before.
    let lastDay = end > start && end.time == .midnight ? end.date.adding(days: -1) : end.date
    let total = lastDay.days(since: start.date) + 1
    var day = max(start.date, first)
    let end31 = min(lastDay, last, day.adding(days: 30))
    repeat {
      let number = day.days(since: start.date) + 1
      let isAllDay = occurrence.start.isDate || (number > 1 && number < total)
      var time = "all day"
      if !isAllDay {
        let begins = number == 1 ? Words.time(start.time) : ""
        let ends = number == total && end != start ? Words.time(end.time) : ""
        time = begins + (end == start ? "" : "–") + ends
        if begins.isEmpty { time = "     " + time }
      }
      days[day, default: []].append(
        Row(
          entry: entry, time: time, isAllDay: isAllDay,
          suffix: total > 1 ? " (day \(number) of \(total))" : "",
          order: number == 1 ? start : CivilDateTime(date: day)))
      day = day.adding(days: 1)
    } while day <= end31
  }

  private func title(_ row: Row) -> String {
    let object = row.entry.occurrence.object
    let title = Terminal.safe(object.title)
    return (title.isEmpty ? "untitled" : title) + row.suffix
  }

  private func place(_ row: Row) -> String {
    ItemText.place(row.entry.occurrence.object).map { " · " + Terminal.safe($0) } ?? ""
  }

  private func plainText(_ row: Row) -> String { title(row) + place(row) + mark(row) }

  private func mark(_ row: Row) -> String {
    let isConflicted = ItemText.isConflicted(
      row.entry.stored.object, at: row.entry.occurrence.recurrenceID)
    return isConflicted ? "  [conflict]" : ""
  }

  private func line(_ row: Row, _ timeWidth: Int, _ textWidth: Int) -> String {
    let object = row.entry.occurrence.object
    let mark = mark(row)
    let title = Terminal.fitted(title(row), to: textWidth - Terminal.width(mark))
    let place = Terminal.fitted(
      place(row), to: max(0, textWidth - Terminal.width(title) - Terminal.width(mark)))
    let isCancelled = object["status"] == "cancelled"
    var text = isCancelled ? terminal.styled(title, .strikethrough) : title
    if Terminal.width(place) > 4 { text += terminal.styled(place, .dim) }
    text += terminal.styled(mark, .red)
    let shown =
      Terminal.width(title) + (Terminal.width(place) > 4 ? Terminal.width(place) : 0)
      + Terminal.width(mark)
    text += String(repeating: " ", count: max(0, textWidth - shown))
    let id = terminal.id(
      row.entry.stored.uid, recurrenceID: row.entry.occurrence.recurrenceID?.text)
    let color = object["color"]?.stringValue ?? colors[row.entry.stored.collection]
    return "  \(terminal.dot(color)) \(Terminal.padded(row.time, to: timeWidth))  \(text)  "
      + terminal.styled(id, .dim)
  }
}
