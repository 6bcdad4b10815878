import CalendarModel
import CivilTime
import Testing

@testable import CalendarMerge

/// Whole stores: files matched by UID, folders, deletions, files that are not ours.
struct CollectionMergeTests {
  static let uid = "9c2e7b40-a6f3-4d18-b05e-7e81f4d2c693"
  static let name = "events/9c/9c2e7b40-a6f3-4d18-b05e-7e81f4d2c693.json"

  static func event(_ changes: JSONObject = [:], uid: String = uid) -> String {
    var members: JSONObject = [
      "@type": "Event", "start": "2026-12-01T10:00:00", "timeZone": "Europe/Berlin",
      "title": "Dentist", "created": "2026-11-01T08:00:00Z", "uid": .string(uid),
    ]
    for member in changes.members { members[member.name] = member.value.nonNull }
    return MemoryStore.text(Normaliser.normalise(members, kind: .event))
  }

  static func calendar(_ name: String, uid: String) -> String {
    MemoryStore.text(["@type": "Calendar", "name": .string(name), "uid": .string(uid)])
  }

  /// A store with two calendars and an event in the first.
  static func store() -> MemoryStore {
    var store = MemoryStore()
    store.commit(
      "O", [],
      [
        "calendars/home/calendar.json": calendar("Home", uid: "cal-home"),
        "calendars/work/calendar.json": calendar("Work", uid: "cal-work"),
        "calendars/home/\(name)": event(),
        "README.md": "one\ntwo\nthree\nfour\nfive\n",
      ])
    return store
  }

  /// Merges both ways round, expects one tree, and returns it with the result of the first.
  static func both(
    _ store: MemoryStore, _ ours: String = "A", _ theirs: String = "B"
  ) -> (tree: [String: String], result: StoreMergeResult) {
    let tree = store.merged(ours, theirs)
    #expect(store.merged(theirs, ours) == tree)
    return (tree, store.merge(ours, theirs))
  }

  static func members(_ text: String?) throws -> JSONObject {
    try JSONText.parse(Array((try #require(text)).utf8))
  }

  @Test func whatOnlyOneSideChangedIsTakenAsItIs() throws {
    var store = CollectionMergeTests.store()
    // Not canonical, and stays so.
    let odd = CollectionMergeTests.event().replacing("Dentist", with: "Doctor").replacing(
      "\n\n", with: "\n")
    store.commit("A", ["O"], ["README.md": "one\n"])
    store.commit("B", ["O"], ["calendars/home/\(CollectionMergeTests.name)": odd])
    let (tree, result) = CollectionMergeTests.both(store)
    #expect(tree["calendars/home/\(CollectionMergeTests.name)"] == odd)
    #expect(tree["README.md"] == "one\n")
    #expect(result.merged == [])
    #expect(result.conflicted == [])
  }

  @Test func addedOnBothSidesUnderOneUIDIsOneObject() throws {
    var store = CollectionMergeTests.store()
    let uid = "invitation@example.com"
    let path = ObjectPath.path(kind: .event, collection: "home", uid: uid)
    let path2 = ObjectPath.path(kind: .event, collection: "work", uid: uid)
    store.commit(
      "A", ["O"], at: 1, [path: CollectionMergeTests.event(["title": "Lunch"], uid: uid)])
    store.commit(
      "B", ["O"], at: 2,
      [path2: CollectionMergeTests.event(["title": "Supper", "color": "red"], uid: uid)])
    let (tree, result) = CollectionMergeTests.both(store)
    #expect(tree[path] == nil)
    let object = try CollectionMergeTests.members(tree[path2])
    #expect(object["title"] == "Supper")
    #expect(object["color"] == "red")
    #expect(object["conflicts"]?.objectValue?.names == ["@calendar", "title"])
    #expect(result.conflicted == [uid])
  }

  @Test func deletedAgainstEditedIsKeptAndNoted() throws {
    var store = CollectionMergeTests.store()
    let path = "calendars/home/\(CollectionMergeTests.name)"
    store.commit("A", ["O"], at: 1, [path: nil])
    store.commit("B", ["O"], at: 2, [path: CollectionMergeTests.event(["title": "Doctor"])])
    let (tree, result) = CollectionMergeTests.both(store)
    let object = try CollectionMergeTests.members(tree[path])
    #expect(object["title"] == "Doctor")
    #expect(object["conflicts"]?.objectValue?.names == ["@object"])
    #expect(result.conflicted == [CollectionMergeTests.uid])
  }

  @Test func deletedOnBothSidesIsGone() {
    var store = CollectionMergeTests.store()
    let path = "calendars/home/\(CollectionMergeTests.name)"
    store.commit("A", ["O"], [path: nil])
    store.commit("B", ["O"], [path: nil, "README.md": "x\n"])
    let (tree, result) = CollectionMergeTests.both(store)
    #expect(tree[path] == nil)
    #expect(result.conflicted == [])
  }

  @Test func movedAgainstEditedIsTheEditedContentAtTheNewPlace() throws {
    var store = CollectionMergeTests.store()
    let (old, new) = (
      "calendars/home/\(CollectionMergeTests.name)", "calendars/work/\(CollectionMergeTests.name)"
    )
    store.commit("A", ["O"], [old: nil, new: CollectionMergeTests.event()])
    store.commit(
      "B", ["O"],
      [
        old: CollectionMergeTests.event(["title": "Doctor", "start": "2027-01-01", "timeZone": nil])
      ])
    let (tree, _) = CollectionMergeTests.both(store)
    #expect(tree[old] == nil)
    let object = try CollectionMergeTests.members(tree[new])
    #expect(object["title"] == "Doctor")
    #expect(object["conflicts"] == nil)
  }

  @Test func movedToTwoCalendarsIsAtTheLaterChoiceAndNoted() throws {
    var store = CollectionMergeTests.store()
    let old = "calendars/home/\(CollectionMergeTests.name)"
    store.commit(
      "O2", ["O"], ["calendars/side/calendar.json": CollectionMergeTests.calendar("Side", uid: "s")]
    )
    store.commit(
      "A", ["O2"], at: 2,
      [old: nil, "calendars/work/\(CollectionMergeTests.name)": CollectionMergeTests.event()])
    store.commit(
      "B", ["O2"], at: 1,
      [
        old: nil,
        "calendars/side/\(CollectionMergeTests.name)": CollectionMergeTests.event(["color": "red"]),
      ])
    let (tree, _) = CollectionMergeTests.both(store)
    #expect(tree[old] == nil)
    #expect(tree["calendars/side/\(CollectionMergeTests.name)"] == nil)
    let object = try CollectionMergeTests.members(
      tree["calendars/work/\(CollectionMergeTests.name)"])
    #expect(object["color"] == "red")
    let entry = object["conflicts"]?.objectValue?["@calendar"]?.arrayValue?.first?.objectValue
    #expect(entry?["value"] == "side")
  }

  @Test func aNewFileGoesIntoTheRenamedFolder() throws {
    var store = CollectionMergeTests.store()
    let name = CollectionMergeTests.name
    let other = "events/aa/aa2e7b40-a6f3-4d18-b05e-7e81f4d2c693.json"
    let added = CollectionMergeTests.event(uid: "aa2e7b40-a6f3-4d18-b05e-7e81f4d2c693")
    store.commit(
      "A", ["O"],
      [
        "calendars/home/calendar.json": nil, "calendars/home/\(name)": nil,
        "calendars/house/calendar.json": CollectionMergeTests.calendar("House", uid: "cal-home"),
        "calendars/house/\(name)": CollectionMergeTests.event(),
      ])
    store.commit(
      "B", ["O"],
      [
        "calendars/home/\(other)": added,
        "calendars/home/\(name)": CollectionMergeTests.event(["title": "Doctor"]),
      ])
    let (tree, result) = CollectionMergeTests.both(store)
    #expect(tree.keys.filter { $0.hasPrefix("calendars/home") } == [])
    #expect(tree["calendars/house/\(other)"] == added)
    let object = try CollectionMergeTests.members(tree["calendars/house/\(name)"])
    #expect(object["title"] == "Doctor")
    #expect(object["conflicts"] == nil)
    #expect(result.conflicted == [])
  }

  @Test func aDeletedFolderWithNewObjectsLives() throws {
    var store = CollectionMergeTests.store()
    let name = CollectionMergeTests.name
    let other = "events/aa/aa2e7b40-a6f3-4d18-b05e-7e81f4d2c693.json"
    store.commit(
      "A", ["O"], ["calendars/home/calendar.json": nil, "calendars/home/\(name)": nil])
    store.commit(
      "B", ["O"],
      [
        "calendars/home/\(other)": CollectionMergeTests.event(
          uid: "aa2e7b40-a6f3-4d18-b05e-7e81f4d2c693")
      ])
    let (tree, result) = CollectionMergeTests.both(store)
    #expect(tree["calendars/home/calendar.json"] != nil)
    #expect(tree["calendars/home/\(other)"] != nil)
    #expect(tree["calendars/home/\(name)"] == nil)
    #expect(result.reports.count == 1)
  }

  @Test func calendarsMergeMemberByMember() throws {
    var store = CollectionMergeTests.store()
    let path = "calendars/home/calendar.json"
    store.commit("A", ["O"], at: 1, [path: CollectionMergeTests.calendar("Casa", uid: "cal-home")])
    store.commit(
      "B", ["O"], at: 2,
      [
        path: MemoryStore.text([
          "@type": "Calendar", "name": "Maison", "color": "teal", "uid": "cal-home",
        ])
      ])
    let (tree, result) = CollectionMergeTests.both(store)
    let calendar = try CollectionMergeTests.members(tree[path])
    #expect(calendar["name"] == "Maison")
    #expect(calendar["color"] == "teal")
    #expect(calendar["conflicts"]?.objectValue?.names == ["name"])
    #expect(result.conflicted == ["cal-home"])
  }

  @Test func foreignFilesMergeByLinesOrStandSideBySide() {
    var store = CollectionMergeTests.store()
    store.commit("A", ["O"], ["README.md": "ONE\ntwo\nthree\nfour\nfive\n", "notes.txt": "a"])
    store.commit("B", ["O"], ["README.md": "one\ntwo\nthree\nfour\nFIVE\n", "notes.txt": "b"])
    let tree = store.merged("A", "B")
    #expect(tree["README.md"] == "ONE\ntwo\nthree\nfour\nFIVE\n")
    #expect(tree["notes.txt"] == "a")
    #expect(tree["notes.txt.theirs-\(hash("b"))"] == "b")
    #expect(store.merge("A", "B").reports.count == 1)
  }

  private func hash(_ text: String) -> String {
    SHA256.hash(Array(text.utf8)).prefix(4).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
      .joined()
  }

  @Test func anUnreadableFileStandsBesideTheReadableOne() throws {
    var store = CollectionMergeTests.store()
    let path = "calendars/home/\(CollectionMergeTests.name)"
    store.commit("A", ["O"], [path: "{ broken"])
    store.commit("B", ["O"], [path: CollectionMergeTests.event(["title": "Doctor"])])
    let (tree, result) = CollectionMergeTests.both(store)
    #expect(try CollectionMergeTests.members(tree[path])["title"] == "Doctor")
    #expect(tree["\(path).theirs-\(hash("{ broken"))"] == "{ broken")
    #expect(result.reports.count == 1)
  }

  @Test func conflictMarkersAreNeverReadAsData() throws {
    var store = CollectionMergeTests.store()
    let path = "calendars/home/\(CollectionMergeTests.name)"
    store.commit("A", ["O"], at: 1, [path: CollectionMergeTests.event(["title": "Ours"])])
    store.commit("A2", ["O"], at: 2, [path: CollectionMergeTests.event(["title": "Theirs"])])
    // Somebody committed a merge by git alone with its markers.
    store.commit(
      "M", ["A", "A2"], at: 3,
      [
        path:
          "{\n<<<<<<< HEAD\n  \"title\": \"Ours\"\n=======\n  \"title\": \"Theirs\"\n>>>>>>> x\n}\n"
      ])
    store.commit("B", ["O"], at: 4, [path: CollectionMergeTests.event(["color": "red"])])
    let (tree, _) = CollectionMergeTests.both(store, "M", "B")
    let object = try CollectionMergeTests.members(tree[path])
    #expect(object["title"] == "Theirs")
    #expect(object["color"] == "red")
    #expect(object["conflicts"]?.objectValue?.names == ["title"])
    #expect(tree.keys.filter { $0.contains(".theirs-") } == [])
  }

  @Test func whatAMergeOfTextsBrokeIsRepairedFromTheParents() throws {
    var store = CollectionMergeTests.store()
    let path = "calendars/home/\(CollectionMergeTests.name)"
    store.commit(
      "A", ["O"], at: 1,
      [path: CollectionMergeTests.event(["start": "2026-12-01T11:00:00", "title": "Doctor"])])
    store.commit(
      "B", ["O"], at: 2, [path: CollectionMergeTests.event(["timeZone": "Europe/London"])])
    // Git's lines: the hour from one side, the zone from the other.
    let text = CollectionMergeTests.event([
      "start": "2026-12-01T11:00:00", "title": "Doctor", "timeZone": "Europe/London",
    ])
    store.commit("M", ["A", "B"], at: 3, [path: text])
    store.commit("C", ["M"], at: 4, ["README.md": "x\n"])
    let repaired = store.applied(store.repair("C", merges: ["M"]), to: store.tree("C"))
    let object = try CollectionMergeTests.members(repaired[path])
    #expect(object["start"] == "2026-12-01T10:00:00")
    #expect(object["timeZone"] == "Europe/London")
    #expect(object["title"] == "Doctor")
    #expect(object["conflicts"]?.objectValue?.names == ["@hour"])
    // A merge by these rules has nothing to repair.
    store.commitMerge("M2", "A", "B")
    #expect(store.repair("M2", merges: ["M2"]).edits.isEmpty)
    #expect(store.tree("M2")[path] == repaired[path])
    // A person who decided in the merge is left alone.
    store.commit(
      "M3", ["A", "B"], [path: CollectionMergeTests.event(["start": "2026-12-01T12:00:00"])])
    #expect(store.repair("M3", merges: ["M3"]).edits.isEmpty == false)
    let kept = store.applied(store.repair("M3", merges: ["M3"]), to: store.tree("M3"))
    #expect(try CollectionMergeTests.members(kept[path])["start"] == "2026-12-01T12:00:00")
  }

  @Test func twoObjectsThatWantOnePathBothStay() throws {
    var store = CollectionMergeTests.store()
    let path = "calendars/home/events/lunch.json"
    store.commit("A", ["O"], [path: CollectionMergeTests.event(uid: "one@example.com")])
    store.commit("B", ["O"], [path: CollectionMergeTests.event(uid: "two@example.com")])
    let (tree, _) = CollectionMergeTests.both(store)
    #expect(try CollectionMergeTests.members(tree[path])["uid"] == "one@example.com")
    let canonical = ObjectPath.path(kind: .event, collection: "home", uid: "two@example.com")
    #expect(try CollectionMergeTests.members(tree[canonical])["uid"] == "two@example.com")
  }

  @Test func aRevertIsAWriteAlsoIfTheTreeDoesNotShowIt() throws {
    var store = CollectionMergeTests.store()
    let path = "calendars/home/\(CollectionMergeTests.name)"
    store.commit("A1", ["O"], at: 1, [path: CollectionMergeTests.event(["title": "X"])])
    store.commit("A", ["A1"], at: 3, [path: CollectionMergeTests.event()])
    store.commit("B", ["O"], at: 2, [path: CollectionMergeTests.event(["title": "Y"])])
    let (tree, _) = CollectionMergeTests.both(store)
    let object = try CollectionMergeTests.members(tree[path])
    #expect(object["title"] == "Dentist")
    #expect(object["conflicts"]?.objectValue?.names == ["title"])
  }

  @Test func mergesOfThreeEndInOneTreeWhateverTheOrder() throws {
    var store = CollectionMergeTests.store()
    let (old, new) = (
      "calendars/home/\(CollectionMergeTests.name)", "calendars/work/\(CollectionMergeTests.name)"
    )
    store.commit("A", ["O"], at: 1, [old: nil, new: CollectionMergeTests.event(["color": "red"])])
    store.commit("B", ["O"], at: 2, [old: CollectionMergeTests.event(["title": "B"])])
    store.commit("C", ["O"], at: 3, [old: nil])
    var trees: Set<[String: String]> = []
    for order in permutations(["A", "B", "C"]) {
      var copy = store
      copy.commitMerge("M", order[0], order[1])
      trees.insert(copy.merged("M", order[2]))
      trees.insert(copy.merged(order[2], "M"))
    }
    #expect(trees.count == 1)
    let tree = try #require(trees.first)
    #expect(tree[old] == nil)
    #expect(
      try CollectionMergeTests.members(tree[new])["conflicts"]?.objectValue?.names == ["@object"])
  }

  @Test func theDriverMergesOneFileAndRefusesWhatItCannotRead() throws {
    let path = "calendars/home/\(CollectionMergeTests.name)"
    let base = Array(CollectionMergeTests.event().utf8)
    let ours = Array(CollectionMergeTests.event(["title": "Doctor"]).utf8)
    let theirs = Array(CollectionMergeTests.event(["color": "red"]).utf8)
    let merged = try CollectionMerge.mergeFile(base: base, ours: ours, theirs: theirs, path: path)
    let swapped = try CollectionMerge.mergeFile(base: base, ours: theirs, theirs: ours, path: path)
    #expect(merged == swapped)
    #expect(
      String(decoding: merged, as: UTF8.self)
        == CollectionMergeTests.event(["title": "Doctor", "color": "red"]))
    #expect(
      try CollectionMerge.mergeFile(base: base, ours: base, theirs: theirs, path: path) == theirs)
    #expect(throws: MergeError.unreadable(path: path, version: "theirs")) {
      try CollectionMerge.mergeFile(base: base, ours: ours, theirs: Array("{".utf8), path: path)
    }
    #expect(throws: MergeError.notOurs(path: "README.md")) {
      try CollectionMerge.mergeFile(base: nil, ours: ours, theirs: theirs, path: "README.md")
    }
    let added = try CollectionMerge.mergeFile(base: [], ours: ours, theirs: theirs, path: path)
    let object = try JSONText.parse(added)
    #expect(object["color"] == "red")
  }
}
