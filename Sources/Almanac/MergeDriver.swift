import CalendarMerge
import CalendarModel
import GitStore

/// Merges one file for git, which calls the driver for files that both sides changed.
public enum MergeDriver {
  /// The merged file. Conflicts are noted in it; there are never markers.
  ///
  /// If the two commits that git is merging can be found, their history decides which value is
  /// newer; else rivals are ordered by their bytes.
  ///
  /// - Parameters:
  ///   - base: the common version; empty if both sides added the file.
  ///   - path: the path below the root of the repository, as git gives it.
  ///   - replica: the store; nil if it cannot be opened.
  ///   - candidates: what may name the commit being merged: `MERGE_HEAD`, and the IDs in the names of
  ///     git's variables `GITHEAD_<ID>`.
  /// - Throws: `ReplicaError` if a version cannot be read or the file is not one of a store; git
  ///   then leaves ours in place and says that the file is not merged.
  public static func merge(
    base: [UInt8], ours: [UInt8], theirs: [UInt8], path: String, replica: Replica? = nil,
    candidates: [String] = []
  ) throws(ReplicaError) -> [UInt8] {
    var name = path
    if let replica {
      if path.hasPrefix(replica.prefix) { name = String(path.dropFirst(replica.prefix.utf8.count)) }
      if let merged = replica.merged(
        name, base: base, ours: ours, theirs: theirs, candidates: candidates)
      {
        return merged
      }
    }
    do throws(MergeError) {
      return try CollectionMerge.mergeFile(base: base, ours: ours, theirs: theirs, path: name)
    } catch {
      throw .repositoryState(error.description)
    }
  }
}

extension Replica {
  /// A file merged by the history of `HEAD` and the commit being merged; nil if git is merging
  /// something else than these two.
  func merged(
    _ path: String, base: [UInt8], ours: [UInt8], theirs: [UInt8], candidates: [String]
  ) -> [UInt8]? {
    guard let head = repository.head, content(path, at: head) == ours else { return nil }
    for candidate in candidates {
      guard let other = repository.commit(named: candidate), other != head,
        content(path, at: other) == theirs,
        // A picked commit brings in what it did, not what came before it.
        ["MERGE_HEAD"].contains(candidate) || ObjectID(candidate) != nil
          || isBase(base, path, head, other),
        let merge = try? mergeTrees(ours: head, theirs: other, only: path)
      else { continue }
      switch merge.files[path] {
      case .some(.some(let bytes)): return bytes
      case nil: return ours
      // The object moved to another calendar: git has to be told its content here.
      case .some(.none): return merge.files.values.lazy.compactMap { $0 }.first
      }
    }
    return nil
  }

  /// Whether a version is that of the commit before both, so that a pick is as good as a merge.
  private func isBase(
    _ base: [UInt8], _ path: String, _ ours: ObjectID, _ theirs: ObjectID
  ) -> Bool {
    guard let common = try? repository.mergeBases(ours, theirs).first else { return false }
    return (content(path, at: common) ?? []) == base
  }

  private func content(_ path: String, at commit: ObjectID) -> [UInt8]? {
    guard let tree = try? repository.commit(commit).tree,
      let blob = (try? repository.file(prefix + path, in: tree)) ?? nil
    else { return nil }
    return try? repository.blob(blob)
  }
}
