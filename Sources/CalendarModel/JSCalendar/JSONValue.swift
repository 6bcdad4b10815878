/// A JSON value (RFC 8259) that keeps what a calendar file must not lose: the spelling of numbers
/// and every member, known or not.
///
/// Strings compare by their UTF-8 bytes, not by canonical equivalence, so that no edit of text is
/// taken for none.
public enum JSONValue: Sendable {
  /// The literal `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number as the token it was written as, such as `1.50` or `1e3`.
  case number(String)
  /// A string, unescaped.
  case string(String)
  /// An array, in order.
  case array([JSONValue])
  /// An object; the order of its members carries no meaning and is not kept.
  case object(JSONObject)

  /// Creates a number from an integer.
  public init(_ integer: Int) {
    self = .number(String(integer))
  }

  /// The string, or nil if this is no string.
  public var stringValue: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The boolean, or nil if this is no boolean.
  public var boolValue: Bool? {
    if case .bool(let flag) = self { flag } else { nil }
  }

  /// The integer, or nil if this is no number, or one with a fraction, an exponent or more than 63
  /// bits.
  public var integerValue: Int? {
    if case .number(let token) = self { Int(token) } else { nil }
  }

  /// The elements, or nil if this is no array.
  public var arrayValue: [JSONValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// The object, or nil if this is no object.
  public var objectValue: JSONObject? {
    if case .object(let object) = self { object } else { nil }
  }

  /// Whether this is `null`.
  public var isNull: Bool {
    if case .null = self { true } else { false }
  }

  /// The value, or nil if this is `null`.
  ///
  /// Use this where `null` removes something: in `isNull ? nil : value` the literal `nil` may well
  /// be taken for the JSON value `null`.
  public var nonNull: JSONValue? {
    isNull ? Optional.none : self
  }
}

extension JSONValue: Hashable {
  public static func == (left: JSONValue, right: JSONValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.number(let left), .number(let right)): JSONObject.isSame(left, right)
    case (.string(let left), .string(let right)): JSONObject.isSame(left, right)
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    default: false
    }
  }

  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .bool(let flag): hasher.combine(flag)
    case .number(let text), .string(let text): for byte in text.utf8 { hasher.combine(byte) }
    case .array(let elements): hasher.combine(elements)
    case .object(let object): hasher.combine(object)
    }
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral,
  ExpressibleByNilLiteral
{
  public init(stringLiteral value: String) { self = .string(value) }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(integerLiteral value: Int) { self = .number(String(value)) }
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(JSONObject(elements))
  }
  public init(nilLiteral: ()) { self = .null }
}
