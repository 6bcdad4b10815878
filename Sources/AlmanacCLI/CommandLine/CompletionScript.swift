/// Scripts that complete commands and options in a shell, made from the command table.
enum CompletionScript {
  static let shells = ["bash", "zsh", "fish"]

  /// The script for a shell; nil if the shell is not known.
  static func text(for shell: String) -> String? {
    switch shell {
    case "bash": bash()
    case "zsh": zsh()
    case "fish": fish()
    default: nil
    }
  }

  private static var named: [CommandSpecification] {
    CommandTable.commands.filter { !$0.name.isEmpty }
  }

  private static func words(_ command: CommandSpecification) -> String {
    (command.options + CommandTable.globals).map { "--\($0.name)" }.joined(separator: " ")
  }

  /// First words of commands, each once.
  private static var firstWords: [String] {
    var seen: Set<String> = []
    return named.compactMap { $0.name.split(separator: " ").first.map(String.init) }
      .filter { seen.insert($0).inserted }
  }

  private static func secondWords(after first: String) -> [String] {
    named.filter { $0.name.hasPrefix(first + " ") }
      .compactMap { $0.name.split(separator: " ").last.map(String.init) }
  }

  private static func bash() -> String {
    var cases = ""
    for first in firstWords {
      let second = secondWords(after: first)
      let options = named.filter { $0.name == first || $0.name.hasPrefix(first + " ") }
        .map(words).joined(separator: " ")
      cases += "    \(first)) words=\"\((second + [options]).joined(separator: " "))\" ;;\n"
    }
    let globals = CommandTable.globals.map { "--\($0.name)" }.joined(separator: " ")
    return """
      # bash completion of almanac; load it with: source <(almanac completion bash)
      _almanac() {
        local word="${COMP_WORDS[COMP_CWORD]}" words="" first="" i
        for ((i = 1; i < COMP_CWORD; i++)); do
          case "${COMP_WORDS[i]}" in
          -C | --store | --tz | --now | --color) ((i++)) ;;
          -*) ;;
          *) first="${COMP_WORDS[i]}"; break ;;
          esac
        done
        case "$first" in
          "") words="\(firstWords.joined(separator: " ")) \(globals)" ;;
      \(cases)  esac
        COMPREPLY=($(compgen -W "$words" -- "$word"))
        [[ ${#COMPREPLY[@]} -eq 0 ]] && COMPREPLY=($(compgen -f -- "$word"))
      }
      complete -F _almanac almanac

      """
  }

  private static func zsh() -> String {
    var cases = ""
    for first in firstWords {
      let members = named.filter { $0.name == first || $0.name.hasPrefix(first + " ") }
      let second = secondWords(after: first)
      var lines = ""
      if !second.isEmpty { lines += "      compadd -- \(second.joined(separator: " "))\n" }
      let options = members.flatMap(\.options) + CommandTable.globals
      var seen: Set<String> = []
      let specs = options.filter { seen.insert($0.name).inserted }
        .map { "'--\($0.name)[\(quoted($0.help))]'" }
      lines += "      _values -w option \(specs.joined(separator: " "))\n"
      cases += "    \(first))\n\(lines)      ;;\n"
    }
    let list = named.filter { !$0.name.contains(" ") }
      .map { "'\($0.name):\(quoted($0.summary))'" }.joined(separator: " ")
    return """
      #compdef almanac
      # zsh completion of almanac; put it as _almanac into a folder of $fpath
      _almanac() {
        local -a commands
        commands=(\(list))
        if ((CURRENT == 2)); then
          _describe command commands
          return
        fi
        case "$words[2]" in
      \(cases)  esac
      }
      compdef _almanac almanac

      """
  }

  private static func fish() -> String {
    var lines = ["# fish completion of almanac; save it as ~/.config/fish/completions/almanac.fish"]
    lines.append("complete -c almanac -f")
    for option in CommandTable.globals {
      let short = option.short.map { " -s \($0)" } ?? ""
      lines.append(
        "complete -c almanac -l \(option.name)\(short)\(option.value == nil ? "" : " -r")"
          + " -d '\(quoted(option.help))'")
    }
    for first in firstWords {
      let summary =
        named.first { $0.name == first || $0.name.hasPrefix(first + " ") }?.summary ?? ""
      lines.append(
        "complete -c almanac -n __fish_use_subcommand -a \(first) -d '\(quoted(summary))'")
      let condition = "'__fish_seen_subcommand_from \(first)'"
      for second in secondWords(after: first) {
        lines.append("complete -c almanac -n \(condition) -a \(second)")
      }
      var seen: Set<String> = []
      for option in named.filter({ $0.name == first || $0.name.hasPrefix(first + " ") })
        .flatMap(\.options) where seen.insert(option.name).inserted
      {
        lines.append(
          "complete -c almanac -n \(condition) -l \(option.name)"
            + "\(option.value == nil ? "" : " -r") -d '\(quoted(option.help))'")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Text that may stand in single quotes and in brackets of the shells.
  private static func quoted(_ text: String) -> String {
    text.replacing("'", with: "’").replacing("[", with: "(").replacing("]", with: ")")
      .replacing(":", with: ",")
  }
}
