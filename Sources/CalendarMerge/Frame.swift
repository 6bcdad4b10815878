package import CalendarModel
import CivilTime
import Recurrence

/// One state of an object: its members, and the calendar or list it is in.
package struct ObjectVersion: Hashable, Sendable {
  /// The normalised members.
  package var members: JSONObject
  /// The slug of its calendar or list; empty for the files that describe those.
  package var collection: String

  /// Creates a version.
  package init(members: JSONObject, collection: String) {
    self.members = members
    self.collection = collection
  }
}

/// What all versions that are merged must be taken apart by alike.
struct Frame: Sendable {
  /// What the files are.
  let kind: FileKind
  /// The member that anchors the object: `due` if no version of a reminder has `start`.
  let anchorName: String
  /// Pointers that lead to objects in some version.
  private var inner: Set<String> = []
  /// Pointers that lead to anything else in some version.
  private var leaves: Set<String> = []
  /// The `@type`s of the triggers at a pointer.
  private var triggers: [String: Set<String>] = [:]

  var isSeries: Bool { kind.objectKind != nil }

  init(kind: FileKind, versions: [ObjectVersion]) {
    self.kind = kind
    let hasStart = kind != .reminder || versions.contains { $0.members["start"] != nil }
    anchorName = hasStart ? "start" : "due"
    for version in versions { collect(version.members) }
  }

  private mutating func collect(_ members: JSONObject) {
    for member in members.members where member.name != "conflicts" {
      switch member.name {
      case "recurrenceRule" where isSeries: continue
      case "futureOverrides" where isSeries, "recurrenceOverrides" where isSeries:
        for entry in member.value.objectValue?.members ?? [] {
          for change in entry.value.objectValue?.members ?? []
          where change.name != "recurrenceRule" { add(change.value, at: change.name) }
        }
      default: add(member.value, at: Patch.escaped(member.name))
      }
    }
  }

  private mutating func add(_ value: JSONValue, at pointer: String) {
    // What leads to a pointer of a patch is an object.
    var prefix = pointer[...]
    while let slash = prefix.lastIndex(of: "/") {
      prefix = prefix[..<slash]
      inner.insert(String(prefix))
    }
    guard let object = value.objectValue else {
      if !value.isNull { leaves.insert(pointer) }
      return
    }
    if object.isEmpty { return }
    inner.insert(pointer)
    if pointer.hasSuffix("/trigger") {
      triggers[pointer, default: []].insert(object["@type"]?.stringValue ?? "")
    }
    for member in object.members {
      add(member.value, at: pointer + "/" + Patch.escaped(member.name))
    }
  }

  /// Whether the value at a pointer is one unit although it is an object: other versions have no
  /// object there, or a trigger of another kind, or nothing is known about what it means inside.
  func isAtomic(_ pointer: String) -> Bool {
    pointer == "iCalendar" || inner.contains(pointer) && leaves.contains(pointer)
      || triggers[pointer].map { $0.count > 1 } ?? false
  }

  /// Whether some version has an object at a pointer.
  func isObject(_ pointer: String) -> Bool { inner.contains(pointer) && !isAtomic(pointer) }
}

extension JSONObject {
  /// A member read as a date or local date-time.
  func moment(_ name: String) -> DateOrDateTime? {
    self[name]?.stringValue.flatMap { DateOrDateTime(extended: $0) }
  }

  /// The recurrence ID of the first occurrence of a series with these members; nil without a date.
  var firstID: String? {
    guard let anchor = moment("start") ?? moment("due") else { return nil }
    let rule = self["recurrenceRule"]?.objectValue.flatMap { try? RecurrenceRule(json: $0) }
    return rule?.repeatsWithinDay == true ? anchor.description : anchor.date.description
  }
}

extension TimeOfDay {
  /// The time in a file's form, `09:00:00`; nil if it is something else.
  init?(member value: JSONValue?) {
    guard let text = value?.stringValue,
      case .dateTime(let civil)? = DateOrDateTime(extended: "2000-01-01T" + text)
    else { return nil }
    self = civil.time
  }
}
