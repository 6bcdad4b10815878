import CalendarModel
import CivilTime

/// Reads and writes the member `conflicts` (FORMAT.md 1.14).
enum ConflictEntries {
  /// The entries of a version by pointer.
  static func of(_ version: ObjectVersion?) -> [String: [JSONValue]] {
    var result: [String: [JSONValue]] = [:]
    for member in version?.members["conflicts"]?.objectValue?.members ?? [] {
      if let entries = member.value.arrayValue { result[member.name] = entries }
    }
    return result
  }

  /// The values in some entries as writes that competed at a node.
  static func writes(_ entries: [JSONValue], node: Int) -> [Write] {
    entries.map { entry in
      let object = entry.objectValue ?? JSONObject()
      var stamp: WriteStamp?
      if let text = object["at"]?.stringValue, let at = Instant(extended: text) {
        stamp = WriteStamp(at: at, by: object["by"]?.stringValue ?? "", id: "")
      }
      let isRemoval = object["removed"] == true
      let value = isRemoval ? object["value"] : object["value"]?.nonNull
      return Write(node: node, stamp: stamp, value: value)
    }
  }

  /// The value shown beside entries, as a write later than theirs.
  static func shown(
    _ value: JSONValue?, over entries: [JSONValue], stamp: WriteStamp?, node: Int
  ) -> Write {
    let last = writes(entries, node: node).compactMap(\.stamp).max()
    let own = stamp ?? last.map { WriteStamp(at: $0.at, by: "", id: "~") }
    return Write(node: node, stamp: own, value: value)
  }

  /// The entries for rival writes: each value once, at its latest, oldest first.
  ///
  /// - Parameter isPatch: whether a removal inside a patch must be told from no patch.
  static func entries(_ rivals: [Write], isPatch: Bool = false) -> [JSONValue] {
    var result: [Write] = []
    for write in rivals.inOrder {
      result.removeAll { $0.value == write.value }
      result.append(write)
    }
    return result.map { write in
      var entry: JSONObject = ["value": write.value ?? .null]
      if isPatch, write.value?.isNull == true { entry["removed"] = true }
      add(write.stamp, to: &entry)
      return .object(entry)
    }
  }

  /// The entries of a note: who made it necessary, without values.
  static func note(_ writes: [Write]) -> [JSONValue] {
    var result: [JSONValue] = []
    for write in writes.inOrder {
      var entry: JSONObject = ["value": .null]
      add(write.stamp, to: &entry)
      if !result.contains(.object(entry)) { result.append(.object(entry)) }
    }
    return result
  }

  private static func add(_ stamp: WriteStamp?, to entry: inout JSONObject) {
    guard let stamp else { return }
    entry["at"] = .string(stamp.at.description)
    entry["by"] = .string(stamp.by)
  }
}
