import Glibc

/// Runs measurements, checks their results and prints a line for each.
///
/// Times are CPU times of this process, so that other work on the machine adds noise but no bias.
struct Harness {
  /// Whether each measurement runs once, for its result only.
  let isSmoke: Bool
  /// A part of the names to run; nil for all.
  let filter: String?
  private var failures = 0
  private var ratios: [Double] = []

  init(isSmoke: Bool, filter: String?) {
    self.isSmoke = isSmoke
    self.filter = filter
  }

  /// Nanoseconds of CPU time that this process has used.
  static func cpuNanoseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Whether a benchmark is to run.
  func wants(_ name: String) -> Bool {
    guard let filter else { return true }
    return name.split(separator: filter, omittingEmptySubsequences: false).count > 1
  }

  /// Times of one measurement per unit of work, in nanoseconds.
  struct Times {
    var minimum: Double
    var median: Double
  }

  /// Repeats a body that returns how many units of work it did.
  private func measure(_ body: () -> Int) -> (times: Times, units: Int) {
    var samples: [Double] = []
    var units = body()
    guard !isSmoke else { return (Times(minimum: 0, median: 0), units) }
    let begin = Harness.cpuNanoseconds()
    while samples.count < 7
      || (samples.count < 200 && Harness.cpuNanoseconds() - begin < 60_000_000)
    {
      // A sample is at least 200 µs long.
      var rounds = 0
      let start = Harness.cpuNanoseconds()
      var end = start
      repeat {
        units = body()
        rounds += 1
        end = Harness.cpuNanoseconds()
      } while end - start < 200_000
      samples.append(Double(end - start) / Double(rounds * max(units, 1)))
      if end - begin > 2_000_000_000 { break }
    }
    samples.sort()
    return (Times(minimum: samples[0], median: samples[samples.count / 2]), units)
  }

  /// Measures one question and, where there is a peer, the same question put to it.
  ///
  /// - Parameters:
  ///   - unit: what the time is per, such as `occurrence`.
  ///   - body: returns the number of units and a checksum of the result.
  ///   - peer: the same for the peer; checksums that differ are shown, not failed, as a peer may
  ///     have its own reading.
  mutating func run(
    _ name: String, unit: String, expecting expected: Int? = nil,
    _ body: () -> (units: Int, sum: Int), peer: (() -> (units: Int, sum: Int))? = nil
  ) {
    guard wants(name) else { return }
    var sum = 0
    let (own, units) = measure {
      let result = body()
      sum = result.sum
      return result.units
    }
    if let expected, units != expected {
      failures += 1
      print("\(name): \(units) instead of \(expected)")
    }
    var line = "\(name.padded(40)) \(format(own.median)) /\(unit) (min \(format(own.minimum)))"
    if let peer {
      var peerSum = 0
      let (other, _) = measure {
        let result = peer()
        peerSum = result.sum
        return result.units
      }
      let ratio = own.median > 0 ? other.median / own.median : 0
      if ratio > 0 { ratios.append(ratio) }
      line += "  libical \(format(other.median)), \(ratio.rounded(1)) times"
      if sum != peerSum { line += "  (its result differs)" }
    }
    print(isSmoke ? "\(name): \(units) × \(unit)" : line)
  }

  /// Prints the summary; ends the process with 1 if a result was wrong.
  func finish() {
    if !ratios.isEmpty {
      let sorted = ratios.sorted()
      print("median of \(ratios.count) comparisons: \(sorted[sorted.count / 2].rounded(1)) times")
    }
    if failures > 0 {
      print("\(failures) results were wrong")
      exit(1)
    }
  }

  private func format(_ nanoseconds: Double) -> String {
    switch nanoseconds {
    case ..<1_000: "\(nanoseconds.rounded(1)) ns"
    case ..<1_000_000: "\((nanoseconds / 1_000).rounded(2)) µs"
    default: "\((nanoseconds / 1_000_000).rounded(2)) ms"
    }
  }
}

extension Double {
  /// The number with so many digits after the point, as text.
  func rounded(_ digits: Int) -> String {
    let factor = digits == 1 ? 10.0 : 100.0
    let scaled = (self * factor).rounded()
    return "\(scaled / factor)"
  }
}

extension String {
  /// The text filled up with blanks.
  func padded(_ width: Int) -> String {
    self + String(repeating: " ", count: Swift.max(0, width - count))
  }
}
