public import CalendarModel
import GitStore

/// What a replica cannot do, with the place and the reason.
public enum ReplicaError: Error, Sendable {
  /// There is no store at a path.
  case noStore(String)
  /// There is a store at a path already.
  case storeExists(String)
  /// The store's format is newer than this program.
  case newerFormat(Int)
  /// Nothing answers to an ID or a title.
  case notFound(String)
  /// Several things answer: their IDs and titles.
  case ambiguous(String, candidates: [(id: String, title: String)])
  /// There is no such calendar or list.
  case noSuchCollection(String, known: [String])
  /// A calendar or list of this name is there already.
  case collectionExists(String)
  /// The calendar takes no changes.
  case readOnly(String)
  /// A file is wrong and is not written over; the first finding says where.
  case unreadable(path: String, finding: Finding)
  /// A value is wrong.
  case invalid(path: String, finding: Finding)
  /// There is no remote.
  case noRemote(String?)
  /// Two histories have no commit in common.
  case unrelatedHistories(String)
  /// The remote could not be reached.
  case offline(remote: String, reason: String)
  /// The remote refused.
  case refused(remote: String, reason: String)
  /// Other processes kept on writing.
  case busy
  /// The repository is in a state that needs the user's own git first.
  case repositoryState(String)
  /// Git failed.
  case git(String)
}

extension ReplicaError: CustomStringConvertible {
  /// The message, without advice.
  public var description: String {
    switch self {
    case .noStore(let path): "there is no store at '\(path)'"
    case .storeExists(let path): "there is a store at '\(path)' already"
    case .newerFormat(let format): "the store has format \(format); this program knows format 1"
    case .notFound(let name): "nothing answers to '\(name)'"
    case .ambiguous(let name, let candidates):
      "'\(name)' could be: "
        + candidates.prefix(6).map { "\($0.id.prefix(8)) \"\($0.title)\"" }.joined(separator: ", ")
    case .noSuchCollection(let name, let known):
      "there is no calendar or list '\(name)'; there are: \(known.joined(separator: ", "))"
    case .collectionExists(let name): "'\(name)' is there already"
    case .readOnly(let name): "'\(name)' is read-only"
    case .unreadable(let path, let finding): "\(path):\(finding) - the file is left as it is"
    case .invalid(_, let finding): "\(finding.pointer): \(finding.message)"
    case .noRemote(let name):
      name.map { "there is no remote '\($0)'" } ?? "the store has no remote to sync with"
    case .unrelatedHistories(let remote):
      "'\(remote)' is another store: its history has no commit in common with this one"
    case .offline(let remote, let reason): "'\(remote)' could not be reached: \(reason)"
    case .refused(let remote, let reason): "'\(remote)' refused: \(reason)"
    case .busy: "other processes keep writing to the store"
    case .repositoryState(let reason): reason
    case .git(let message): message
    }
  }
}

/// Runs a call of the git fence and gives its errors this module's type.
func git<Result>(_ body: () throws(GitError) -> Result) throws(ReplicaError) -> Result {
  do throws(GitError) {
    return try body()
  } catch {
    throw .git(error.description)
  }
}

/// Random UUIDs.
enum CalendarUUID {
  static func make(_ bytes: [UInt8]) -> String { ObjectPath.uuid(bytes: bytes) }
}
