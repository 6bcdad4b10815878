import CLibgit2

/// The name of a git object: 20 bytes, written as 40 hexadecimal digits.
package struct ObjectID: Hashable, Comparable, Sendable, CustomStringConvertible {
  // Three big-endian words, so that an ID needs no memory of its own and hashes fast.
  private let first: UInt64
  private let second: UInt64
  private let third: UInt32

  /// The 20 bytes.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(20)
    for shift in stride(from: 56, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: first >> UInt64(shift)))
    }
    for shift in stride(from: 56, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: second >> UInt64(shift)))
    }
    for shift in stride(from: 24, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: third >> UInt32(shift)))
    }
    return bytes
  }

  /// Creates an ID from 40 hexadecimal digits; nil for anything else.
  package init?(_ hex: some StringProtocol) {
    var words: (UInt64, UInt64, UInt64) = (0, 0, 0)
    var count = 0
    for digit in hex.utf8 {
      let value: UInt64
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = UInt64(digit - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"): value = UInt64(digit - UInt8(ascii: "a")) + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): value = UInt64(digit - UInt8(ascii: "A")) + 10
      default: return nil
      }
      switch count {
      case 0..<16: words.0 = words.0 << 4 | value
      case 16..<32: words.1 = words.1 << 4 | value
      case 32..<40: words.2 = words.2 << 4 | value
      default: return nil
      }
      count += 1
    }
    guard count == 40 else { return nil }
    first = words.0
    second = words.1
    third = UInt32(truncatingIfNeeded: words.2)
  }

  /// Creates an ID from 20 bytes; nil for another number of bytes.
  package init?(bytes: ArraySlice<UInt8>) {
    guard bytes.count == 20 else { return nil }
    self = unsafe bytes.withUnsafeBytes { unsafe ObjectID(raw: $0) }
  }

  /// Reads the first 20 bytes of a buffer that has as many.
  init(raw bytes: UnsafeRawBufferPointer) {
    first = unsafe UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
    second = unsafe UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    third = unsafe UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt32.self))
  }

  init(_ id: git_oid) {
    self = unsafe withUnsafeBytes(of: id.id) { unsafe ObjectID(raw: $0) }
  }

  var raw: git_oid {
    var id = git_oid()
    unsafe withUnsafeMutableBytes(of: &id.id) { bytes in
      unsafe bytes.storeBytes(of: first.bigEndian, as: UInt64.self)
      unsafe bytes.storeBytes(of: second.bigEndian, toByteOffset: 8, as: UInt64.self)
      unsafe bytes.storeBytes(of: third.bigEndian, toByteOffset: 16, as: UInt32.self)
    }
    return id
  }

  /// 40 hexadecimal digits in lower case.
  package var description: String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(40)
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  package static func < (left: ObjectID, right: ObjectID) -> Bool {
    (left.first, left.second, left.third) < (right.first, right.second, right.third)
  }
}
