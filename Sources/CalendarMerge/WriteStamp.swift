package import CivilTime

/// When, by whom and in which commit a value was written.
///
/// The time only orders writes that have not seen each other; which write has seen which is told by
/// the commit graph.
package struct WriteStamp: Hashable, Comparable, Sendable {
  /// The author time of the commit.
  package var at: Instant
  /// The name of the commit's author.
  package var by: String
  /// The commit's ID, which tells two writes of one second apart.
  package var id: String

  /// Creates a stamp.
  package init(at: Instant, by: String, id: String) {
    self.at = at
    self.by = by
    self.id = id
  }

  package static func < (left: WriteStamp, right: WriteStamp) -> Bool {
    if left.at != right.at { return left.at < right.at }
    if left.id != right.id { return left.id.utf8.lexicographicallyPrecedes(right.id.utf8) }
    return left.by.utf8.lexicographicallyPrecedes(right.by.utf8)
  }
}
