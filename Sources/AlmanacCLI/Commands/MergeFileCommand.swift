import Almanac
import CalendarModel

/// `merge-file`: git's merge driver.
enum MergeFileCommand {
  @Sendable static func run(_ session: Session) throws -> ExitStatus {
    let operands = session.invocation.operands
    let versions = try operands.prefix(3).map { name throws(CommandError) in
      guard let bytes = fileContents(session.surroundings.absolutePath(name)) else {
        throw .cannot("'\(name)' cannot be read")
      }
      return bytes
    }
    // Git runs the driver in the root of its work tree and names the file from there.
    let (prefix, path) = split(operands[3])
    let root = session.surroundings.workingDirectory + (prefix.isEmpty ? "" : "/" + prefix)
    let replica = try? Replica.open(root, environment: session.environment)
    let heads = session.surroundings.variables.keys.filter { $0.hasPrefix("GITHEAD_") }
      .map { String($0.dropFirst(8)) }.sorted()
    let merged = try MergeDriver.merge(
      base: versions[0], ours: versions[1], theirs: versions[2],
      path: replica == nil ? path : operands[3], replica: replica,
      candidates: ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REBASE_HEAD"] + heads)
    if merged != versions[1] {
      guard writeFile(merged, to: session.surroundings.absolutePath(operands[1])) else {
        throw CommandError.cannot("'\(operands[1])' cannot be written")
      }
    }
    return .done
  }

  /// The folder of the store within the work tree, and the path within the store.
  static func split(_ path: String) -> (prefix: String, path: String) {
    let parts = path.split(separator: "/").map(String.init)
    let index =
      parts.indices.last { ["calendars", "lists"].contains(parts[$0]) && $0 + 2 < parts.count }
      ?? max(0, parts.count - 1)
    return (
      parts[..<index].joined(separator: "/"), parts[index...].joined(separator: "/")
    )
  }
}
