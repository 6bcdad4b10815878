extension CommandTable {
  static let tools: [CommandSpecification] = [
    CommandSpecification(
      "expand", .tools,
      options: [
        OptionSpecification("rule", "RRULE", "the rule, such as FREQ=WEEKLY;BYDAY=MO"),
        OptionSpecification("start", "WHEN", "the start of the series"),
        OptionSpecification("timezone", "ZONE", "the zone of the series; none is floating"),
        OptionSpecification("rdate", "WHEN", repeatable: true, "an extra date"),
        OptionSpecification("exdate", "WHEN", repeatable: true, "a date that is left out"),
        OptionSpecification("from", "WHEN", "the beginning of the window, included"),
        OptionSpecification("to", "WHEN", "the end of the window, not included, dates too"),
        OptionSpecification("limit", "N", "at most so many occurrences"),
        OptionSpecification(
          "include-start", "add the start itself where the rule does not make it"),
      ],
      "print the occurrences of a recurrence rule",
      details: [
        "Works without a store. Prints one local start a line. A rule without an end needs --to "
          + "or --limit; without either, 1000 occurrences are printed and a note says so.",
        "With --json: occurrences, complete (there is no further one in the window) and warnings.",
      ],
      examples: [
        "almanac expand --rule 'FREQ=MONTHLY;BYDAY=-1FR' --start 2026-01-30T17:00 --limit 6",
        "almanac expand --rule 'FREQ=YEARLY' --start 2024-02-29 --to 2040-01-01",
      ],
      run: ExpandCommand.run),
    CommandSpecification(
      "merge-file", .tools,
      operands: [
        OperandSpecification("BASE"), OperandSpecification("OURS"), OperandSpecification("THEIRS"),
        OperandSpecification("PATH"),
      ],
      "merge one file; git calls this",
      details: [
        "The merge driver that 'almanac init' and 'almanac clone' set up: 'git merge' calls it for "
          + "a file that both sides changed. The result replaces OURS."
      ],
      run: MergeFileCommand.run),
    CommandSpecification(
      "completion", .tools, operands: [OperandSpecification("SHELL")],
      "print a completion script for bash, zsh or fish",
      examples: ["source <(almanac completion bash)"], run: HelpCommand.completion),
    CommandSpecification(
      "help", .tools, operands: [OperandSpecification("COMMAND", .any)],
      options: [OptionSpecification("reference", "print the whole reference as Markdown")],
      "show help", examples: ["almanac help add"], run: HelpCommand.run),
  ]
}
