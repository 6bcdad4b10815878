extension CommandTable {
  static let calendarFilter = OptionSpecification(
    "calendar", "C", repeatable: true, "only this calendar")
  static let limit = OptionSpecification("limit", "N", "at most so many")

  static let look: [CommandSpecification] = [
    CommandSpecification(
      "", .look, "show the week, and make a store if there is none",
      details: ["Shows the next seven days and the reminders due in them."],
      examples: ["almanac", "almanac --json"], run: AgendaCommand.bare),
    CommandSpecification(
      "today", .look, options: [calendarFilter, limit],
      "show what happens today, and the reminders due", examples: ["almanac today"],
      run: AgendaCommand.today),
    CommandSpecification(
      "tomorrow", .look, options: [calendarFilter, limit], "show what happens tomorrow",
      run: AgendaCommand.tomorrow),
    CommandSpecification(
      "week", .look, options: [calendarFilter, limit],
      "show what happens in the seven days from today", run: AgendaCommand.week),
    CommandSpecification(
      "next", .look, options: [calendarFilter, limit], "show what comes next",
      examples: ["almanac next", "almanac next --limit 5"], run: AgendaCommand.next),
    CommandSpecification(
      "agenda", .look,
      options: [
        OptionSpecification("from", "WHEN", "the beginning of the window, today if not given"),
        OptionSpecification(
          "to", "WHEN", "its end: a date includes that day, a date-time is not included"),
        OptionSpecification("days", "N", "how many days, 7 if not given"),
        calendarFilter,
        OptionSpecification("text", "T", "only items that hold these words"),
        limit,
      ],
      "show occurrences in time order",
      examples: [
        "almanac agenda --days 30", "almanac agenda --from 2026-12 --to 2026-12 --calendar home",
        "almanac agenda --text choir --days 90 --json",
      ], run: AgendaCommand.agenda),
    CommandSpecification(
      "reminders", .look,
      options: [
        OptionSpecification("list", "L", repeatable: true, "only this list"),
        OptionSpecification("due", "WHEN", "due by then: today, week, overdue or a date"),
        OptionSpecification("all", "completed ones, too"),
        OptionSpecification("completed", "only completed ones"),
        OptionSpecification("tag", "T", repeatable: true, "only those with this tag"),
      ],
      "show open reminders, those due first",
      details: [
        "A repeating reminder is shown by its first open occurrence. --due today and other dates "
          + "show what is due by then, what is overdue included."
      ],
      examples: ["almanac reminders", "almanac reminders --due today --list house"],
      run: ReminderListCommand.run),
    CommandSpecification(
      "show", .look, operands: [OperandSpecification("ID[@WHEN]")],
      "show everything about one item",
      details: ["For a series: its rule in words, its segments, and the occurrences that differ."],
      examples: ["almanac show 6f6a", "almanac show last", "almanac show 6f6a@2026-12-17"],
      run: ShowCommand.run),
    CommandSpecification(
      "occurrences", .look, operands: [OperandSpecification("ID")],
      options: [
        OptionSpecification("from", "WHEN", "the beginning, the first occurrence if not given"),
        OptionSpecification("to", "WHEN", "the end: a date includes that day"),
        OptionSpecification("limit", "N", "at most so many, 20 if not given"),
      ],
      "show the occurrences of one item",
      examples: ["almanac occurrences choir --from today --limit 5"], run: OccurrencesCommand.run),
  ]
}
