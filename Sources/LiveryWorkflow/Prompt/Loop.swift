import CClient
import CWorkflow
import LiveryClient

/// A thread that runs functions one after another, some of them later or when a descriptor can be read.
final class Loop: @unchecked Sendable {
  typealias Work = @Sendable () -> Void

  private struct Timer {
    var number: Int
    var due: Int64
    var work: Work
  }

  private let wake: Int32
  private let process = lvc_process()
  private let lock = Lock()
  // Guarded by `lock`.
  private var posted: [Work] = []
  private var isEnding = false
  private var thread: UInt64 = 0
  // Of the thread alone.
  private var timers: [Timer] = []
  private var watched: [(descriptor: Int32, work: Work)] = []
  private var count = 0

  private init(_ wake: Int32) {
    self.wake = wake
  }

  deinit {
    if isOfThisProcess { lvw_close(wake) }
  }

  /// A forked child has neither the thread nor the descriptor, whose number may be that of another one.
  var isOfThisProcess: Bool { process == lvc_process() }

  /// - Throws: `.busy` if no thread or no descriptor can be had.
  static func make() throws(StoreError) -> Loop {
    let wake = lvw_wake_open()
    guard wake >= 0 else { throw StoreError(.busy, "no descriptor can be had") }
    let loop = Loop(wake)
    let context = Unmanaged.passRetained(loop)
    let hasStarted = lvw_thread_start(
      { context in
        guard let context else { return nil }
        Unmanaged<Loop>.fromOpaque(context).takeRetainedValue().run()
        return nil
      }, context.toOpaque())
    guard hasStarted else {
      context.release()
      throw StoreError(.busy, "no thread can be had")
    }
    return loop
  }

  /// Has a function run on the thread, once what was posted before has run. False if the thread ends, or is that of the parent
  /// process.
  @discardableResult
  func post(_ work: @escaping Work) -> Bool {
    guard isOfThisProcess else { return false }
    let isTaken = lock.withLock { () -> Bool in
      guard !isEnding else { return false }
      posted.append(work)
      return true
    }
    if isTaken { lvw_wake(wake) }
    return isTaken
  }

  /// Ends the thread once it has run what was posted, and then a function of its own; returns before.
  func end(_ last: @escaping Work) {
    guard isOfThisProcess else { return }
    lock.withLock {
      if isEnding { return }
      isEnding = true
      posted.append(last)
    }
    lvw_wake(wake)
  }

  // MARK: On the thread

  /// Has a function run later; the number is for `cancel`.
  func run(after delay: Int64, _ work: @escaping Work) -> Int {
    count += 1
    timers.append(Timer(number: count, due: lvw_now_us() + delay, work: work))
    return count
  }

  func cancel(_ timer: Int?) {
    if let timer { timers.removeAll { $0.number == timer } }
  }

  /// Has a function run whenever the descriptor can be read, until `forget`.
  func watch(_ descriptor: Int32, _ work: @escaping Work) { watched.append((descriptor, work)) }

  func forget(_ descriptor: Int32) { watched.removeAll { $0.descriptor == descriptor } }

  /// Whether this is its thread.
  var isHere: Bool { lock.withLock { thread == lvw_thread() } }

  private func run() {
    lock.withLock { thread = lvw_thread() }
    while !runPosted() {
      runTimers()
      wait()
    }
    watched = []
    timers = []
  }

  /// Whether the end has come.
  private func runPosted() -> Bool {
    while true {
      let (work, isEnd) = lock.withLock { () -> ([Work], Bool) in
        defer { posted = [] }
        return (posted, isEnding)
      }
      if work.isEmpty { return isEnd }
      for function in work { function() }
    }
  }

  private func runTimers() {
    let now = lvw_now_us()
    while let place = timers.firstIndex(where: { $0.due <= now }) { timers.remove(at: place).work() }
  }

  private func wait() {
    var delay: Int64 = -1
    for timer in timers {
      let rest = max(0, (timer.due - lvw_now_us() + 999) / 1000)
      delay = delay < 0 ? rest : min(delay, rest)
    }
    var polled = [pollfd(fd: wake, events: Int16(POLLIN), revents: 0)]
    for entry in watched { polled.append(pollfd(fd: entry.descriptor, events: Int16(POLLIN), revents: 0)) }
    let count = polled.count
    let isReady = lock.withLock { !posted.isEmpty || isEnding }
    _ = polled.withUnsafeMutableBufferPointer {
      lvw_poll($0.baseAddress, count, isReady ? 0 : Int32(clamping: delay))
    }
    lvw_sleep(wake)
    for entry in polled.dropFirst() where entry.revents != 0 {
      // One that ran before may have ended it.
      if let found = watched.first(where: { $0.descriptor == entry.fd }) { found.work() }
    }
  }
}

/// What one thread waits for and another one opens.
final class Gate: @unchecked Sendable {
  private let gate = lvw_gate_make()

  func open() { lvw_gate_open(gate) }
  func wait() { lvw_gate_wait(gate) }
}
