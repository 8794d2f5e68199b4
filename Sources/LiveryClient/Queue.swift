import CClient

/// A thread of an extension's, on which functions run one after another.
public final class Queue: @unchecked Sendable {
  private let queue: OpaquePointer

  private init(_ queue: OpaquePointer) {
    self.queue = queue
  }

  /// - Parameter name: the thread's, of at most 15 bytes.
  /// - Throws: `.busy` if no thread can be had.
  public static func make(_ name: StaticString) throws(StoreError) -> Queue {
    let start = UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
    guard let queue = lvc_queue_make(start) else { throw StoreError(.busy, "no thread can be had") }
    return Queue(queue)
  }

  deinit { lvc_queue_free(queue) }

  /// Has a function run, once what was added before has run; or after some microseconds. Not if the queue ends before.
  public func run(after delay: Int64 = 0, _ function: @escaping @Sendable () -> Void) {
    let context = Unmanaged.passRetained(Work(function))
    let isTaken = lvc_queue_add(
      queue, delay,
      { context, hasEnded in
        guard let context else { return }
        let work = Unmanaged<Work>.fromOpaque(context).takeRetainedValue()
        if !hasEnded { work.function() }
      }, context.toOpaque())
    if !isTaken { context.release() }
  }

  /// An outcome is to be told, or was.
  public func count(_ kind: lvc_kind, _ change: Int32) { lvc_queue_count(queue, kind, change) }

  /// Calls a function of the program's, which may close the store.
  public func calling(_ kind: lvc_kind, _ function: () -> Void) {
    withUnsafeTemporaryAllocation(of: lvc_telling.self, capacity: 1) { place in
      lvc_telling_begin(place.baseAddress, queue, kind)
      function()
      lvc_telling_end(place.baseAddress)
    }
  }

  /// When this returns there are none of a kind, but for those that this thread is calling.
  public func wait(for kind: lvc_kind) { lvc_queue_wait(queue, kind) }

  /// Nothing begins on it any more.
  public func end() { lvc_queue_end(queue) }
}

private final class Work: Sendable {
  let function: @Sendable () -> Void

  init(_ function: @escaping @Sendable () -> Void) {
    self.function = function
  }
}
