import LiveryClient
import LiveryFleet
import LiveryHTTP

/// Puts what is published into a store that may be slow, on a thread of its own: nobody waits for it but devices that join. What
/// was left out, also by a console that was killed, is put there later.
final class Uploads: @unchecked Sendable {
  /// The longest pause between two tries, in seconds.
  private static let longestPause: Int64 = 60

  private let console: Console
  private let queue: Queue
  private let lock = Lock()
  // Guarded by `lock`.
  private var isScheduled = false
  private var isUnderWay = false
  private var written: Int64 = -1
  private var waiting: [(generation: Int64, end: Int64, done: @Sendable (Bool) -> Void)] = []
  // The thread's own.
  private nonisolated(unsafe) var failures = 0

  convenience init(_ console: Console) throws(Refusal) {
    do throws(StoreError) { self.init(console, try Queue.make("livery-uploads")) } catch {
      throw Refusal(.busy, error.message)
    }
  }

  private init(_ console: Console, _ queue: Queue) {
    self.console = console
    self.queue = queue
  }

  /// There may be something new.
  func poke() {
    let isFirst = lock.withLock { () -> Bool in
      defer { isScheduled = true }
      return !isScheduled
    }
    if isFirst { queue.run { [self] in work() } }
  }

  private func work() {
    // What comes from now on is another round's.
    lock.withLock { (isScheduled, isUnderWay) = (false, true) }
    defer { lock.withLock { isUnderWay = false } }
    do throws(Refusal) {
      let generation = try console.publishNow()
      failures = 0
      let done = lock.withLock { () -> [@Sendable (Bool) -> Void] in
        written = max(written, generation)
        let done = waiting.filter { $0.generation <= written }.map { $0.done }
        waiting.removeAll { $0.generation <= written }
        return done
      }
      for one in done { one(true) }
    } catch {
      failures += 1
      try? console.note(problem: error.message)
      // Not the same for all consoles: one second, two, four, a quarter more or less.
      let pause = min(Uploads.longestPause, 1 << Int64(min(failures - 1, 6))) * 1_000_000
      let chance = Int64(Rates.key(Crypto.random(8)) % UInt64(pause / 2)) - pause / 4
      lock.withLock { isScheduled = true }
      queue.run(after: pause + chance) { [self] in work() }
    }
  }

  /// Calls back once a generation is there; false if it is not after so many seconds.
  func wait(for generation: Int64, seconds: Int64, done: @escaping @Sendable (Bool) -> Void) {
    let isThere = lock.withLock { () -> Bool in
      guard generation > written else { return true }
      waiting.append((generation, Clock.now + seconds * 1000, done))
      return false
    }
    if isThere { done(true) } else { poke() }
  }

  /// Has nobody else publish meanwhile; to be called every few seconds.
  func keep() {
    if lock.withLock({ isUnderWay }) { try? console.keepLease() }
  }

  /// Tells those who have waited for too long; to be called now and then.
  func expire() {
    let now = Clock.now
    let over = lock.withLock { () -> [@Sendable (Bool) -> Void] in
      let over = waiting.filter { $0.end <= now }.map { $0.done }
      waiting.removeAll { $0.end <= now }
      return over
    }
    for one in over { one(false) }
  }
}

/// How far publishing is.
package struct PublishingState: Sendable {
  package var place: String
  /// Manifests that are not there yet.
  package var waiting: Int
  /// Why, if something fails, and since when.
  package var problem: String?
  package var since: Int64?
}

extension Console {
  /// nil where nothing is published, or into a folder that can be written, which it is before a change is answered.
  package func publishing() throws(Refusal) -> PublishingState? {
    guard let published, let name = place.published else { return nil }
    var state = PublishingState(place: name, waiting: 0, problem: nil, since: nil)
    var written: Int64 = -1
    try database.each("SELECT written, problem, since FROM places WHERE name = ?", [.text(name)]) {
      (row) throws(Refusal) in
      written = row.int(0)
      state.problem = row.textIfAny(1)
      state.since = state.problem == nil ? nil : row.int(2)
    }
    if !published.isFar {
      if let failure = folderFailure {
        (state.problem, state.since, written) = (failure.problem, failure.since, failure.written)
      }
      guard state.problem != nil else { return nil }
    }
    state.waiting = Int(try database.number("SELECT COUNT(*) FROM channels WHERE stamp > ?", [.int(written)]) ?? 0)
    return state
  }
}
