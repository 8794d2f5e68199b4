/// What the log holds after a revision, as far as one reading goes.
struct LogReading {
  private static let mostEntries = 256
  private static let mostBytes = 1 << 20

  var entries: [(revision: UInt64, entry: LogEntry?)] = []
  var trimmed: UInt64 = 0
  /// There is more.
  var isPartial = false
  /// What is looked for from there on.
  var pattern: NamePattern?
  /// What is in effect now where a value's time is over and nobody has committed that, or where the watch was told so.
  var expired: [ExpiredValue] = []
  /// A trial that has gone back the same way.
  var trial: ExpiredTrial?
  var revision: UInt64 = 0
  var time = Timestamp.earliest

  /// - Parameter reportsExpiry: look for what has expired, too.
  init(_ shared: SharedEnvironment, for watch: WatchState, reportsExpiry: Bool) throws(StoreError) {
    var reading = LogReading(pattern: watch.pattern)
    try shared.read { (view) throws(StoreError) in
      reading = LogReading(pattern: watch.pattern)
      reading.revision = try view.revision()
      try reading.walk(view, after: watch.position, watch.pattern)
      if let name = watch.name { try reading.follow(name, view, watch) }
      guard !reading.isPartial, reportsExpiry || !watch.delivered.isEmpty else { return }
      reading.time = .now
      reading.trial = reportsExpiry ? try view.expiredTrial(reading.pattern) : nil
      reading.expired = try view.expiredValues(
        at: reading.time, reading.pattern, reportsExpiry: reportsExpiry, besides: watch.delivered, trial: reading.trial)
    }
    self = reading
  }

  private init(pattern: NamePattern?) {
    self.pattern = pattern
  }

  private mutating func walk(_ view: View, after start: UInt64, _ pattern: NamePattern?) throws(StoreError) {
    var bytes = 0
    entries = []
    isPartial = false
    try view.walkLog(
      after: start, matching: pattern, withEdits: false
    ) { (revision, entry, size) throws(StoreError) in
      guard entries.count < Self.mostEntries, bytes < Self.mostBytes else {
        isPartial = true
        return false
      }
      bytes += size
      entries.append((revision, try view.withPresentValues(entry)))
      return true
    }
    // A commit that lies between was trimmed, or there was none: an import may skip revisions.
    if entries.first?.revision != start &+ 1 { trimmed = try view.trimmed() }
  }

  /// A name may stand for another setting since a schema was applied: then both are looked for, as far as this reading goes.
  private mutating func follow(_ name: String, _ view: View, _ watch: WatchState) throws(StoreError) {
    let start = watch.position
    var mayDiffer = watch.isAmid || trimmed > start
    for (_, entry) in entries where entry?.isSchema ?? true { mayDiffer = true }
    guard mayDiffer, let before = pattern else { return }
    let target = try view.resolveAlias(name)
    guard !before.matches(target) else { return }
    try walk(view, after: start, before.including(target))
    if !isPartial { pattern = try NamePattern(target) }
  }
}
