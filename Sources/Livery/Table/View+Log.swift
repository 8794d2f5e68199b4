import CSystem
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
  /// Where no more are kept than that, none is left in `LogTail`.
  private static let leastEntries = 64
  private static let leastLogBytes = 64 << 10

  /// Whether the limits may be kept without the latest entries.
  var allowTail: Bool { entries >= Self.leastEntries && (hasDefaultBytes || bytes >= Self.leastLogBytes) }

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
  static func logKey(_ revision: UInt64) -> [UInt8] {
    var key: [UInt8] = []
    key.append(bigEndian: revision)
    return key
  }

  /// Adds an entry, and trims the oldest beyond the limits.
  ///
  /// - Parameter known: the latest entries, if they are known.
  /// - Returns: the same afterwards.
  private func putLog(_ entry: LogEntry, _ limits: LogLimits, _ known: LogTail?) throws(StoreError) -> LogTail {
    var entry = entry
    // What was replaced stays, since undoing needs it.
    if entry.changes.count > LogEntry.maximumChanges {
      entry.isTooLarge = true
      entry.changes = []
    }
    let key = Self.logKey(entry.revision)
    if mayBeSealed { entry = try sealed(entry) }
    let bytes = try entry.encode(key: key)
    let horizon = try limits.horizon(entry.time, self)
    let oldest = horizon.microseconds &- (horizon == .earliest ? 0 : limits.age)
    var tail: LogTail
    if let known { tail = known } else { tail = try logTail() }
    let isSmall = limits.allowTail && LogTail.takes(bytes.count)
    if !isSmall || !tail.hasRoom(bytes.count) || tail.oldest < oldest {
      try moveLogTail(tail)
      tail = LogTail()
    }
    if isSmall {
      try put(bytes, LogTail.key(entry.revision), databases.meta)
      tail.note(entry.revision, bytes.count, entry.time.microseconds)
    } else {
      try put(bytes, key, databases.log)
    }
    try trimLog(limits, beside: entry, bytes.count, oldest, inTail: tail.revisions.count)
    return tail
  }

  /// Stores an entry that is there in another form.
  func putLogEntry(_ entry: LogEntry) throws(StoreError) {
    let key = Self.logKey(entry.revision)
    let bytes = try sealed(entry).encode(key: key)
    guard try isInLogTail(entry.revision) else { return try put(bytes, key, databases.log) }
    try put(bytes, LogTail.key(entry.revision), databases.meta)
  }

  /// Removes all entries.
  func clearLog() throws(StoreError) {
    try clear(databases.log)
    for revision in try logTail().revisions { try delete(LogTail.key(revision), databases.meta) }
  }

  /// The end of every commit: its entry in the log, and its revision.
  ///
  /// - Parameter known: the latest entries of the log, if they are known.
  /// - Returns: the same afterwards.
  @discardableResult
  func finish(_ entry: LogEntry, _ limits: LogLimits, _ known: LogTail? = nil) throws(StoreError) -> LogTail {
    let tail = try putLog(entry, limits, known)
    try putRevision(entry.revision)
    return tail
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

  /// - Parameter others: how many entries are among the latest.
  private func trimLog(
    _ limits: LogLimits, beside newest: LogEntry, _ size: Int, _ oldest: Int64, inTail others: Int
  ) throws(StoreError) {
    let figures = try statistics(databases.log)
    var trim = LogTrim(figures, newest.revision, size)
    trim.surplus = figures.entries + others - limits.entries
    if limits.mayForbid(figures.bytes) { trim.excess = figures.bytes - (try mostBytes(of: limits)) }
    // Some more at once, so that not every commit has to write the page where the log begins.
    if trim.surplus > 0 { trim.surplus += min(LogLimits.trimmedAtOnce - 1, limits.entries / 16) }
    trim.oldest = oldest
    try walk(databases.log) { (key, value) throws(StoreError) in
      guard let revision = Self.revision(of: key) else { return false }
      // Unchecked: a checksum takes time over a large entry, and a damaged one may go as well.
      let time = Self.claimedTime(value) ?? Self.entry(revision, value)?.time.microseconds ?? Int64.min
      return trim.takes(revision, value.byteCount, time)
    }
    for revision in trim.doomed { try delete(Self.logKey(revision), databases.log) }
    if let last = trim.doomed.last { try putTrimmed(last) }
  }

  /// - Parameter opens: whether values that are sealed are wanted.
  func logEntry(_ revision: UInt64, opens: Bool = true) throws(StoreError) -> LogEntry? {
    let entry = try readLog(revision) { Self.entry(revision, $0, withEdits: true) }
    return opens ? entry.map { opened($0) } : entry
  }

  /// Reads and decodes an entry, wherever it is.
  private func readLog<R>(_ revision: UInt64, _ decode: (RawSpan) -> R?) throws(StoreError) -> R? {
    let what = "the log entry of revision \(revision)"
    if let found = try read(LogTail.key(revision), databases.meta, orDamaged: what, decode) { return found }
    return try read(Self.logKey(revision), databases.log, orDamaged: what, decode)
  }

  /// When the last commit was made, if its entry tells.
  func lastLogTime() throws(StoreError) -> Int64? {
    let time: Int64?? = try readLog(try revision()) { .some(Self.claimedTime($0)) }
    return time ?? nil
  }

  /// Walks the entries after a revision, oldest first. A damaged one comes as nil. The parameters are those of `LogEntry`;
  /// `opens` says whether values that are sealed are wanted.
  func walkLog(
    after revision: UInt64 = 0, matching pattern: NamePattern? = nil, withEdits: Bool = true,
    opens: Bool = true, _ body: (UInt64, LogEntry?, _ size: Int) throws(StoreError) -> Bool
  ) throws(StoreError) {
    guard revision < UInt64.max else { return }
    try walkStoredLog(from: revision + 1) { (revision, value) throws(StoreError) in
      try Memory.require(value.byteCount * 4)
      let entry = Self.entry(revision, value, pattern, withEdits: withEdits)
      return try body(revision, opens ? entry.map { opened($0) } : entry, value.byteCount)
    }
  }

  /// Of each of some places the last commit after a revision that changed what a layer holds for a setting, as far as the log tells; 0 if
  /// there is none. What was on trial and went back has changed nothing, but for whoever has seen it on trial.
  func lastEdits(_ wanted: [(place: LayerKey, after: UInt64)]) throws(StoreError) -> [UInt64] {
    var last = [UInt64](repeating: 0, count: wanted.count)
    guard let start = wanted.map({ $0.after }).min(), start < UInt64.max else { return last }
    var onTrial = last
    var names = NameSet()
    var numbers: [[Int]] = []
    for (index, one) in wanted.enumerated() {
      let (number, isNew) = names.insert(one.place.name)
      if isNew { numbers.append([]) }
      numbers[number].append(index)
    }
    // Looking for many in the bytes takes longer than reading these.
    let needles = names.names.count > 4 ? [] : names.names.map { $0.bytes }
    try walkStoredLog(from: start + 1) { (revision, value) throws(StoreError) in
      guard needles.isEmpty || value.holdsAny(of: needles),
        let entry = Self.entry(revision, value, withEdits: true)
      else { return true }
      for edit in entry.edits {
        guard let number = names.number(of: edit.name) else { continue }
        for index in numbers[number] where wanted[index].place.layer == edit.layer && revision > wanted[index].after {
          switch entry.trial {
          case .begun?:
            last[index] = max(last[index], onTrial[index])
            onTrial[index] = revision
          case .reverted(let begun)?:
            if begun == onTrial[index] {
              onTrial[index] = 0
            } else if begun <= wanted[index].after {
              last[index] = revision
            }
          case .confirmed?, nil: last[index] = revision
          }
        }
      }
      return true
    }
    return wanted.indices.map { max(last[$0], onTrial[$0]) }
  }

  /// Walks the entries from a revision on as they are stored, oldest first.
  func walkStoredLog(
    from revision: UInt64 = 0, _ body: (UInt64, RawSpan) throws(StoreError) -> Bool
  ) throws(StoreError) {
    var goesOn = true
    try walk(databases.log, from: Self.logKey(revision)) { (key, value) throws(StoreError) in
      guard let revision = Self.revision(of: key) else { throw StoreError.damaged("the log") }
      goesOn = try body(revision, value)
      return goesOn
    }
    if goesOn { try walkLogTail(from: revision, body) }
  }

  private static func revision(of key: RawSpan) -> UInt64? {
    key.byteCount == 8 ? key.word(at: 0).byteSwapped : nil
  }

  /// What an entry says of its time, unchecked: it comes last.
  static func claimedTime(_ value: RawSpan) -> Int64? {
    let end = value.byteCount
    guard end >= Checksum.size + 11, value.byte(at: end - 11) == 0x61, value.byte(at: end - 10) == UInt8(ascii: "t"),
      value.byte(at: end - 9) == 0x1b
    else { return nil }
    return Int64(bitPattern: value.word(at: end - 8).byteSwapped)
  }

  private static func entry(
    _ revision: UInt64, _ value: RawSpan, _ pattern: NamePattern? = nil, withEdits: Bool = false
  ) -> LogEntry? {
    guard let content = Checksum.content(of: value, key: logKey(revision), tag: Tag.log) else { return nil }
    return LogEntry(content, revision: revision, matching: pattern, withEdits: withEdits)
  }
}

extension RawSpan {
  func holdsAny(of needles: [[UInt8]]) -> Bool {
    withUnsafeBytes { bytes in
      for needle in needles where lvs_holds(bytes.baseAddress, bytes.count, needle, needle.count) { return true }
      return false
    }
  }
}
