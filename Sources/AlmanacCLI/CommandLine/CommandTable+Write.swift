extension CommandTable {
  static let recurrence: [OptionSpecification] = [
    OptionSpecification("rule", "RRULE", "how it repeats, as RFC 5545 writes it"),
    OptionSpecification(
      "every", "UNIT", "how it repeats: day, week, '2 weeks', month, year, weekday, monday"),
    OptionSpecification(
      "on", "DAYS", repeatable: true, "the days: mo,we; with month or year 15, last, '2nd tue'"),
    OptionSpecification("count", "N", "how often it happens in all"),
    OptionSpecification("until", "DATE", "the last day on which it may happen"),
  ]

  static let zone: [OptionSpecification] = [
    OptionSpecification("timezone", "Z", "the zone that is stored, and in which times are read"),
    OptionSpecification("floating", "store no zone: the same time of day everywhere"),
  ]

  static let text: [OptionSpecification] = [
    OptionSpecification("location", "T", "the place"),
    OptionSpecification("notes", "T", "notes"),
    OptionSpecification("url", "U", "a link"),
    OptionSpecification("tag", "T", repeatable: true, "a tag"),
    OptionSpecification(
      "alert", "LENGTH", repeatable: true, "an alert so long before, such as 15m; +15m is after"),
  ]

  static let spans: [OptionSpecification] = [
    OptionSpecification("this", "only the occurrence that is named"),
    OptionSpecification("future", "the occurrence that is named and all later ones"),
    OptionSpecification("all", "the whole series"),
    OptionSpecification("keep", "occurrences with values of their own keep them (the default)"),
    OptionSpecification("reset", "occurrences with values of their own lose them"),
    OptionSpecification("refuse", "change nothing if any has values of its own"),
  ]

  static let people: [OptionSpecification] = [
    OptionSpecification("attendee", "MAIL", repeatable: true, "invite somebody"),
    OptionSpecification("busy", "the time counts as taken"),
    OptionSpecification("free", "the time counts as free"),
  ]

  static let write: [CommandSpecification] = [
    CommandSpecification(
      "add", .write, operands: [OperandSpecification("TITLE")],
      options: [
        OptionSpecification("start", "WHEN", "when it begins; a date alone makes it all-day"),
        OptionSpecification("end", "WHEN", "when it ends; an all-day end includes that day"),
        OptionSpecification("duration", "LENGTH", "how long it lasts"),
        OptionSpecification("calendar", "C", "the calendar, by slug or name"),
      ] + zone + recurrence + text + people
        + [OptionSpecification("uid", "UID", "the UID, else a random one"), dryRun],
      "add an event and print its ID",
      examples: [
        "almanac add \"Dentist\" --start \"fri 10:00\" --duration 45m",
        "almanac add \"Choir\" --start \"thu 19:30\" --duration 2h --every week --until 2027-07-15",
        "almanac add \"Holidays\" --start 2026-12-24 --end 2027-01-03 --calendar home --free",
      ], run: AddCommand.add),
    CommandSpecification(
      "remind", .write, operands: [OperandSpecification("TITLE")],
      options: [
        OptionSpecification("due", "WHEN", "when it is due; a date means the end of that day"),
        OptionSpecification("start", "WHEN", "when it can be begun"),
        OptionSpecification("list", "L", "the list, by slug or name"),
        OptionSpecification("priority", "P", "high, medium, low, or 0 to 9"),
        OptionSpecification("parent", "ID", "the reminder that this one is a part of"),
      ] + zone + recurrence + text
        + [OptionSpecification("uid", "UID", "the UID, else a random one"), dryRun],
      "add a reminder and print its ID",
      examples: [
        "almanac remind \"Buy stamps\"",
        "almanac remind \"Tax return\" --due \"may 31\" --priority high",
        "almanac remind \"Paper bin\" --due \"mon 20:00\" --every \"2 weeks\" --list house",
      ], run: AddCommand.remind),
    CommandSpecification(
      "done", .write, operands: [OperandSpecification("ID[@WHEN]", .atLeastOne)], options: [dryRun],
      "complete reminders",
      details: ["Of a repeating reminder the first open occurrence, unless one is named."],
      examples: ["almanac done 'paper bin'", "almanac done 3a7d@2026-12-14"], run: DoneCommand.done),
    CommandSpecification(
      "undone", .write, operands: [OperandSpecification("ID[@WHEN]", .atLeastOne)],
      options: [dryRun], "open completed reminders again",
      details: ["Of a repeating reminder the last completed occurrence, unless one is named."],
      examples: ["almanac undone last"], run: DoneCommand.undone),
    CommandSpecification(
      "edit", .write, operands: [OperandSpecification("ID[@WHEN]")],
      options: spans + [
        OptionSpecification("title", "T", "the title"),
        OptionSpecification("start", "WHEN", "when it begins; a day alone keeps the time of day"),
        OptionSpecification("end", "WHEN", "when it ends"),
        OptionSpecification("duration", "LENGTH", "how long it lasts"),
        OptionSpecification("due", "WHEN", "when a reminder is due"),
        OptionSpecification("all-day", "make it last whole days"),
        OptionSpecification("priority", "P", "high, medium, low, or 0 to 9"),
      ] + zone + recurrence + [OptionSpecification("remove-rule", "it no longer repeats")] + text
        + people + [
          OptionSpecification(
            "clear", "FIELD", repeatable: true, "remove notes, location, tags, …"),
          dryRun,
        ],
      "change an item, an occurrence, or a series from a date on",
      details: [
        "Only what is named changes. A time of day, a weekday or a day of a month counts from the "
          + "day of the occurrence, so '--start 18:00' moves the time and keeps the day.",
        "What it did is printed: how many occurrences, and which kept values of their own.",
      ],
      examples: [
        "almanac edit 'choir@2026-12-03' --future --start 18:00",
        "almanac edit 'choir@2026-12-17' --this --title 'Dress rehearsal'",
        "almanac edit dentist --notes 'bring the card' --alert 1h",
      ], run: EditCommand.edit),
    CommandSpecification(
      "remove", .write, operands: [OperandSpecification("ID[@WHEN]")], options: spans + [dryRun],
      "remove an item, an occurrence, or a series from a date on",
      examples: [
        "almanac remove 'choir@2026-12-24'", "almanac remove 'choir@2027-02-04' --future",
        "almanac remove dentist",
      ], run: EditCommand.remove),
  ]
}
