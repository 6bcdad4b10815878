import CalendarMerge
import CalendarModel
import CivilTime
import GitStore

/// What merging two trees gives.
struct TreeMerge {
  /// Files to write onto our tree, nil to remove.
  var files: [String: [UInt8]?] = [:]
  /// UIDs of objects that both sides had changed.
  var merged: [String] = []
  /// UIDs of objects in which this merge noted a conflict.
  var conflicted: [String] = []
  /// What people should know, in words.
  var reports: [String] = []
}

extension Replica {
  /// Merges two commits over their base: objects by UID, everything else as git would.
  func mergeTrees(
    base: ObjectID, ours: ObjectID, theirs: ObjectID
  ) throws(ReplicaError) -> TreeMerge {
    throw .repositoryState("merging is being written")
  }
}
