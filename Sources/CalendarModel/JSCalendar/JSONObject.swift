/// The members of a JSON object, each name once, kept in the order of the names' UTF-8 bytes.
public struct JSONObject: Sendable, Hashable {
  /// A name and its value.
  public struct Member: Sendable, Hashable {
    /// The member's name.
    public let name: String
    /// The member's value.
    public var value: JSONValue

    public static func == (left: Member, right: Member) -> Bool {
      JSONObject.isSame(left.name, right.name) && left.value == right.value
    }
  }

  /// The members in the order of the names' UTF-8 bytes.
  public private(set) var members: [Member] = []

  /// Creates an object without members.
  public init() {}

  /// Creates an object from pairs; of two with one name the last holds.
  public init(_ pairs: some Sequence<(String, JSONValue)>) {
    for (name, value) in pairs { self[name] = value }
  }

  /// Creates an object from members in any order, or returns nil if a name occurs twice.
  ///
  /// - Complexity: O(*n*) for members in order, else O(*n* log *n*) in the number of members.
  public init?(unsorted members: [Member]) {
    self.members = members
    if JSONObject.isInOrder(members) { return }
    self.members.sort { JSONObject.precedes($0.name, $1.name) }
    if !JSONObject.isInOrder(self.members) { return nil }
  }

  /// Whether every name comes after the one before it.
  private static func isInOrder(_ members: [Member]) -> Bool {
    var index = 1
    while index < members.count {
      if !precedes(members[index - 1].name, members[index].name) { return false }
      index += 1
    }
    return true
  }

  /// Whether there are no members.
  public var isEmpty: Bool { members.isEmpty }
  /// The number of members.
  public var count: Int { members.count }
  /// The names in the order of their UTF-8 bytes.
  public var names: [String] { members.map(\.name) }

  /// The value of a member, or nil if there is none; setting nil removes the member.
  ///
  /// A member that is `null` is there: its value is `.null`.
  ///
  /// - Complexity: O(log *n*) to read, O(*n*) to insert or remove.
  public subscript(name: String) -> JSONValue? {
    get {
      let index = lowerBound(name)
      guard index < members.count, JSONObject.isSame(members[index].name, name) else {
        return nil
      }
      return members[index].value
    }
    set {
      let index = lowerBound(name)
      let found = index < members.count && JSONObject.isSame(members[index].name, name)
      switch (newValue, found) {
      case (let value?, true): members[index].value = value
      case (let value?, false): members.insert(Member(name: name, value: value), at: index)
      case (nil, true): members.remove(at: index)
      case (nil, false): break
      }
    }
  }

  /// Whether one name comes before another, by UTF-8 bytes.
  static func precedes(_ left: String, _ right: String) -> Bool {
    // Over the bytes in place where they are contiguous, which they nearly always are.
    let fast = left.utf8.withContiguousStorageIfAvailable { left in
      right.utf8.withContiguousStorageIfAvailable { right in
        let count = min(left.count, right.count)
        var index = 0
        while index < count {
          if left[index] != right[index] { return left[index] < right[index] }
          index += 1
        }
        return left.count < right.count
      }
    }
    if let fast, let fast { return fast }
    return left.utf8.lexicographicallyPrecedes(right.utf8)
  }

  /// Whether two texts have the same bytes, which `==` on strings does not ask.
  static func isSame(_ left: String, _ right: String) -> Bool {
    let fast = left.utf8.withContiguousStorageIfAvailable { left in
      right.utf8.withContiguousStorageIfAvailable { right in
        guard left.count == right.count else { return false }
        var index = 0
        while index < left.count {
          if left[index] != right[index] { return false }
          index += 1
        }
        return true
      }
    }
    if let fast, let fast { return fast }
    return left.utf8.elementsEqual(right.utf8)
  }

  private func lowerBound(_ name: String) -> Int {
    var low = 0
    var high = members.count
    while low < high {
      let middle = (low + high) / 2
      if JSONObject.precedes(members[middle].name, name) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements) }
}
