import CivilTime
import TestSupport
import Testing

@testable import AlmanacCLI

/// Stories as they are typed: `Corpus/transcripts/*.txt` hold command lines that begin with `$ `,
/// then what they print, standard output first and then standard error behind `! `, then the exit
/// status in brackets if it is not 0. `UPDATE_GOLDEN=1` writes them anew.
///
/// `$NAME` in a command line stands for the first line that the command line `NAME=…` printed;
/// `$CORPUS` is the folder of the test data.
@Suite struct TranscriptTests {
  static let folder = Corpus.folder(beside: #filePath) + "/transcripts"

  static var stories: [String] {
    Corpus.names(in: folder).filter { $0.hasSuffix(".txt") }
  }

  @Test func thereAreStories() {
    #expect(Self.stories.count >= 6)
  }

  @Test(arguments: stories)
  func tellsTheStory(name: String) throws {
    let path = Self.folder + "/" + name
    let text = String(decoding: try #require(Corpus.bytes(path)), as: UTF8.self)
    let told = play(text)
    if Golden.isUpdating {
      Golden.write(told, to: path)
      return
    }
    #expect(told == text, "\(name) differs; UPDATE_GOLDEN=1 writes it anew")
  }

  /// Runs the command lines of a story and returns the story as it is now.
  private func play(_ text: String) -> String {
    let runner = ToolRunner()
    var names = [(name: "CORPUS", value: Corpus.folder(beside: #filePath))]
    var result: [String] = []
    var isBefore = true
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("#") || (isBefore && line.isEmpty) {
        if line.hasPrefix("#"), !isBefore { result.append("") }
        result.append(String(line))
        continue
      }
      guard line.hasPrefix("$ ") else { continue }
      if !isBefore { result.append("") }
      isBefore = false
      result.append(String(line))
      var words = shellWords(String(line.dropFirst(2)))
      var name: String?
      if let first = words.first, first.hasSuffix("=almanac") {
        name = String(first.dropLast(8))
        words[0] = "almanac"
      }
      words = words.map { word in
        names.reduce(word) { $0.replacing("$" + $1.name, with: $1.value) }
      }
      let answer = runner.run(Array(words.dropFirst()))
      if let name, let value = answer.output.split(separator: "\n").first {
        names.append((name, String(value)))
      }
      for output in lines(answer.output, runner, names) { result.append(output) }
      for error in lines(answer.errors, runner, names) { result.append("! " + error) }
      if answer.status != 0 { result.append("[\(answer.status)]") }
    }
    return result.joined(separator: "\n") + "\n"
  }

  private func lines(
    _ text: String, _ runner: ToolRunner, _ names: [(name: String, value: String)]
  ) -> [String] {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last == "" { lines.removeLast() }
    return lines.map { line in
      // Commits carry the committer that git finds on this machine.
      let local = line.replacing(runner.folder, with: "~")
        .replacing(/\b[0-9a-f]{40}\b/, with: "COMMIT")
      return names.reduce(local) { $0.replacing($1.value, with: "$" + $1.name) }
    }
  }

  /// Words as a shell splits them: blanks, single and double quotes.
  private func shellWords(_ line: String) -> [String] {
    var words: [String] = []
    var word: String?
    var quote: Character?
    for character in line {
      if let open = quote {
        if character == open { quote = nil } else { word = (word ?? "") + String(character) }
      } else if character == "'" || character == "\"" {
        quote = character
        word = word ?? ""
      } else if character == " " {
        if let done = word { words.append(done) }
        word = nil
      } else {
        word = (word ?? "") + String(character)
      }
    }
    if let word { words.append(word) }
    return words
  }
}
