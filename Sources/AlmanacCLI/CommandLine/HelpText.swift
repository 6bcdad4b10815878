/// Help, made from the command table.
enum HelpText {
  /// The overview: all commands under their headings.
  static func overview(_ terminal: Terminal) -> String {
    var lines = [
      "Almanac keeps calendars and reminders in git, on your machine and with others.", "",
      "usage: almanac [COMMAND] [options]", "",
      "Without a command it shows the week, and makes a store if there is none.", "",
    ]
    let shown = CommandTable.commands.filter { !$0.name.isEmpty }
    let width = shown.map(\.name.count).max() ?? 0
    for group in CommandSpecification.Group.allCases {
      let members = shown.filter { $0.group == group }
      if members.isEmpty { continue }
      lines.append(terminal.styled(group.rawValue, .bold))
      for command in members {
        lines.append("  " + Terminal.padded(command.name, to: width) + "  " + command.summary)
      }
      lines.append("")
    }
    lines.append(terminal.styled("Options everywhere", .bold))
    lines += optionLines(CommandTable.globals)
    lines += ["", "'almanac help COMMAND' shows one command with examples."]
    return lines.joined(separator: "\n") + "\n"
  }

  /// The help of one command.
  static func command(_ command: CommandSpecification, _ terminal: Terminal) -> String {
    var lines = ["usage: \(command.usage)", "", sentence(command.summary)]
    for paragraph in command.details {
      lines.append("")
      lines += wrapped(paragraph, to: 78)
    }
    if !command.options.isEmpty {
      lines += ["", terminal.styled("Options", .bold)]
      lines += optionLines(command.options)
    }
    if !command.examples.isEmpty {
      lines += ["", terminal.styled("Examples", .bold)]
      lines += command.examples.map { "  " + $0 }
    }
    lines += ["", "'almanac help' lists the options that go with every command."]
    return lines.joined(separator: "\n") + "\n"
  }

  private static func optionLines(_ options: [OptionSpecification]) -> [String] {
    let width = min(26, options.map(\.synopsis.count).max() ?? 0)
    return options.flatMap { option -> [String] in
      let help = wrapped(option.help, to: 78 - width - 4)
      let indent = String(repeating: " ", count: width + 4)
      guard option.synopsis.count <= width else {
        return ["  " + option.synopsis] + help.map { indent + $0 }
      }
      return help.enumerated().map { index, line in
        index == 0
          ? "  " + Terminal.padded(option.synopsis, to: width) + "  " + line : indent + line
      }
    }
  }

  static func sentence(_ text: String) -> String {
    text.prefix(1).uppercased() + text.dropFirst() + (text.hasSuffix(".") ? "" : ".")
  }

  static func wrapped(_ text: String, to columns: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty, line.count + 1 + word.count > columns {
        lines.append(line)
        line = ""
      }
      line += line.isEmpty ? word : " " + word
    }
    if !line.isEmpty { lines.append(line) }
    return lines
  }
}
