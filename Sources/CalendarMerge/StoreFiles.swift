import CalendarModel

/// The files a merge of two stores may look at. All answers are by path below the store's root.
package struct StoreFiles {
  /// The blob at a path in the common commit.
  package var common: (String) -> String?
  /// The blob at a path in our commit.
  package var ours: (String) -> String?
  /// The blob at a path in their commit.
  package var theirs: (String) -> String?
  /// The bytes of a blob; nil if it is missing.
  package var read: (String) -> [UInt8]?
  /// Merges three texts as git does; nil if they conflict.
  package var mergeText: (_ base: [UInt8], _ ours: [UInt8], _ theirs: [UInt8]) -> [UInt8]?
  /// An object as it was before it was deleted, for one that both sides bring back; nil if unknown.
  package var remembered: (_ path: String) -> [UInt8]?

  /// Creates the access to some files.
  package init(
    common: @escaping (String) -> String?, ours: @escaping (String) -> String?,
    theirs: @escaping (String) -> String?, read: @escaping (String) -> [UInt8]?,
    mergeText: @escaping ([UInt8], [UInt8], [UInt8]) -> [UInt8]? = { TextMerge.merge($0, $1, $2) },
    remembered: @escaping (String) -> [UInt8]? = { _ in nil }
  ) {
    self.common = common
    self.ours = ours
    self.theirs = theirs
    self.read = read
    self.mergeText = mergeText
    self.remembered = remembered
  }
}

/// A file that a merge leaves.
package enum MergedFile: Hashable, Sendable {
  /// The content of a blob that is there already.
  case blob(String)
  /// New content.
  case bytes([UInt8])
}

/// What merging two stores gives.
package struct StoreMergeResult: Sendable {
  /// What to do to our tree: the new content by path, nil to remove the file.
  package var edits: [String: MergedFile?] = [:]
  /// UIDs of objects that both sides had changed, sorted.
  package var merged: [String] = []
  /// UIDs of objects with a conflict that neither side had listed before, sorted.
  package var conflicted: [String] = []
  /// What people should know, in words, sorted.
  package var reports: [String] = []
}

/// Reads files once each.
final class ParsedFiles {
  private let read: (String) -> [UInt8]?
  private var cache: [String: JSONObject?] = [:]

  init(read: @escaping (String) -> [UInt8]?) {
    self.read = read
  }

  func bytes(_ blob: String) -> [UInt8]? { read(blob) }

  /// The normalised members in a blob; nil if it cannot be read.
  func members(_ blob: String, _ kind: FileKind) -> JSONObject? {
    if let known = cache[blob] { return known }
    let members = read(blob).flatMap { ParsedFiles.members(of: $0, kind) }
    cache[blob] = .some(members)
    return members
  }

  static func members(of bytes: [UInt8], _ kind: FileKind) -> JSONObject? {
    (try? JSONText.parse(bytes)).map { Normaliser.normalise($0, kind: kind) }
  }

  /// Whether a blob holds the markers of a merge of texts.
  func hasMarkers(_ blob: String) -> Bool {
    guard let bytes = read(blob) else { return false }
    do throws(JSONTextError) {
      _ = try JSONText.parse(bytes)
      return false
    } catch {
      return error.code == "E106"
    }
  }
}
