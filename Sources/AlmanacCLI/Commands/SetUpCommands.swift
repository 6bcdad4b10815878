import Almanac
import CalendarModel
import CivilTime

/// `init`, `clone` and `demo`.
enum SetUpCommands {
  @Sendable static func create(_ session: Session) throws -> ExitStatus {
    let path = session.surroundings.absolutePath(session.invocation.operands.first ?? ".")
    let replica: Replica
    if fileExists(path + "/almanac.json") {
      // Again in the same place sets up what a clone needs: the merge driver.
      replica = try Replica.open(path, environment: session.environment)
      try replica.configureMerge()
      session.note("there is a store at \(path) already; its merge driver is set up")
    } else {
      replica = try Replica.create(
        path, name: session.invocation.value("name"), bare: session.invocation.has("bare"),
        environment: session.environment)
      session.note("made a store at \(path), with the calendar 'home' and the list 'tasks'")
    }
    noteIdentity(replica, session)
    return finish(replica, session)
  }

  @Sendable static func clone(_ session: Session) throws -> ExitStatus {
    let url = session.invocation.operands[0]
    let name = url.split(separator: "/").last.map(String.init) ?? "calendar"
    let folder = name.hasSuffix(".git") ? String(name.dropLast(4)) : name
    let path = session.surroundings.absolutePath(
      session.invocation.operands.count > 1 ? session.invocation.operands[1] : folder)
    let replica = try Replica.clone(
      session.address(url), to: path, environment: session.environment,
      progress: session.progress)
    session.note("cloned \(url) to \(path)")
    noteIdentity(replica, session)
    return finish(replica, session)
  }

  private static func noteIdentity(_ replica: Replica, _ session: Session) {
    guard replica.isIdentityGuessed else { return }
    session.note(
      "git knows no name of yours, so changes are signed \(replica.ownAddress); "
        + "'git config --global user.name' and 'user.email' change that")
  }

  private static func finish(_ replica: Replica, _ session: Session) -> ExitStatus {
    if session.isJSON {
      session.write(["path": .string(replica.path)])
    } else {
      session.output.line(replica.path)
    }
    return .done
  }
}

extension Session {
  /// An address of a remote: a path that exists is made absolute.
  func address(_ url: String) -> String {
    guard !url.contains(":") else { return url }
    let path = surroundings.absolutePath(url)
    return fileExists(path) ? path : url
  }

  /// Shows git's progress on a terminal.
  var progress: ((String) -> Void)? {
    guard surroundings.isTerminal, !isQuiet, !isJSON else { return nil }
    return { [output] line in output.note(Terminal.safe(line)) }
  }
}
