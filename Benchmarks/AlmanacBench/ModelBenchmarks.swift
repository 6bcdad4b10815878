import CLibical
import CalendarModel
import CivilTime
import Recurrence

/// Reading: rule text, and a calendar of ten thousand events.
enum ModelBenchmarks {
  static func run(_ harness: inout Harness) {
    let texts = RecurrenceBenchmarks.rules.map(\.rule)
    harness.run("recurrence/parse-rule", unit: "rule", expecting: texts.count) {
      let rules = texts.compactMap { try? RecurrenceRule(parsing: $0) }
      return (rules.count, rules.count)
    } peer: {
      var count = 0
      for text in texts where icalrecurrencetype_from_string(text).interval > 0 { count += 1 }
      return (count, count)
    }
    let calendar = calendar(events: harness.isSmoke ? 100 : 10_000)
    let bytes = Array(calendar.utf8)
    let zones = TimeZoneDatabase()
    harness.run("model/import-\(harness.isSmoke ? 100 : 10_000)-events", unit: "calendar") {
      let document = ICalendarDecoder.decode(bytes, zones: zones)
      return (1, document.items.count)
    } peer: {
      guard let root = icalparser_parse_string(calendar) else { return (1, 0) }
      defer { icalcomponent_free(root) }
      return (1, Int(icalcomponent_count_components(root, ICAL_VEVENT_COMPONENT)))
    }
  }

  /// A calendar of weekly events.
  static func calendar(events: Int) -> String {
    var text = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Almanac//Bench//EN\r\n"
    for number in 0..<events {
      let day = CivilDate(dayNumber: Int32(18_000 + number % 2_000))
      let basic = day.description.filter { $0 != "-" }
      text += """
        BEGIN:VEVENT\r
        UID:event-\(number)@example.org\r
        DTSTAMP:20260101T000000Z\r
        DTSTART:\(basic)T090000Z\r
        DTEND:\(basic)T100000Z\r
        SUMMARY:Meeting number \(number)\r
        LOCATION:Room \(number % 40)\r
        DESCRIPTION:What is to be talked about\\, and who brings the cake.\r
        RRULE:FREQ=WEEKLY;BYDAY=MO,WE\r
        END:VEVENT\r\n
        """
    }
    return text + "END:VCALENDAR\r\n"
  }
}
