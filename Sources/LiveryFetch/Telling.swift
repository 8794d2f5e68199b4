import CClient
import CLivery
import CLiveryFetch
import LiveryClient

/// Tells how far a transfer is, at most ten times a second, and not once its end was told.
final class Progress: @unchecked Sendable {
  private let fetcher: Fetcher
  private let isDispatched: Bool
  private let function: @Sendable (Int64, Int64) -> Void
  private let lock = Lock()
  // Guarded by `lock`.
  private var next: Int64 = 0
  private var hasEnded = false
  /// How many calls are under way.
  private var calls = 0

  init(_ fetcher: Fetcher, isDispatched: Bool, _ function: @escaping @Sendable (Int64, Int64) -> Void) {
    self.fetcher = fetcher
    self.isDispatched = isDispatched
    self.function = function
  }

  /// For a function of C, if there is one.
  convenience init?(
    _ fetcher: Fetcher, isDispatched: Bool, _ function: livery_fetch_progress_fn?, _ userData: UserData
  ) {
    guard let function else { return nil }
    self.init(fetcher, isDispatched: isDispatched) { received, total in
      function(UInt64(received), UInt64(total), userData.pointer)
    }
  }

  func note(_ received: Int64, _ total: Int64) {
    let now = lvc_now_us()
    let isDue = lock.withLock { () -> Bool in
      guard !hasEnded, now >= next || received == total else { return false }
      next = now + 100_000
      return true
    }
    guard isDue else { return }
    let call = Call()
    try? fetcher.store.post(dispatched: isDispatched, onEnd: { if call.isMade { self.leave() } }) {
      call.isMade = self.enter()
      if call.isMade { self.fetcher.queue.calling(LVC_CALL) { self.function(received, total) } }
    }
  }

  private func enter() -> Bool {
    lock.withLock {
      guard !hasEnded else { return false }
      calls += 1
      fetcher.queue.count(LVC_CALL, 1)
      return true
    }
  }

  private func leave() {
    lock.withLock { calls -= 1 }
    fetcher.queue.count(LVC_CALL, -1)
  }

  /// Nobody is told any more when this returns, save by this thread. It is told on one thread, as is the outcome, unless the
  /// store is being closed.
  func end() {
    let isTold = lock.withLock { () -> Bool in
      hasEnded = true
      return calls > 0
    }
    if isTold { fetcher.queue.wait(for: LVC_CALL) }
  }

  /// Ends also where the function ends its thread.
  private final class Call: @unchecked Sendable {
    var isMade = false
  }
}

extension Outcome {
  /// Calls `done` with what is handed out.
  ///
  /// - Parameter store: that the bytes are read from, if they are not at hand.
  func tell(_ done: livery_fetch_fn?, _ userData: UserData, _ url: String, _ store: Store?) {
    guard let done else { return }
    if let body {
      return body.withUnsafeBytes { tell(done, userData, url, self, $0) }
    }
    guard let store, let id = entry?.id ?? placeholder else {
      return tell(done, userData, url, self, UnsafeRawBufferPointer(start: nil, count: 0))
    }
    do throws(StoreError) {
      let bytes = try store.assets.bytes(id)
      bytes.withUnsafeBytes { tell(done, userData, url, self, $0) }
    } catch {
      // It went while this was on its way. What failed before stays what is told.
      var failed = Outcome(state: .failed, error: self.state == .placeholder ? self.error : error)
      failed.httpStatus = httpStatus
      failed.received = received
      tell(done, userData, url, failed, UnsafeRawBufferPointer(start: nil, count: 0))
    }
  }

  private func tell(
    _ done: livery_fetch_fn, _ userData: UserData, _ url: String, _ told: Outcome, _ bytes: UnsafeRawBufferPointer
  ) {
    var texts = CTexts()
    let url = texts.add(url.utf8)
    let message = texts.add((told.error?.message ?? "").utf8)
    let id = (told.entry?.id ?? told.placeholder).map { texts.add($0.utf8) }
    let type = (told.entry?.type ?? told.type).map { texts.add($0) }
    let tag = (told.entry?.tag ?? told.tag).map { texts.add($0) }
    let isGood = told.state == .ready || told.state == .stale
    texts.withPointers { (text) in
      var result = livery_fetch_result()
      result.struct_size = MemoryLayout<livery_fetch_result>.size
      result.status = isGood ? livery_status(LIVERY_OK) : told.error?.code.rawValue ?? livery_status(LIVERY_ERROR_IO)
      result.state = told.state.rawValue
      result.source = told.source.rawValue
      result.http_status = told.httpStatus
      result.message = text(message)
      result.url = text(url)
      result.id = id.flatMap(text)
      result.type = type.flatMap(text)
      result.data = bytes.isEmpty ? nil : bytes.baseAddress
      result.length = bytes.count
      result.received = UInt64(told.received)
      result.etag = tag.flatMap(text)
      if let entry = told.entry {
        result.fetched = entry.fetched.microseconds
        result.fresh_until = entry.freshness.end * 1_000_000
      }
      done(&result, userData.pointer)
    }
  }
}

extension Result where Success == Value, Failure == StoreError {
  /// Calls `done` with the report, or with why there is none.
  func tell(_ done: livery_fetch_brand_fn?, _ userData: UserData) {
    guard let done else { return }
    do throws(StoreError) {
      let report = try get().makeHandle()
      done(livery_status(LIVERY_OK), "", report, userData.pointer)
      livery_value_release(report)
    } catch {
      error.message.withCString { done(error.code.rawValue, $0, nil, userData.pointer) }
    }
  }
}
