import CSQLite

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What the index knows of one file.
package struct IndexRow: Hashable, Sendable {
  /// The path, which is the key.
  package var path: String
  /// The ID of the file's blob.
  package var blob: String
  /// The UID of the object; empty if the file cannot be used.
  package var uid: String
  /// A number for the kind of object.
  package var kind: Int
  /// The slug of the folder it is in.
  package var collection: String
  /// The title in small letters.
  package var title: String
  /// The first instant it touches, in seconds since 1970; nil if it has no time.
  package var first: Int64?
  /// The last instant; nil if it never ends.
  package var last: Int64?

  /// Creates a row.
  package init(
    path: String, blob: String, uid: String, kind: Int, collection: String, title: String,
    first: Int64?, last: Int64?
  ) {
    self.path = path
    self.blob = blob
    self.uid = uid
    self.kind = kind
    self.collection = collection
    self.title = title
    self.first = first
    self.last = last
  }
}

/// An index of a store's files that follows from a tree and may be deleted at any time.
package final class CalendarIndex {
  private let connection: SQLiteConnection
  /// The stamp of the rows that this connection has seen. Another process, or a newer snapshot of
  /// this one, may bring the file to another tree at any time; rows of that would be wrong here.
  private var seen: String?
  /// The layout of the tables; another number makes the index anew.
  private static let version = 1

  /// Opens the index at a path. A file that is no database, is damaged or has another layout is
  /// made anew; where nothing can be written the index lives in memory.
  package init(path: String) throws(SQLiteError) {
    do throws(SQLiteError) {
      connection = try CalendarIndex.opened(path)
    } catch {
      guard error.isDamage else { throw error }
      for suffix in ["", "-wal", "-shm"] { _ = unsafe unlink(path + suffix) }
      do throws(SQLiteError) {
        connection = try CalendarIndex.opened(path)
      } catch {
        connection = try CalendarIndex.opened(":memory:")
      }
    }
    seen = try currentStamp()
  }

  private static func opened(_ path: String) throws(SQLiteError) -> SQLiteConnection {
    let connection = try SQLiteConnection(path: path)
    try connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;")
    var version: Int64 = 0
    try connection.prepare("PRAGMA user_version").run { version = $0.integer(0) ?? 0 }
    guard version != CalendarIndex.version else { return connection }
    try connection.transaction { () throws(SQLiteError) in
      // Another process may have made the tables, and filled them, since the look above.
      try connection.prepare("PRAGMA user_version").run { version = $0.integer(0) ?? 0 }
      guard version != CalendarIndex.version else { return }
      try connection.execute(
        """
        DROP TABLE IF EXISTS file;
        DROP TABLE IF EXISTS stamp;
        CREATE TABLE file (
          path TEXT PRIMARY KEY, blob TEXT NOT NULL, uid TEXT NOT NULL, kind INTEGER NOT NULL,
          collection TEXT NOT NULL, title TEXT NOT NULL, first INTEGER, last INTEGER
        ) WITHOUT ROWID;
        CREATE INDEX file_time ON file (kind, first, last);
        CREATE INDEX file_uid ON file (uid);
        CREATE TABLE stamp (text TEXT NOT NULL);
        PRAGMA user_version = \(CalendarIndex.version);
        """)
    }
    return connection
  }

  /// What the rows follow from, as it was given with the last update; nil if there was none.
  package func stamp() throws(SQLiteError) -> String? {
    seen = try currentStamp()
    return seen
  }

  private func currentStamp() throws(SQLiteError) -> String? {
    var stamp: String?
    try connection.prepare("SELECT text FROM stamp").run { stamp = $0.text(0) }
    return stamp
  }

  /// Throws if the rows are no longer those that were seen; called inside a transaction.
  private func requireSeen() throws(SQLiteError) {
    guard try currentStamp() == seen else {
      throw SQLiteError(
        operation: "use the index", code: SQLITE_BUSY,
        message: "it was brought to another tree meanwhile")
    }
  }

  /// Runs a body as one transaction; damage found on the way lets the next opening begin anew.
  private func transaction(
    _ begin: String, _ body: () throws(SQLiteError) -> Void
  ) throws(SQLiteError) {
    do throws(SQLiteError) {
      try connection.transaction(begin, body)
    } catch {
      if error.isDamage { try? connection.execute("PRAGMA user_version = 0") }
      throw error
    }
  }

  /// Replaces rows and removes others as one step.
  ///
  /// - Parameter clear: whether all other rows go first.
  /// - Throws: `SQLiteError`; also, unless `clear` is true, if the stamp is no longer the one last
  ///   seen here, because the changes would then be applied to rows they do not follow from.
  package func update(
    rows: [IndexRow], removing paths: [String] = [], clear: Bool = false, stamp: String
  ) throws(SQLiteError) {
    try transaction("BEGIN IMMEDIATE") { () throws(SQLiteError) in
      if clear { try connection.execute("DELETE FROM file") } else { try requireSeen() }
      let remove = try connection.prepare("DELETE FROM file WHERE path = ?")
      for path in paths { try remove.run([.text(path)]) }
      let insert = try connection.prepare(
        "INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
      for row in rows {
        try insert.run([
          .text(row.path), .text(row.blob), .text(row.uid), .integer(Int64(row.kind)),
          .text(row.collection), .text(row.title), row.first.map { .integer($0) } ?? .null,
          row.last.map { .integer($0) } ?? .null,
        ])
      }
      try connection.execute("DELETE FROM stamp")
      try connection.prepare("INSERT INTO stamp VALUES (?)").run([.text(stamp)])
    }
    seen = stamp
  }

  // Every query throws if the rows are no longer those last seen here.
  private static let columns = "path, blob, uid, kind, collection, title, first, last"

  private func rows(_ condition: String, _ values: [SQLiteValue]) throws(SQLiteError) -> [IndexRow]
  {
    var rows: [IndexRow] = []
    let sql = "SELECT \(CalendarIndex.columns) FROM file WHERE \(condition) ORDER BY path"
    try transaction("BEGIN") { () throws(SQLiteError) in
      try requireSeen()
      try connection.prepare(sql).run(values) { row in
        rows.append(
          IndexRow(
            path: row.text(0), blob: row.text(1), uid: row.text(2), kind: Int(row.integer(3) ?? 0),
            collection: row.text(4), title: row.text(5), first: row.integer(6),
            last: row.integer(7)))
      }
    }
    return rows
  }

  /// The files of a kind that touch a window, in seconds since 1970, ends included.
  package func rows(kind: Int, from: Int64, to: Int64) throws(SQLiteError) -> [IndexRow] {
    try rows(
      "kind = ? AND first <= ? AND (last IS NULL OR last >= ?)",
      [.integer(Int64(kind)), .integer(to), .integer(from)])
  }

  /// The files of a kind, all of them.
  package func rows(kind: Int) throws(SQLiteError) -> [IndexRow] {
    try rows("kind = ?", [.integer(Int64(kind))])
  }

  /// The files whose UID begins with a text.
  package func rows(uidPrefix prefix: String) throws(SQLiteError) -> [IndexRow] {
    try rows(
      "substr(uid, 1, ?) = ?", [.integer(Int64(prefix.unicodeScalars.count)), .text(prefix)])
  }

  /// The files with a UID.
  package func rows(uid: String) throws(SQLiteError) -> [IndexRow] {
    try rows("uid = ?", [.text(uid)])
  }

  /// The files whose title holds a text; both in small letters.
  package func rows(titleHolding text: String) throws(SQLiteError) -> [IndexRow] {
    try rows("instr(title, ?) > 0", [.text(text)])
  }

  /// The files that cannot be used.
  package func unusable() throws(SQLiteError) -> [IndexRow] {
    try rows("kind < 0", [])
  }
}
