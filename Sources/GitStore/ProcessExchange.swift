#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The pipes to and from a running program. Writes and reads at once, so that no pipe fills up
/// while the other side waits.
struct ProcessExchange {
  private let process: pid_t
  private let sink: Int32
  private let output: Int32
  private let errors: Int32
  private let input: [UInt8]
  private var written = 0
  private var sinkIsOpen = true
  private var open: [Int32]
  private var buffer = [UInt8](repeating: 0, count: 65_536)
  private var line: [UInt8] = []
  private var exitStatus: Int32?

  /// What came from standard output.
  private(set) var collectedOutput: [UInt8] = []
  /// What came from standard error.
  private(set) var collectedErrors: [UInt8] = []

  /// Takes over the ends of the pipes; `run` closes them.
  init(process: pid_t, sink: Int32, output: Int32, errors: Int32, input: [UInt8]) {
    self.process = process
    self.sink = sink
    self.output = output
    self.errors = errors
    self.input = input
    open = [output, errors]
  }

  /// Exchanges until the program has ended.
  ///
  /// - Returns: its status as `waitpid` gives it.
  mutating func run(progress: ((String) -> Void)?) -> Int32 {
    _ = fcntl(sink, F_SETFL, O_NONBLOCK)
    if input.isEmpty { closeSink() }
    let wasBlocked = ProcessExchange.blockBrokenPipe()
    while !open.isEmpty || sinkIsOpen {
      var polls = open.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      if sinkIsOpen { polls.append(pollfd(fd: sink, events: Int16(POLLOUT), revents: 0)) }
      let ready = unsafe poll(&polls, nfds_t(polls.count), 200)
      if ready < 0 && errno != EINTR { break }
      if ready == 0 {
        // A program that git left behind, such as a shared ssh connection, may keep the pipes open
        // for ever; when git has ended and nothing more comes, this run is over.
        if exitStatus != nil { break }
        collectStatus(WNOHANG)
        continue
      }
      for poll in polls where poll.revents != 0 {
        if poll.fd == sink { send() } else { receive(poll.fd, progress) }
      }
    }
    if sinkIsOpen { closeSink() }
    for end in open { close(end) }
    ProcessExchange.restoreBrokenPipe(wasBlocked)
    if !line.isEmpty { progress?(GitProgram.redacted(String(decoding: line, as: UTF8.self))) }
    if exitStatus == nil { collectStatus(0) }
    return exitStatus ?? 0xFF00
  }

  private mutating func collectStatus(_ options: Int32) {
    var status: Int32 = 0
    while true {
      let found = unsafe waitpid(process, &status, options)
      if found == process { exitStatus = status }
      if found < 0 && errno == EINTR { continue }
      return
    }
  }

  private mutating func closeSink() {
    close(sink)
    sinkIsOpen = false
  }

  private mutating func send() {
    let count = unsafe input[written...].withUnsafeBytes {
      unsafe write(sink, $0.baseAddress, min($0.count, 1 << 16))
    }
    if count > 0 { written += count }
    if written == input.count || (count < 0 && errno != EAGAIN && errno != EINTR) { closeSink() }
  }

  private mutating func receive(_ end: Int32, _ progress: ((String) -> Void)?) {
    let count = unsafe read(end, &buffer, buffer.count)
    if count < 0 && (errno == EINTR || errno == EAGAIN) { return }
    guard count > 0 else {
      close(end)
      open.removeAll { $0 == end }
      return
    }
    guard end == errors else {
      collectedOutput.append(contentsOf: buffer[..<count])
      return
    }
    collectedErrors.append(contentsOf: buffer[..<count])
    guard let progress else { return }
    for byte in buffer[..<count] {
      if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
        if !line.isEmpty { progress(GitProgram.redacted(String(decoding: line, as: UTF8.self))) }
        line.removeAll(keepingCapacity: true)
      } else {
        line.append(byte)
      }
    }
  }

  // A child that stops reading must not end this process. Only this thread's mask changes, so that
  // other threads keep their signals.

  private static var brokenPipe: sigset_t {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGPIPE)
    return signals
  }

  private static func blockBrokenPipe() -> Bool {
    var signals = brokenPipe
    var previous = sigset_t()
    unsafe pthread_sigmask(SIG_BLOCK, &signals, &previous)
    return unsafe sigismember(&previous, SIGPIPE) == 1
  }

  private static func restoreBrokenPipe(_ wasBlocked: Bool) {
    guard !wasBlocked else { return }
    var signals = brokenPipe
    var pending = sigset_t()
    unsafe sigemptyset(&pending)
    unsafe sigpending(&pending)
    if unsafe sigismember(&pending, SIGPIPE) == 1 {
      var taken: Int32 = 0
      unsafe sigwait(&signals, &taken)
    }
    unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  }
}
