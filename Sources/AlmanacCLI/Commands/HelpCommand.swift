/// `help` and `completion`: what the command table says.
enum HelpCommand {
  @Sendable static func run(_ session: Session) throws -> ExitStatus {
    if session.invocation.has("reference") {
      session.output.write(ReferenceText.page())
      return .done
    }
    let name = session.invocation.operands.joined(separator: " ")
    if name.isEmpty {
      session.output.write(HelpText.overview(session.terminal))
      return .done
    }
    if let command = CommandTable.command(named: name) {
      session.output.write(HelpText.command(command, session.terminal))
      return .done
    }
    let inner = CommandTable.commands.filter { $0.name.hasPrefix(name + " ") }
    if !inner.isEmpty {
      session.output.write(
        inner.map { HelpText.command($0, session.terminal) }.joined(separator: "\n"))
      return .done
    }
    let near = Suggestion.nearest(to: name, among: CommandTable.commands.map(\.name))
    throw CommandError.usage(
      "'\(name)' is no command of almanac",
      hint: near.map { "did you mean '\($0)'?" } ?? "'almanac help' lists the commands")
  }

  @Sendable static func completion(_ session: Session) throws -> ExitStatus {
    let shell = session.invocation.operands.first ?? ""
    guard let script = CompletionScript.text(for: shell) else {
      throw CommandError.usage(
        "there is no completion for '\(shell)'",
        hint: "it is " + Suggestion.list(CompletionScript.shells))
    }
    session.output.write(script)
    return .done
  }
}
