/// The differences between two lists of lines.
enum LineDiff {
  /// A stretch that was replaced: positions in the old lines, and the lines that stand there now.
  struct Hunk: Hashable {
    var range: Range<Int>
    var lines: [String]

    /// Whether two hunks of the same old lines cannot both be done: one changes what the other
    /// changes, or adds in the middle of it. Additions at one place are no such case.
    func overlaps(_ other: Hunk) -> Bool {
      if self == other { return false }
      if range.isEmpty {
        return other.range.lowerBound < range.lowerBound
          && range.lowerBound < other.range.upperBound
      }
      if other.range.isEmpty { return other.overlaps(self) }
      return range.overlaps(other.range)
    }
  }

  /// The hunks that turn the old lines into the new ones, in order.
  ///
  /// - Complexity: the product of the lines that are left without a common beginning and end; very
  ///   long texts count as replaced there.
  static func hunks(from old: [String], to new: [String]) -> [Hunk] {
    var start = 0
    while start < old.count, start < new.count, isSame(old[start], new[start]) { start += 1 }
    var (oldEnd, newEnd) = (old.count, new.count)
    while oldEnd > start, newEnd > start, isSame(old[oldEnd - 1], new[newEnd - 1]) {
      oldEnd -= 1
      newEnd -= 1
    }
    let (before, after) = (Array(old[start..<oldEnd]), Array(new[start..<newEnd]))
    if before.isEmpty && after.isEmpty { return [] }
    guard before.count * after.count <= 4_000_000 else {
      return [Hunk(range: start..<oldEnd, lines: after)]
    }
    return pieces(before, after, offset: start)
  }

  static func isSame(_ left: String, _ right: String) -> Bool {
    left.utf8.elementsEqual(right.utf8)
  }

  private static func pieces(_ old: [String], _ new: [String], offset: Int) -> [Hunk] {
    // Lengths of the longest common subsequences of the tails.
    let width = new.count + 1
    var length = [Int32](repeating: 0, count: (old.count + 1) * width)
    for row in stride(from: old.count - 1, through: 0, by: -1) {
      for column in stride(from: new.count - 1, through: 0, by: -1) {
        length[row * width + column] =
          isSame(old[row], new[column])
          ? length[(row + 1) * width + column + 1] + 1
          : max(length[(row + 1) * width + column], length[row * width + column + 1])
      }
    }
    var hunks: [Hunk] = []
    var (row, column) = (0, 0)
    var open: Hunk?
    while row < old.count || column < new.count {
      if row < old.count, column < new.count, isSame(old[row], new[column]) {
        if let done = open { hunks.append(done) }
        open = nil
        row += 1
        column += 1
        continue
      }
      var hunk = open ?? Hunk(range: (offset + row)..<(offset + row), lines: [])
      let takesNew =
        column < new.count
        && (row == old.count
          || length[row * width + column + 1] > length[(row + 1) * width + column])
      if takesNew {
        hunk.lines.append(new[column])
        column += 1
      } else {
        row += 1
        hunk.range = hunk.range.lowerBound..<(offset + row)
      }
      open = hunk
    }
    if let done = open { hunks.append(done) }
    return hunks
  }
}

/// Lines that several people changed, each from what they saw.
struct TextReplay {
  private struct Line {
    var text: String
    var insertedBy: [Int]
    var deletedBy: [Int] = []
  }

  private var lines: [Line]

  /// Starts with the lines that everybody saw.
  init(_ lines: [String]) {
    self.lines = lines.map { Line(text: $0, insertedBy: []) }
  }

  private func isVisible(_ line: Line, _ hasSeen: (Int) -> Bool) -> Bool {
    (line.insertedBy.isEmpty || line.insertedBy.contains(where: hasSeen))
      && !line.deletedBy.contains(where: hasSeen)
  }

  /// The lines as someone sees them who has seen some of the writers.
  func visible(_ hasSeen: (Int) -> Bool) -> [String] {
    lines.filter { isVisible($0, hasSeen) }.map(\.text)
  }

  /// Replays what a writer did.
  ///
  /// - Parameters:
  ///   - new: the lines the writer left.
  ///   - hasSeen: tells which writers the writer had seen.
  mutating func replay(_ writer: Int, _ new: [String], hasSeen: (Int) -> Bool) {
    let seen = lines.indices.filter { isVisible(lines[$0], hasSeen) }
    let hunks = LineDiff.hunks(from: seen.map { lines[$0].text }, to: new)
    for hunk in hunks.reversed() {
      for position in hunk.range { lines[seen[position]].deletedBy.append(writer) }
      if hunk.lines.isEmpty { continue }
      let upper = hunk.range.upperBound
      let end = upper < seen.count ? seen[upper] : lines.count
      let start = hunk.range.lowerBound > 0 ? seen[hunk.range.lowerBound - 1] + 1 : 0
      if let twin = twin(of: hunk.lines, in: start..<end, hasSeen) {
        // Somebody else added the very same lines here.
        for index in twin { lines[index].insertedBy.append(writer) }
      } else {
        lines.insert(
          contentsOf: hunk.lines.map { Line(text: $0, insertedBy: [writer]) }, at: end)
      }
    }
  }

  private func twin(
    of added: [String], in range: Range<Int>, _ hasSeen: (Int) -> Bool
  ) -> [Int]? {
    let hidden = range.filter { index in
      !lines[index].insertedBy.isEmpty && !lines[index].insertedBy.contains(where: hasSeen)
    }
    let writers = Set(hidden.flatMap { lines[$0].insertedBy })
    for writer in writers.sorted() {
      let own = hidden.filter { lines[$0].insertedBy.contains(writer) }
      let isEqual =
        own.count == added.count
        && zip(own, added).allSatisfy { LineDiff.isSame(lines[$0].text, $1) }
      if isEqual { return own }
    }
    return nil
  }
}

/// Merges texts that are not ours the way git does: by lines, and not at all if changes touch.
package enum TextMerge {
  /// The merged text; nil if the changes touch each other or a version is no text.
  package static func merge(_ base: [UInt8], _ ours: [UInt8], _ theirs: [UInt8]) -> [UInt8]? {
    guard let old = lines(base), let mine = lines(ours), let other = lines(theirs) else {
      return nil
    }
    let changes = LineDiff.hunks(from: old, to: mine)
    var all = changes
    for hunk in LineDiff.hunks(from: old, to: other) where !changes.contains(hunk) {
      let touches = changes.contains { change in
        change.range.lowerBound <= hunk.range.upperBound
          && hunk.range.lowerBound <= change.range.upperBound
      }
      if touches { return nil }
      all.append(hunk)
    }
    var result = old
    for hunk in all.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
      result.replaceSubrange(hunk.range, with: hunk.lines)
    }
    return Array(result.joined(separator: "\n").utf8)
  }

  private static func lines(_ bytes: [UInt8]) -> [String]? {
    guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
      return nil
    }
    return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }
}
