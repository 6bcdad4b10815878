#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Where a command writes: results to standard output, everything else to standard error.
final class CommandOutput {
  /// Whether bytes go to the process's descriptors, or are kept.
  private let writesThrough: Bool
  private(set) var standardOutput: [UInt8] = []
  private(set) var standardError: [UInt8] = []

  /// Creates an output; one that keeps its bytes is for tests and for the demonstration.
  init(keepingBytes: Bool) {
    writesThrough = !keepingBytes
  }

  /// Writes text of the result.
  func write(_ text: String) {
    standardOutput.append(contentsOf: text.utf8)
    if writesThrough, standardOutput.count > 65_536 { flush() }
  }

  /// Writes bytes of the result.
  func write(bytes: [UInt8]) {
    standardOutput.append(contentsOf: bytes)
    if writesThrough, standardOutput.count > 65_536 { flush() }
  }

  /// Writes a line of the result.
  func line(_ text: String = "") { write(text + "\n") }

  /// Writes a line beside the result.
  func note(_ text: String) {
    guard writesThrough else {
      standardError.append(contentsOf: (text + "\n").utf8)
      return
    }
    flush()
    CommandOutput.send(Array((text + "\n").utf8), to: STDERR_FILENO)
  }

  /// Passes on what is kept for standard output.
  func flush() {
    guard writesThrough, !standardOutput.isEmpty else { return }
    CommandOutput.send(standardOutput, to: STDOUT_FILENO)
    standardOutput.removeAll(keepingCapacity: true)
  }

  private static func send(_ bytes: [UInt8], to descriptor: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 {
        if errno == EINTR { continue }
        return
      }
      rest = rest.dropFirst(count)
    }
  }
}
