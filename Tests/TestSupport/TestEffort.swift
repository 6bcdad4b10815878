import Glibc

/// How many random cases tests try.
package enum TestEffort {
  /// The factor of the environment variable `ALMANAC_TEST_EFFORT`; 1 if it is not set.
  package static let factor: Int = {
    guard let text = getenv("ALMANAC_TEST_EFFORT") else { return 1 }
    return max(1, Int(String(cString: text)) ?? 1)
  }()
}
