import CSecrets
import LiveryClient

/// What seals the secrets of a store. Corresponds to `livery_secrets` in C.
public final class Secrets: @unchecked Sendable {
  private let store: Store
  private let ring: KeyRing
  private let place: SealerPlace
  private let process = lvk_process()
  /// Held by whoever reads the source or seals anew, for which closing waits.
  private let working = Lock()
  private let lock = Lock()
  // Guarded by `lock`.
  private var isClosed = false

  private init(_ store: Store, _ ring: KeyRing) {
    self.store = store
    self.ring = ring
    place = SealerPlace.enter(store)
  }

  deinit { close() }

  /// Makes a key by chance, where there is none. Corresponds to `livery_secrets_make_key` in C.
  ///
  /// - Throws: `.conflict` if there is one, `.permission`, `.noSpace`, `.io`, `.unavailable`; `.invalidArgument` for a
  ///   credential or a function.
  public static func makeKey(_ source: KeySource) throws(StoreError) {
    guard lvk_begin() else { throw StoreError(.unavailable, "libsodium does not work here") }
    try source.make([try Key.random()])
  }

  /// Seals the secrets of a store from now on, until it is closed, and opens them. Corresponds to `livery_secrets_open` in C.
  ///
  /// - Throws: `.unavailable` if there is no key, `.permission`, `.parse`, `.io`; and as `Store.setSealer`.
  public static func open(_ store: Store, _ source: KeySource) throws(StoreError) -> Secrets {
    let (keys, stamp) = try source.read()
    let secrets = Secrets(store, KeyRing(source, keys, stamp))
    try secrets.setSealer()
    return secrets
  }

  private func setSealer() throws(StoreError) { try place.set(ring, on: store) }

  /// Stops sealing and opening, unless others were opened on the handle since; closing twice is fine. Corresponds to
  /// `livery_secrets_close` in C.
  public func close() {
    let isFirst = lock.withLock {
      defer { isClosed = true }
      return !isClosed
    }
    guard isFirst else { return }
    // In a forked child nobody is at work who would be waited for.
    if process == lvk_process() { working.withLock {} }
    place.remove(ring, from: store)
    place.leave()
  }

  private func checkOpen() throws(StoreError) {
    if lock.withLock({ isClosed }) { throw StoreError(.closed, "the secrets were closed") }
  }

  /// Reads the key anew. Corresponds to `livery_secrets_reload` in C.
  ///
  /// - Throws: as `open`; the keys of before stay in use.
  public func reload() throws(StoreError) {
    try working.withLock { () throws(StoreError) in
      try checkOpen()
      try ring.reload()
      try setSealer()
    }
  }

  /// Exchanges the key, and seals everything anew. Corresponds to `livery_secrets_rotate` in C, where the report is described.
  @discardableResult
  public func rotate() throws(StoreError) -> Value {
    try working.withLock { () throws(StoreError) in
      try checkOpen()
      return try ring.source.exchanging(for: store) { (exchange) throws(StoreError) in try rotated(exchange) }
    }
  }

  /// - Parameter exchange: nil where the new key is there already.
  private func rotated(_ exchange: KeyExchange?) throws(StoreError) -> Value {
    let former = try ring.reload()
    guard let exchange else { return try resealed() }
    // Nothing is exchanged where nothing can be sealed anew.
    try store.edit(.bundle) { _ in }
    let isFull = former.count >= LVK_MOST_KEYS
    let made: Key
    if isFull, let first = former.first {
      // Whoever was interrupted so often has made keys enough: the last one is to seal, and the others can go.
      made = first
    } else {
      made = try Key.random()
      try exchange.write([made] + former)
      guard try ring.reload().first?.id == made.id else {
        throw StoreError(.io, "\(ring.source.shown): the new key is not the one that is found")
      }
    }
    // This process seals with it from now on, whatever becomes of the source.
    ring.hold(made)
    defer { ring.hold(nil) }
    let report = try resealed()
    if report["unavailable"]?.count == 0 {
      // With keys that somebody has added meanwhile other values may be sealed.
      let added = try ring.source.read().keys.filter { (key) in
        key.id != made.id && !former.contains { $0.id == key.id }
      }
      guard added.count < LVK_MOST_KEYS else { throw StoreError(.parse, "there are \(added.count) other keys") }
      try exchange.write([made] + added)
      try ring.reload()
    } else if isFull {
      throw StoreError(.parse, "there are \(former.count) keys, with values that none of them has opened")
    }
    return report
  }

  private func resealed() throws(StoreError) -> Value {
    // What a process without the key has left plain is sealed, too.
    try setSealer()
    return try store.reseal(copies: true).with("key", .string(ring.names.first ?? ""))
  }

  /// How the secrets lie in the store. Corresponds to `livery_secrets_status` in C, where the report is described.
  public func status() throws(StoreError) -> Value {
    try checkOpen()
    return try store.sealing()
      .with("source", .string(ring.source.name))
      .with("keys", .list(ring.names.map { .string($0) }))
  }
}

extension Value {
  fileprivate func with(_ key: String, _ value: Value) -> Value {
    guard case .object(let members) = self else { return self }
    return .object(members + [.init(key, value)])
  }
}
