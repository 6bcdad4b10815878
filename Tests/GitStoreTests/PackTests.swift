import GitStore
import Glibc
import Testing

@Suite struct PackTests {
  @Test func writesManyObjectsAsOnePack() throws {
    let fixture = try GitFixture()
    let repository = try fixture.repository()
    var files: [String: String?] = [:]
    for number in 0..<1_000 { files["d\(number % 64)/f\(number)"] = "contents of \(number)\n" }
    files["empty"] = ""
    files["large"] = String(repeating: "0123456789", count: 300_000)
    try repository.commitFiles(files)
    #expect(try fixture.git("fsck", "--strict") == "")
    #expect(try fixture.git("status", "--porcelain") == "")
    let counts = try fixture.git("count-objects", "-v").split(separator: "\n")
    #expect(counts.contains("count: 0") && counts.contains("packs: 1"))
    #expect(counts.contains("in-pack: 1068"))
    #expect(fixture.read("d7/f7") == "contents of 7\n")
  }

  @Test func writesFewObjectsLoose() throws {
    let fixture = try GitFixture()
    let repository = try fixture.repository()
    try repository.commitFiles(["a/b": "1"])
    let counts = try fixture.git("count-objects", "-v").split(separator: "\n")
    #expect(counts.contains("count: 4") && counts.contains("packs: 0"))
  }

  @Test func writesNothingThatNoReferenceNeeds() throws {
    let fixture = try GitFixture()
    let repository = try fixture.repository()
    _ = try repository.makeCommit(["a": "1"])
    #expect(try fixture.git("count-objects") == "0 objects, 0 kilobytes")
    try repository.flush()
    #expect(try fixture.git("count-objects").hasPrefix("3 objects"))
    // What is there already is not written again.
    var files: [String: String?] = ["a": "1"]
    for number in 0..<100 { files["f\(number)"] = "\(number)" }
    _ = try repository.makeCommit(files)
    try repository.flush()
    _ = try repository.makeCommit(files)
    try repository.flush()
    #expect(try fixture.git("count-objects", "-v").split(separator: "\n").contains("packs: 1"))
  }

  /// Renaming a folder of 10 000 files writes the few trees above it and no file again.
  @Test func renamesTenThousandFilesByTheirTrees() throws {
    let fixture = try GitFixture()
    let repository = try fixture.repository(bare: true)
    var edits: [TreeEdit] = []
    for number in 0..<10_000 {
      let blob = try repository.writeBlob(Array("event \(number)".utf8))
      edits.append(TreeEdit(path: "calendars/home/\(number % 256)/\(number).json", id: blob))
    }
    let tree = try repository.writeTree(from: nil, edits: edits)
    let first = try repository.writeCommit(tree: tree, parents: [], message: "all", author: ada)
    try repository.moveHead(to: first, expecting: nil, message: "m")
    let before = try repository.files(in: tree)
    #expect(before.count == 10_000)
    let moved = before.flatMap { file in
      [
        TreeEdit(path: file.path, id: nil),
        TreeEdit(
          path: file.path.replacing("calendars/home", with: "calendars/elsewhere"), id: file.blob),
      ]
    }
    let next = try repository.writeTree(from: tree, edits: moved)
    let second = try repository.writeCommit(
      tree: next, parents: [first], message: "rename", author: ada)
    try repository.moveHead(to: second, expecting: first, message: "m")
    #expect(try repository.changes(from: tree, to: next).count == 20_000)
    #expect(
      try repository.entry("calendars/elsewhere", in: next)?.id
        == repository.entry("calendars/home", in: tree)?.id)
    let renames = try fixture.git("diff-tree", "-r", "-M100%", "--shortstat", "HEAD~1", "HEAD")
    #expect(renames.contains("10000 files changed, 0 insertions(+), 0 deletions(-)"))
    #expect(try fixture.git("fsck") == "")
  }
}
