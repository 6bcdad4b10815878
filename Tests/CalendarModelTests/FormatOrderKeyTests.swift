import TestSupport
import Testing

@testable import CalendarModel

@Suite struct FormatOrderKeyTests {
  @Test func keysAreDigitsAndSmallLettersNotEndingInZero() {
    for key in ["1", "a", "h5", "0z", String(repeating: "a", count: 128)] {
      #expect(OrderKey.isValid(key), "\(key)")
    }
    for key in ["", "0", "a0", "A", "é", "a b", "-1", String(repeating: "a", count: 129)] {
      #expect(!OrderKey.isValid(key), "\(key)")
    }
  }

  @Test func tenThousandAppendsStayInOrderAndShort() {
    var random = SeededGenerator(seed: 11)
    var last: String?
    for _ in 0..<10_000 {
      let next = OrderKey.after(last, using: &random)
      #expect(OrderKey.isValid(next) && next.utf8.count == 4)
      if let last { #expect(OrderKey.precedes(last, next)) }
      last = next
    }
  }

  @Test func appendsGoOnAfterAnyKey() {
    var random = SeededGenerator(seed: 12)
    for last in ["c", "z", "zzzz", "zzzzzzz", "hk", "p3", "zzzy", "00001", "zzz9zzz"] {
      for _ in 0..<50 {
        let next = OrderKey.after(last, using: &random)
        #expect(OrderKey.isValid(next) && OrderKey.precedes(last, next), "\(last) \(next)")
      }
    }
  }

  @Test func insertsLieBetweenTheirNeighbours() {
    var random = SeededGenerator(seed: 13)
    let keys = [
      "1", "01", "001", "a", "a01", "a1", "b", "az", "azz", "z", "zz", "zzz1", "hk", "hl", "9z",
    ].sorted(by: OrderKey.precedes)
    for (index, left) in keys.enumerated() {
      for right in keys.dropFirst(index + 1) {
        for _ in 0..<20 {
          let key = OrderKey.between(left, right, using: &random)
          #expect(OrderKey.isValid(key), "\(left) \(right) \(key)")
          #expect(
            OrderKey.precedes(left, key) && OrderKey.precedes(key, right),
            "\(left) \(key) \(right)")
        }
      }
      let first = OrderKey.between(nil, left, using: &random)
      #expect(OrderKey.precedes(first, left) && OrderKey.isValid(first), "\(first) \(left)")
      #expect(OrderKey.precedes(left, OrderKey.between(left, left, using: &random)))
    }
  }

  @Test func aListOfRandomInsertsKeepsItsOrderAndMostlyShortKeys() {
    var random = SeededGenerator(seed: 14)
    var keys: [String] = []
    for _ in 0..<2_000 {
      let index = random.integer(0...keys.count)
      let left = index > 0 ? keys[index - 1] : nil
      let right = index < keys.count ? keys[index] : nil
      keys.insert(OrderKey.between(left, right, using: &random), at: index)
    }
    #expect(zip(keys, keys.dropFirst()).allSatisfy { OrderKey.precedes($0, $1) })
    let mean = keys.reduce(0) { $0 + $1.utf8.count } / keys.count
    #expect(mean <= 10, "mean length \(mean)")
  }

  @Test func twoReplicasSeldomMakeOneKey() {
    var random = SeededGenerator(seed: 15)
    let pairs = (0..<2_000).map { _ in
      (
        OrderKey.between("h", "p", using: &random), OrderKey.between("h", "p", using: &random)
      )
    }
    #expect(pairs.filter { $0 == $1 }.count < 10)
  }
}
