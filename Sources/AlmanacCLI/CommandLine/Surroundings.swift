import CivilTime

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What a command takes from the process it runs in; tests give their own.
struct Surroundings: Sendable {
  /// The environment variables.
  var variables: [String: String]
  /// The absolute path of the working folder.
  var workingDirectory: String
  /// The clock of the system.
  var clock: @Sendable () -> Instant
  /// Returns so many random bytes.
  var randomBytes: @Sendable (Int) -> [UInt8]
  /// Zone data.
  var zones: TimeZoneDatabase
  /// The name of the system's zone.
  var systemZoneName: String
  var loginName: String
  var hostName: String
  /// Whether standard output is a terminal.
  var isTerminal: Bool
  /// Columns of the terminal.
  var columns: Int
  /// Reads all of standard input.
  var readInput: @Sendable () -> [UInt8]

  /// A variable that is set and not empty.
  func variable(_ name: String) -> String? {
    variables[name].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// A path as seen from the working folder; `~` is the home folder.
  func absolutePath(_ path: String) -> String {
    if path.hasPrefix("/") { return path }
    if path == "~" || path.hasPrefix("~/"), let home = variable("HOME") {
      return home + path.dropFirst()
    }
    if path == "." || path.isEmpty { return workingDirectory }
    return workingDirectory + "/" + (path.hasPrefix("./") ? String(path.dropFirst(2)) : path)
  }
}

extension Surroundings {
  /// Those of this process.
  static func process() -> Surroundings {
    let variables = environmentVariables()
    return Surroundings(
      variables: variables, workingDirectory: currentFolder(),
      clock: {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Instant(seconds: Int64(now.tv_sec))
      },
      randomBytes: { count in
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
      },
      zones: TimeZoneDatabase(),
      systemZoneName: systemZone(variables),
      loginName: variables["LOGNAME"] ?? variables["USER"] ?? passwordName() ?? "somebody",
      hostName: host(), isTerminal: isatty(STDOUT_FILENO) == 1,
      columns: variables["COLUMNS"].flatMap { Int($0) } ?? terminalColumns(),
      readInput: readAllInput)
  }

  private static func environmentVariables() -> [String: String] {
    var variables: [String: String] = [:]
    var entry = environ
    while let text = entry.pointee {
      let line = String(cString: text)
      if let equals = line.firstIndex(of: "=") {
        variables[String(line[..<equals])] = String(line[line.index(after: equals)...])
      }
      entry += 1
    }
    return variables
  }

  private static func currentFolder() -> String {
    guard let buffer = getcwd(nil, 0) else { return "/" }
    defer { free(buffer) }
    return String(cString: buffer)
  }

  /// `$TZ`, else what `/etc/localtime` points to, else UTC.
  private static func systemZone(_ variables: [String: String]) -> String {
    if let zone = variables["TZ"], !zone.isEmpty {
      let name = zone.hasPrefix(":") ? String(zone.dropFirst()) : zone
      return trimmed(name)
    }
    if let buffer = realpath("/etc/localtime", nil) {
      defer { free(buffer) }
      let path = String(cString: buffer)
      if path.contains("/zoneinfo/") { return trimmed(path) }
    }
    if let file = fopen("/etc/timezone", "r") {
      defer { fclose(file) }
      var line = [CChar](repeating: 0, count: 128)
      if fgets(&line, 128, file) != nil {
        let end = line.firstIndex { $0 == 0 || $0 == 10 } ?? line.count
        return String(decoding: line[..<end].map { UInt8(bitPattern: $0) }, as: UTF8.self)
      }
    }
    return "UTC"
  }

  private static func trimmed(_ path: String) -> String {
    guard let range = path.ranges(of: "/zoneinfo/").last else { return path }
    return String(path[range.upperBound...])
  }

  private static func passwordName() -> String? {
    getpwuid(getuid()).map { String(cString: $0.pointee.pw_name) }
  }

  private static func host() -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard gethostname(&buffer, 255) == 0 else { return "localhost" }
    let end = buffer.firstIndex(of: 0) ?? buffer.count
    return String(decoding: buffer[..<end].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func terminalColumns() -> Int {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  private static func readAllInput() -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(STDIN_FILENO, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      if count <= 0 { return bytes }
      bytes.append(contentsOf: buffer[..<count])
    }
  }
}
