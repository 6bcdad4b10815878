/// Checks that need more than one file of a store (FORMAT.md section 3: E203, W202, W205, W404,
/// W405, W409, W410), as pure functions over what was read.
public enum StoreValidator {
  /// One file as it was read, and where it lies, relative to the store's root.
  public struct File: Sendable {
    /// The path, such as `calendars/home/events/6f/….json`.
    public let path: String
    /// What was read there.
    public let file: ObjectFile

    /// Creates a file of a store.
    public init(path: String, file: ObjectFile) {
      self.path = path
      self.file = file
    }
  }

  /// A finding in one of the files, without its place in the text.
  public struct Problem: Hashable, Sendable {
    /// The file; that of an attachment for W205.
    public let path: String
    /// The code, the member and the message.
    public let problem: ObjectValidator.Problem

    init(_ path: String, _ code: String, _ pointer: String, _ message: String) {
      self.path = path
      problem = .init(code: code, pointer: pointer, message: message)
    }
  }

  /// What is known about a store beside its object files.
  public struct Surroundings: Sendable {
    /// Paths of all files below `files/`; nil leaves W205 unchecked.
    public var attachments: [String]?
    /// Whether anybody else gets to see the store.
    public var hasRemote: Bool
    /// Names in `extensions` that the program knows.
    public var knownExtensions: Set<String>

    /// Describes the surroundings of a store.
    public init(
      attachments: [String]? = nil, hasRemote: Bool = false, knownExtensions: Set<String> = []
    ) {
      self.attachments = attachments
      self.hasRemote = hasRemote
      self.knownExtensions = knownExtensions
    }
  }

  /// Everything that is wrong with or odd about the files taken together, by path.
  ///
  /// - Complexity: O(*n* log *n*) in the number of files.
  public static func problems(in files: [File], _ surroundings: Surroundings) -> [Problem] {
    let files = files.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    var problems = duplicates(in: files) + misplaced(in: files) + relations(in: files)
    problems += equalOrders(in: files)
    if let attachments = surroundings.attachments {
      problems += links(in: files, attachments: attachments)
    }
    problems += extensions(in: files, known: surroundings.knownExtensions)
    if surroundings.hasRemote { problems += exposed(in: files) }
    return problems.sorted {
      ($0.path, $0.problem.code, $0.problem.pointer)
        < ($1.path, $1.problem.code, $1.problem.pointer)
    }
  }

  // MARK: - Identity

  /// E203: one UID (and recurrence ID) in several files. The one at its canonical path is used,
  /// else the first by path.
  public static func duplicates(in files: [File]) -> [Problem] {
    var groups: [String: [File]] = [:]
    for file in files {
      guard let uid = uid(of: file) else { continue }
      let id = file.file.members?["recurrenceId"]?.stringValue ?? ""
      groups[uid + "\n" + id, default: []].append(file)
    }
    var problems: [Problem] = []
    for group in groups.values where group.count > 1 {
      let used = group.first { canonicalPath(of: $0) == $0.path } ?? group[0]
      for file in group where file.path != used.path {
        problems.append(
          Problem(
            file.path, "E203", "uid",
            "the uid '\(uid(of: file) ?? "")' is also in \(used.path), which is used"))
      }
    }
    return problems
  }

  /// W202: files that do not lie where Almanac would put them.
  public static func misplaced(in files: [File]) -> [Problem] {
    files.compactMap { file in
      guard let path = canonicalPath(of: file), path != file.path else { return nil }
      return Problem(file.path, "W202", "", "the canonical path is \(path); it may stay here")
    }
  }

  private static func uid(of file: File) -> String? {
    guard file.file.kind.objectKind != nil,
      let uid = file.file.members?["uid"]?.stringValue, !uid.isEmpty
    else { return nil }
    return uid
  }

  private static func canonicalPath(of file: File) -> String? {
    guard let kind = file.file.kind.objectKind, let uid = uid(of: file),
      let (_, collection) = ObjectPath.kind(ofPath: file.path)
    else { return nil }
    return ObjectPath.path(
      kind: kind, collection: collection, uid: uid,
      recurrenceID: file.file.members?["recurrenceId"]?.stringValue)
  }

  // MARK: - Relations

  /// W404: relations to nothing, to itself, and in a circle.
  public static func relations(in files: [File]) -> [Problem] {
    let uids = Set(files.compactMap(uid))
    var problems: [Problem] = []
    var parents: [String: [String]] = [:]
    var paths: [String: String] = [:]
    for file in files {
      guard let uid = uid(of: file) else { continue }
      paths[uid] = file.path
      for member in file.file.members?["relatedTo"]?.objectValue?.members ?? [] {
        let pointer = "relatedTo/" + Patch.escaped(member.name)
        if member.name == uid {
          problems.append(Problem(file.path, "W404", pointer, "the item is related to itself"))
        } else if !uids.contains(member.name) {
          problems.append(
            Problem(file.path, "W404", pointer, "no item has the uid '\(member.name)'"))
        } else if isParent(member.value) {
          parents[uid, default: []].append(member.name)
        }
      }
    }
    for (uid, members) in circles(parents) {
      let names = members.map { "'\($0)'" }.joined(separator: ", ")
      problems.append(
        Problem(
          paths[uid] ?? "", "W404", "relatedTo",
          "a circle of parents: \(names); it is cut at '\(uid)'"))
    }
    return problems
  }

  /// A relation without a kind means parent.
  private static func isParent(_ value: JSONValue) -> Bool {
    let relation = value.objectValue?["relation"]?.objectValue
    return relation?.isEmpty ?? true || relation?["parent"] == true
  }

  /// The circles in a graph of parents, each once, by its smallest UID.
  private static func circles(
    _ parents: [String: [String]]
  ) -> [(uid: String, members: [String])] {
    enum Mark { case open, closed }
    var marks: [String: Mark] = [:]
    var found: [(uid: String, members: [String])] = []
    for root in parents.keys.sorted() where marks[root] == nil {
      // A walk without recursion: chains of subtasks may be long.
      var path: [(uid: String, next: Int)] = [(root, 0)]
      marks[root] = .open
      while let last = path.last {
        let targets = parents[last.uid] ?? []
        guard last.next < targets.count else {
          marks[last.uid] = .closed
          path.removeLast()
          continue
        }
        path[path.count - 1].next += 1
        let target = targets[last.next]
        switch marks[target] {
        case nil:
          marks[target] = .open
          path.append((target, 0))
        case .open:
          let circle = path.map(\.uid).drop { $0 != target }
          found.append((circle.min() ?? target, Array(circle)))
        case .closed: break
        }
      }
    }
    return found.sorted { $0.uid < $1.uid }
  }

  // MARK: - Order, attachments, settings

  /// W405: items of one list with one order key; their UIDs decide.
  public static func equalOrders(in files: [File]) -> [Problem] {
    var first: [String: String] = [:]
    var problems: [Problem] = []
    for file in files {
      guard file.file.kind == .reminder, let order = file.file.members?["order"]?.stringValue,
        let (_, collection) = ObjectPath.kind(ofPath: file.path)
      else { continue }
      let key = collection + "/" + order
      if let other = first[key] {
        problems.append(
          Problem(file.path, "W405", "order", "'\(order)' is also the order key in \(other)"))
      } else {
        first[key] = file.path
      }
    }
    return problems
  }

  /// W205: links to files that are missing, and attachments that nothing links. The latter is not
  /// reported while a file cannot be read, since it may hold the link.
  public static func links(in files: [File], attachments: [String]) -> [Problem] {
    let present = Set(attachments)
    var linked: Set<String> = []
    var problems: [Problem] = []
    for file in files {
      guard let members = file.file.members else { continue }
      for (pointer, href) in hrefs(.object(members), at: "") where href.hasPrefix("files/") {
        linked.insert(href)
        if !present.contains(href) {
          problems.append(Problem(file.path, "W205", pointer, "'\(href)' is not there"))
        }
      }
    }
    if files.contains(where: { $0.file.members == nil }) { return problems }
    for path in present.subtracting(linked).sorted() {
      problems.append(Problem(path, "W205", "", "nothing links to this attachment"))
    }
    return problems
  }

  /// All link targets at any depth, patches included.
  private static func hrefs(
    _ value: JSONValue, at pointer: String
  ) -> [(pointer: String, href: String)] {
    switch value {
    case .object(let object):
      object.members.flatMap { member -> [(pointer: String, href: String)] in
        let place = pointer.isEmpty ? member.name : pointer + "/" + member.name
        if member.name == "href" || member.name.hasSuffix("/href"),
          let href = member.value.stringValue
        {
          return [(place, href)]
        }
        return hrefs(member.value, at: place)
      }
    case .array(let elements): elements.flatMap { hrefs($0, at: pointer) }
    default: []
    }
  }

  /// W409: features of the store that a program must know before it writes.
  public static func extensions(in files: [File], known: Set<String>) -> [Problem] {
    files.filter { $0.file.kind == .store }.flatMap { file in
      (file.file.members?["extensions"]?.objectValue?.names ?? []).filter { !known.contains($0) }
        .map {
          Problem(
            file.path, "W409", "extensions/\($0)",
            "the store needs '\($0)', which this program does not know; it is opened read-only")
        }
    }
  }

  /// W410: privacy that protects nothing, for a store that is shared.
  public static func exposed(in files: [File]) -> [Problem] {
    files.compactMap { file in
      guard file.file.kind.objectKind != nil,
        let privacy = file.file.members?["privacy"]?.stringValue, privacy != "public"
      else { return nil }
      return Problem(
        file.path, "W410", "privacy",
        "'\(privacy)' protects nothing in a store with a remote: who can fetch can read")
    }
  }
}

extension Finding {
  /// Creates the finding of a problem, with its place in the text of the file.
  public init(_ problem: ObjectValidator.Problem, in bytes: [UInt8]) {
    let (line, column) = JSONLocator.position(of: problem.pointer, in: bytes)
    self.init(
      code: problem.code, pointer: problem.pointer, line: line, column: column,
      message: problem.message)
  }
}
