import CSQLite

/// What went wrong in SQLite: the operation, the code and the message.
package struct SQLiteError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was tried.
  package let operation: String
  /// SQLite's result code.
  package let code: Int32
  /// SQLite's message.
  package let message: String

  /// The operation and the message.
  package var description: String { "\(operation): \(message)" }

  /// Whether the file is no usable database, or one that cannot be written, and may be made anew.
  var isDamage: Bool {
    [
      SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_CANTOPEN, SQLITE_FORMAT, SQLITE_READONLY, SQLITE_PERM,
    ].contains(code & 0xFF)
  }
}

/// One open database. Not for use by several threads.
@safe final class SQLiteConnection {
  private let pointer: OpaquePointer

  /// Opens or makes the database at a path.
  init(path: String) throws(SQLiteError) {
    var pointer: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    let status = unsafe sqlite3_open_v2(path, &pointer, flags, nil)
    guard status == SQLITE_OK, let pointer = unsafe pointer else {
      let message = unsafe pointer.map { unsafe String(cString: sqlite3_errmsg($0)) } ?? "no memory"
      unsafe sqlite3_close_v2(pointer)
      throw SQLiteError(operation: "open the index", code: status, message: message)
    }
    unsafe self.pointer = pointer
    unsafe sqlite3_busy_timeout(pointer, 5_000)
  }

  deinit {
    unsafe sqlite3_close_v2(pointer)
  }

  /// Runs statements that give no rows.
  func execute(_ sql: String) throws(SQLiteError) {
    try check(unsafe sqlite3_exec(pointer, sql, nil, nil, nil), sql)
  }

  /// Runs a body as one transaction; an error takes everything back.
  func transaction(
    _ begin: String = "BEGIN IMMEDIATE", _ body: () throws(SQLiteError) -> Void
  ) throws(SQLiteError) {
    try execute(begin)
    do throws(SQLiteError) {
      try body()
      try execute("COMMIT")
    } catch {
      try? execute("ROLLBACK")
      throw error
    }
  }

  /// Prepares a statement.
  func prepare(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
    var statement: OpaquePointer?
    try check(unsafe sqlite3_prepare_v2(pointer, sql, -1, &statement, nil), sql)
    guard let statement = unsafe statement else {
      throw SQLiteError(operation: sql, code: SQLITE_MISUSE, message: "an empty statement")
    }
    return unsafe SQLiteStatement(statement, connection: self)
  }

  /// The one status check.
  func check(_ status: Int32, _ operation: String) throws(SQLiteError) {
    guard status != SQLITE_OK, status != SQLITE_ROW, status != SQLITE_DONE else { return }
    throw SQLiteError(
      operation: operation, code: status, message: unsafe String(cString: sqlite3_errmsg(pointer)))
  }
}

/// A value that a statement takes or gives.
enum SQLiteValue: Hashable {
  case null
  case integer(Int64)
  case text(String)
}

/// A prepared statement.
@safe final class SQLiteStatement {
  private let pointer: OpaquePointer
  private let connection: SQLiteConnection

  init(_ pointer: OpaquePointer, connection: SQLiteConnection) {
    unsafe self.pointer = pointer
    self.connection = connection
  }

  deinit {
    unsafe sqlite3_finalize(pointer)
  }

  /// Runs the statement with values and gives each row to a closure.
  func run(_ values: [SQLiteValue] = [], row: (SQLiteStatement) -> Void = { _ in })
    throws(SQLiteError)
  {
    unsafe sqlite3_reset(pointer)
    for (index, value) in values.enumerated() {
      let place = Int32(index + 1)
      let status: Int32
      switch value {
      case .null: status = unsafe sqlite3_bind_null(pointer, place)
      case .integer(let number): status = unsafe sqlite3_bind_int64(pointer, place, number)
      case .text(let text):
        // With its length, because a text may hold a null character.
        let length = Int32(clamping: text.utf8.count)
        status = unsafe sqlite3_bind_text(
          pointer, place, text, length, almanac_sqlite_transient())
      }
      try connection.check(status, "bind a value")
    }
    while true {
      let status = unsafe sqlite3_step(pointer)
      try connection.check(status, "run a statement")
      guard status == SQLITE_ROW else { break }
      row(self)
    }
    unsafe sqlite3_reset(pointer)
  }

  /// A column of the current row as text; empty if it is null.
  func text(_ column: Int32) -> String {
    guard let bytes = unsafe sqlite3_column_text(pointer, column) else { return "" }
    let count = Int(unsafe sqlite3_column_bytes(pointer, column))
    return unsafe String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  /// A column of the current row as an integer; nil if it is null.
  func integer(_ column: Int32) -> Int64? {
    unsafe sqlite3_column_type(pointer, column) == SQLITE_NULL
      ? nil : unsafe sqlite3_column_int64(pointer, column)
  }
}
