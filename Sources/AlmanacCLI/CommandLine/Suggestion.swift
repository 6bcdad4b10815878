/// Finds the word somebody probably meant.
enum Suggestion {
  /// The nearest of some words, or nil if none is near: a word that the typed one begins, or one
  /// that a few slips of the keyboard away.
  static func nearest(to typed: String, among words: [String]) -> String? {
    let typed = typed.lowercased()
    let limit = typed.count <= 4 ? 1 : typed.count <= 8 ? 2 : 3
    let near = words.map { (word: $0, distance: distance(typed, $0.lowercased())) }
      .filter { $0.distance <= limit }
      .min { ($0.distance, $0.word) < ($1.distance, $1.word) }
    if let near { return near.word }
    guard typed.count >= 3 else { return nil }
    return words.filter { $0.lowercased().hasPrefix(typed) }.min { $0.count < $1.count }
  }

  /// Words as people list them: `a, b or c`.
  static func list(_ words: [String], _ join: String = "or") -> String {
    guard words.count > 1, let last = words.last else { return words.first ?? "" }
    return words.dropLast().joined(separator: ", ") + " \(join) " + last
  }

  /// Insertions, removals, replacements and swaps of neighbours that lead from one word to another.
  static func distance(_ left: String, _ right: String) -> Int {
    let left = Array(left.unicodeScalars.prefix(64))
    let right = Array(right.unicodeScalars.prefix(64))
    var older: [Int] = []
    var previous = Array(0...right.count)
    for row in 0..<left.count {
      var current = [row + 1]
      for column in 0..<right.count {
        let same = left[row] == right[column]
        var best = min(
          previous[column + 1] + 1, current[column] + 1, previous[column] + (same ? 0 : 1))
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          best = min(best, older[column - 1] + 1)
        }
        current.append(best)
      }
      older = previous
      previous = current
    }
    return previous[right.count]
  }
}
