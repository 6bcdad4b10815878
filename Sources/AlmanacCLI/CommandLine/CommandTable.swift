/// The one table of commands and options.
enum CommandTable {
  /// Options that go with every command.
  static let globals: [OptionSpecification] = [
    OptionSpecification(
      "store", short: "C", "PATH", repeatable: true,
      "the store's folder; repeat it to see several stores together"),
    OptionSpecification("json", "write one JSON document"),
    OptionSpecification("tz", "ZONE", "the zone in which times are shown and read"),
    OptionSpecification(
      "now", "INSTANT", "pretend it is this moment, such as 2026-11-30T12:00:00Z"),
    OptionSpecification(
      "color", "WHEN", choices: ["auto", "always", "never"], "whether to write in colour"),
    OptionSpecification("quiet", short: "q", "no chatter"),
    OptionSpecification("no-input", "never ask and never open an editor"),
    OptionSpecification("help", short: "h", "show help for the command"),
    OptionSpecification("version", "print the version"),
  ]

  /// All commands in the order of help.
  static let commands: [CommandSpecification] =
    look + write + collections + share + history + setUp + tools

  /// The command with a name.
  static func command(named name: String) -> CommandSpecification? {
    commands.first { $0.name == name }
  }

  static let dryRun = OptionSpecification(
    "dry-run", "say what would change, and change nothing")
}
