import CSystem

/// The watches of a process on a store, and the one thread that serves them while there are any that are not paused.
///
/// The thread sleeps on the wake word, at most a second, reads the log from where each watch has come to, and calls the
/// handlers outside of every lock and transaction.
final class WatchHub: @unchecked Sendable {
  private static let second: UInt64 = 1_000_000_000

  private let lock = Lock()
  private var watches: [WatchState] = []
  /// Functions that are to run once, in their order.
  private var posts: [Post] = []
  /// The handles for which a thread is inside `dispatch`, and those of them for which another one has come meanwhile.
  private var dispatching: [UInt64] = []
  private var asked: [UInt64] = []
  private var isRunning = false
  fileprivate let threads = WatchThreads()
  /// Nobody here may commit that values are over whose time has come: each watch is told without.
  private var reportsExpiry = false
  /// What the thread is serving, and when it looked last whether the store is still there; its own.
  private var serving: WatchState?
  private var running: Post?
  private var lastLook: UInt64 = 0
  /// The trial whose end the watches were told of without a commit; the thread's own.
  private var toldTrial: UInt64 = 0

  /// Adds a watch, and starts the thread if it is the first.
  func add(_ watch: WatchState, _ shared: SharedEnvironment) throws(StoreError) {
    try lock.withLock { () throws(StoreError) in
      try start(shared)
      watches.append(watch)
    }
    // Initial values are told at once.
    shared.wake.signal()
  }

  /// Has a function run by the thread, or by `dispatch`.
  func add(_ post: Post, _ shared: SharedEnvironment) throws(StoreError) {
    try lock.withLock { () throws(StoreError) in
      if post.descriptor == nil { try start(shared) }
      posts.append(post)
    }
    if let descriptor = post.descriptor { descriptor.signal() } else { shared.wake.signal() }
  }

  /// Starts the thread if there is none. Called with the lock held.
  private func start(_ shared: SharedEnvironment) throws(StoreError) {
    guard !isRunning else { return }
    Registry.retain(shared)
    shared.wake.join()
    threads.begin()
    let context = Unmanaged.passRetained(Watcher(hub: self, shared: shared)).toOpaque()
    let status = lvs_thread_start_watched({ serve($0) }, { serveAgain($0) }, context)
    guard status == 0 else {
      letGo(context)
      throw StoreError(.busy, "no thread can be had for watching", systemError: status)
    }
    isRunning = true
  }

  /// Stops a watch; false if it was stopped before.
  func stop(_ watch: WatchState, _ shared: SharedEnvironment) -> Bool {
    let wasLast = lock.withLock {
      watches.removeAll { $0 === watch }
      return isRunning && !hasWatches
    }
    let stopped = watch.stop()
    if wasLast { shared.wake.signal() }
    return stopped
  }

  /// Pauses a watch, or lets it go on: what happened meanwhile is told then.
  func setPaused(_ isPaused: Bool, _ watch: WatchState, _ shared: SharedEnvironment) throws(StoreError) {
    let isNew = try lock.withLock { () throws(StoreError) in
      guard watch.isPaused != isPaused, watches.contains(where: { $0 === watch }) else { return false }
      if !isPaused { try start(shared) }
      watch.isPaused = isPaused
      return true
    }
    guard isNew else { return }
    // What came to the end of a pause was signalled before, perhaps.
    if !isPaused { watch.descriptor?.signal() }
    // The thread ends with the last, or has to look again.
    shared.wake.signal()
  }

  /// Called with the lock held.
  private var hasWatches: Bool { watches.contains { !$0.isPaused } }

  /// Has those watches told to read anew that look at one of some settings.
  func readAnew(_ names: [String], _ shared: SharedEnvironment) {
    guard !names.isEmpty else { return }
    let all = lock.withLock {
      for watch in watches { watch.openedSince = names }
      return watches
    }
    for watch in all { watch.descriptor?.signal() }
    if !all.isEmpty { shared.wake.signal() }
  }

  /// Stops the watches of a handle that is closed, and forgets what it has posted. The thread that nobody needs any more has let go
  /// of the store then, unless somebody's function is running on it.
  func stopAll(of owner: UInt64, _ shared: SharedEnvironment) {
    stopWatches(of: owner, shared)
    let isNeeded = lock.withLock { hasWatches || posts.contains { $0.descriptor == nil } }
    if !isNeeded { threads.waitForEnd() }
  }

  private func stopWatches(of owner: UInt64, _ shared: SharedEnvironment) {
    cancelPosts(of: owner)
    let stopped = lock.withLock {
      let all = watches.filter { $0.owner == owner }
      watches.removeAll { $0.owner == owner }
      return all
    }
    guard !stopped.isEmpty else { return }
    for watch in stopped { _ = watch.stop() }
    shared.wake.signal()
  }

  /// Forgets what a handle has posted.
  func cancelPosts(of owner: UInt64) {
    while let post = take({ $0.owner == owner }) { post.end() }
  }

  /// Runs what a handle has posted until now and serves its dispatched watches, on the calling thread; the number of calls
  /// made. While a thread does that, another one, or what it calls, only has it look once more.
  func dispatch(
    _ owner: UInt64, _ descriptor: EventDescriptor, _ shared: SharedEnvironment
  ) throws(StoreError) -> Int {
    let waiting = lock.withLock { () -> Int? in
      guard !dispatching.contains(owner) else {
        if !asked.contains(owner) { asked.append(owner) }
        return nil
      }
      dispatching.append(owner)
      return posts.count(where: { $0.isDispatched(of: owner) })
    }
    guard let waiting else { return 0 }
    // Who came meanwhile has drained the descriptor.
    defer { if leave(owner) { descriptor.signal() } }
    var calls = 0
    while calls < waiting, let post = take({ $0.isDispatched(of: owner) }) {
      calls += 1
      post.run()
      post.end()
    }
    var failure: StoreError?
    repeat {
      for watch in lock.withLock({ watches }) where watch.owner == owner && watch.isDispatched {
        do throws(StoreError) { calls += try tell(watch, shared) } catch { failure = failure ?? error }
      }
    } while takeAsked(owner)
    if let failure { throw failure }
    return calls
  }

  private func tell(_ watch: WatchState, _ shared: SharedEnvironment) throws(StoreError) -> Int {
    var calls = 0
    guard watch.mayCall else { return calls }
    // The thread sleeps, and has to know when something is due. What fails is signalled again.
    var retryAt = lvs_monotonic_ns() &+ Self.second
    defer {
      let dueAt = min(watch.dueAt, retryAt)
      lock.withLock { watch.outlook = (watch.position, dueAt) }
      if dueAt != UInt64.max { shared.wake.signal() }
    }
    var isMore = true
    while isMore {
      let news = try LogReading(shared, for: watch, reportsExpiry: lock.withLock { reportsExpiry })
      calls += deliver(news, to: watch)
      isMore = news.isPartial && watch.mayCall
    }
    retryAt = UInt64.max
    return calls
  }

  /// Whether another thread has come to dispatch for a handle since that was asked last.
  private func takeAsked(_ owner: UInt64) -> Bool {
    lock.withLock { asked.firstIndex(of: owner).map { asked.remove(at: $0) } != nil }
  }

  /// Nobody dispatches for a handle any more; whether there is something to do.
  private func leave(_ owner: UInt64) -> Bool {
    // In one step: who comes between the two would have nobody to tell.
    lock.withLock {
      let wasAsked = asked.contains(owner)
      asked.removeAll { $0 == owner }
      dispatching.removeAll { $0 == owner }
      return wasAsked || posts.contains { $0.isDispatched(of: owner) }
    }
  }

  /// The first function that waits, of those asked for; nil if there is none.
  private func take(_ isAsked: (Post) -> Bool) -> Post? {
    lock.withLock { posts.firstIndex(where: isAsked).map { posts.remove(at: $0) } }
  }

  /// Runs what was posted until now; what is posted meanwhile waits for the next round.
  private func runPosts() {
    for _ in 0..<lock.withLock({ posts.count(where: { $0.descriptor == nil }) }) {
      guard let post = take({ $0.descriptor == nil }) else { return }
      threads.whileOutside {
        running = post
        post.run()
        running = nil
        post.end()
      }
    }
  }

  /// One round of the thread: runs what was posted, tells what is new, and returns how long it may sleep, in nanoseconds.
  fileprivate func round(_ shared: SharedEnvironment) throws(StoreError) -> UInt64 {
    runPosts()
    let all = lock.withLock { watches.filter { !$0.isPaused } }
    let limits = all.compactMap { $0.logLimits }
    let commits = !limits.isEmpty && !shared.clock.isDoubtful
    lock.withLock { reportsExpiry = !commits }
    var pause = Self.second
    // What one watch cannot read keeps nothing from the others.
    var failure: StoreError?
    for watch in all {
      do throws(StoreError) { pause = min(pause, try tellNews(of: watch, shared, reportsExpiry: !commits)) } catch {
        failure = failure ?? error
      }
    }
    lookIfGone(shared)
    pause = min(pause, try end(shared, limits, commits: commits))
    if let failure { throw failure }
    return pause
  }

  /// Signals or calls what is new for a watch; how long until more will be due, in nanoseconds.
  private func tellNews(
    of watch: WatchState, _ shared: SharedEnvironment, reportsExpiry: Bool
  ) throws(StoreError) -> UInt64 {
    if watch.isDispatched { return try signal(watch, shared) }
    if watch.isStopped { return Self.second }
    serving = watch
    defer { serving = nil }
    let news = try LogReading(shared, for: watch, reportsExpiry: reportsExpiry)
    _ = deliver(news, to: watch)
    return news.isPartial ? 0 : watch.timeUntilDue(at: lvs_monotonic_ns())
  }

  /// Ends what has expired, and a trial whose time is over; how long until more will, in nanoseconds.
  private func end(
    _ shared: SharedEnvironment, _ limits: [LogLimits], commits: Bool
  ) throws(StoreError) -> UInt64 {
    var pause = Self.second
    let now = Timestamp.now
    let (next, trial) = try shared.read { (view) throws(StoreError) in
      (try view.nextExpiry(after: commits ? nil : now), try view.pendingTrial())
    }
    if let trial {
      let moment = lvs_boottime_us()
      if !trial.term.isOver(at: moment) {
        let left = trial.term.deadline &- moment
        if left < Int64(Self.second / 1000) { pause = min(pause, UInt64(left) * 1000) }
      } else if !limits.isEmpty {
        let isCommitted = try shared.clearExpired(LogLimits(largestOf: limits, clock: shared.clock))
        return isCommitted ? 0 : min(pause, Self.second / 100)
      } else if toldTrial != trial.term.revision {
        toldTrial = trial.term.revision
        pause = 0
      }
    }
    if let next {
      // A damaged time may be any.
      let left = next.microseconds &- now.microseconds
      if left <= 0 {
        // What is not committed now is told without in the next round, or was committed by somebody else.
        let isCommitted = try shared.clearExpired(LogLimits(largestOf: limits, clock: shared.clock))
        return isCommitted ? 0 : min(pause, Self.second / 100)
      }
      if left < Int64(Self.second / 1000) { pause = min(pause, UInt64(left) * 1000) }
    }
    return pause
  }

  /// Those who only wait for changes would never hear that nothing comes any more.
  private func lookIfGone(_ shared: SharedEnvironment) {
    let now = lvs_monotonic_ns()
    guard now &- lastLook >= Self.second else { return }
    lastLook = now
    shared.lookIfGone()
  }

  /// Signals that there is something to dispatch; how long until more will be due, in nanoseconds.
  private func signal(_ watch: WatchState, _ shared: SharedEnvironment) throws(StoreError) -> UInt64 {
    let time = Timestamp.now
    let (tells, told) = lock.withLock { (reportsExpiry, watch.outlook.position) }
    var expires = false
    let revision = try shared.read { (view) throws(StoreError) in
      if tells, let next = try view.nextExpiry(after: watch.signalledExpiry) { expires = next <= time }
      if tells, let trial = try view.pendingTrial(), view.isOver(trial), trial.term.revision != watch.signalledTrial {
        watch.signalledTrial = trial.term.revision
        expires = true
      }
      return try view.revision()
    }
    if tells { watch.signalledExpiry = time }
    let now = lvs_monotonic_ns()
    let (position, isDue, left) = lock.withLock {
      let (position, dueAt) = watch.outlook
      guard dueAt <= now else { return (position, false, dueAt &- now) }
      // Signalled once: what is due after that is known when it was dispatched.
      watch.outlook.dueAt = UInt64.max
      return (position, true, UInt64.max)
    }
    let hasGoneBack = revision < told && watch.signalledBack != revision
    if revision > max(watch.signalled, position) || hasGoneBack || isDue || expires {
      watch.signalled = revision
      watch.signalledBack = hasGoneBack ? revision : nil
      watch.descriptor?.signal()
    }
    return left
  }

  /// Goes on with another thread when a handler has ended this one; called on it.
  fileprivate func serveAnew(_ shared: SharedEnvironment, _ context: UnsafeMutableRawPointer) {
    running?.end()
    running = nil
    if let watch = serving {
      serving = nil
      watch.abandon()
    }
    threads.comeBack()
    let status = lvs_thread_start_watched(
      { context in
        Log.write(.error, "watching: a callback has ended its thread, which it must not; another one goes on")
        serve(context)
      }, { serveAgain($0) }, context)
    guard status != 0 else { return }
    lock.withLock { isRunning = false }
    Log.write(.error, "watching: a callback has ended its thread, and no other can be had: watch anew")
    letGo(context)
  }

  /// Whether the thread is still needed; if not, it is on its way out.
  fileprivate func keepsRunning() -> Bool {
    lock.withLock {
      isRunning = hasWatches || posts.contains { $0.descriptor == nil }
      return isRunning
    }
  }

  private func deliver(_ news: LogReading, to watch: WatchState) -> Int {
    var calls = 0
    func tell(_ events: [Event]) {
      guard !events.isEmpty else { return }
      calls += 1
      watch.lastCall = lvs_monotonic_ns()
      if watch.isDispatched { return watch.call(events) }
      threads.whileOutside { watch.call(events) }
    }
    func take(_ events: [Event]) {
      if watch.interval == 0 { tell(events) } else { watch.merge(events) }
    }
    // A pause may come, and be over, at any moment: what is left out here begins with the next reading.
    if !watch.initial.isEmpty {
      guard watch.mayCall else { return calls }
      let events = watch.initial
      watch.initial = []
      tell(events)
    }
    let opened = watch.mayCall ? lock.withLock { watch.takeOpened() } : []
    if opened.contains(where: { watch.pattern?.matches($0) ?? true }) { take([.resync(to: watch.position)]) }
    // A file from before has taken the place of this one.
    if news.revision < watch.position, !news.isPartial {
      guard watch.mayCall else { return calls }
      watch.position = news.revision
      take([.resync(to: news.revision)])
    }
    if watch.position < news.trimmed {
      guard watch.mayCall else { return calls }
      watch.position = news.trimmed
      take([.resync(to: news.trimmed)])
    }
    for (revision, entry) in news.entries where revision > watch.position {
      watch.isAmid = true
      guard watch.mayCall else { return calls }
      watch.position = revision
      take(entry.map { watch.events(of: $0) } ?? [.resync(to: revision)])
    }
    watch.isAmid = news.isPartial
    watch.pattern = news.pattern
    guard watch.mayCall else { return calls }
    if !news.isPartial {
      take(watch.deliverExpiry(news.expired, of: news.trial, at: news.time, revision: news.revision))
    }
    if watch.timeUntilDue(at: lvs_monotonic_ns()) == 0 { tell(watch.takePending()) }
    return calls
  }
}

extension WatchState {
  /// In nanoseconds, how long until what waits is to be told; far away if nothing does.
  func timeUntilDue(at now: UInt64) -> UInt64 {
    let due = dueAt
    return due == UInt64.max ? due : due > now ? due - now : 0
  }

  /// When something is to be told, whatever is in the log.
  fileprivate var dueAt: UInt64 {
    if !initial.isEmpty { return 0 }
    if pending.isEmpty { return UInt64.max }
    return lastCall.map { $0 &+ interval } ?? 0
  }
}

/// What the watcher thread is given: the environment stays open for it, or for the thread that takes its place.
private final class Watcher: Sendable {
  let hub: WatchHub
  let shared: SharedEnvironment

  init(hub: WatchHub, shared: SharedEnvironment) {
    self.hub = hub
    self.shared = shared
  }
}

/// The watcher thread.
private func serve(_ context: UnsafeMutableRawPointer?) {
  guard let context else { return }
  serveWhileNeeded(context)
  letGo(context)
}

@inline(never)
private func serveWhileNeeded(_ context: UnsafeMutableRawPointer) {
  let watcher = Unmanaged<Watcher>.fromOpaque(context).takeUnretainedValue()
  let shared = watcher.shared
  while true {
    // What comes after this look is seen before the thread sleeps.
    let count = shared.wake.count
    guard watcher.hub.keepsRunning() else { return }
    var pause: UInt64 = 1_000_000_000
    // What is new stays in the log until there is memory to read it.
    if lvs_memory_is_short() {
      shared.wake.wait(while: count, for: pause / 10)
      continue
    }
    do throws(StoreError) { pause = try watcher.hub.round(shared) } catch {
      Log.write(.error, "watching: \(error.message)")
    }
    if pause > 0 { shared.wake.wait(while: count, for: pause) }
  }
}

private func serveAgain(_ context: UnsafeMutableRawPointer?) {
  guard let context else { return }
  let watcher = Unmanaged<Watcher>.fromOpaque(context).takeUnretainedValue()
  watcher.hub.serveAnew(watcher.shared, context)
}

private func letGo(_ context: UnsafeMutableRawPointer) { release(context).end() }

/// Nothing is held of the store any more when this returns.
@inline(never)
private func release(_ context: UnsafeMutableRawPointer) -> WatchThreads {
  let watcher = Unmanaged<Watcher>.fromOpaque(context).takeRetainedValue()
  watcher.shared.wake.leave()
  Registry.release(watcher.shared)
  return watcher.hub.threads
}
