import CSystem
import Synchronization

/// One watch: what it looks at, how far it has come, and what waits to be told.
///
/// Its mutable parts belong to the thread that delivers: the hub's, or the one that is inside `dispatch` for its handle;
/// `outlook` is guarded by the hub's lock.
final class WatchState: @unchecked Sendable {
  typealias Handler = @Sendable ([Event]) -> Void

  /// Coalescing keeps one event for each setting; beyond so many the watch is told to read anew.
  static let mostPending = 10_000

  let owner: UInt64
  /// The one name that is watched, as it was asked for; nil if others may match.
  let name: String?
  let isDispatched: Bool
  /// In nanoseconds.
  let interval: UInt64
  let descriptor: EventDescriptor?
  /// Those of its handle; nil if that is for reading alone.
  let logLimits: LogLimits?
  private let isPausedNow = Atomic<Bool>(false)
  private let handler: Handler
  private let use = UseCount()
  private let onEnd: @Sendable () -> Void

  var pattern: NamePattern?
  var position: UInt64
  /// The log was not read or not told to its end: a schema among what was told may have given the name to another setting.
  var isAmid = false
  /// The revision up to which the descriptor has been signalled.
  var signalled: UInt64 = 0
  /// The revision of a file from before that it has been signalled for since then; nil for none.
  var signalledBack: UInt64?
  /// What the first call tells.
  var initial: [Event]
  /// What the watcher thread knows of a watch that others dispatch: where it is, and when something will be due.
  var outlook: (position: UInt64, dueAt: UInt64)
  /// What waits for the interval to pass, and for coalesced ones the place of each setting.
  var pending: [Event] = []
  private var places = ByteIndex()
  /// nil before the first.
  var lastCall: UInt64?
  /// What has been told of values whose time is over while nobody has committed that.
  var delivered: [DeliveredExpiry] = []
  let start: Timestamp
  /// The same in microseconds since the start of the system.
  let startMoment: Int64
  /// The trial of which was told that it went back, while nobody had committed that.
  var revertedTrial: UInt64 = 0
  /// The trial whose end the descriptor has been signalled for.
  var signalledTrial: UInt64 = 0
  /// What could not be opened and can be now: it is to be read anew. Guarded by the hub's lock.
  var openedSince: [String] = []
  /// The moment up to which the descriptor has been signalled for what expires.
  var signalledExpiry: Timestamp
  /// On the thread that delivers: whether the handler is being called.
  private var isCalling = false

  init(
    owner: UInt64, name: String?, options: WatchOptions, descriptor: EventDescriptor?,
    logLimits: LogLimits?, start: WatchStart, onEnd: @escaping @Sendable () -> Void, handler: @escaping Handler
  ) {
    self.owner = owner
    self.name = name
    pattern = start.pattern
    isDispatched = options.dispatched
    interval = UInt64(UInt32(clamping: options.minimumInterval.wholeMilliseconds)) * 1_000_000
    self.descriptor = descriptor
    self.logLimits = logLimits
    position = start.revision
    outlook = (position, start.initial.isEmpty ? UInt64.max : 0)
    self.start = start.time
    startMoment = start.moment
    signalledExpiry = start.time
    self.handler = handler
    self.onEnd = onEnd
    initial = start.initial
  }

  func takeOpened() -> [String] {
    defer { openedSince = [] }
    return openedSince
  }

  /// No call begins from now on; what belongs to the watch ends with the call under way, or now. False if it was stopped.
  func stop() -> Bool {
    guard !use.isClosed else { return false }
    if use.close() { onEnd() }
    return true
  }

  var isStopped: Bool { use.isClosed }

  /// Whether nothing is to be told for the time being. Set by the hub.
  var isPaused: Bool {
    get { isPausedNow.load(ordering: .relaxed) }
    set { isPausedNow.store(newValue, ordering: .relaxed) }
  }

  /// Whether another call may begin.
  var mayCall: Bool { !isStopped && !isPaused }

  /// Calls the handler unless the watch is stopped.
  func call(_ events: [Event]) {
    guard !events.isEmpty, use.enter() else { return }
    isCalling = true
    handler(events.map { $0.opened })
    leave()
  }

  /// The thread ends; if it does so in the handler, that has returned.
  func abandon() {
    if isCalling { leave() }
  }

  private func leave() {
    isCalling = false
    if use.leave() { onEnd() }
  }

  /// The events of an entry that was read for this watch.
  func events(of entry: LogEntry) -> [Event] {
    var events: [Event] = []
    if entry.isSchema, !entry.isTooLarge { events.append(Event(.schema, of: entry)) }
    if let event = Event.ofTrial(entry), !wasTold(entry) { events.append(event) }
    guard !entry.isTooLarge else { return events + [.resync(to: entry.revision)] }
    for change in entry.changes {
      if let event = afterDelivered(Event(change, of: entry)) { events.append(event) }
    }
    return events
  }

  /// Keeps events for later, one for each setting: from what was before the first to what is after the last.
  func merge(_ events: [Event]) {
    for event in events {
      // Beside the settings one of the schema, and the last of trials: what is so now.
      if event.kind == .resync || pending.count >= Self.mostPending {
        pending = [.resync(to: event.revision)]
        places = ByteIndex()
        _ = places.insert([])
        continue
      }
      let (place, isNew) = places.insert(event.name ?? (event.kind == .schema ? "\u{1}schema" : "\u{1}trial"))
      if isNew || place >= pending.count {
        pending.append(event)
      } else {
        let before = pending[place]
        pending[place] = event
        pending[place].oldValue = before.oldValue
        pending[place].wasWritable = before.wasWritable
        pending[place].isSecret = event.isSecret || before.isSecret
        pending[place].isForgotten = event.isForgotten || before.isForgotten
      }
    }
  }

  func takePending() -> [Event] {
    // What was changed last comes last, also where it had been changed before.
    let order = sortedOrder(of: pending.count) { pending[$0].revision < pending[$1].revision }
    let events = order.compactMap { pending[$0].name == nil ? pending[$0] : pending[$0].asDifference }
    pending = []
    places = ByteIndex()
    return events
  }
}
