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

  /// Creates a runner for a folder.
  package init(directory: String) {
    self.directory = directory
  }

  /// Runs git and waits for it.
  ///
  /// - Parameters:
  ///   - environment: variables added to this process's own. `LC_ALL=C` and, unless it is set,
  ///     `GIT_TERMINAL_PROMPT=1` are always there.
  ///   - progress: gets each line of standard error as it comes, carriage returns ending lines too.
  /// - Throws: `GitError.gitMissing` if git cannot be started. A status other than 0 is no error.
  package func run(
    _ arguments: [String], input: [UInt8] = [], environment: [String: String] = [:],
    progress: ((String) -> Void)? = nil
  ) throws(GitError) -> Result {
    var pipes: [Int32] = []
    for _ in 0..<3 {
      var pair: [Int32] = [0, 0]
      guard unsafe pipe(&pair) == 0 else { throw .gitMissing("no more pipes") }
      pipes += pair
    }
    // Our own ends must not leak into the child.
    for end in [pipes[1], pipes[2], pipes[4]] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let process = try start(arguments, environment, pipes)
    close(pipes[0])
    close(pipes[3])
    close(pipes[5])
    let (output, errors) = GitProgram.exchange(
      input: input, to: pipes[1], from: pipes[2], and: pipes[4], progress: progress)
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) < 0 && errno == EINTR {}
    let signal = status & 0x7F
    return Result(
      status: signal == 0 ? (status >> 8) & 0xFF : 128 + signal, output: output,
      errorText: GitProgram.redacted(String(decoding: errors, as: UTF8.self)))
  }

  /// Runs git and throws unless it succeeds.
  @discardableResult
  package func require(
    _ arguments: [String], input: [UInt8] = [], environment: [String: String] = [:],
    progress: ((String) -> Void)? = nil
  ) throws(GitError) -> Result {
    let result = try run(arguments, input: input, environment: environment, progress: progress)
    guard result.status == 0 else {
      throw .program(
        arguments: arguments.map(GitProgram.redacted), status: result.status,
        message: result.errorText.split(separator: "\n").joined(separator: "; "))
    }
    return result
  }

  private func start(
    _ arguments: [String], _ environment: [String: String], _ pipes: [Int32]
  ) throws(GitError) -> pid_t {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, pipes[0], 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, pipes[3], 1)
    unsafe posix_spawn_file_actions_adddup2(&actions, pipes[5], 2)
    for end in [pipes[0], pipes[3], pipes[5]] where end > 2 {
      unsafe posix_spawn_file_actions_addclose(&actions, end)
    }
    var variables = GitProgram.currentEnvironment()
    variables["LC_ALL"] = "C"
    for (name, value) in environment { variables[name] = value }
    let words = ["git", "-C", directory] + arguments
    var process: pid_t = 0
    let status = unsafe GitProgram.withCStrings(words) { argv in
      unsafe GitProgram.withCStrings(variables.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }) {
        unsafe posix_spawnp(&process, "git", &actions, nil, argv, $0)
      }
    }
    guard status == 0 else {
      for end in pipes { close(end) }
      throw .gitMissing(unsafe String(cString: strerror(status)))
    }
    return process
  }

  private static func currentEnvironment() -> [String: String] {
    var result: [String: String] = [:]
    var entry = unsafe environ
    while let text = unsafe entry.pointee {
      let pair = unsafe String(cString: text)
      if let equals = pair.firstIndex(of: "=") {
        result[String(pair[..<equals])] = String(pair[pair.index(after: equals)...])
      }
      unsafe entry += 1
    }
    return result
  }

  private static func withCStrings<Result>(
    _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let copies = unsafe texts.map { unsafe strdup($0) }
    defer { unsafe copies.forEach { unsafe free($0) } }
    return unsafe body(copies + [nil])
  }

  /// Writes and reads at once, so that no pipe fills up while the other side waits.
  private static func exchange(
    input: [UInt8], to sink: Int32, from output: Int32, and errors: Int32,
    progress: ((String) -> Void)?
  ) -> (output: [UInt8], errors: [UInt8]) {
    var collected: [Int32: [UInt8]] = [output: [], errors: []]
    var open: Set<Int32> = [output, errors]
    var written = 0
    var line: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    _ = fcntl(sink, F_SETFL, O_NONBLOCK)
    var sinkIsOpen = !input.isEmpty
    if !sinkIsOpen { close(sink) }
    // A child that stops reading must not end this process.
    let previous = signal(SIGPIPE, SIG_IGN)
    defer { _ = signal(SIGPIPE, previous) }
    while !open.isEmpty || sinkIsOpen {
      var polls = open.sorted().map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      if sinkIsOpen { polls.append(pollfd(fd: sink, events: Int16(POLLOUT), revents: 0)) }
      guard unsafe poll(&polls, nfds_t(polls.count), -1) >= 0 || errno == EINTR else { break }
      for poll in polls where poll.revents != 0 {
        if poll.fd == sink {
          let count = unsafe input[written...].withUnsafeBytes {
            unsafe write(sink, $0.baseAddress, $0.count)
          }
          if count > 0 { written += count }
          if written == input.count || (count < 0 && errno != EAGAIN && errno != EINTR) {
            close(sink)
            sinkIsOpen = false
          }
          continue
        }
        let count = unsafe read(poll.fd, &buffer, buffer.count)
        if count < 0 && (errno == EINTR || errno == EAGAIN) { continue }
        if count <= 0 {
          close(poll.fd)
          open.remove(poll.fd)
          continue
        }
        collected[poll.fd, default: []].append(contentsOf: buffer[..<count])
        guard let progress, poll.fd == errors else { continue }
        for byte in buffer[..<count] {
          if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
            if !line.isEmpty { progress(redacted(String(decoding: line, as: UTF8.self))) }
            line.removeAll()
          } else {
            line.append(byte)
          }
        }
      }
    }
    return (collected[output] ?? [], collected[errors] ?? [])
  }

  /// A text whose addresses have no user and password any more.
  package static func redacted(_ text: String) -> String {
    var result = ""
    var rest = text[...]
    while let scheme = rest.firstRange(of: "://") {
      result += rest[..<scheme.upperBound]
      rest = rest[scheme.upperBound...]
      let end = rest.firstIndex { "/ '\"\n".contains($0) } ?? rest.endIndex
      if let at = rest[..<end].lastIndex(of: "@") { rest = rest[rest.index(after: at)...] }
    }
    return result + rest
  }
}
