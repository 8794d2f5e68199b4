// In the package build only: the device build's keys are those of C.
#if !hasFeature(Embedded)
  import CReadCache

  /// A key that is bound to a store: the quickest way to read a setting often.
  ///
  ///     let timeout = try store.bound(Key<Int>("idleResetSeconds"))
  ///     let seconds = try timeout.value
  ///
  /// It follows the setting, as a name does, until the store is closed, and does not keep the store open. It is a number
  /// that may be copied at no cost. Corresponds to `livery_key` in C.
  public struct BoundKey<T: SettingValue>: Sendable {
    @usableFromInline let handle: UInt64

    fileprivate init(_ handle: UInt64) {
      self.handle = handle
    }

    /// The setting's name; empty once the store is closed.
    public var name: String { (try? pinned { (key) throws(StoreError) in key.name }) ?? "" }

    /// The setting's effective value.
    ///
    /// - Throws: as `Store.subscript(_:)`.
    @inlinable public var value: T {
      get throws(StoreError) {
        guard T._scalarType != 0 else { return try lookedUp(wasMissed: false) }
        var bits: UInt64 = 0
        let answer = lvs_read_key_scalar(handle, T._scalarType, &bits)
        if answer == LVS_READ, let value = T(_scalar: bits) { return value }
        return try lookedUp(wasMissed: answer == LVS_STALE)
      }
    }

    @usableFromInline
    func lookedUp(wasMissed: Bool) throws(StoreError) -> T {
      try pinned { (key) throws(StoreError) in
        let value = try key.value(wasMissed: wasMissed)
        guard let content = T(value) else { throw key.mismatch(value, T.settingType) }
        return content
      }
    }

    private func pinned<R>(_ body: (InternedKey) throws(StoreError) -> R) throws(StoreError) -> R {
      let key = try BoundKeys.pin(handle)
      defer { BoundKeys.unpin(handle) }
      return try body(key)
    }
  }

  extension Store {
    /// Binds a key: looks its name up once, for reading it often. Corresponds to `livery_key_open` in C.
    ///
    /// The store keeps what it needs for that, once for each name, until it is closed.
    ///
    /// - Throws: `.invalidArgument` if the name is malformed, `.closed`.
    public func bound<T>(_ key: Key<T>) throws(StoreError) -> BoundKey<T> {
      BoundKey(try boundKeys.bound(key.name, in: self))
    }
  }

  /// The keys that are bound to a store, by their handles.
  final class BoundKeys: @unchecked Sendable {
    private let lock = Lock()
    /// By the bytes of the name; nil once the store is closed.
    private var known: [[UInt8]: UInt64]? = [:]

    func bound(_ name: String, in store: Store) throws(StoreError) -> UInt64 {
      let bytes = Array(name.utf8)
      if let bound = lock.withLock({ known?[bytes] }) { return bound }
      let key = try store.intern(name)
      return try lock.withLock { () throws(StoreError) in
        guard known != nil else { throw StoreError(.closed, "the store is closed") }
        if let bound = known?[bytes] { return bound }
        let held = Unmanaged.passRetained(key)
        let handle = lvs_handle_make(UInt8(LVS_BOUND_KEY), held.toOpaque(), key.cache, key.slot)
        guard handle != 0 else {
          held.release()
          throw .system(ENOMEM, "a key")
        }
        known?[bytes] = handle
        return handle
      }
    }

    func removeAll() {
      let all = lock.withLock {
        let all = known
        known = nil
        return all
      }
      for handle in (all ?? [:]).values where (try? Self.pin(handle, closing: true)) != nil { Self.unpin(handle) }
    }

    fileprivate static func pin(_ handle: UInt64, closing: Bool = false) throws(StoreError) -> InternedKey {
      var key: UnsafeMutableRawPointer?
      let found = lvs_handle_pin(handle, UInt8(LVS_BOUND_KEY), closing, &key)
      guard found != LVS_FORKED else { throw .forkedStore }
      guard found == LVS_PINNED, let key else { throw StoreError(.closed, "the store is closed") }
      return Unmanaged<InternedKey>.fromOpaque(key).takeUnretainedValue()
    }

    fileprivate static func unpin(_ handle: UInt64) {
      if let key = lvs_handle_unpin(handle) { Unmanaged<InternedKey>.fromOpaque(key).release() }
    }
  }
#endif
