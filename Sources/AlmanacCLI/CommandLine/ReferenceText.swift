/// The reference page of the command line, in Markdown, made from the command table.
enum ReferenceText {
  static func page() -> String {
    var text = """
      # Command reference

      Made from the command table by `almanac help --reference`; `make docs` writes it anew.

      Exit status: 0 done · 1 cannot do that · 2 command line wrong · 3 done, but conflicts wait
      (from `sync`, `pull`, `merge`) · 70 a defect in Almanac. Results go to standard output,
      everything else to standard error. Output to a pipe has no colour and full identifiers.

      ## Options everywhere


      """
    text += table(CommandTable.globals)
    text += "\n" + manners
    for group in CommandSpecification.Group.allCases {
      let commands = CommandTable.commands.filter { $0.group == group }
      if commands.isEmpty { continue }
      text += "\n## \(group.rawValue)\n"
      for command in commands { text += section(command) }
    }
    return text + "\n" + documents
  }

  private static func section(_ command: CommandSpecification) -> String {
    var text = "\n### almanac\(command.name.isEmpty ? "" : " " + command.name)\n\n"
    text += "`\(command.usage)`\n\n" + HelpText.sentence(command.summary) + "\n"
    for paragraph in command.details { text += "\n" + paragraph + "\n" }
    if !command.options.isEmpty { text += "\n" + table(command.options) }
    if !command.examples.isEmpty {
      text += "\n```sh\n" + command.examples.joined(separator: "\n") + "\n```\n"
    }
    return text
  }

  private static func table(_ options: [OptionSpecification]) -> String {
    var text = "| option | meaning |\n|---|---|\n"
    for option in options {
      var help = option.help
      if !option.choices.isEmpty { help += ": " + Suggestion.list(option.choices) }
      if option.isRepeatable { help += " (repeatable)" }
      text += "| `\(option.synopsis)` | \(help.replacing("|", with: "\\|")) |\n"
    }
    return text
  }

  private static let manners = """
    Without `-C` the store is `$ALMANAC_STORE`, else the nearest folder upwards that holds
    `almanac.json`, else `$XDG_DATA_HOME/almanac` (`~/.local/share/almanac`), which bare `almanac`,
    `add`, `remind` and `import` make where it is missing. `$ALMANAC_NOW` is `--now`, `$NO_COLOR`
    turns colour off.

    **Naming things.** `ID` is a UID or any unambiguous beginning of it of at least four characters,
    or `last` (the item last added or shown in this clone), or words of a title that match exactly
    one item. `ID@WHEN` is one occurrence, by its recurrence ID: `6f6a@2026-12-17`. A calendar or
    list is named by slug or by name.

    **Dates.** `2026-12-24`, `2026-12-24T18:30`, `today`, `tomorrow`, `yesterday`, `fri`,
    `next friday`, `in 3 days`, `+2w`, `3 days ago`, `18:30`, `6pm`, `tomorrow 9am`, `dec 24`,
    `24 dec 2027`, `2026-12`. A date without a time makes an all-day item. A weekday is the next
    one, never today; a past `dec 24` is next year's; a past `18:30` is tomorrow's; `12/24` is
    refused. In `--end` a time of day, a weekday or a day of a month counts from the start; in
    `edit`, from the day of the occurrence. Lengths are `45m`, `1h30m`, `2d`, `PT45M`.

    **Spans.** `--this`, `--future` and `--all` say which occurrences of a series an edit covers. An
    item that does not repeat needs none; `ID@WHEN` alone means `--this`; a bare `ID` of a series
    must say `--all`. `--keep` (the default), `--reset` and `--refuse` say what happens to
    occurrences that were changed on their own before.

    """

  private static let documents = """
    ## JSON documents

    `--json` writes one document. Members may be added in later versions; those below stay. Dates,
    date-times and durations are written as in the files of the store; members without a value are
    absent.

    **An occurrence** (`agenda`, `today`, `tomorrow`, `week`, `next`, `occurrences`: a list of them)

    | member | value |
    |---|---|
    | `id`, `recurrenceId`, `occurrence` | the UID, the recurrence ID of a series, and both as `id@recurrenceId` |
    | `kind`, `calendar`, `title` | `event` or `reminder`, the slug of the calendar or list, the title |
    | `start`, `timeZone`, `duration` | local start in its zone; a date if all-day; floating ones have no zone |
    | `startUTC`, `endUTC` | instants; absent if all-day |
    | `location` | the name of the place |
    | `allDay`, `detached`, `repeats`, `conflicted` | true or false |

    **A reminder** (`reminders`: a list of them): `id`, `recurrenceId`, `occurrence`, `kind`, `list`,
    `title`, `start`, `due`, `timeZone`, `dueUTC`, `allDay`, `progress`, `completed`, `priority`,
    `parent`, `order`, `detached`, `repeats`, `conflicted`.

    **A write** (`add`, `remind`, `edit`, `remove`, `done`, `undone`, `resolve`, `undo`): `id`,
    `commit`, `changed`, `created`, `updated`, `removed` (lists of UIDs), `kept` (list of
    `{ "occurrence", "fields" }`), `detached` (list of recurrence IDs), `warnings`.

    | command | document |
    |---|---|
    | `show` | the members of the file, and `calendar`, `path`, `segments` (list of `{ "from", "values" }`) |
    | `calendars`, `lists` | list of `{ "slug", "name", "kind", "color", "readOnly", "timeZone" }` |
    | `calendar add`, `list add` | `{ "slug", "name", "changed" }` |
    | `expand` | `{ "occurrences", "complete", "warnings" }` |
    | `import` | list, one a file: `{ "file", "calendar", "list", "created", "updated", "unchanged", "refused": [ { "line", "component", "uid", "reason" } ], "warnings", "commit" }` |
    | `sync`, `pull`, `push`, `merge` | `{ "remote", "fetched", "pushed", "merged", "conflicts", "head", "notes" }` |
    | `remote` | list of `{ "name", "url" }` |
    | `status` | `{ "path", "commit", "remotes", "conflicts", "unreadable" }` |
    | `conflicts` | list of `{ "id", "recurrenceId", "pointer", "shown": { "value" }, "others": [ { "value", "at", "by" } ] }` |
    | `log` | list of `{ "commit", "at", "by", "subject", "merge" }` |
    | `check` | `{ "files", "findings": [ { "path", "line", "column", "code", "pointer", "message" } ], "fixed", "commit" }` |
    | `init`, `clone` | `{ "path" }` |

    """
}
