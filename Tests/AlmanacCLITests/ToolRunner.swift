import CivilTime
import TestSupport

@testable import AlmanacCLI

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Runs command lines in process, in a folder of its own, at a fixed moment in Berlin.
final class ToolRunner {
  /// What a command line did.
  struct Answer {
    let status: Int32
    let output: String
    let errors: String
  }

  /// The folder that stands for the home folder and the working folder; removed at the end.
  let folder: String
  var surroundings: Surroundings
  private let mutations = Counter()

  /// Counts, so that random bytes are the same every time.
  private final class Counter: @unchecked Sendable {
    // Tests use a runner on one thread only.
    var value: UInt64 = 0
  }

  init(now: String = "2026-11-30T12:00:00Z", zone: String = "Europe/Berlin") {
    var template = Array("/tmp/almanac-cli-XXXXXX".utf8CString)
    folder = template.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) } ?? "/nonexistent"
    }
    let instant = Instant(extended: now) ?? Instant(seconds: 0)
    let counter = mutations
    surroundings = Surroundings(
      variables: [
        "HOME": folder, "GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.org",
      ], workingDirectory: folder, clock: { instant },
      randomBytes: { count in
        counter.value += 1
        var generator = SeededGenerator(seed: counter.value)
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
      },
      zones: TimeZoneDatabase(), systemZoneName: zone, loginName: "ada", hostName: "desk",
      isTerminal: false, columns: 80, readInput: { [] })
  }

  deinit {
    ToolRunner.remove(folder)
  }

  /// Runs one command line, given as words.
  func run(_ arguments: [String]) -> Answer {
    let output = CommandOutput(keepingBytes: true)
    let status = CommandLineTool.run(
      arguments: arguments, surroundings: surroundings, output: output)
    return Answer(
      status: status, output: String(decoding: output.standardOutput, as: UTF8.self),
      errors: String(decoding: output.standardError, as: UTF8.self))
  }

  /// Runs one command line, given as words.
  func run(_ arguments: String...) -> Answer { run(arguments) }

  private static func remove(_ path: String) {
    for name in Corpus.names(in: path) {
      let inner = path + "/" + name
      var info = stat()
      if lstat(inner, &info) == 0, info.st_mode & S_IFMT == S_IFDIR {
        remove(inner)
      } else {
        unlink(inner)
      }
    }
    rmdir(path)
  }
}
