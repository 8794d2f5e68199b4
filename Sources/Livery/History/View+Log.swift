/// How much of the past the log keeps.
struct LogLimits: Sendable {
  var entries: Int
  /// In microseconds.
  var age: Int64

  /// The most entries that one commit trims, so that its cost stays bounded.
  static let trimmedAtOnce = 64
}

extension View {
  private static func logKey(_ revision: UInt64) -> [UInt8] {
    var key: [UInt8] = []
    key.append(bigEndian: revision)
    return key
  }

  /// Adds an entry, and trims the oldest beyond the limits.
  func putLog(_ entry: LogEntry, _ limits: LogLimits) throws(StoreError) {
    var entry = entry
    if entry.changes.count > LogEntry.maximumChanges || entry.edits.count > LogEntry.maximumChanges {
      entry.isTooLarge = true
      entry.changes = []
      entry.edits = []
    }
    let key = Self.logKey(entry.revision)
    try put(Checksum.sealed(entry.encode(), key: key, tag: Tag.log), key, databases.log)
    try trimLog(limits, now: entry.time)
  }

  private func trimLog(_ limits: LogLimits, now: Timestamp) throws(StoreError) {
    var surplus = try count(databases.log) - limits.entries
    var doomed: [UInt64] = []
    let oldest = now.microseconds &- limits.age
    try walk(databases.log) { (key, value) throws(StoreError) in
      guard doomed.count < LogLimits.trimmedAtOnce, let revision = Self.revision(of: key) else { return false }
      // Unchecked: a checksum takes time over a large entry, and a damaged one may go as well.
      let time = Self.claimedTime(value) ?? Self.entry(key, value)?.time.microseconds ?? Int64.min
      guard surplus > 0 || time < oldest else { return false }
      surplus -= 1
      doomed.append(revision)
      return true
    }
    for revision in doomed { try delete(Self.logKey(revision), databases.log) }
    if let last = doomed.last { try putTrimmed(last) }
  }

  func logEntry(_ revision: UInt64) throws(StoreError) -> LogEntry? {
    let key = Self.logKey(revision)
    return try read(key, databases.log, orDamaged: "the log entry of revision \(revision)") { bytes in
      Checksum.content(of: bytes, key: key, tag: Tag.log).flatMap { LogEntry($0, revision: revision) }
    }
  }

  /// Walks the entries after a revision, oldest first. A damaged one comes as nil. The parameters are those of `LogEntry`.
  func walkLog(
    after revision: UInt64 = 0, matching pattern: NamePattern? = nil, withEdits: Bool = true,
    _ body: (UInt64, LogEntry?, _ size: Int) throws(StoreError) -> Bool
  ) throws(StoreError) {
    guard revision < UInt64.max else { return }
    try walk(databases.log, from: Self.logKey(revision + 1)) { (key, value) throws(StoreError) in
      guard let revision = Self.revision(of: key) else { throw StoreError.damaged("the log") }
      try Memory.require(value.byteCount * 4)
      return try body(revision, Self.entry(key, value, pattern, withEdits), value.byteCount)
    }
  }

  private static func revision(of key: RawSpan) -> UInt64? {
    key.byteCount == 8 ? key.word(at: 0).byteSwapped : nil
  }

  /// What an entry says of its time, unchecked: it comes last.
  private static func claimedTime(_ value: RawSpan) -> Int64? {
    let end = value.byteCount
    guard end >= Checksum.size + 11, value.byte(at: end - 11) == 0x61, value.byte(at: end - 10) == UInt8(ascii: "t"),
      value.byte(at: end - 9) == 0x1b
    else { return nil }
    return Int64(bitPattern: value.word(at: end - 8).byteSwapped)
  }

  private static func entry(
    _ key: RawSpan, _ value: RawSpan, _ pattern: NamePattern? = nil, _ withEdits: Bool = false
  ) -> LogEntry? {
    guard let revision = revision(of: key),
      let content = Checksum.content(of: value, key: key.array, tag: Tag.log)
    else { return nil }
    return LogEntry(content, revision: revision, matching: pattern, withEdits: withEdits)
  }
}
