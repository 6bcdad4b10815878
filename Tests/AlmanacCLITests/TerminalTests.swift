import Testing

@testable import AlmanacCLI

@Suite struct TerminalTests {
  @Test(arguments: [
    ("plain", "plain"), ("a\u{1B}[31mred", "a\u{241B}[31mred"),
    ("two\nlines\tand", "two lines and"),
    ("bell\u{7}", "bell\u{2407}"), ("del\u{7F}", "del\u{2421}"), ("c1\u{9B}31m", "c1\u{FFFD}31m"),
    ("bidi\u{202E}evil\u{2066}", "bidievil"), ("nul\u{0}", "nul\u{2400}"), ("Grüße 会議", "Grüße 会議"),
  ])
  func titlesCannotSmuggleControlCharacters(text: String, expected: String) {
    #expect(Terminal.safe(text) == expected)
  }

  @Test func widthCountsColumns() {
    #expect(Terminal.width("abc") == 3)
    #expect(Terminal.width("会議") == 4)
    #expect(Terminal.width("e\u{301}") == 1)
    #expect(Terminal.fitted("会議室の予約", to: 7) == "会議室…")
    #expect(Terminal.fitted("short", to: 7) == "short")
    #expect(Terminal.padded("会", to: 4) == "会  ")
  }

  @Test func colourOnlyWhereItIsWanted() {
    #expect(Terminal.plain.styled("x", .bold) == "x")
    let colored = Terminal(hasColor: true, columns: 80, shortensIDs: true)
    #expect(colored.styled("x", .bold) == "\u{1B}[1mx\u{1B}[0m")
    #expect(colored.dot("teal") == "\u{1B}[38;2;0;128;128m●\u{1B}[0m")
    #expect(colored.dot("no colour") == "●")
    #expect(colored.id("6f6a0b0e-54a5-4a3e", recurrenceID: "2026-12-17") == "6f6a0b0e@2026-12-17")
    #expect(Terminal.plain.id("6f6a0b0e-54a5-4a3e") == "6f6a0b0e-54a5-4a3e")
  }

  @Test func hostileTitlesStayHarmlessInEveryView() throws {
    let runner = ToolRunner()
    let title = "Evil\u{1B}]0;owned\u{7}\u{9B}2J\r\nnext\u{202E}"
    let added = runner.run("add", title, "--start", "tomorrow 9am", "--location", title)
    #expect(added.status == 0)
    _ = runner.run("remind", title, "--due", "tomorrow")
    let id = String(added.output.prefix { $0 != "\n" })
    for words in [
      [], ["agenda"], ["show", id], ["occurrences", id], ["reminders"], ["log"], ["week"],
      ["edit", id, "--title", title + "2"], ["conflicts"], ["--color", "always", "agenda"],
      ["agenda", "--json"], ["show", id, "--json"], ["log", "--json"], ["show", title],
    ] {
      let answer = runner.run(words)
      for text in [answer.output, answer.errors] {
        for scalar in text.unicodeScalars {
          let isOwnColor = words.first == "--color" && scalar == "\u{1B}"
          #expect(
            isOwnColor || scalar == "\n"
              || (scalar.value >= 0x20 && !(0x7F..<0xA0).contains(scalar.value)),
            "\(words): \(scalar.value)")
        }
        #expect(!text.contains("]0;owned\u{7}"))
      }
    }
  }

  @Test(arguments: [
    ("dnoe", "done"), ("agend", "agenda"), ("remnd", "remind"), ("occ", "occurrences"),
  ])
  func findsTheWordThatWasMeant(typed: String, expected: String) {
    #expect(Suggestion.nearest(to: typed, among: CommandTable.commands.map(\.name)) == expected)
  }

  @Test func suggestsNothingForWordsThatAreFar() {
    #expect(Suggestion.nearest(to: "xyzzy", among: CommandTable.commands.map(\.name)) == nil)
  }
}
