/// What a file of a store is.
public enum FileKind: String, Hashable, Sendable, CaseIterable {
  /// `almanac.json`.
  case store = "Almanac"
  /// `calendar.json` of a calendar.
  case calendar = "Calendar"
  /// `list.json` of a reminder list.
  case list = "TaskList"
  /// An event.
  case event = "Event"
  /// A reminder.
  case reminder = "Task"

  /// The kind of object in the file, or nil for metadata.
  public var objectKind: CalendarObject.Kind? { CalendarObject.Kind(rawValue: rawValue) }
}

/// Paths of a store's files, relative to its root (FORMAT.md 1.2, 1.3), and derived identifiers.
public enum ObjectPath {
  /// The name of a file without `.json`: a UUID in lower case, else `_` and 26 characters of the
  /// UID's SHA-256 in base32.
  public static func stem(uid: String, recurrenceID: String? = nil) -> String {
    if recurrenceID == nil, isUUID(uid) { return uid.lowercased() }
    var bytes = Array(uid.utf8)
    if let recurrenceID {
      bytes.append(UInt8(ascii: "\n"))
      bytes.append(contentsOf: recurrenceID.utf8)
    }
    return "_" + base32(SHA256.hash(bytes)).prefix(26)
  }

  /// The canonical path of an object in a calendar or list.
  public static func path(
    kind: CalendarObject.Kind, collection: String, uid: String, recurrenceID: String? = nil
  ) -> String {
    let stem = stem(uid: uid, recurrenceID: recurrenceID)
    let folder = (stem.hasPrefix("_") ? stem.dropFirst() : stem[...]).prefix(2)
    return "\(root(of: kind))/\(collection)/\(leaf(of: kind))/\(folder)/\(stem).json"
  }

  /// The path of the metadata of a calendar or list.
  public static func metadataPath(kind: CalendarObject.Kind, collection: String) -> String {
    "\(root(of: kind))/\(collection)/\(kind == .event ? "calendar" : "list").json"
  }

  private static func root(of kind: CalendarObject.Kind) -> String {
    kind == .event ? "calendars" : "lists"
  }

  private static func leaf(of kind: CalendarObject.Kind) -> String {
    kind == .event ? "events" : "reminders"
  }

  /// What the file at a path is, and the slug of its calendar or list (empty for the store's own);
  /// nil for files that are not ours.
  public static func kind(ofPath path: String) -> (kind: FileKind, collection: String)? {
    if path == "almanac.json" { return (.store, "") }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count >= 3, path.hasSuffix(".json") else { return nil }
    let collection = String(parts[1])
    switch (parts[0], parts[2]) {
    case ("calendars", "calendar.json") where parts.count == 3: return (.calendar, collection)
    case ("lists", "list.json") where parts.count == 3: return (.list, collection)
    case ("calendars", "events") where parts.count >= 4: return (.event, collection)
    case ("lists", "reminders") where parts.count >= 4: return (.reminder, collection)
    default: return nil
    }
  }

  /// Whether a text is a UUID in any case, hyphens in their places.
  public static func isUUID(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard bytes.count == 36 else { return false }
    for (index, byte) in bytes.enumerated() {
      if [8, 13, 18, 23].contains(index) {
        guard byte == UInt8(ascii: "-") else { return false }
      } else {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
          UInt8(ascii: "A")...UInt8(ascii: "F"):
          continue
        default: return false
        }
      }
    }
    return true
  }

  /// The folder name for a calendar's name: `[a-z0-9-]`, 1 to 40 characters, no device name.
  /// Accents are dropped; a name without any Latin letter or digit gets one from its digest.
  public static func slug(for name: String) -> String {
    var slug = ""
    for scalar in name.lowercased().decomposedScalars {
      switch scalar {
      case "a"..."z", "0"..."9": slug.unicodeScalars.append(scalar)
      case "\u{300}"..."\u{36F}", "'", "\u{2019}": continue
      default:
        if let letters = latinLetters[scalar] {
          slug += letters
        } else if !slug.isEmpty, !slug.hasSuffix("-") {
          slug += "-"
        }
      }
    }
    slug = String(slug.prefix(40))
    while slug.hasSuffix("-") { slug.removeLast() }
    if slug.isEmpty { slug = "calendar-" + base32(SHA256.hash(name.utf8)).prefix(6) }
    return isDevice(slug) ? slug + "-calendar" : slug
  }

  /// Latin letters that do not decompose.
  private static let latinLetters: [Unicode.Scalar: String] = [
    "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i",
  ]

  /// Whether a folder of this name cannot be made on Windows.
  private static func isDevice(_ slug: String) -> Bool {
    if ["con", "prn", "aux", "nul"].contains(slug) { return true }
    guard slug.utf8.count == 4, slug.hasPrefix("com") || slug.hasPrefix("lpt") else { return false }
    return slug.utf8.last.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
  }

  /// Lower-case base32 (RFC 4648 section 6) without padding.
  public static func base32(_ bytes: [UInt8]) -> String {
    let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
    var text: [UInt8] = []
    var buffer = 0
    var bits = 0
    for byte in bytes {
      buffer = buffer << 8 | Int(byte)
      bits += 8
      while bits >= 5 {
        bits -= 5
        text.append(alphabet[(buffer >> bits) & 31])
      }
      buffer &= (1 << bits) - 1
    }
    if bits > 0 { text.append(alphabet[(buffer << (5 - bits)) & 31]) }
    return String(decoding: text, as: UTF8.self)
  }

  /// The text of a UUID of a version made from 16 bytes; version and variant bits are set here.
  public static func uuid(bytes: [UInt8], version: UInt8 = 4) -> String {
    var bytes = Array(bytes.prefix(16))
    while bytes.count < 16 { bytes.append(0) }
    bytes[6] = bytes[6] & 0x0F | version << 4
    bytes[8] = bytes[8] & 0x3F | 0x80
    var text = ""
    for (index, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(index) { text += "-" }
      text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    return text
  }

  /// The UUID of version 5 for a name in a namespace (RFC 9562 5.5).
  public static func derivedUUID(namespace: [UInt8], name: String) -> String {
    uuid(bytes: SHA1.hash(namespace + Array(name.utf8)), version: 5)
  }

  /// The UID of a file that has none until one is written: it follows from the store's UID and the
  /// path, so every replica sees the same.
  public static func derivedUID(storeUID: String, path: String) -> String {
    derivedUUID(namespace: namespace, name: storeUID + "/" + path)
  }

  /// The UID of the part of a series that moves to another calendar (FORMAT.md 1.9): it follows from
  /// the series' UID and the recurrence ID, so two replicas that split alike make one object.
  public static func splitUID(uid: String, key: String) -> String {
    derivedUUID(namespace: namespace, name: uid + "/" + key)
  }

  /// The namespace of UIDs that Almanac derives, `b3f0c1de-6a41-5d0c-9c57-2f4f0a6e8d11`.
  public static let namespace: [UInt8] = [
    0xb3, 0xf0, 0xc1, 0xde, 0x6a, 0x41, 0x5d, 0x0c, 0x9c, 0x57, 0x2f, 0x4f, 0x0a, 0x6e, 0x8d, 0x11,
  ]
}

/// Keys of map entries that follow from their content, so that two replicas which add the same
/// thing add one (FORMAT.md 1.6).
public enum EntryID {
  /// The key of an alert: `30m-before`, `at-time`, or from the content where there is no offset.
  public static func alert(_ alert: JSONObject) -> String {
    let trigger = alert["trigger"]?.objectValue
    guard let text = trigger?["offset"]?.stringValue, let offset = durationParts(text) else {
      return content(.object(alert), name: "alerts/x")
    }
    if offset.text.isEmpty { return "at-time" }
    return offset.text + (offset.isNegative ? "-before" : "-after")
  }

  private static func durationParts(_ text: String) -> (text: String, isNegative: Bool)? {
    guard let canonical = Normaliser.duration(text) else { return nil }
    let isNegative = canonical.hasPrefix("-")
    let parts = canonical.drop { $0 == "-" || $0 == "P" }.filter { $0 != "T" }.lowercased()
    return (parts == "0s" ? "" : parts, isNegative)
  }

  /// The key of a participant: the address without its scheme, other characters as `-`.
  public static func participant(address: String) -> String {
    let bare =
      address.firstIndex(of: ":").map { address[address.index(after: $0)...] } ?? address[...]
    var id = ""
    for character in bare.lowercased().unicodeScalars {
      let isPlain =
        ("a"..."z").contains(character) || ("0"..."9").contains(character) || character == "_"
      if isPlain { id.unicodeScalars.append(character) } else if !id.hasSuffix("-") { id += "-" }
    }
    id = String(id.prefix(255))
    return id.isEmpty ? "participant" : id
  }

  /// The key of anything else: six characters of the digest of its inline text.
  public static func content(_ value: JSONValue, name: String) -> String {
    String(
      ObjectPath.base32(SHA256.hash(CanonicalJSON.inline(value, name: name).utf8)).prefix(6))
  }
}
