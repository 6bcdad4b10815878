import CalendarModel

/// Notes in `conflicts` that no value lost: two wishes together made something nobody chose.
enum DerivedNote {
  static func isNote(_ unit: String) -> Bool {
    let last = Unit.last(unit)
    return last == "@combined" || last == "@orphan" || last == "@hidden"
  }

  /// The units that are written when a note is removed.
  static func units(of note: String, in units: [String: JSONValue], frame: Frame) -> [String] {
    let scope = String(Unit.split(note).scope)
    switch Unit.last(note) {
    case "@combined": return [Unit.day, Unit.hour]
    case "@orphan": return [scope + Unit.occurrence]
    default: return units.keys.filter { $0.hasPrefix(scope) }
    }
  }

  /// Members of an override that are a history of what was done, not content.
  private static let history: Set<Substring> = [
    "progress", "completed", "percentComplete", "@orphan",
  ]

  /// Whether a unit of an occurrence is content that must not vanish from view.
  static func isContent(_ unit: String) -> Bool { !history.contains(Unit.split(unit).name) }

  /// Two writes that do not know of each other and make a note necessary; nil if there are none, or
  /// a later write of the rule or the end has seen both.
  static func pairs(
    _ note: String, live: [String: [Write]], frame: Frame, history: ObjectHistory
  ) -> [Write]? {
    let scope = Unit.split(note).scope
    var first: [Write] = []
    var second: [Write] = []
    if Unit.last(note) == "@combined" {
      first = live[Unit.day] ?? []
      second = live[Unit.hour] ?? []
      return pair(first, second, seenBy: first + second, history)
    }
    for (unit, writes) in live {
      if unit.hasPrefix(scope) {
        if isContent(unit), !isNote(unit) { first += writes }
      } else if unit == Unit.end || unit == Unit.day
        || unit.hasPrefix(Unit.futureScope) && unit.hasSuffix("/@day")
      {
        second += writes
      }
    }
    return pair(first, second, seenBy: second, history)
  }

  private static func pair(
    _ first: [Write], _ second: [Write], seenBy deciders: [Write], _ history: ObjectHistory
  ) -> [Write]? {
    for one in first.inOrder.reversed() {
      for other in second.inOrder.reversed() where history.areConcurrent(one, other) {
        let isDecided = deciders.contains {
          history.hasSeen($0.node, one.node) && history.hasSeen($0.node, other.node)
        }
        if !isDecided { return [one, other] }
      }
    }
    return nil
  }
}
