import LMDB

/// How much of the past the log keeps.
struct LogLimits: Sendable {
  var entries: Int
  /// In microseconds.
  var age: Int64
  /// In bytes of the file, where it was asked for.
  private var bytes: Int
  private var hasDefaultBytes: Bool
  /// Without one nothing is removed for its age.
  var clock: StoreClock?
  /// What the clock has said already.
  var decided: Timestamp?

  /// The most entries that one commit trims, so that its cost stays bounded; more only to make room for a large one.
  static let trimmedAtOnce = 64
  /// The most that it trims for their age alone: what a wrong clock can do.
  static let trimmedForAge = 16
  static let leastBytes = 16 << 20

  /// - Parameter bytes: nil for the default, which depends on the store.
  init(entries: Int, age: Int64, bytes: UInt64? = nil) {
    self.entries = entries
    self.age = age
    self.bytes = Int(clamping: bytes ?? 0)
    hasDefaultBytes = bytes == nil
  }

  /// What none of several handles would trim.
  init(largestOf all: [LogLimits], clock: StoreClock) {
    self.init(entries: 0, age: 0)
    hasDefaultBytes = false
    for limits in all {
      entries = max(entries, limits.entries)
      age = max(age, limits.age)
      bytes = max(bytes, limits.bytes)
      if limits.hasDefaultBytes { hasDefaultBytes = true }
    }
    self.clock = clock
  }

  /// The moment by which what expires is over for good: the present one if the clock is to be believed.
  func horizon(_ now: Timestamp, _ view: View) throws(StoreError) -> Timestamp {
    if let decided { return decided }
    guard let clock, try clock.isTrusted(at: now, view) else { return .earliest }
    return now
  }

  /// Whether so many bytes may be more than the log is to take.
  fileprivate func mayForbid(_ taken: Int) -> Bool {
    taken > (hasDefaultBytes ? max(bytes, Self.leastBytes) : bytes)
  }

  /// - Parameter rest: what everything but the log takes.
  fileprivate func mostBytes(beside rest: () throws(StoreError) -> Int) throws(StoreError) -> Int {
    hasDefaultBytes ? max(bytes, Self.leastBytes, try rest() / 4) : bytes
  }
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
    // What was replaced stays, since undoing needs it.
    if entry.changes.count > LogEntry.maximumChanges {
      entry.isTooLarge = true
      entry.changes = []
    }
    let key = Self.logKey(entry.revision)
    if mayBeSealed { entry = try sealed(entry) }
    let bytes = try entry.encode(key: key)
    try put(bytes, key, databases.log)
    try trimLog(limits, beside: entry, bytes.count)
  }

  /// Stores an entry that is there in another form.
  func putLogEntry(_ entry: LogEntry) throws(StoreError) {
    let key = Self.logKey(entry.revision)
    try put(sealed(entry).encode(key: key), key, databases.log)
  }

  /// The end of every commit: its entry in the log, and its revision.
  func finish(_ entry: LogEntry, _ limits: LogLimits) throws(StoreError) {
    try putLog(entry, limits)
    try putRevision(entry.revision)
  }

  /// How many bytes of the file the log may take.
  func mostBytes(of limits: LogLimits) throws(StoreError) -> Int {
    try limits.mostBytes { () throws(StoreError) in
      var rest = 0
      for (name, database) in databases.named where !name.sameBytes(as: "log") {
        rest += try statistics(database).bytes
      }
      return rest
    }
  }

  private func trimLog(_ limits: LogLimits, beside newest: LogEntry, _ size: Int) throws(StoreError) {
    let figures = try statistics(databases.log)
    var trim = LogTrim(figures, newest.revision, size)
    trim.surplus = figures.entries - limits.entries
    if limits.mayForbid(figures.bytes) { trim.excess = figures.bytes - (try mostBytes(of: limits)) }
    // Some more at once, so that not every commit has to write the page where the log begins.
    if trim.surplus > 0 { trim.surplus += min(LogLimits.trimmedAtOnce - 1, limits.entries / 16) }
    let horizon = try limits.horizon(newest.time, self)
    trim.oldest = horizon.microseconds &- (horizon == .earliest ? 0 : limits.age)
    try walk(databases.log) { (key, value) throws(StoreError) in
      guard let revision = Self.revision(of: key) else { return false }
      // Unchecked: a checksum takes time over a large entry, and a damaged one may go as well.
      let time = Self.claimedTime(value) ?? Self.entry(key, value)?.time.microseconds ?? Int64.min
      return trim.takes(revision, value.byteCount, time)
    }
    for revision in trim.doomed { try delete(Self.logKey(revision), databases.log) }
    if let last = trim.doomed.last { try putTrimmed(last) }
  }

  /// - Parameter opens: whether values that are sealed are wanted.
  func logEntry(_ revision: UInt64, opens: Bool = true) throws(StoreError) -> LogEntry? {
    let key = Self.logKey(revision)
    let entry = try read(key, databases.log, orDamaged: "the log entry of revision \(revision)") { bytes in
      Checksum.content(of: bytes, key: key, tag: Tag.log).flatMap { LogEntry($0, revision: revision) }
    }
    return opens ? entry.map { opened($0) } : entry
  }

  /// When the last commit was made, if its entry tells.
  func lastLogTime() throws(StoreError) -> Int64? {
    let time: Int64?? = try read(Self.logKey(try revision()), databases.log, orDamaged: "") {
      .some(Self.claimedTime($0))
    }
    return time ?? nil
  }

  /// Walks the entries after a revision, oldest first. A damaged one comes as nil. The parameters are those of `LogEntry`;
  /// `opens` says whether values that are sealed are wanted.
  func walkLog(
    after revision: UInt64 = 0, matching pattern: NamePattern? = nil, withEdits: Bool = true,
    opens: Bool = true, _ body: (UInt64, LogEntry?, _ size: Int) throws(StoreError) -> Bool
  ) throws(StoreError) {
    guard revision < UInt64.max else { return }
    try walk(databases.log, from: Self.logKey(revision + 1)) { (key, value) throws(StoreError) in
      guard let revision = Self.revision(of: key) else { throw StoreError.damaged("the log") }
      try Memory.require(value.byteCount * 4)
      let entry = Self.entry(key, value, pattern, withEdits)
      return try body(revision, opens ? entry.map { opened($0) } : entry, value.byteCount)
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
