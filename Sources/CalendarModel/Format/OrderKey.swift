/// Keys that put reminders and collections in order (FORMAT.md 1.12): texts over `0-9a-z`, compared
/// bytewise, never ending in `0`, so that there is always room between two of them.
public enum OrderKey {
  /// The longest key.
  public static let lengthMax = 128

  private static let digits = Array("0123456789abcdefghijklmnopqrstuvwxyz".utf8)
  /// Digits of the keys that are appended at the end.
  private static let stemLength = 4

  /// Whether a text is an order key.
  public static func isValid(_ text: String) -> Bool {
    guard let last = text.utf8.last, last != UInt8(ascii: "0"), text.utf8.count <= lengthMax else {
      return false
    }
    return text.utf8.allSatisfy { value(of: $0) != nil }
  }

  /// Whether one key comes before another; ties are for the UIDs to decide.
  public static func precedes(_ left: String, _ right: String) -> Bool {
    left.utf8.lexicographicallyPrecedes(right.utf8)
  }

  /// A key after all others: a stem of four digits, 37 to 72 steps after the last one, so that two
  /// replicas which both append seldom choose the same.
  ///
  /// - Parameter last: the greatest key there is; nil if there is none.
  public static func after(
    _ last: String?, using random: inout some RandomNumberGenerator
  ) -> String {
    let step = Int.random(in: 37...72, using: &random)
    let stem = (last.map(valid) ?? []).prefix(stemLength)
    var number = 0
    for index in 0..<stemLength {
      number = number * 36 + (index < stem.count ? Int(stem[stem.startIndex + index]) : 0)
    }
    let next = number + step
    let limit = 36 * 36 * 36 * 36
    // The stems are used up: go on between the last key and the end of all keys.
    guard next < limit else { return between(last, nil, using: &random) }
    var result: [UInt8] = []
    var rest = next
    for _ in 0..<stemLength {
      result.insert(UInt8(rest % 36), at: 0)
      rest /= 36
    }
    // A key may not end in 0; one step more does not.
    if result[stemLength - 1] == 0 { result[stemLength - 1] = 1 }
    return text(result)
  }

  /// A key between two neighbours: their midpoint and two random digits, so that concurrent inserts
  /// at one place seldom meet.
  ///
  /// - Parameters:
  ///   - left: the key before; nil for the beginning.
  ///   - right: the key after; nil for the end.
  /// - Returns: a key strictly between, or one right after `left` if the neighbours are equal or in
  ///   the wrong order, since there is nothing between.
  public static func between(
    _ left: String?, _ right: String?, using random: inout some RandomNumberGenerator
  ) -> String {
    let low = left.map(valid) ?? []
    var high = right.map(valid)
    if let bound = high, !low.lexicographicallyPrecedes(bound) { high = nil }
    var result = midpoint(low[...], high?[...])
    // The random digits stay below any key that the midpoint is no beginning of.
    result.append(UInt8(Int.random(in: 0...35, using: &random)))
    result.append(UInt8(Int.random(in: 1...35, using: &random)))
    return text(result)
  }

  /// Digits strictly between two keys, such that anything appended to them stays between as well.
  private static func midpoint(_ low: ArraySlice<UInt8>, _ high: ArraySlice<UInt8>?) -> [UInt8] {
    let first = Int(low.first ?? 0)
    let bound = high.map { Int($0.first ?? 0) } ?? 36
    if bound - first > 1 { return [UInt8((first + bound) / 2)] }
    if bound == first {
      return [UInt8(first)] + midpoint(low.dropFirst(), high?.dropFirst())
    }
    // Neighbouring digits: stay with the lower one and go above the rest of the lower key.
    return [UInt8(first)] + midpoint(low.dropFirst(), nil)
  }

  private static func value(of byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }

  /// The digits of a key; what is no digit counts as nothing.
  private static func valid(_ key: String) -> [UInt8] { key.utf8.compactMap(value) }

  private static func text(_ values: [UInt8]) -> String {
    String(decoding: values.map { digits[Int($0)] }, as: UTF8.self)
  }
}
