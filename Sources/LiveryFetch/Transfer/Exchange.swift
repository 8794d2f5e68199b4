import CLivery
import LiveryClient

/// A request that is under way: what its transport hands over, until it ends.
final class Exchange: @unchecked Sendable {
  static let handles = Handles<Exchange>(kind: 0x58, noun: "exchange")

  /// How it ended.
  struct Outcome: Sendable {
    var head: Head?
    var body: [UInt8]
    /// How much of the body came.
    var received: Int64
    var error: StoreError?
    /// Whether the body is larger than may be.
    var isTooLarge: Bool

    init(
      head: Head? = nil, body: [UInt8] = [], received: Int64 = 0, error: StoreError?, isTooLarge: Bool = false
    ) {
      self.head = head
      self.body = body
      self.received = received
      self.error = error
      self.isTooLarge = isTooLarge
    }
  }

  /// The most bytes that are waited for of a body that only says why there is none.
  private static let patience: Int64 = 1 << 20

  private let transport: Transport
  private let limit: Int64
  private let progressed: @Sendable (_ received: Int64, _ head: Head) -> Void
  private let ended: @Sendable (Outcome) -> Void
  private let lock = Lock()
  // Guarded by `lock`.
  private var handle: OpaquePointer?
  private var head: Head?
  private var body: [UInt8] = []
  private var received: Int64 = 0
  private var isTooLarge = false
  private var isCancelled = false
  private var hasEnded = false

  /// - Parameters:
  ///   - limit: the most bytes of its body.
  ///   - progressed: is told of each piece.
  ///   - ended: runs once, on any thread; not if the transport does not take the request.
  init(
    _ transport: Transport, limit: Int64, progressed: @escaping @Sendable (Int64, Head) -> Void,
    ended: @escaping @Sendable (Outcome) -> Void
  ) {
    self.transport = transport
    self.limit = limit
    self.progressed = progressed
    self.ended = ended
  }

  /// Begins the request.
  ///
  /// - Throws: what the transport left, if it does not take it.
  func start(_ request: Request) throws(StoreError) { try transport.begin(request, self) }

  /// The handle for a transport.
  ///
  /// - Throws: `.cancelled` if nobody waits for it any more.
  func open() throws(StoreError) -> OpaquePointer {
    let handle = try Self.handles.insert(self)
    let isWanted = lock.withLock { () -> Bool in
      self.handle = handle
      return !isCancelled
    }
    guard isWanted else {
      close()
      throw StoreError(.cancelled, "nobody waits for the answer any more")
    }
    return handle
  }

  /// Whether it goes on though nobody waits for it any more.
  var isUnwanted: Bool { lock.withLock { isCancelled && !hasEnded } }

  /// The transport did not take it.
  func close() {
    let handle = lock.withLock { () -> OpaquePointer? in
      hasEnded = true
      return self.handle
    }
    Self.handles.remove(handle)
  }

  /// Nobody waits for it any more.
  func cancel() {
    let handle = lock.withLock { () -> OpaquePointer? in
      guard !hasEnded, !isCancelled else { return nil }
      isCancelled = true
      return self.handle
    }
    if let handle { transport.cancel(self, handle) }
  }

  // MARK: What the transport hands over

  func answer(_ head: Head) throws(StoreError) {
    try lock.withLock { () throws(StoreError) in
      try check()
      guard self.head == nil else { throw StoreError(.invalidArgument, "the exchange has a head already") }
      self.head = head
      if head.hasContent, let length = head.length, length > limit { isTooLarge = true }
    }
  }

  func receive(_ bytes: UnsafeRawBufferPointer) throws(StoreError) {
    let (count, head) = try lock.withLock { () throws(StoreError) -> (Int64, Head) in
      try check()
      guard let head = self.head else { throw StoreError(.invalidArgument, "the exchange has no head yet") }
      let most = head.hasContent ? limit : max(limit, Self.patience)
      if isTooLarge || Int64(bytes.count) > most - received {
        isTooLarge = true
        throw StoreError(.invalidValue, "the body is larger than may be")
      }
      received += Int64(bytes.count)
      // The page of a failure is nothing that anybody asks for.
      guard head.hasContent else { return (received, head) }
      if body.isEmpty, let length = head.length { body.reserveCapacity(Int(min(length, limit, 1 << 20))) }
      body.append(contentsOf: bytes)
      return (received, head)
    }
    progressed(count, head)
  }

  func finish(_ error: StoreError?) throws(StoreError) {
    let (outcome, handle) = try lock.withLock { () throws(StoreError) -> (Outcome, OpaquePointer?) in
      guard !hasEnded else { throw StoreError(.closed, "the exchange was finished") }
      hasEnded = true
      // Of what is no content the head says all, though its page was not waited for.
      let isCut = isTooLarge && head?.hasContent == false
      let outcome = Outcome(
        head: head, body: body, received: received, error: isCut ? nil : error, isTooLarge: isTooLarge && !isCut)
      body = []
      return (outcome, self.handle)
    }
    Self.handles.remove(handle)
    ended(outcome)
  }

  /// Call it with the lock held.
  private func check() throws(StoreError) {
    guard !hasEnded else { throw StoreError(.closed, "the exchange was finished") }
    guard !isCancelled else { throw StoreError(.cancelled, "nobody waits for the answer any more") }
  }
}
