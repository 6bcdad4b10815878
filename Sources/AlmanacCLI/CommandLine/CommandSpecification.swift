/// One option of a command, as data.
struct OptionSpecification: Sendable {
  /// The long name without dashes: `start`.
  let name: String
  /// The short form, or nil.
  let short: Character?
  /// The word that stands for the value in help, such as `WHEN`; nil if the option takes none.
  let value: String?
  /// The only values allowed; empty if any is.
  let choices: [String]
  /// Whether it may be given several times.
  let isRepeatable: Bool
  /// What it means, without a full stop.
  let help: String

  /// Creates a flag.
  init(_ name: String, short: Character? = nil, _ help: String) {
    self.name = name
    self.short = short
    value = nil
    choices = []
    isRepeatable = false
    self.help = help
  }

  /// Creates an option with a value.
  init(
    _ name: String, short: Character? = nil, _ value: String, choices: [String] = [],
    repeatable: Bool = false, _ help: String
  ) {
    self.name = name
    self.short = short
    self.value = value
    self.choices = choices
    isRepeatable = repeatable
    self.help = help
  }

  /// The option as it is typed, with its value: `-C, --store PATH`.
  var synopsis: String {
    (short.map { "-\($0), " } ?? "") + "--\(name)" + (value.map { " \($0)" } ?? "")
  }
}

/// The words of a command that are not options.
struct OperandSpecification: Sendable {
  /// How often an operand may stand.
  enum Arity: Sendable {
    case one, optional, any, atLeastOne
  }

  let name: String
  let arity: Arity

  init(_ name: String, _ arity: Arity = .one) {
    self.name = name
    self.arity = arity
  }

  /// The operand in a usage line: `ID…`, `[DIR]`.
  var synopsis: String {
    switch arity {
    case .one: name
    case .optional: "[\(name)]"
    case .any: "[\(name)…]"
    case .atLeastOne: "\(name)…"
    }
  }
}

/// One command, as data: parsing, help, completion and the reference follow from it.
struct CommandSpecification: Sendable {
  /// A heading of `almanac help`.
  enum Group: String, CaseIterable, Sendable {
    case look = "Look"
    case write = "Add and change"
    case collections = "Calendars and lists"
    case share = "Share"
    case history = "History and care"
    case start = "Set up"
    case tools = "Tools"
  }

  /// One or two words: `add`, `calendar add`; empty for the bare program.
  let name: String
  let group: Group
  let operands: [OperandSpecification]
  let options: [OptionSpecification]
  /// What it does, in one line without a full stop.
  let summary: String
  /// More about it, in paragraphs.
  let details: [String]
  /// Command lines to copy.
  let examples: [String]
  let run: @Sendable (Session) throws -> ExitStatus

  init(
    _ name: String, _ group: Group, operands: [OperandSpecification] = [],
    options: [OptionSpecification] = [], _ summary: String, details: [String] = [],
    examples: [String] = [], run: @escaping @Sendable (Session) throws -> ExitStatus
  ) {
    self.name = name
    self.group = group
    self.operands = operands
    self.options = options
    self.summary = summary
    self.details = details
    self.examples = examples
    self.run = run
  }

  /// The usage line: `almanac add TITLE [options]`.
  var usage: String {
    var parts = ["almanac"]
    if !name.isEmpty { parts.append(name) }
    parts += operands.map(\.synopsis)
    if !options.isEmpty { parts.append("[options]") }
    return parts.joined(separator: " ")
  }
}
