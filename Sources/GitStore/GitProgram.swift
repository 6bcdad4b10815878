import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Runs the user's `git`, whose configuration, agents and credential helpers just work. No shell is
/// involved.
package struct GitProgram: Sendable {
  /// What a run gave back.
  package struct Result: Sendable {
    /// The exit status; 128 plus the signal if it was killed.
    package let status: Int32
    /// What it wrote to standard output.
    package let output: [UInt8]
    /// What it wrote to standard error, addresses without passwords.
    package let errorText: String

    /// Standard output as text without the line break at its end.
    package var outputText: String {
      let text = String(decoding: output, as: UTF8.self)
      return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }
  }

  /// The folder in which git runs.
  package let directory: String

  /// The program: a name to look for in `PATH`, or a path.
  package let executable: String

  /// Creates a runner for a folder.
  package init(directory: String, executable: String = "git") {
    self.directory = directory
    self.executable = executable
  }

  /// Runs git and waits for it.
  ///
  /// Messages are English (`LC_ALL=C`). git asks for passwords only where somebody sits at a
  /// terminal. Variables that would lead git to another repository, as in a hook, are not passed
  /// on.
  ///
  /// - Parameters:
  ///   - input: what git reads from standard input.
  ///   - environment: variables added to this process's own.
  ///   - progress: gets each line of standard error as it comes, carriage returns ending lines too.
  /// - Throws: `GitError.gitMissing` if git cannot be started. A status other than 0 is no error.
  package func run(
    _ arguments: [String], input: [UInt8] = [], environment: [String: String] = [:],
    progress: ((String) -> Void)? = nil
  ) throws(GitError) -> Result {
    let (process, ends) = try GitProgram.starting.withLock { _ throws(GitError) in
      try start(arguments, environment)
    }
    for end in [ends[0], ends[3], ends[5]] { close(end) }
    var exchange = ProcessExchange(
      process: process, sink: ends[1], output: ends[2], errors: ends[4], input: input)
    let status = exchange.run(progress: progress)
    let signal = status & 0x7F
    return Result(
      status: signal == 0 ? (status >> 8) & 0xFF : 128 + signal,
      output: exchange.collectedOutput,
      errorText: GitProgram.redacted(String(decoding: exchange.collectedErrors, as: UTF8.self)))
  }

  /// Runs git and throws unless it succeeds.
  @discardableResult
  package func require(
    _ arguments: [String], input: [UInt8] = [], environment: [String: String] = [:],
    progress: ((String) -> Void)? = nil
  ) throws(GitError) -> Result {
    let result = try run(arguments, input: input, environment: environment, progress: progress)
    guard result.status == 0 else { throw GitProgram.failure(arguments, result) }
    return result
  }

  /// The error for a run that failed; progress lines are left out of its message.
  static func failure(_ arguments: [String], _ result: Result) -> GitError {
    let lines = result.errorText.split { $0 == "\n" || $0 == "\r" }.filter { !$0.contains("% (") }
    return .program(
      arguments: arguments.map(redacted), status: result.status,
      message: lines.joined(separator: "; "))
  }

  /// Held from making pipes until they are closed to other children: a pipe that leaks into the
  /// child of another thread would never end.
  private static let starting = Mutex(())

  /// Starts git with three pipes.
  ///
  /// - Returns: the process and both ends of the pipes to its input, from its output and from its
  ///   errors.
  private func start(
    _ arguments: [String], _ environment: [String: String]
  ) throws(GitError) -> (pid_t, [Int32]) {
    var ends: [Int32] = []
    for _ in 0..<3 {
      var pair: [Int32] = [0, 0]
      guard unsafe pipe(&pair) == 0 else {
        let reason = unsafe String(cString: strerror(errno))
        for end in ends { close(end) }
        throw .gitMissing(reason)
      }
      ends += pair
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    do throws(GitError) {
      let process = try start(
        arguments, environment, input: ends[0], output: ends[3], errors: ends[5])
      return (process, ends)
    } catch {
      for end in ends { close(end) }
      throw error
    }
  }

  private func start(
    _ arguments: [String], _ environment: [String: String], input: Int32, output: Int32,
    errors: Int32
  ) throws(GitError) -> pid_t {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, input, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
    unsafe posix_spawn_file_actions_adddup2(&actions, errors, 2)
    // The child starts with the usual signals, whatever this process does with them.
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe posix_spawnattr_setsigmask(&attributes, &signals)
    unsafe sigaddset(&signals, SIGPIPE)
    unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
    unsafe posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    let variables = GitProgram.variables(adding: environment)
    let words = [executable, "-C", directory] + arguments
    guard !(words + variables).contains(where: { $0.utf8.contains(0) }) else {
      throw .gitMissing("an argument holds a NUL")
    }
    var process: pid_t = 0
    let status = unsafe GitProgram.withCStrings(words) { argv in
      unsafe GitProgram.withCStrings(variables) {
        unsafe posix_spawnp(&process, executable, &actions, &attributes, argv, $0)
      }
    }
    guard status == 0 else {
      throw .gitMissing("'\(executable)': " + (unsafe String(cString: strerror(status))))
    }
    return process
  }

  /// Variables that say which repository git works on.
  private static let repositoryVariables = [
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE", "GIT_PREFIX", "GIT_GRAFT_FILE",
    "GIT_SHALLOW_FILE", "GIT_QUARANTINE_PATH",
  ]

  private static func variables(adding environment: [String: String]) -> [String] {
    var variables: [String: String] = [:]
    var entry = unsafe environ
    while let text = unsafe entry.pointee {
      let pair = unsafe String(cString: text)
      if let equals = pair.firstIndex(of: "=") {
        variables[String(pair[..<equals])] = String(pair[pair.index(after: equals)...])
      }
      unsafe entry += 1
    }
    for name in repositoryVariables { variables[name] = nil }
    variables["LC_ALL"] = "C"
    if variables["GIT_TERMINAL_PROMPT"] == nil && isatty(2) == 0 {
      variables["GIT_TERMINAL_PROMPT"] = "0"
    }
    for (name, value) in environment { variables[name] = value }
    return variables.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }
  }

  private static func withCStrings<Result>(
    _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let copies = unsafe texts.map { unsafe strdup($0) }
    defer { unsafe copies.forEach { unsafe free($0) } }
    return unsafe body(copies + [nil])
  }

  /// A text whose addresses have no user and password any more.
  package static func redacted(_ text: String) -> String {
    var result = ""
    var rest = text[...]
    while let scheme = rest.firstRange(of: "://") {
      result += rest[..<scheme.upperBound]
      rest = rest[scheme.upperBound...]
      let end = rest.firstIndex { "/?# '\"\t\n\r\r\n".contains($0) } ?? rest.endIndex
      if let at = rest[..<end].lastIndex(of: "@") { rest = rest[rest.index(after: at)...] }
    }
    return result + rest
  }
}
