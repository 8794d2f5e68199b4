import CDatabase
import LiveryClient
import LiveryHTTP

/// One connection to the database, for one thread after another.
final class Database: @unchecked Sendable {
  enum Parameter {
    case int(Int64)
    case text(String)
    case bytes([UInt8])
    case null

    static func optional(_ number: Int64?) -> Parameter { number.map { .int($0) } ?? .null }
    static func optional(_ text: String?) -> Parameter { text.map { .text($0) } ?? .null }
    static func optional(_ bytes: [UInt8]?) -> Parameter { bytes.map { .bytes($0) } ?? .null }
  }

  /// The row that a statement stands at.
  struct Row {
    fileprivate let statement: OpaquePointer

    func isNull(_ column: Int32) -> Bool { lvdb_is_null(statement, column) }
    func int(_ column: Int32) -> Int64 { lvdb_int(statement, column) }
    func intIfAny(_ column: Int32) -> Int64? { isNull(column) ? nil : int(column) }
    func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }
    func textIfAny(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }
    func bytesIfAny(_ column: Int32) -> [UInt8]? { isNull(column) ? nil : bytes(column) }

    func bytes(_ column: Int32) -> [UInt8] {
      var count = 0
      let start = lvdb_bytes(statement, column, &count)
      return [UInt8](UnsafeBufferPointer(start: start, count: count))
    }
  }

  private let connection: OpaquePointer
  private let lock = Lock()

  /// - Parameter place: the path of a file, or `postgresql://…`.
  convenience init(_ place: String) throws(Refusal) {
    var connection: OpaquePointer?
    var reason = [CChar](repeating: 0, count: Int(LVDB_REASON_MAX))
    guard !place.utf8.contains(0) else { throw Refusal(.invalid, "the name of the database has a NUL") }
    let result = place.withCString { lvdb_open($0, &connection, &reason) }
    guard result == LVDB_DONE, let connection else {
      let text = reason.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
      throw Refusal(result == LVDB_BUSY ? .busy : .invalid, "the database cannot be opened: \(text)")
    }
    self.init(connection)
  }

  private init(_ connection: OpaquePointer) { self.connection = connection }

  deinit { lvdb_close(connection) }

  var isServer: Bool { lvdb_is_server(connection) }

  private func failure(_ result: lvdb_result) -> Refusal {
    var refusal = Refusal(
      result == LVDB_CONSTRAINT ? .conflict : .busy, String(cString: lvdb_reason(connection)))
    let detail = String(cString: lvdb_detail(connection))
    if !detail.utf8.isEmpty { refusal.detail = detail }
    return refusal
  }

  /// Whatever has to be of one moment, or is done as a whole. Not within another one.
  func change<R>(_ body: () throws(Refusal) -> R) throws(Refusal) -> R {
    try lock.withLock { () throws(Refusal) -> R in
      let begun = lvdb_begin(connection)
      guard begun == LVDB_DONE else { throw failure(begun) }
      let result: R
      do throws(Refusal) { result = try body() } catch {
        lvdb_rollback(connection)
        throw error
      }
      let committed = lvdb_commit(connection)
      guard committed == LVDB_DONE else {
        let error = failure(committed)
        lvdb_rollback(connection)
        throw error
      }
      return result
    }
  }

  /// Reads by itself; within a change it reads what that has done.
  func each(
    _ sql: String, _ parameters: [Parameter] = [], _ body: (Row) throws(Refusal) -> Void
  ) throws(Refusal) {
    if isOwn { return try run(sql, parameters, body) }
    try lock.withLock { () throws(Refusal) in try run(sql, parameters, body) }
  }

  /// Whether this thread is within a change.
  private var isOwn: Bool { lvdb_is_own(connection) }

  private func run(
    _ sql: String, _ parameters: [Parameter], _ body: (Row) throws(Refusal) -> Void
  ) throws(Refusal) {
    guard let statement = sql.withCString({ lvdb_prepare(connection, $0) }) else {
      throw Refusal(.busy, "there is no memory")
    }
    defer { lvdb_finish(statement) }
    for parameter in parameters {
      switch parameter {
      case .int(let number): lvdb_bind_int(statement, number)
      case .text(let text):
        let count = text.utf8.count
        text.withCString { lvdb_bind_text(statement, $0, count) }
      case .bytes(let bytes):
        bytes.withUnsafeBufferPointer { lvdb_bind_bytes(statement, $0.baseAddress, $0.count) }
      case .null: lvdb_bind_null(statement)
      }
    }
    while true {
      let result = lvdb_step(statement)
      if result == LVDB_DONE { return }
      guard result == LVDB_ROW else { throw failure(result) }
      try body(Row(statement: statement))
    }
  }

  func run(_ sql: String, _ parameters: [Parameter] = []) throws(Refusal) {
    try each(sql, parameters) { (_) throws(Refusal) in }
  }

  /// What one row gives; nil if there is none.
  func first<R>(
    _ sql: String, _ parameters: [Parameter] = [], _ take: (Row) throws(Refusal) -> R
  ) throws(Refusal) -> R? {
    var found: R?
    try each(sql, parameters) { (row) throws(Refusal) in if found == nil { found = try take(row) } }
    return found
  }

  /// What all rows give.
  func all<R>(
    _ sql: String, _ parameters: [Parameter] = [], _ take: (Row) throws(Refusal) -> R
  ) throws(Refusal) -> [R] {
    var found: [R] = []
    try each(sql, parameters) { (row) throws(Refusal) in found.append(try take(row)) }
    return found
  }

  func number(_ sql: String, _ parameters: [Parameter] = []) throws(Refusal) -> Int64? {
    try first(sql, parameters) { (row) throws(Refusal) in row.intIfAny(0) } ?? nil
  }

  /// Statements of the database's own tables.
  func define(_ sql: String) throws(Refusal) {
    let result = sql.withCString { lvdb_run(connection, $0) }
    guard result == LVDB_DONE else { throw failure(result) }
  }
}
