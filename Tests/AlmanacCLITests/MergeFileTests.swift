import CalendarModel
import TestSupport
import Testing

@testable import AlmanacCLI

@Suite struct MergeFileTests {
  private let path = "calendars/home/events/5a/x.json"

  private func event(_ extra: String) -> String {
    "{ \"@type\": \"Event\", \"start\": \"2026-12-03T19:30:00\", \"uid\": \"x@example.org\", \(extra) }"
  }

  private func merge(
    _ base: String, _ ours: String, _ theirs: String, path: String
  ) -> (answer: ToolRunner.Answer, bytes: [UInt8]?) {
    let runner = ToolRunner()
    for (name, text) in [("base", base), ("ours", ours), ("theirs", theirs)] {
      Golden.write(text, to: runner.folder + "/" + name)
    }
    let answer = runner.run("merge-file", "base", "ours", "theirs", path)
    return (answer, Corpus.bytes(runner.folder + "/ours"))
  }

  @Test(arguments: ["", "dotfiles/agenda/"])
  func joinsWhatEachSideChanged(prefix: String) throws {
    let (answer, bytes) = merge(
      event("\"title\": \"Choir\""), event("\"title\": \"Singing\""),
      event("\"title\": \"Choir\", \"color\": \"teal\""), path: prefix + path)
    #expect(answer.status == 0, "\(answer.errors)")
    let merged = try JSONText.parse(try #require(bytes))
    #expect(merged["title"] == "Singing")
    #expect(merged["color"] == "teal")
    #expect(merged["conflicts"] == nil)
  }

  @Test func notesAConflictWithoutMarkersAndExitsWithZero() throws {
    let (answer, bytes) = merge(
      event("\"title\": \"Choir\""), event("\"title\": \"Singing\""),
      event("\"title\": \"Rehearsal\""), path: path)
    #expect(answer.status == 0)
    let merged = try JSONText.parse(try #require(bytes))
    #expect(merged["conflicts"]?.objectValue?["title"] != nil)
  }

  @Test func leavesAFileThatCannotBeReadAsItWas() throws {
    let (answer, bytes) = merge("", "{ broken", event("\"title\": \"Choir\""), path: path)
    #expect(answer.status == 1)
    #expect(bytes == Array("{ broken".utf8))
    #expect(merge("", "", "", path: "README.md").answer.status == 1)
    #expect(ToolRunner().run("merge-file", "a", "b", "c", path).status == 1)
  }
}
