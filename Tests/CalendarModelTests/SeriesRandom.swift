import CivilTime
import TestSupport

@testable import CalendarModel

/// Random series, and random edits of them.
struct SeriesRandom {
  var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  static let weekdays = ["mo", "tu", "we", "th", "fr", "sa", "su"]

  mutating func object() -> CalendarObject {
    var members: JSONObject = ["uid": "5b1f0f7a-1c5e-4b0b-9a7d-52c8e6d1b903", "title": "Old"]
    let date = CivilDate.epoch.adding(days: 20_450 + generator.integer(0...400))
    let isAllDay = generator.chance(oneIn: 4)
    let isTask = generator.chance(oneIn: 4)
    let hour = generator.integer(0...23)
    let start: DateOrDateTime =
      isAllDay
      ? .date(date)
      : .dateTime(CivilDateTime(date: date, time: TimeOfDay(secondOfDay: hour * 3_600)))
    if !isAllDay, !generator.chance(oneIn: 5) { members["timeZone"] = "Europe/Berlin" }
    if isTask {
      members["due"] = .string(start.adding(days: 1).description)
      if generator.chance(oneIn: 2) { members["start"] = .string(start.description) }
    } else {
      members["start"] = .string(start.description)
      if !isAllDay { members["duration"] = "PT1H" }
    }
    members["locations"] = ["hall": ["name": "Hall"]]
    members["recurrenceRule"] = .object(rule(date: isTask ? date.adding(days: 1) : date))
    var object = CalendarObject(kind: isTask ? .reminder : .event, members: members)
    object.members = Series.normalised(object)
    addOverrides(to: &object)
    object.members = Series.normalised(object)
    return object
  }

  mutating func rule(date: CivilDate, hasEnd: Bool = true) -> JSONObject {
    let frequency = generator.element(of: [
      "daily", "weekly", "weekly", "weekly", "monthly", "yearly",
    ])
    var rule: JSONObject = ["frequency": .string(frequency)]
    if generator.chance(oneIn: 3) { rule["interval"] = .number(String(generator.integer(2...3))) }
    if frequency == "weekly", generator.chance(oneIn: 2) {
      let own = Self.weekdays[Int(date.weekday.rawValue)]
      var days = [own]
      if generator.chance(oneIn: 3) { days.append(generator.element(of: Self.weekdays)) }
      rule["byDay"] = .array(Set(days).sorted().map { ["day": .string($0)] })
    }
    if frequency == "monthly", generator.chance(oneIn: 2) {
      rule["byMonthDay"] = [.number(String(date.day))]
    }
    if hasEnd {
      switch generator.integer(0...2) {
      case 0: rule["count"] = .number(String(generator.integer(1...12)))
      case 1: rule["until"] = .string(date.adding(days: generator.integer(0...200)).description)
      default: break
      }
    }
    return Normaliser.rule(rule)
  }

  mutating func addOverrides(to object: inout CalendarObject) {
    guard let series = try? Series(object) else { return }
    for id in series.visibleIDs().prefix(8) where generator.chance(oneIn: 3) {
      guard let start = series.values(at: id)?.anchor else { continue }
      switch generator.integer(0...4) {
      case 0: object.setOverride(id, ["excluded": true])
      case 1: object.setOverride(id, ["title": "Own"])
      case 2:
        let moved = start.adding(days: generator.integer(-2...2))
        if moved != start {
          object.setOverride(id, [object.anchorName: .string(moved.description)])
        }
      case 3:
        let extra = RecurrenceID(.date(id.value.date.adding(days: generator.integer(1...3))))
        if !series.generates(extra), series.override(extra) == nil {
          object.setOverride(extra, ["added": true, "title": "Extra"])
        }
      default:
        if object.kind == .reminder { object.setOverride(id, ["progress": "completed"]) }
      }
    }
  }

  /// What an edit is about.
  enum Subject: CaseIterable { case title, place, hour, day, rule, interval, end, noRule, nothing }

  mutating func edit(_ subject: Subject, of shown: CalendarObject) -> SeriesEdit {
    let name = shown.anchorName
    guard let start = shown.anchor else { return SeriesEdit() }
    switch subject {
    case .title: return SeriesEdit([("title", .string("T\(generator.integer(1...9))"))])
    case .place:
      return SeriesEdit([("locations/hall/name", .string("P\(generator.integer(1...9))"))])
    case .hour:
      guard start.time != nil else { return SeriesEdit() }
      let time = TimeOfDay(secondOfDay: generator.integer(0...23) * 3_600)
      let moved = CivilDateTime(date: start.date, time: time)
      return SeriesEdit([(name, .string(moved.description))])
    case .day:
      let days = generator.integer(-3...3)
      return SeriesEdit([(name, .string(start.adding(days: days).description))])
    case .rule:
      return SeriesEdit([("recurrenceRule", .object(rule(date: start.date)))])
    case .interval:
      return SeriesEdit([
        ("recurrenceRule/interval", .number(String(generator.integer(2...4))))
      ])
    case .end:
      return SeriesEdit([
        ("recurrenceRule/count", .number(String(generator.integer(2...20)))),
        ("recurrenceRule/until", nil),
      ])
    case .noRule: return SeriesEdit([("recurrenceRule", nil)])
    case .nothing: return SeriesEdit([("title", shown["title"]), (name, shown[name])])
    }
  }
}
