import LMDB

/// The latest entries of the log, which lie in the unnamed database: each commit writes its page anyway, since it has the
/// records of the others. When they are too many for that they move into the log's own, all at once.
struct LogTail {
  private static let prefix = ".log:".bytes
  /// How much there may be of them, so that the unnamed database stays on a page with what else is in it.
  private static let mostBytes = 1_280
  /// What an entry takes beside its bytes: its key, and what LMDB tells of it.
  private static let overhead = 24

  private(set) var revisions: [UInt64] = []
  /// When the oldest of them was made, as it says itself.
  private(set) var oldest = Int64.max
  private(set) var bytes = 0

  /// Whether there is room for one more entry.
  func hasRoom(_ size: Int) -> Bool { bytes + size + Self.overhead <= Self.mostBytes }

  /// Whether an entry is so small that it may be among the latest.
  static func takes(_ size: Int) -> Bool { LogTail().hasRoom(size) }

  mutating func note(_ revision: UInt64, _ size: Int, _ time: Int64) {
    if revisions.isEmpty { oldest = time }
    revisions.append(revision)
    bytes += size + Self.overhead
  }

  /// The key of an entry in the unnamed database. The revision is that of its key in the log, and its checksum is bound to that.
  static func key(_ revision: UInt64) -> [UInt8] {
    var key = prefix
    key.append(bigEndian: revision)
    return key
  }

  /// The revision of a key; nil if it is another one's.
  static func revision(of key: RawSpan) -> UInt64? {
    guard key.byteCount == prefix.count + 8 else { return nil }
    for index in prefix.indices where key.byte(at: index) != prefix[index] { return nil }
    return key.word(at: prefix.count).byteSwapped
  }

  /// The same of a key in an array.
  static func revision(of key: [UInt8]) -> UInt64? { key.withUnsafeBytes { revision(of: $0.bytes) } }
}

extension View {
  /// Hands out the latest entries from a revision on, oldest first, until `body` returns false.
  func walkLogTail(from revision: UInt64, _ body: (UInt64, RawSpan) throws(StoreError) -> Bool) throws(StoreError) {
    try walk(databases.meta, from: LogTail.key(revision)) { (key, value) throws(StoreError) in
      guard let found = LogTail.revision(of: key) else { return false }
      return try body(found, value)
    }
  }

  /// What there is of the latest entries.
  func logTail() throws(StoreError) -> LogTail {
    var tail = LogTail()
    try walkLogTail(from: 0) { (revision, value) throws(StoreError) in
      tail.note(revision, value.byteCount, Self.claimedTime(value) ?? Int64.min)
      return true
    }
    return tail
  }

  /// Whether an entry is among the latest.
  func isInLogTail(_ revision: UInt64) throws(StoreError) -> Bool {
    do { return try transaction.withValue(for: LogTail.key(revision), in: databases.meta) { $0 != nil } } catch {
      throw StoreError(error)
    }
  }

  /// Moves the latest entries into the log as they are, so that none are left where they were.
  func moveLogTail(_ tail: LogTail) throws(StoreError) {
    for revision in tail.revisions {
      let key = LogTail.key(revision)
      let found: [UInt8]?
      do { found = try transaction.withValue(for: key, in: databases.meta) { $0?.array } } catch {
        throw StoreError(error)
      }
      if let found { try put(found, Self.logKey(revision), databases.log) }
      try delete(key, databases.meta)
    }
  }
}
