import TestSupport
import Testing

/// The repository checks itself.
@Suite struct TidyTests {
  static let root: String = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    .dropLast(3).joined(separator: "/")

  static func files(below folder: String, ending: String) -> [String] {
    Corpus.names(in: root + "/" + folder).flatMap { name -> [String] in
      if name.hasPrefix(".") || name == "Corpus" { return [] }
      let path = folder + "/" + name
      if name.hasSuffix(ending) { return [path] }
      return name.contains(".") && !name.hasSuffix(".docc")
        ? [] : files(below: path, ending: ending)
    }
  }

  static func text(_ path: String) -> String {
    String(decoding: Corpus.bytes(root + "/" + path) ?? [], as: UTF8.self)
  }

  static let swiftFiles = ["Sources", "Tests", "Benchmarks"].flatMap {
    files(below: $0, ending: ".swift")
  }

  // MARK: - The checks, as functions that are tested on bad samples below

  static func isTooLong(_ text: String) -> Bool {
    text.split(separator: "\n", omittingEmptySubsequences: false).count > 601
  }

  static func imports(_ text: String) -> [String] {
    text.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      guard let index = words.firstIndex(of: "import"), index < words.count - 1, index < 3,
        !line.hasPrefix("//"), !line.hasPrefix(" /")
      else { return nil }
      return String(words[index + 1])
    }
  }

  static func hasConflictMarkers(_ text: String) -> Bool {
    text.split(separator: "\n").contains { $0.hasPrefix("<<<<<<< ") || $0.hasPrefix(">>>>>>> ") }
  }

  /// Whether a text names a path of one machine: a folder of the root, not one inside a path.
  static func hasMachinePath(_ text: String) -> Bool {
    ["home", "work", "Users", "root"].contains { folder in
      text.split(separator: "/\(folder)/", omittingEmptySubsequences: false).dropLast().contains {
        guard let before = $0.last else { return true }
        return !(before.isLetter || before.isNumber || "._-*$}".contains(before))
      }
    }
  }

  /// Targets in the order of their rows: each may import those of lower rows only.
  static let rows: [[String]] = [
    ["CivilTime", "CLibgit2", "CSQLite"], ["Recurrence", "GitStore", "SearchIndex"],
    ["CalendarModel"],
    ["CalendarMerge"], ["Almanac"], ["AlmanacCLI"],
  ]

  static func row(of target: String) -> Int? { rows.firstIndex { $0.contains(target) } }

  // MARK: - The repository

  @Test func everyFileIsShortEnoughToRead() {
    #expect(TidyTests.swiftFiles.count > 60)
    for path in TidyTests.swiftFiles {
      #expect(!TidyTests.isTooLong(TidyTests.text(path)), "\(path)")
    }
  }

  @Test func targetsImportLowerRowsOnlyAndNoFoundation() throws {
    for path in TidyTests.files(below: "Sources", ending: ".swift") {
      let target = String(path.split(separator: "/")[1])
      let own = try #require(TidyTests.row(of: target), "\(target)")
      for module in TidyTests.imports(TidyTests.text(path)) {
        #expect(!module.hasPrefix("Foundation"), "\(path)")
        if let other = TidyTests.row(of: module) {
          #expect(other < own, "\(path) imports \(module)")
        }
        if module == "CLibgit2" { #expect(target == "GitStore", "\(path)") }
        if module == "CSQLite" { #expect(target == "SearchIndex", "\(path)") }
      }
    }
  }

  @Test func theCommandKnowsNoGitAndNoMerge() {
    for path in TidyTests.files(below: "Sources/AlmanacCLI", ending: ".swift") {
      let imports = TidyTests.imports(TidyTests.text(path))
      #expect(
        Set(imports).isDisjoint(with: ["GitStore", "SearchIndex", "CalendarMerge"]), "\(path)")
    }
  }

  @Test func nothingIsLeftOver() {
    let documents = TidyTests.files(below: "docs", ending: ".md").filter {
      !$0.hasPrefix("docs/api")
    }
    for path in TidyTests.swiftFiles + documents + ["README.md", "CHANGELOG.md", "Makefile"] {
      let text = TidyTests.text(path)
      #expect(!text.isEmpty, "\(path)")
      #expect(!TidyTests.hasConflictMarkers(text), "\(path)")
      #expect(!TidyTests.hasMachinePath(text), "\(path)")
    }
  }

  @Test func everyLinkOfTheDocumentsLeadsSomewhere() {
    let documents =
      TidyTests.files(below: "docs", ending: ".md").filter { !$0.hasPrefix("docs/api") }
      + ["README.md", "CONTRIBUTING.md"]
    for path in documents {
      let folder = path.split(separator: "/").dropLast().joined(separator: "/")
      for piece in TidyTests.text(path).split(separator: "](").dropFirst() {
        let target = piece.prefix { $0 != ")" && $0 != "#" }
        if target.isEmpty || target.contains("://") { continue }
        let full = TidyTests.root + "/" + (folder.isEmpty ? "" : folder + "/") + target
        let exists = Corpus.bytes(full) != nil || !Corpus.names(in: full).isEmpty
        #expect(exists, "\(path) links to \(target)")
      }
    }
  }

  // MARK: - The checks themselves

  @Test func theChecksCatchBadSamples() {
    #expect(TidyTests.isTooLong(String(repeating: "x\n", count: 700)))
    #expect(
      TidyTests.imports("public import CivilTime\n  import Glibc\n// import Foundation") == [
        "CivilTime", "Glibc",
      ])
    #expect(TidyTests.hasConflictMarkers("a\n<<<<<<< HEAD\n"))
    #expect(TidyTests.hasMachinePath("see /" + "home/somebody"))
    #expect(TidyTests.row(of: "Almanac") == 4 && TidyTests.row(of: "Glibc") == nil)
  }
}
