/// A small random generator whose whole sequence follows from its seed (SplitMix64).
package struct SeededGenerator: RandomNumberGenerator {
  /// The seed that was given; print it when a property fails.
  package let seed: UInt64
  private var state: UInt64

  /// Creates a generator for a seed.
  package init(seed: UInt64) {
    self.seed = seed
    state = seed
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Returns a random integer in a closed range.
  package mutating func integer(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &self)
  }

  /// Returns true with a probability of one in `odds`.
  package mutating func chance(oneIn odds: Int) -> Bool {
    Int.random(in: 0..<max(odds, 1), using: &self) == 0
  }

  /// Returns a random element; the collection must not be empty.
  package mutating func element<Elements: Collection>(of elements: Elements) -> Elements.Element {
    let offset = Int.random(in: 0..<elements.count, using: &self)
    return elements[elements.index(elements.startIndex, offsetBy: offset)]
  }
}
