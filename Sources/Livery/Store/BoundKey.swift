// In the package build only: the device build's keys are those of C.
#if !hasFeature(Embedded)
  import CSystem

  /// A key that is bound to a store: the quickest way to read a setting often.
  ///
  ///     let timeout = try store.bound(Key<Int>("idleResetSeconds"))
  ///     let seconds = try timeout.value
  ///
  /// It follows the setting, as a name does, until the store is closed, and does not keep the store open. It is two numbers
  /// that may be copied at no cost. Corresponds to `livery_key` in C.
  public struct BoundKey<T: SettingValue>: @unchecked Sendable {
    @usableFromInline let place: OpaquePointer
    @usableFromInline let tag: UInt64

    fileprivate init(_ bound: BoundKeys.Bound) {
      (place, tag) = bound
    }

    /// The setting's name; empty once the store is closed.
    public var name: String { (try? pinned { (key) throws(StoreError) in key.name }) ?? "" }

    /// The setting's effective value.
    ///
    /// - Throws: as `Store.subscript(_:)`.
    @inlinable public var value: T {
      get throws(StoreError) {
        if T._scalarType != 0 {
          var bits: UInt64 = 0
          if lvs_bound_scalar(place, tag, T._scalarType, &bits), let value = T(_scalar: bits) { return value }
        }
        return try lookedUp()
      }
    }

    @usableFromInline
    func lookedUp() throws(StoreError) -> T {
      try pinned { (key) throws(StoreError) in
        let value = try key.value()
        guard let content = T(value) else { throw key.mismatch(value, T.settingType) }
        return content
      }
    }

    private func pinned<R>(_ body: (InternedKey) throws(StoreError) -> R) throws(StoreError) -> R {
      guard let owner = lvs_bound_pin(place, tag) else { throw StoreError(.closed, "the store is closed") }
      defer { BoundKeys.release(lvs_bound_unpin(place)) }
      return try body(Unmanaged<InternedKey>.fromOpaque(owner).takeUnretainedValue())
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

  /// The keys that are bound to a store.
  final class BoundKeys: @unchecked Sendable {
    typealias Bound = (place: OpaquePointer, tag: UInt64)

    private let lock = Lock()
    /// By the bytes of the name; nil once the store is closed.
    private var known: [[UInt8]: Bound]? = [:]

    func bound(_ name: String, in store: Store) throws(StoreError) -> Bound {
      let bytes = Array(name.utf8)
      if let bound = lock.withLock({ known?[bytes] }) { return bound }
      let key = try store.intern(name)
      return try lock.withLock { () throws(StoreError) in
        guard known != nil else { throw StoreError(.closed, "the store is closed") }
        if let bound = known?[bytes] { return bound }
        var tag: UInt64 = 0
        let owner = Unmanaged.passRetained(key)
        guard let place = lvs_bound_make(key.cache, key.slot, owner.toOpaque(), &tag) else {
          owner.release()
          throw .system(ENOMEM, "a key")
        }
        known?[bytes] = (place, tag)
        return (place, tag)
      }
    }

    func removeAll() {
      let all = lock.withLock {
        let all = known
        known = nil
        return all
      }
      for bound in (all ?? [:]).values { Self.release(lvs_bound_close(bound.place, bound.tag)) }
    }

    static func release(_ owner: UnsafeMutableRawPointer?) {
      if let owner { Unmanaged<InternedKey>.fromOpaque(owner).release() }
    }
  }
#endif
