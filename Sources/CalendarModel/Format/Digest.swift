/// SHA-256 (FIPS 180-4), for file names and derived identifiers; not used for secrets.
public enum SHA256 {
  /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
  private static let constants: [UInt32] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
  ]

  /// The 32 bytes of a message's digest.
  public static func hash(_ message: some Collection<UInt8>) -> [UInt8] {
    var state: [UInt32] = [
      0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab,
      0x5be0cd19,
    ]
    let padded = Padding.merkleDamgard(message)
    var words = [UInt32](repeating: 0, count: 64)
    for block in stride(from: 0, to: padded.count, by: 64) {
      for index in 0..<16 { words[index] = Padding.word(padded, block + index * 4) }
      for index in 16..<64 {
        let left = words[index - 15]
        let right = words[index - 2]
        let first = left.rotated(7) ^ left.rotated(18) ^ (left >> 3)
        let second = right.rotated(17) ^ right.rotated(19) ^ (right >> 10)
        words[index] = words[index - 16] &+ first &+ words[index - 7] &+ second
      }
      var s = state
      for index in 0..<64 {
        let sum = s[4].rotated(6) ^ s[4].rotated(11) ^ s[4].rotated(25)
        let choice = (s[4] & s[5]) ^ (~s[4] & s[6])
        let first = s[7] &+ sum &+ choice &+ constants[index] &+ words[index]
        let other = s[0].rotated(2) ^ s[0].rotated(13) ^ s[0].rotated(22)
        let majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2])
        s = [first &+ other &+ majority, s[0], s[1], s[2], s[3] &+ first, s[4], s[5], s[6]]
      }
      for index in 0..<8 { state[index] = state[index] &+ s[index] }
    }
    return state.flatMap(Padding.bytes)
  }
}

/// SHA-1 (FIPS 180-4), which UUIDs of version 5 are made with.
public enum SHA1 {
  /// The 20 bytes of a message's digest.
  public static func hash(_ message: some Collection<UInt8>) -> [UInt8] {
    var state: [UInt32] = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0]
    let padded = Padding.merkleDamgard(message)
    var words = [UInt32](repeating: 0, count: 80)
    for block in stride(from: 0, to: padded.count, by: 64) {
      for index in 0..<16 { words[index] = Padding.word(padded, block + index * 4) }
      for index in 16..<80 {
        let mixed = words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16]
        words[index] = mixed.rotated(31)
      }
      var s = state
      for index in 0..<80 {
        let (mix, constant): (UInt32, UInt32)
        switch index / 20 {
        case 0: (mix, constant) = ((s[1] & s[2]) | (~s[1] & s[3]), 0x5a827999)
        case 1: (mix, constant) = (s[1] ^ s[2] ^ s[3], 0x6ed9eba1)
        case 2: (mix, constant) = ((s[1] & s[2]) | (s[1] & s[3]) | (s[2] & s[3]), 0x8f1bbcdc)
        default: (mix, constant) = (s[1] ^ s[2] ^ s[3], 0xca62c1d6)
        }
        let next = s[0].rotated(27) &+ mix &+ s[4] &+ constant &+ words[index]
        s = [next, s[0], s[1].rotated(2), s[2], s[3]]
      }
      for index in 0..<5 { state[index] = state[index] &+ s[index] }
    }
    return state.flatMap(Padding.bytes)
  }
}

/// What both digests share.
private enum Padding {
  static func merkleDamgard(_ message: some Collection<UInt8>) -> [UInt8] {
    var bytes = Array(message)
    let bits = UInt64(bytes.count) * 8
    bytes.append(0x80)
    while bytes.count % 64 != 56 { bytes.append(0) }
    for shift in stride(from: 56, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift)))
    }
    return bytes
  }

  static func word(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
    UInt32(bytes[offset]) << 24 | UInt32(bytes[offset + 1]) << 16
      | UInt32(bytes[offset + 2]) << 8 | UInt32(bytes[offset + 3])
  }

  static func bytes(_ word: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) }
  }
}

extension UInt32 {
  fileprivate func rotated(_ count: UInt32) -> UInt32 { self >> count | self << (32 - count) }
}
