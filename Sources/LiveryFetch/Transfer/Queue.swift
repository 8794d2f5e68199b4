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

  /// An outcome is to be told, or was.
  func count(_ kind: lvf_kind, _ change: Int32) { lvf_queue_count(queue, kind, change) }

  /// Calls a function of the program's, which may close the store.
  func calling(_ kind: lvf_kind, _ function: () -> Void) {
    withUnsafeTemporaryAllocation(of: lvf_telling.self, capacity: 1) { place in
      lvf_telling_begin(place.baseAddress, queue, kind)
      function()
      lvf_telling_end(place.baseAddress)
    }
  }

  /// When this returns there are none of a kind, but for those that this thread is calling.
  func wait(for kind: lvf_kind) { lvf_queue_wait(queue, kind) }

  /// Nothing begins on it any more.
  func end() { lvf_queue_end(queue) }
}

private final class Work: Sendable {
  let function: @Sendable () -> Void

  init(_ function: @escaping @Sendable () -> Void) {
    self.function = function
  }
}
