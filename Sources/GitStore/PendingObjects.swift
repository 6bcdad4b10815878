import CLibgit2

/// Objects written but not yet in the object database.
struct PendingObjects {
  /// One object: its kind and its bytes.
  struct Object {
    let type: git_object_t
    let bytes: [UInt8]
  }

  private(set) var objects: [ObjectID: Object] = [:]
  private(set) var order: [ObjectID] = []
  private(set) var byteCount = 0

  mutating func add(_ id: ObjectID, _ object: Object) {
    guard objects.updateValue(object, forKey: id) == nil else { return }
    order.append(id)
    byteCount += object.bytes.count
  }

  mutating func removeAll() { self = PendingObjects() }
}

extension Repository {
  /// From so many objects on, a pack is faster than loose objects, and needs four syncs to the disk
  /// instead of two for each.
  private static let looseMax = 64

  /// So many bytes may wait in memory.
  private static let pendingBytesMax = 64 << 20

  /// Writes the objects that wait to the object database.
  package func flush() throws(GitError) {
    guard !pending.order.isEmpty else { return }
    let database = try openDatabase()
    if pending.order.count <= (GitLibrary.isDurable ? 4 : Repository.looseMax) {
      for id in pending.order {
        guard let object = pending.objects[id] else { continue }
        var written = git_oid()
        try check(
          unsafe object.bytes.withUnsafeBytes {
            unsafe git_odb_write(
              &written, database.pointer, $0.baseAddress, $0.count, object.type)
          }, "write an object")
      }
    } else {
      let missing = pending.order.filter { id in
        var raw = id.raw
        return unsafe git_odb_exists_ext(
          database.pointer, &raw, GIT_ODB_LOOKUP_NO_REFRESH.rawValue) == 0
      }
      try PackWriter.write(
        missing.compactMap { pending.objects[$0] }, to: commonDirectory + "objects/pack",
        of: database)
      try check(unsafe git_odb_refresh(database.pointer), "read the object database")
    }
    pending.removeAll()
  }

  /// Keeps an object to be written.
  func add(_ type: git_object_t, _ bytes: [UInt8]) throws(GitError) -> ObjectID {
    let id = try Repository.hash(bytes, type)
    pending.add(id, PendingObjects.Object(type: type, bytes: bytes))
    if pending.byteCount > Repository.pendingBytesMax { try flush() }
    return id
  }

  /// The name that an object has.
  static func hash(_ bytes: [UInt8], _ type: git_object_t) throws(GitError) -> ObjectID {
    var id = git_oid()
    try check(
      unsafe bytes.withUnsafeBytes {
        unsafe git_odb_hash(&id, $0.baseAddress, $0.count, type)
      }, "hash an object")
    return ObjectID(id)
  }

  /// The bytes of an object of a kind.
  func object(_ id: ObjectID, _ type: git_object_t, _ what: String) throws(GitError) -> [UInt8] {
    if let object = pending.objects[id] {
      guard object.type == type else {
        throw .failed(operation: "read the \(what) \(id)", code: -1, message: "it is no \(what)")
      }
      return object.bytes
    }
    let database = try openDatabase()
    var raw = id.raw
    let object = try GitHandle.make(
      "read the \(what) \(id)", free: { unsafe git_odb_object_free($0) },
      { unsafe git_odb_read(&$0, database.pointer, &raw) })
    guard unsafe git_odb_object_type(object.pointer) == type else {
      throw .failed(operation: "read the \(what) \(id)", code: -1, message: "it is no \(what)")
    }
    let size = unsafe git_odb_object_size(object.pointer)
    guard size > 0, let data = unsafe git_odb_object_data(object.pointer) else { return [] }
    return unsafe Array(UnsafeRawBufferPointer(start: data, count: size))
  }

  func openDatabase() throws(GitError) -> GitHandle {
    try GitHandle.make(
      "open the object database", free: { unsafe git_odb_free($0) },
      { unsafe git_repository_odb(&$0, pointer) })
  }
}
