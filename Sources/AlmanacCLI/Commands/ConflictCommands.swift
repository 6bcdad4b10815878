import Almanac
import CalendarModel
import CivilTime

/// `conflicts` and `resolve`.
enum ConflictCommands {
  @Sendable static func list(_ session: Session) throws -> ExitStatus {
    var found: [ConflictInfo] = []
    for replica in try session.replicas() { found += try replica.conflicts() }
    if session.isJSON {
      session.write(.array(found.map(json)))
      return .done
    }
    var previous = ""
    for conflict in found {
      if conflict.stored.uid != previous {
        previous = conflict.stored.uid
        session.output.line(
          session.terminal.styled(Terminal.safe(conflict.stored.object.title), .bold) + "  "
            + session.terminal.styled(session.terminal.id(conflict.stored.uid), .dim))
      }
      for line in ConflictText.lines(conflict, session) { session.output.line(line) }
    }
    session.note(
      found.isEmpty
        ? "no open conflicts"
        : "'almanac resolve ID --shown' keeps what is shown, '--take 1' takes another value")
    return .done
  }

  private static func json(_ conflict: ConflictInfo) -> JSONValue {
    var json: JSONObject = [
      "id": .string(conflict.stored.uid), "title": .string(conflict.stored.object.title),
      "pointer": .string(conflict.pointer), "shown": ["value": conflict.shown ?? .null],
      "others": .array(
        conflict.others.map { other in
          var entry: JSONObject = ["value": other.value ?? .null]
          entry["at"] = other.at.map { .string($0.description) }
          entry["by"] = other.by.map { .string($0) }
          return .object(entry)
        }),
    ]
    json["recurrenceId"] = conflict.recurrenceID.map { .string($0) }
    return .object(json)
  }

  /// A typed value: text where text is shown, else what it says as JSON.
  private static func value(_ text: String, like shown: JSONValue?) -> JSONValue {
    if shown != nil, shown?.stringValue == nil,
      let value = try? JSONText.parseValue(Array(text.utf8))
    {
      return value
    }
    return .string(text)
  }

  @Sendable static func resolve(_ session: Session) throws -> ExitStatus {
    let invocation = session.invocation
    let item = try session.item(invocation.operands[0])
    let field = invocation.operands.count > 1 ? invocation.operands[1] : nil
    let ways = ["shown", "take", "value"].filter { invocation.has($0) }
    guard ways.count == 1, let way = ways.first else {
      throw CommandError.usage(
        "'resolve' needs one of --shown, --take N and --value V",
        hint: "'almanac conflicts' shows the values with their numbers")
    }
    var open = item.snapshot.conflicts(of: item.stored)
    if let id = item.id { open = open.filter { $0.recurrenceID == id.text } }
    if let field {
      open = open.filter { $0.pointer == field || $0.pointer.hasSuffix("/" + field) }
    }
    guard !open.isEmpty else {
      throw CommandError.cannot(
        "\"\(item.stored.object.title)\" has no open conflict"
          + (field.map { " in '\($0)'" } ?? ""),
        hint: "'almanac conflicts' lists them")
    }
    let settlement: Settlement
    switch way {
    case "shown": settlement = .shown
    case "take":
      guard let number = try session.number("take") else { return .usage }
      if let short = open.first(where: { $0.others.count < number }) {
        throw CommandError.cannot(
          "'\(short.pointer)' has " + Words.count(short.others.count, "other value")
            + ", no number \(number)", hint: "'almanac conflicts' shows them")
      }
      settlement = .other(number: number)
    default:
      guard open.count == 1 else {
        throw CommandError.usage(
          "--value settles one conflict, but there are \(open.count)",
          hint: "name the field")
      }
      settlement = .value(value(invocation.value("value") ?? "", like: open[0].shown))
    }
    let outcome = try item.replica.settle(
      item.stored.uid, pointers: open.map(\.pointer), settlement, dryRun: session.isDryRun)
    if session.isJSON {
      session.write(
        OutcomeText.json(id: item.stored.uid, write: outcome, isDryRun: session.isDryRun))
    } else {
      let verb = session.isDryRun ? "would settle" : "settled"
      session.output.line(
        "\(verb) \(Words.count(open.count, "conflict")) of "
          + "\"\(Terminal.safe(item.stored.object.title))\"")
    }
    return .done
  }
}
