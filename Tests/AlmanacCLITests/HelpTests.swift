import TestSupport
import Testing

@testable import AlmanacCLI

@Suite struct HelpTests {
  @Test func referenceIsUpToDate() throws {
    let path = #filePath.replacing(
      "Tests/AlmanacCLITests/HelpTests.swift", with: "docs/reference/cli.md")
    if Golden.isUpdating { Golden.write(ReferenceText.page(), to: path) }
    let text = String(decoding: try #require(Corpus.bytes(path)), as: UTF8.self)
    #expect(text == ReferenceText.page(), "UPDATE_GOLDEN=1 writes docs/reference/cli.md anew")
  }

  @Test func everyCommandHasHelpByBothWays() {
    let runner = ToolRunner()
    for command in CommandTable.commands where !command.name.isEmpty {
      let words = command.name.split(separator: " ").map(String.init)
      let one = runner.run(["help"] + words)
      let other = runner.run(words + ["--help"])
      #expect(one.status == 0 && other.status == 0, "\(command.name)")
      #expect(other.output.hasPrefix("usage: almanac \(command.name)"))
      #expect(one.output.contains(other.output), "\(command.name)")
    }
  }

  @Test func helpFitsEightyColumns() {
    for command in CommandTable.commands {
      let lines = HelpText.command(command, .plain).split(separator: "\n")
      for line in lines where !line.hasPrefix("usage:") && !line.hasPrefix("  almanac") {
        #expect(line.count <= 80, "\(command.name): \(line)")
      }
    }
  }

  @Test(arguments: CompletionScript.shells)
  func completionKnowsEveryCommandAndOption(shell: String) throws {
    let script = try #require(CompletionScript.text(for: shell))
    for command in CommandTable.commands {
      for word in command.name.split(separator: " ") { #expect(script.contains(word)) }
      for option in command.options { #expect(script.contains(option.name)) }
    }
  }

  @Test func versionIsPrinted() {
    #expect(ToolRunner().run("--version").output == "almanac \(CommandLineTool.version)\n")
  }
}
