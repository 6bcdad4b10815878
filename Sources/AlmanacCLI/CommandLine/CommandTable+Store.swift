extension CommandTable {
  private static let color = OptionSpecification(
    "color", "C", "its colour: a CSS name or #rrggbb")

  static let collections: [CommandSpecification] = [
    CommandSpecification(
      "calendars", .collections, "list the calendars", run: CollectionCommands.calendars),
    CommandSpecification(
      "calendar add", .collections, operands: [OperandSpecification("NAME")],
      options: [
        color, OptionSpecification("reminders", "make a list for reminders, as 'list add' does"),
        dryRun,
      ], "make a calendar and print its slug",
      examples: ["almanac calendar add Work --color steelblue"],
      run: CollectionCommands.addCalendar),
    CommandSpecification(
      "lists", .collections, "list the reminder lists", run: CollectionCommands.lists),
    CommandSpecification(
      "list add", .collections, operands: [OperandSpecification("NAME")], options: [color, dryRun],
      "make a reminder list and print its slug", examples: ["almanac list add Groceries"],
      run: CollectionCommands.addList),
    CommandSpecification(
      "import", .collections, operands: [OperandSpecification("FILE", .atLeastOne)],
      options: [
        OptionSpecification("calendar", "C", "the calendar for events"),
        OptionSpecification("list", "L", "the list for reminders"), dryRun,
      ],
      "bring iCalendar files in",
      details: [
        "Items are matched by UID: the same file again changes nothing, a newer version updates. "
          + "Without --calendar, events go to a calendar named as the file's, which is made if it "
          + "is missing, else to the default one. '-' is standard input.",
        "Each file is one commit. What is refused is listed with its line and the reason, and "
          + "everything else is imported; the exit status is 1 if a file gives nothing at all.",
      ],
      examples: ["almanac import ~/calendar.ics", "almanac import --calendar work - < export.ics"],
      run: ImportCommand.run),
  ]

  static let share: [CommandSpecification] = [
    CommandSpecification(
      "sync", .share, operands: [OperandSpecification("REMOTE", .optional)], options: [dryRun],
      "fetch, merge and push",
      details: [
        "Merging never stops: where both sides changed one thing, the later value is shown, the "
          + "other is kept, and the exit status is 3. 'almanac conflicts' lists what waits."
      ],
      examples: ["almanac sync", "almanac sync --dry-run"], run: ShareCommands.sync),
    CommandSpecification(
      "pull", .share, operands: [OperandSpecification("REMOTE", .optional)], options: [dryRun],
      "fetch and merge", run: ShareCommands.pull),
    CommandSpecification(
      "push", .share, operands: [OperandSpecification("REMOTE", .optional)], options: [dryRun],
      "push", run: ShareCommands.push),
    CommandSpecification(
      "merge", .share, operands: [OperandSpecification("REF")],
      "merge a branch or commit of the same store", examples: ["almanac merge plans"],
      run: ShareCommands.merge),
    CommandSpecification("remote", .share, "list the remotes", run: ShareCommands.remotes),
    CommandSpecification(
      "remote add", .share, operands: [OperandSpecification("NAME"), OperandSpecification("URL")],
      "add a remote to share with",
      examples: ["almanac remote add origin git@example.org:household.git"],
      run: ShareCommands.addRemote),
    CommandSpecification(
      "status", .share, "show where the store is, its remotes and what waits",
      run: ShareCommands.status),
    CommandSpecification(
      "conflicts", .share, "list open conflicts with all their values",
      run: ConflictCommands.list),
    CommandSpecification(
      "resolve", .share,
      operands: [OperandSpecification("ID[@WHEN]"), OperandSpecification("FIELD", .optional)],
      options: [
        OptionSpecification("shown", "keep the value that is shown"),
        OptionSpecification("take", "N", "take another value, by its number"),
        OptionSpecification("value", "V", "write this value"), dryRun,
      ],
      "settle one conflict, or all of an item",
      examples: ["almanac resolve choir --shown", "almanac resolve choir title --take 1"],
      run: ConflictCommands.resolve),
  ]

  static let history: [CommandSpecification] = [
    CommandSpecification(
      "log", .history, operands: [OperandSpecification("ID", .optional)],
      options: [OptionSpecification("limit", "N", "at most so many, 50 if not given")],
      "show who did what and when, newest first",
      examples: ["almanac log", "almanac log choir --limit 5"], run: HistoryCommands.log),
    CommandSpecification(
      "undo", .history, operands: [OperandSpecification("REV", .optional)], options: [dryRun],
      "take back the last action made in this clone, or the given one",
      details: [
        "It becomes a new commit. Again, it takes back the action before. It refuses where a later "
          + "edit of the same item stands on it."
      ], examples: ["almanac undo --dry-run", "almanac undo"], run: HistoryCommands.undo),
    CommandSpecification(
      "check", .history, options: [OptionSpecification("fix", "mend what is safe to mend")],
      "check the whole store",
      details: [
        "Prints one line a finding: file, line, column, code and message. Codes that begin with E "
          + "are errors, with exit status 1; those with W are warnings."
      ], examples: ["almanac check", "almanac check --fix"], run: HistoryCommands.check),
  ]

  static let setUp: [CommandSpecification] = [
    CommandSpecification(
      "init", .start, operands: [OperandSpecification("DIR", .optional)],
      options: [
        OptionSpecification("name", "N", "the name of the store"),
        OptionSpecification("bare", "make a bare repository, for a server"),
      ],
      "make a store with one calendar and one list",
      details: [
        "Inside an existing git repository the store is a subfolder of it, and its commits hold "
          + "its own paths only."
      ], examples: ["almanac init household --name Household"], run: SetUpCommands.create),
    CommandSpecification(
      "clone", .start,
      operands: [OperandSpecification("URL"), OperandSpecification("DIR", .optional)],
      "copy a store from a remote",
      examples: ["almanac clone git@example.org:household.git"], run: SetUpCommands.clone),
    CommandSpecification(
      "demo", .start, operands: [OperandSpecification("DIR", .optional)],
      "watch two replicas diverge and merge, beside what git alone makes of it",
      details: ["Everything happens in a new folder, which can be deleted afterwards."],
      run: DemoCommand.run),
  ]
}
