import Testing

@testable import AlmanacCLI

@Suite struct CommandLineParserTests {
  private static let commands = [
    CommandSpecification("", .look, "bare") { _ in .done },
    CommandSpecification(
      "add", .write, operands: [OperandSpecification("TITLE")],
      options: [
        OptionSpecification("start", "WHEN", "start"),
        OptionSpecification("tag", "T", repeatable: true, "tag"),
        OptionSpecification("all", "all"),
        OptionSpecification("output", short: "o", "FILE", "file"),
      ], "add"
    ) { _ in .done },
    CommandSpecification("calendar add", .write, operands: [OperandSpecification("NAME")], "c") {
      _ in .done
    },
    CommandSpecification(
      "done", .write, operands: [OperandSpecification("ID", .atLeastOne)], "d"
    ) { _ in .done },
  ]

  private func parse(_ words: String...) throws(CommandError) -> Invocation {
    try CommandLineParser(commands: Self.commands, globals: CommandTable.globals).parse(words)
  }

  @Test func optionsStandAnywhere() throws {
    for words in [
      ["--json", "add", "Lunch", "--start", "fri"], ["add", "--start", "fri", "Lunch", "--json"],
      ["--start", "fri", "add", "--json", "Lunch"],
      [
        "-C", "add", "add", "Lunch", "--json",
        "--start=fri",
      ],
    ] {
      let invocation = try CommandLineParser(
        commands: Self.commands, globals: CommandTable.globals
      ).parse(words)
      #expect(invocation.command.name == "add")
      #expect(invocation.operands == ["Lunch"])
      #expect(invocation.value("start") == "fri")
      #expect(invocation.globals["json"] != nil)
    }
  }

  @Test func valuesMayBeAttachedOrEmptyOrRepeated() throws {
    let invocation = try parse("add", "T", "--start=a=b", "--tag=", "--tag", "x", "-ofile")
    #expect(invocation.value("start") == "a=b")
    #expect(invocation.all("tag") == ["", "x"])
    #expect(invocation.value("output") == "file")
  }

  @Test func dashesEndOptions() throws {
    #expect(try parse("add", "--", "--start").operands == ["--start"])
    #expect(try parse("add", "-").operands == ["-"])
    #expect(try parse("done", "--", "-x", "--all").operands == ["-x", "--all"])
  }

  @Test func shortFlagsMayBeJoined() throws {
    let invocation = try parse("-qh", "add")
    #expect(invocation.globals["quiet"] != nil)
    #expect(invocation.globals["help"] != nil)
  }

  @Test func valuesMayBeginWithADash() throws {
    #expect(try parse("add", "T", "--start", "-2w").value("start") == "-2w")
  }

  @Test func findsCommandsOfTwoWords() throws {
    #expect(try parse("calendar", "add", "Work").command.name == "calendar add")
    #expect(try parse().command.name.isEmpty)
  }

  @Test func suggestsTheNearestCommandAndOption() {
    #expect(
      throws: CommandError.usage(
        "'dnoe' is no command of almanac", hint: "did you mean 'done'?")
    ) { try parse("dnoe", "x") }
    #expect(
      throws: CommandError.usage(
        "'add' has no option --strat", hint: "did you mean --start?")
    ) { try parse("add", "T", "--strat", "fri") }
    #expect(
      throws: CommandError.usage(
        "'calendar' alone is no command", hint: "there is 'calendar add'")
    ) { try parse("calendar") }
  }

  @Test func refusesWhatIsMissingOrTooMuch() {
    #expect(throws: CommandError.self) { try parse("add") }
    #expect(throws: CommandError.self) { try parse("add", "two", "words") }
    #expect(throws: CommandError.self) { try parse("add", "T", "--start") }
    #expect(throws: CommandError.self) { try parse("add", "T", "--start", "--all") }
    #expect(throws: CommandError.self) { try parse("add", "T", "--start", "a", "--start", "b") }
    #expect(throws: CommandError.self) { try parse("add", "T", "--all=yes") }
    #expect(throws: CommandError.self) { try parse("done") }
    #expect(throws: CommandError.self) { try parse("--color", "loud", "add", "T") }
    #expect(throws: CommandError.self) { try parse("-x") }
  }

  @Test func helpNeedsNoOperands() throws {
    #expect(try parse("add", "--help").globals["help"] != nil)
  }

  /// The first word is found before the command is known, so an option must take a value in every
  /// command or in none.
  @Test func optionsOfOneNameAllTakeAValueOrNoneDoes() {
    var takesValue: [String: Bool] = [:]
    for option in CommandTable.globals + CommandTable.commands.flatMap(\.options) {
      let takes = option.value != nil
      #expect(takesValue[option.name, default: takes] == takes, "--\(option.name)")
      takesValue[option.name] = takes
    }
  }

  @Test func everyCommandIsNamedOnceAndSaysWhatItDoes() {
    #expect(Set(CommandTable.commands.map(\.name)).count == CommandTable.commands.count)
    for command in CommandTable.commands {
      #expect(!command.summary.isEmpty && !command.summary.hasSuffix("."))
      #expect(Set(command.options.map(\.name)).count == command.options.count)
      for option in command.options { #expect(!option.help.hasSuffix("."), "\(option.name)") }
      for example in command.examples { #expect(example.contains("almanac")) }
    }
  }
}
