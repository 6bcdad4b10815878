/// A commit.
package struct Commit: Sendable {
  /// Its ID.
  package let id: ObjectID
  /// The ID of its tree.
  package let tree: ObjectID
  /// Its parents, in order.
  package let parents: [ObjectID]
  /// The author, with the author time.
  package let author: Signature
  /// Who made the commit object, and when.
  package let committer: Signature
  /// The whole message.
  package let message: String

  /// The first line of the message.
  package var subject: String {
    String(message.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)[0])
  }

  /// The value of a trailer such as `Almanac-Op`; nil if there is none. The last one counts.
  package func trailer(_ name: String) -> String? {
    for line in message.split(separator: "\n").reversed() where line.hasPrefix(name + ": ") {
      return String(line.dropFirst(name.count + 2))
    }
    return nil
  }

  /// Reads the bytes of a commit object; nil if they are none.
  init?(_ id: ObjectID, _ bytes: [UInt8]) {
    var tree: ObjectID?
    var parents: [ObjectID] = []
    var author: Signature?
    var committer: Signature?
    var position = 0
    while position < bytes.count, bytes[position] != UInt8(ascii: "\n") {
      let end = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
      let line = bytes[position..<end]
      position = end + 1
      // Lines of a signature begin with a space.
      guard let space = line.firstIndex(of: UInt8(ascii: " ")), space > line.startIndex else {
        continue
      }
      let value = String(decoding: line[(space + 1)...], as: UTF8.self)
      switch String(decoding: line[..<space], as: UTF8.self) {
      case "tree": tree = tree ?? ObjectID(value)
      case "parent":
        guard let parent = ObjectID(value) else { return nil }
        parents.append(parent)
      case "author": author = author ?? Signature(line: value)
      case "committer": committer = committer ?? Signature(line: value)
      default: continue
      }
    }
    guard let tree, let author else { return nil }
    self.id = id
    self.tree = tree
    self.parents = parents
    self.author = author
    self.committer = committer ?? author
    message = String(
      decoding: bytes[min(position + 1, bytes.count)...].drop { $0 == UInt8(ascii: "\n") },
      as: UTF8.self)
  }
}
