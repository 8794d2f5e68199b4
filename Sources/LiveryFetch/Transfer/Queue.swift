import CFetch
import LiveryClient

/// The thread on which everything of a fetcher runs but its transport.
final class Queue: @unchecked Sendable {
  private let queue: OpaquePointer

  private init(_ queue: OpaquePointer) {
    self.queue = queue
  }

  /// - Throws: `.busy` if no thread can be had.
  static func make() throws(StoreError) -> Queue {
    guard let queue = lvf_queue_make() else { throw StoreError(.busy, "no thread for fetches can be had") }
    return Queue(queue)
  }

  deinit { lvf_queue_free(queue) }

  /// Has a function run, once what was added before has run; or after some microseconds. Not if the queue ends before.
  func run(after delay: Int64 = 0, _ function: @escaping @Sendable () -> Void) {
    let context = Unmanaged.passRetained(Work(function))
    let isTaken = lvf_queue_add(
      queue, delay,
      { context, hasEnded in
        guard let context else { return }
        let work = Unmanaged<Work>.fromOpaque(context).takeRetainedValue()
        if !hasEnded { work.function() }
      }, context.toOpaque())
    if !isTaken { context.release() }
  }

  /// Tells an outcome, which `end` waits for.
  func telling(_ tell: () -> Void) {
    withUnsafeTemporaryAllocation(of: lvf_telling.self, capacity: 1) { place in
      lvf_queue_begin_telling(queue, place.baseAddress)
      tell()
      lvf_queue_end_telling(place.baseAddress)
    }
  }

  /// When this returns nobody is told anything any more on other threads.
  func end() {
    lvf_queue_end(queue)
    lvf_queue_wait_told(queue)
  }
}

private final class Work: Sendable {
  let function: @Sendable () -> Void

  init(_ function: @escaping @Sendable () -> Void) {
    self.function = function
  }
}
