import CalendarModel
import CivilTime

/// One write of one unit: a commit after which the unit has a value that no parent of it shows.
struct Write: Sendable {
  /// The node of the history in which it happened; 0 is the common state.
  var node: Int
  /// Who wrote it and when; nil for a write outside any commit.
  var stamp: WriteStamp?
  /// The value written; nil if the unit was removed.
  var value: JSONValue?
  /// The write makes the series end earlier than any parent's.
  var isCut = false
  /// The write removes what the unit says exists.
  var isRemoval = false
  /// What the unit was before a cut dropped it.
  var restores: JSONValue?

  /// Whether this write comes before another among rivals: by author time and commit, and by the
  /// bytes of the value where no commit is known.
  func precedes(_ other: Write) -> Bool {
    switch (stamp, other.stamp) {
    case (nil, nil): bytesPrecede(other)
    case (nil, _): true
    case (_, nil): false
    case (let mine?, let theirs?): mine == theirs ? bytesPrecede(other) : mine < theirs
    }
  }

  private func bytesPrecede(_ other: Write) -> Bool {
    text.utf8.lexicographicallyPrecedes(other.text.utf8)
  }

  /// Absent comes first, before a patch that removes.
  private var text: String { value.map { CanonicalJSON.inline($0) } ?? "" }
}

extension [Write] {
  /// The writes in the order of rivals, oldest first.
  var inOrder: [Write] { sorted { $0.precedes($1) } }

  /// Whether all write one value.
  var agree: Bool { dropFirst().allSatisfy { $0.value == first?.value } }
}

/// A set of node numbers.
struct NodeSet: Sendable {
  private var words: [UInt64] = []

  func contains(_ node: Int) -> Bool {
    node / 64 < words.count && words[node / 64] >> UInt64(node % 64) & 1 == 1
  }

  mutating func insert(_ node: Int) {
    while words.count <= node / 64 { words.append(0) }
    words[node / 64] |= 1 << UInt64(node % 64)
  }

  mutating func formUnion(_ other: NodeSet) {
    while words.count < other.words.count { words.append(0) }
    for index in other.words.indices { words[index] |= other.words[index] }
  }
}
