import Almanac
import CalendarModel
import CivilTime

/// The program: reads the command line, runs the command, answers with an exit status.
enum CommandLineTool {
  /// The version that `--version` prints.
  static let version = "0.1.0"

  /// Runs the program in its process.
  static func main() -> Int32 {
    let output = CommandOutput(keepingBytes: false)
    let status = run(
      arguments: Array(CommandLine.arguments.dropFirst()), surroundings: .process(), output: output)
    output.flush()
    return status
  }

  /// Runs one command line.
  ///
  /// - Returns: the exit status.
  static func run(
    arguments: [String], surroundings: Surroundings, output: CommandOutput
  ) -> Int32 {
    do {
      let parser = CommandLineParser(
        commands: CommandTable.commands, globals: CommandTable.globals)
      let invocation = try parser.parse(arguments)
      if invocation.globals["version"] != nil {
        output.line("almanac \(version)")
        return ExitStatus.done.rawValue
      }
      let session = try Session(invocation, surroundings, output)
      if invocation.globals["help"] != nil {
        output.write(
          invocation.command.name.isEmpty
            ? HelpText.overview(session.terminal)
            : HelpText.command(invocation.command, session.terminal))
        return ExitStatus.done.rawValue
      }
      return try invocation.command.run(session).rawValue
    } catch {
      return report(error, output)
    }
  }

  /// Says what went wrong and returns the exit status.
  private static func report(_ error: any Error, _ output: CommandOutput) -> Int32 {
    let error = ErrorWords.commandError(for: error)
    output.note("almanac: " + Terminal.safe(error.message))
    if let hint = error.hint { output.note("hint: " + Terminal.safe(hint)) }
    return error.status.rawValue
  }
}
