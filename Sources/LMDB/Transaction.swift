import CLMDB
import CReadCache
import CSystem
import CWake

/// A database of an environment; valid while the environment is open.
public struct Database: Sendable {
  let handle: MDB_dbi
}

/// What a write transaction notes while it runs.
struct WriteNotes {
  var isFull = false
  var count = 0
  /// The database whose changes are noted.
  var noted: MDB_dbi = .max
  var changes = lvs_recent()
  /// A cursor for each database that was looked at, by its handle: what it has found need not be searched again to be
  /// replaced. LMDB closes them with the transaction.
  private var cursors: [OpaquePointer?] = []

  mutating func cursor(_ database: MDB_dbi, _ transaction: OpaquePointer) -> OpaquePointer? {
    let index = Int(database)
    if index < cursors.count, let open = cursors[index] { return open }
    var made: OpaquePointer?
    guard mdb_cursor_open(transaction, database, &made) == MDB_SUCCESS else { return nil }
    if cursors.isEmpty { cursors = Array(repeating: nil, count: 16) }
    while cursors.count <= index { cursors.append(nil) }
    cursors[index] = made
    return made
  }
}

/// A transaction; usable only inside the call that handed it out, by one thread at a time.
public struct Transaction {
  let handle: OpaquePointer
  private let notes: UnsafeMutablePointer<WriteNotes>?

  init(handle: OpaquePointer, notes: UnsafeMutablePointer<WriteNotes>? = nil) {
    self.handle = handle
    self.notes = notes
  }

  public var isWriting: Bool { notes != nil }
  /// How often a write transaction has changed something.
  public var writes: Int { notes?.pointee.count ?? 0 }
  /// From here on the keys of a database that a write transaction stores or removes are noted in `changes`.
  public func note(_ database: Database) { notes?.pointee.noted = database.handle }
  public var changes: lvs_recent { notes?.pointee.changes ?? lvs_recent() }
  /// Whether the map turned out too small for a write transaction.
  public var isMapFull: Bool { notes?.pointee.isFull ?? false }

  /// Hands `body` the value stored under a key, or nil. The bytes are those of the map: valid during the call, unaligned.
  public func withValue<R>(for key: [UInt8], in database: Database, _ body: (RawSpan?) -> R) throws(LMDBError) -> R {
    let result = key.withUnsafeBytes { (key) -> Result<R, LMDBError> in
      Result { () throws(LMDBError) in try withValue(for: key.bytes, in: database, body) }
    }
    return try result.get()
  }

  /// The same for a key that is not in an array.
  @inline(__always)
  public func withValue<R>(
    for key: RawSpan, in database: Database, _ body: (RawSpan?) -> R
  ) throws(LMDBError) -> R {
    var found = MDB_val()
    let code = key.withUnsafeBytes { key in
      var key = MDB_val(key)
      if let cursor = cursor(database) { return mdb_cursor_get(cursor, &key, &found, MDB_SET) }
      return mdb_get(handle, database.handle, &key, &found)
    }
    switch code {
    case MDB_SUCCESS: return body(found.bytes.bytes)
    case MDB_NOTFOUND: return body(nil)
    case let code: throw LMDBError(code: code)
    }
  }

  /// Walks a database in the order of its keys, from `start` on (that key included), until `body` returns false.
  public func walk(
    _ database: Database, from start: [UInt8] = [], _ body: (_ key: RawSpan, _ value: RawSpan) -> Bool
  ) throws(LMDBError) {
    var cursor: OpaquePointer?
    try LMDBError.check(mdb_cursor_open(handle, database.handle, &cursor))
    defer { mdb_cursor_close(cursor) }
    var key = MDB_val()
    var value = MDB_val()
    var code: Int32
    if start.isEmpty {
      code = mdb_cursor_get(cursor, &key, &value, MDB_FIRST)
    } else {
      code = start.withUnsafeBytes { bytes in
        key = MDB_val(bytes)
        return mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE)
      }
    }
    while code == MDB_SUCCESS {
      guard body(key.bytes.bytes, value.bytes.bytes) else { return }
      code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
    }
    guard code == MDB_NOTFOUND else { throw LMDBError(code: code) }
  }

  /// The number of keys in a database.
  public func count(_ database: Database) throws(LMDBError) -> Int {
    try statistics(database).entries
  }

  /// Keys, pages and depth of a database.
  public func statistics(_ database: Database) throws(LMDBError) -> DatabaseStatistics {
    var stat = MDB_stat()
    try LMDBError.check(mdb_stat(handle, database.handle, &stat))
    return DatabaseStatistics(
      entries: Int(stat.ms_entries), depth: Int(stat.ms_depth), pageSize: Int(stat.ms_psize),
      pages: Int(stat.ms_branch_pages + stat.ms_leaf_pages + stat.ms_overflow_pages))
  }

  /// The transaction's id: for a reader that of the commit it sees.
  public var id: UInt64 { UInt64(mdb_txn_id(handle)) }

  /// Stores a value under a key, in place of any other.
  public func put(_ value: [UInt8], for key: [UInt8], in database: Database) throws(LMDBError) {
    try put(value.span.bytes, for: key.span.bytes, in: database)
  }

  /// The same for what is in no array.
  public func put(_ value: RawSpan, for key: RawSpan, in database: Database) throws(LMDBError) {
    let code = key.withUnsafeBytes { keyBytes in
      value.withUnsafeBytes { valueBytes in
        var keyValue = MDB_val(keyBytes)
        var dataValue = MDB_val(valueBytes)
        if let cursor = cursor(database) { return mdb_cursor_put(cursor, &keyValue, &dataValue, 0) }
        return mdb_put(handle, database.handle, &keyValue, &dataValue, 0)
      }
    }
    try checkWrite(code, key, database)
  }

  /// Stores a value that comes in two parts, without joining them before.
  public func put(_ head: [UInt8], _ tail: [UInt8], for key: [UInt8], in database: Database) throws(LMDBError) {
    var value = MDB_val(mv_size: head.count + tail.count, mv_data: nil)
    let code = key.withUnsafeBytes { bytes in
      var keyValue = MDB_val(bytes)
      return mdb_put(handle, database.handle, &keyValue, &value, UInt32(MDB_RESERVE))
    }
    try checkWrite(code, key.span.bytes, database)
    let place = UnsafeMutableRawBufferPointer(start: value.mv_data, count: value.mv_size)
    place.copyBytes(from: head)
    UnsafeMutableRawBufferPointer(rebasing: place[head.count...]).copyBytes(from: tail)
  }

  /// Removes a key; false if it was not there.
  @discardableResult
  public func delete(_ key: [UInt8], in database: Database) throws(LMDBError) -> Bool {
    let code = key.withUnsafeBytes { bytes in
      var keyValue = MDB_val(bytes)
      return mdb_del(handle, database.handle, &keyValue, nil)
    }
    if code == MDB_NOTFOUND { return false }
    try checkWrite(code, key.span.bytes, database)
    return true
  }

  /// Removes all keys.
  public func clear(_ database: Database) throws(LMDBError) {
    if let notes, notes.pointee.noted == database.handle { lvs_recent_add_all(&notes.pointee.changes) }
    try checkWrite(mdb_drop(handle, database.handle, 0), RawSpan(), database)
  }

  private func cursor(_ database: Database) -> OpaquePointer? {
    notes?.pointee.cursor(database.handle, handle)
  }

  private func checkWrite(_ code: Int32, _ key: RawSpan, _ database: Database) throws(LMDBError) {
    notes?.pointee.count &+= 1
    if let notes, notes.pointee.noted == database.handle {
      key.withUnsafeBytes { lvs_recent_add(&notes.pointee.changes, $0.baseAddress, $0.count) }
    }
    if code == MDB_MAP_FULL { notes?.pointee.isFull = true }
    try LMDBError.check(code)
  }

  /// The database that has the records of the named ones, and what else is stored there.
  public func unnamedDatabase() throws(LMDBError) -> Database {
    var found: MDB_dbi = 0
    try LMDBError.check(mdb_dbi_open(handle, nil, 0, &found))
    return Database(handle: found)
  }

  /// A named database, or nil if there is none and `create` is false. Valid beyond the transaction if that commits.
  public func database(named name: String, create: Bool) throws(LMDBError) -> Database? {
    var found: MDB_dbi = 0
    let code = name.withCString { mdb_dbi_open(handle, $0, create ? UInt32(MDB_CREATE) : 0, &found) }
    if code == MDB_NOTFOUND { return nil }
    try LMDBError.check(code)
    return Database(handle: found)
  }
}

/// Size of a database.
public struct DatabaseStatistics: Sendable {
  public let entries, depth, pageSize, pages: Int
}

extension MDB_val {
  init(_ bytes: UnsafeRawBufferPointer) {
    // LMDB only reads through it, and refuses an empty key before it would.
    self.init(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
  }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: mv_data, count: mv_size) }
}
