/// How a command ends, as the status of the process.
enum ExitStatus: Int32, Sendable {
  case done = 0
  case cannot = 1
  case usage = 2
  case conflictsWait = 3
  case defect = 70
}

/// Why a command was not carried out: what to say, what helps, and the exit status.
struct CommandError: Error, Hashable, Sendable {
  /// Names the value, then the reason; lower case, no full stop.
  var message: String
  /// What the person can do about it; nil if there is nothing to advise.
  var hint: String?
  var status: ExitStatus

  /// The command line is wrong.
  static func usage(_ message: String, hint: String? = nil) -> CommandError {
    CommandError(message: message, hint: hint, status: .usage)
  }

  /// The command cannot be carried out.
  static func cannot(_ message: String, hint: String? = nil) -> CommandError {
    CommandError(message: message, hint: hint, status: .cannot)
  }

  /// What is not supposed to happen.
  static func defect(_ message: String) -> CommandError {
    CommandError(
      message: message, hint: "this is a defect in Almanac; please report it", status: .defect)
  }
}
