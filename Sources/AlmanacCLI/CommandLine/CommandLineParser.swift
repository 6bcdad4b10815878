/// A command line that has been read.
struct Invocation: Sendable {
  let command: CommandSpecification
  let operands: [String]
  /// The values of each option that was given, in order; flags have one empty value each time.
  let values: [String: [String]]
  /// The values of options that stand for every command.
  let globals: [String: [String]]

  /// Whether a flag or option of the command was given.
  func has(_ name: String) -> Bool { values[name] != nil }

  /// The last value of an option of the command.
  func value(_ name: String) -> String? { values[name]?.last }

  /// All values of an option of the command.
  func all(_ name: String) -> [String] { values[name] ?? [] }
}

/// Reads command lines against the command table.
struct CommandLineParser {
  let commands: [CommandSpecification]
  let globals: [OptionSpecification]

  /// Reads the words after the program's name.
  ///
  /// - Throws: `CommandError` of status 2, with the nearest known word as its hint.
  func parse(_ arguments: [String]) throws(CommandError) -> Invocation {
    let (command, nameIndices) = try command(in: arguments)
    var operands: [String] = []
    var values: [String: [String]] = [:]
    var globalValues: [String: [String]] = [:]
    var index = 0
    var optionsEnded = false
    while index < arguments.count {
      let word = arguments[index]
      defer { index += 1 }
      if nameIndices.contains(index) { continue }
      if optionsEnded || !word.hasPrefix("-") || word == "-" || isNegativeNumber(word) {
        operands.append(word)
        continue
      }
      if word == "--" {
        optionsEnded = true
        continue
      }
      for part in try split(word, command) {
        let option = part.option
        let value = try value(of: part, command, arguments, &index)
        try check(value, option)
        if part.isGlobal {
          globalValues[option.name, default: []].append(value ?? "")
        } else {
          if values[option.name] != nil, !option.isRepeatable, option.value != nil {
            throw .usage("--\(option.name) is given twice")
          }
          values[option.name, default: []].append(value ?? "")
        }
      }
    }
    if globalValues["help"] == nil { try check(operands, of: command) }
    return Invocation(
      command: command, operands: operands, values: values, globals: globalValues)
  }

  // MARK: - Commands

  /// The command that a line names and where its words stand: the first words that are no options.
  private func command(
    in arguments: [String]
  ) throws(CommandError) -> (CommandSpecification, Set<Int>) {
    var words: [(index: Int, text: String)] = []
    var index = 0
    while index < arguments.count, words.count < 2 {
      let word = arguments[index]
      if word == "--" { break }
      if word.hasPrefix("-") && word != "-" {
        if takesNext(word) { index += 1 }
      } else {
        words.append((index, word))
      }
      index += 1
    }
    guard let first = words.first else {
      guard let bare = commands.first(where: { $0.name.isEmpty }) else {
        throw .defect("the command table has no bare command")
      }
      return (bare, [])
    }
    if words.count == 2, words[1].index == first.index + 1,
      let command = commands.first(where: { $0.name == first.text + " " + words[1].text })
    {
      return (command, [first.index, words[1].index])
    }
    if let command = commands.first(where: { $0.name == first.text }) {
      return (command, [first.index])
    }
    throw unknown(first.text, next: words.dropFirst().first?.text)
  }

  private func unknown(_ word: String, next: String?) -> CommandError {
    let subcommands = commands.map(\.name).filter { $0.hasPrefix(word + " ") }
    if !subcommands.isEmpty {
      let said = next.map { "'\(word) \($0)'" } ?? "'\(word)' alone"
      return .usage(
        "\(said) is no command", hint: "there is " + Suggestion.list(subcommands.map { "'\($0)'" }))
    }
    let near = Suggestion.nearest(to: word, among: commands.map(\.name).filter { !$0.isEmpty })
    return .usage(
      "'\(word)' is no command of almanac",
      hint: near.map { "did you mean '\($0)'?" } ?? "'almanac help' lists the commands")
  }

  /// Whether a word before the command is an option that takes the next word as its value.
  private func takesNext(_ word: String) -> Bool {
    let all = globals + commands.flatMap(\.options)
    if word.hasPrefix("--") {
      guard !word.contains("=") else { return false }
      let name = word.dropFirst(2)
      return all.contains { $0.name == name && $0.value != nil }
    }
    guard let last = word.last, word.count == 2 else { return false }
    return all.contains { $0.short == last && $0.value != nil }
  }

  // MARK: - Options

  private struct Part {
    let option: OptionSpecification
    let isGlobal: Bool
    let attached: String?
  }

  /// The options that one word holds: `--name=value`, `-x`, `-xyz`, `-xVALUE`.
  private func split(
    _ word: String, _ command: CommandSpecification
  ) throws(CommandError) -> [Part] {
    if word.hasPrefix("--") {
      let body = word.dropFirst(2)
      let equals = body.firstIndex(of: "=")
      let name = String(equals.map { body[..<$0] } ?? body)
      let attached = equals.map { String(body[body.index(after: $0)...]) }
      if let option = command.options.first(where: { $0.name == name }) {
        return [Part(option: option, isGlobal: false, attached: attached)]
      }
      if let option = globals.first(where: { $0.name == name }) {
        return [Part(option: option, isGlobal: true, attached: attached)]
      }
      throw unknownOption("--" + name, command)
    }
    var parts: [Part] = []
    var rest = word.dropFirst()
    while let letter = rest.popFirst() {
      let own = command.options.first { $0.short == letter }
      guard let option = own ?? globals.first(where: { $0.short == letter }) else {
        throw unknownOption("-\(letter)", command)
      }
      if option.value != nil {
        parts.append(
          Part(
            option: option, isGlobal: own == nil, attached: rest.isEmpty ? nil : String(rest)))
        return parts
      }
      parts.append(Part(option: option, isGlobal: own == nil, attached: nil))
    }
    return parts
  }

  private func value(
    of part: Part, _ command: CommandSpecification, _ arguments: [String], _ index: inout Int
  ) throws(CommandError) -> String? {
    let option = part.option
    guard let placeholder = option.value else {
      if let attached = part.attached {
        throw .usage("--\(option.name) takes no value, but has '\(attached)'")
      }
      return nil
    }
    if let attached = part.attached { return attached }
    guard index + 1 < arguments.count, !isOption(arguments[index + 1], command) else {
      throw .usage(
        "--\(option.name) needs a value (\(placeholder))",
        hint: "\(option.help); see '\(helpCommand(command))'")
    }
    index += 1
    return arguments[index]
  }

  private func isOption(_ word: String, _ command: CommandSpecification) -> Bool {
    guard word.hasPrefix("--") else { return false }
    if word == "--" { return true }
    let name = String(word.dropFirst(2).prefix { $0 != "=" })
    return (command.options + globals).contains { $0.name == name }
  }

  private func check(_ value: String?, _ option: OptionSpecification) throws(CommandError) {
    guard let value, !option.choices.isEmpty, !option.choices.contains(value) else { return }
    throw .usage(
      "--\(option.name) cannot be '\(value)'", hint: "it is " + Suggestion.list(option.choices))
  }

  private func unknownOption(_ word: String, _ command: CommandSpecification) -> CommandError {
    let names = (command.options + globals).map { "--\($0.name)" }
    let owner = command.name.isEmpty ? "almanac" : "'\(command.name)'"
    if let near = Suggestion.nearest(to: word, among: names) {
      return .usage("\(owner) has no option \(word)", hint: "did you mean \(near)?")
    }
    let others = commands.filter { other in other.options.contains { "--\($0.name)" == word } }
    if let other = others.first {
      return .usage(
        "\(owner) has no option \(word)",
        hint: "'\(other.name)' has one; see '\(helpCommand(command))'")
    }
    return .usage("\(owner) has no option \(word)", hint: "see '\(helpCommand(command))'")
  }

  // MARK: - Operands

  private func check(
    _ operands: [String], of command: CommandSpecification
  ) throws(CommandError) {
    var least = 0
    var most = 0
    for operand in command.operands {
      switch operand.arity {
      case .one: (least, most) = (least + 1, most == .max ? most : most + 1)
      case .optional: most = most == .max ? most : most + 1
      case .any: most = .max
      case .atLeastOne: (least, most) = (least + 1, .max)
      }
    }
    if operands.count < least {
      let missing = command.operands[min(operands.count, command.operands.count - 1)]
      throw .usage(
        "'\(command.name)' needs \(missing.name)",
        hint: "usage: \(command.usage)")
    }
    if operands.count > most {
      let extra = operands[most]
      let isText = command.operands.last?.name == "TITLE"
      throw .usage(
        "'\(extra)' is one word too many for '\(command.name.isEmpty ? "almanac" : command.name)'",
        hint: isText
          ? "put a title of several words in quotes" : "usage: \(command.usage)")
    }
  }

  private func isNegativeNumber(_ word: String) -> Bool {
    let digits = word.dropFirst()
    return !digits.isEmpty && digits.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
  }

  private func helpCommand(_ command: CommandSpecification) -> String {
    command.name.isEmpty ? "almanac help" : "almanac \(command.name) --help"
  }
}
