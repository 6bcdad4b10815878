/// SHA-1, for the checksum at the end of a pack (git's format asks for it).
struct SHA1 {
  private var state: (UInt32, UInt32, UInt32, UInt32, UInt32) = (
    0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0
  )
  private var block: [UInt8] = []
  private var count: UInt64 = 0
  private var schedule = [UInt32](repeating: 0, count: 80)

  /// Takes in bytes.
  mutating func update(_ bytes: some Collection<UInt8>) {
    count &+= UInt64(bytes.count) &* 8
    block.append(contentsOf: bytes)
    var start = 0
    while block.count - start >= 64 {
      compress(at: start)
      start += 64
    }
    if start > 0 { block.removeFirst(start) }
  }

  /// The 20 bytes of the hash.
  mutating func finish() -> [UInt8] {
    let bits = count
    block.append(0x80)
    while block.count % 64 != 56 { block.append(0) }
    for shift in stride(from: 56, through: 0, by: -8) {
      block.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift)))
    }
    for start in stride(from: 0, to: block.count, by: 64) { compress(at: start) }
    block.removeAll()
    return [state.0, state.1, state.2, state.3, state.4].flatMap { word in
      stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt32($0)) }
    }
  }

  private mutating func compress(at start: Int) {
    for index in 0..<16 {
      let at = start + index * 4
      schedule[index] =
        UInt32(block[at]) << 24 | UInt32(block[at + 1]) << 16 | UInt32(block[at + 2]) << 8
        | UInt32(block[at + 3])
    }
    for index in 16..<80 {
      let mixed =
        schedule[index - 3] ^ schedule[index - 8] ^ schedule[index - 14] ^ schedule[index - 16]
      schedule[index] = mixed << 1 | mixed >> 31
    }
    var (a, b, c, d, e) = state
    for index in 0..<80 {
      let (mix, key): (UInt32, UInt32) =
        switch index {
        case ..<20: ((b & c) | (~b & d), 0x5A82_7999)
        case ..<40: (b ^ c ^ d, 0x6ED9_EBA1)
        case ..<60: ((b & c) | (b & d) | (c & d), 0x8F1B_BCDC)
        default: (b ^ c ^ d, 0xCA62_C1D6)
        }
      let next = (a << 5 | a >> 27) &+ mix &+ e &+ key &+ schedule[index]
      (e, d, c, b, a) = (d, c, b << 30 | b >> 2, a, next)
    }
    state.0 &+= a
    state.1 &+= b
    state.2 &+= c
    state.3 &+= d
    state.4 &+= e
  }
}
