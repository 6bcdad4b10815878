import CalendarModel
import CivilTime
import GitStore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// One copy of a store: a git repository, or a folder of one, with calendars and lists in it. Plain
/// and synchronous; one owner at a time.
public final class Replica {
  /// Clock, zone data and identity.
  public let environment: Environment
  let repository: Repository
  /// The store's folder within the repository, empty or ending in a slash.
  let prefix: String
  /// The folder that was opened.
  public let path: String

  init(repository: Repository, prefix: String, path: String, environment: Environment) {
    self.repository = repository
    self.prefix = prefix
    self.path = path
    self.environment = environment
  }

  // MARK: - Opening and making

  /// Opens the store at a folder; the folder holds `almanac.json`, or is a bare repository of one.
  ///
  /// - Throws: `ReplicaError.noStore` if there is none, `.newerFormat`, `.git`.
  public static func open(_ path: String, environment: Environment) throws(ReplicaError) -> Replica
  {
    let full = FilePath.absolute(path)
    let repository: Repository
    do throws(GitError) {
      repository = try Repository.open(full)
    } catch .notARepository {
      throw .noStore(path)
    } catch {
      throw .git(error.description)
    }
    var prefix = ""
    if let root = repository.workDirectory {
      let resolved = FilePath.resolved(full) + "/"
      let base = FilePath.resolved(root) + "/"
      guard resolved.hasPrefix(base) else { throw .noStore(path) }
      prefix = String(resolved.dropFirst(base.utf8.count))
    }
    let replica = Replica(
      repository: repository, prefix: prefix, path: full, environment: environment)
    let snapshot = try replica.snapshot()
    guard snapshot.blob("almanac.json") != nil || FilePath.exists(full + "/almanac.json") else {
      throw .noStore(path)
    }
    return replica
  }

  /// Makes a store with one calendar and one list at a folder. Inside a git repository the folder
  /// becomes a store within it; else a repository is made.
  ///
  /// - Throws: `ReplicaError.storeExists`, `.git`.
  public static func create(
    _ path: String, name: String? = nil, bare: Bool = false, environment: Environment
  ) throws(ReplicaError) -> Replica {
    let full = FilePath.absolute(path)
    if FilePath.exists(full + "/almanac.json") { throw .storeExists(path) }
    FilePath.makeFolders(full)
    let existing = bare ? nil : try? Repository.open(full)
    let repository: Repository
    var prefix = ""
    if let existing, let root = existing.workDirectory {
      repository = existing
      let base = FilePath.resolved(root) + "/"
      prefix = String((FilePath.resolved(full) + "/").dropFirst(base.utf8.count))
    } else {
      repository = try git { () throws(GitError) in try Repository.create(full, bare: bare) }
    }
    let replica = Replica(
      repository: repository, prefix: prefix, path: full, environment: environment)
    try replica.configureMerge()
    let title = name ?? FilePath.last(full)
    try replica.write(replica.initialFiles(name: title), subject: "create the store", op: "init")
    return replica
  }

  private func initialFiles(name: String) -> [String: [UInt8]?] {
    let created = JSONValue.string(environment.now().description)
    func metadata(_ type: String, _ name: String, _ extra: JSONObject = [:]) -> [UInt8] {
      var object: JSONObject = [
        "@type": .string(type), "name": .string(name), "created": created,
        "uid": .string(environment.newUID()),
      ]
      for member in extra.members { object[member.name] = member.value }
      return CanonicalJSON.bytes(object)
    }
    return [
      "almanac.json": metadata(
        "Almanac", name,
        ["format": 1, "defaultCalendar": "home", "defaultList": "tasks"]),
      "calendars/home/calendar.json": metadata("Calendar", "Home", ["color": "teal"]),
      "lists/tasks/list.json": metadata("TaskList", "Tasks"),
      ".gitattributes": Array(Replica.attributes.utf8),
      "README.md": Array(
        """
        # \(name)

        Calendars and lists, one JSON file per event or reminder.
        Edit with `almanac` or any editor, then run `almanac check`.

        """.utf8),
    ]
  }

  static let attributes = """
    # Written by `almanac init`. Lines below the mark are yours.
    /almanac.json         text eol=lf merge=almanac diff=almanac
    /calendars/**/*.json  text eol=lf merge=almanac diff=almanac
    /lists/**/*.json      text eol=lf merge=almanac diff=almanac
    /files/**             -text -diff -merge
    # --- yours ---

    """

  /// Copies a store from a remote with the user's own git.
  ///
  /// - Parameter progress: gets git's progress lines.
  public static func clone(
    _ url: String, to path: String, environment: Environment,
    progress: ((String) -> Void)? = nil
  ) throws(ReplicaError) -> Replica {
    let full = FilePath.absolute(path)
    let parent = FilePath.parent(full)
    FilePath.makeFolders(parent)
    let source = FilePath.exists(url) ? FilePath.absolute(url) : url
    do throws(GitError) {
      try GitProgram(directory: parent).require(
        ["clone", "--progress", "--", source, full], progress: progress)
    } catch {
      throw Replica.networkError(error, remote: GitProgram.redacted(url))
    }
    let replica = try open(full, environment: environment)
    try replica.configureMerge()
    return replica
  }

  /// Sets up the merge driver and the title in diff headers for this clone (FORMAT.md 4.4).
  public func configureMerge() throws(ReplicaError) {
    let program = FilePath.executable()
    let settings = [
      ("merge.almanac.name", "Almanac calendar merge"),
      ("merge.almanac.driver", "'\(program)' merge-file %O %A %B %P"),
      ("diff.almanac.xfuncname", "^  \"title\": (\".*\"),?$\n^  \"name\": (\".*\"),?$"),
    ]
    for (name, value) in settings where repository.config(name) != value {
      try git { () throws(GitError) in try repository.setConfig(name, value) }
    }
  }

  // MARK: - Reading

  /// A view of the store as it is now.
  public func snapshot() throws(ReplicaError) -> Snapshot {
    try Snapshot(replica: self, commit: repository.head)
  }

  /// The bytes of a file of the work tree if they are not those of a blob; nil if they are the
  /// same, or there is no file.
  func editedBytes(_ path: String, committed: ObjectID?) -> [UInt8]? {
    guard let bytes = (try? repository.workFile(prefix + path)) ?? nil else { return nil }
    if let committed, (try? repository.blobID(of: bytes)) == committed { return nil }
    return bytes
  }

  /// Whether git knows no name and address, so that commits carry the login name at the host.
  public var isIdentityGuessed: Bool {
    (environment.author.name ?? repository.config("user.name")) == nil
      || (environment.author.email ?? repository.config("user.email")) == nil
  }

  /// Who commits made now are by.
  func signature() -> Signature {
    let now = environment.now()
    return Signature(
      name: environment.author.name ?? repository.config("user.name") ?? environment.loginName,
      email: ownAddress,
      seconds: now.seconds, offsetMinutes: Int(environment.localZone.offset(at: now).seconds) / 60)
  }

  /// The eight digits that tell this clone from others, made when first needed.
  func replicaID() -> String {
    let folder = repository.gitDirectory + "almanac"
    let file = folder + "/replica.json"
    if let bytes = FilePath.contents(file), let json = try? JSONText.parse(bytes),
      let id = json["id"]?.stringValue, id.utf8.count == 8,
      json["path"]?.stringValue == FilePath.resolved(path)
    {
      return id
    }
    let id = environment.randomBytes(4).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
      .joined()
    let json: JSONObject = [
      "id": .string(id), "host": .string(environment.hostName),
      "path": .string(FilePath.resolved(path)),
    ]
    FilePath.makeFolders(folder)
    FilePath.write(file, CanonicalJSON.bytes(json))
    return id
  }
}
