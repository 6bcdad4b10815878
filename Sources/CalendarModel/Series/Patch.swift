/// Property-wise changes: pointers to values, as in the PatchObject of JSCalendar. A pointer is a
/// JSON Pointer (RFC 6901) without its leading slash; `null` removes.
public enum Patch {
  /// The object with a patch applied. Flags that are no members (`excluded`, `added`, `shift`) are
  /// passed over; a pointer whose parent is missing makes it.
  public static func applied(_ patch: JSONObject, to object: JSONObject) -> JSONObject {
    var result = object
    for member in patch.members where !["excluded", "added", "shift"].contains(member.name) {
      set(member.value.nonNull, at: parts(member.name)[...], in: &result)
    }
    return result
  }

  /// The value a pointer leads to; nil if there is none.
  public static func value(at pointer: String, in object: JSONObject) -> JSONValue? {
    var value: JSONValue = .object(object)
    for part in parts(pointer) {
      guard let next = value.objectValue?[part] else { return nil }
      value = next
    }
    return value
  }

  /// Sets or removes (nil) the value a pointer leads to.
  public static func set(_ value: JSONValue?, at pointer: String, in object: inout JSONObject) {
    set(value, at: parts(pointer)[...], in: &object)
  }

  private static func set(
    _ value: JSONValue?, at parts: ArraySlice<String>, in object: inout JSONObject
  ) {
    guard let first = parts.first else { return }
    if parts.count == 1 {
      object[first] = value
      return
    }
    var inner = object[first]?.objectValue ?? JSONObject()
    if value == nil && object[first] == nil { return }
    set(value, at: parts.dropFirst(), in: &inner)
    object[first] = inner.isEmpty && value == nil ? Optional.none : .object(inner)
  }

  /// The names that a pointer goes through, unescaped.
  static func parts(_ pointer: String) -> [String] {
    guard pointer.utf8.contains(UInt8(ascii: "/")) else { return [unescaped(pointer)] }
    return pointer.split(separator: "/", omittingEmptySubsequences: false).map {
      unescaped(String($0))
    }
  }

  package static func unescaped(_ part: String) -> String {
    guard part.utf8.contains(UInt8(ascii: "~")) else { return part }
    var result = ""
    var rest = part[...]
    while let character = rest.popFirst() {
      if character == "~", rest.first == "1" {
        rest.removeFirst()
        result.append("/")
      } else if character == "~", rest.first == "0" {
        rest.removeFirst()
        result.append("~")
      } else {
        result.append(character)
      }
    }
    return result
  }

  /// The pointer part for a name.
  public static func escaped(_ name: String) -> String {
    guard name.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "~") }) else {
      return name
    }
    var result = ""
    for character in name {
      switch character {
      case "~": result += "~0"
      case "/": result += "~1"
      default: result.append(character)
      }
    }
    return result
  }
}
