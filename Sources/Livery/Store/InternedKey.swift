import CSystem

/// A setting's name with its place in the cache.
@usableFromInline
package final class InternedKey: @unchecked Sendable {
  package let store: Store
  package let name: String
  /// nil when the cache has no room for it: reads then go by name.
  package let slot: OpaquePointer?

  fileprivate init(_ store: Store, _ name: String, _ slot: OpaquePointer?) {
    self.store = store
    self.name = name
    self.slot = slot
  }

  deinit {
    // A store that is closed has let go of its cache.
    if let slot { try? store.whileOpen { () throws(StoreError) in store.shared.cache.release(slot) } }
  }

  /// Looks the setting up, for a read to try the cache once more; false if there is more to it.
  package func refill() -> Bool {
    do throws(StoreError) {
      return try store.whileOpen { () throws(StoreError) in
        var name = self.name
        return name.withUTF8 { store.shared.refill(UnsafeRawBufferPointer($0), in: slot) }
      }
    } catch { return false }
  }

  /// The setting's effective value.
  package func value() throws(StoreError) -> Value {
    try store.whileOpen { () throws(StoreError) in try store.shared.value(name, in: slot) }
  }

  /// The setting's effective value in another type, if nothing is lost by that.
  package func value(as type: ValueType) throws(StoreError) -> Value {
    try store.coerce(value(), of: name, to: type)
  }

  /// The 8 bytes of a value of a type; false if the cache does not have it, or the store is closed.
  @usableFromInline
  func scalar(_ type: UInt8, _ bits: inout UInt64) -> Bool {
    guard let slot, store.isOfThisProcess else { return false }
    return lvs_slot_scalar(store.cache, slot, type, &bits) && !store.isClosed
  }
}

extension Store {
  /// Looks a setting up that a read did not find in the cache, for it to try once more; false if there is more to it.
  package func refill(_ name: UnsafeRawBufferPointer) -> Bool {
    do throws(StoreError) { return try whileOpen { () throws(StoreError) in shared.refill(name, in: nil) } } catch {
      return false
    }
  }

  package func intern(_ name: String) throws(StoreError) -> InternedKey {
    try checkName(name)
    return InternedKey(self, name, try whileOpen { () throws(StoreError) in shared.cache.intern(name) })
  }

  /// The memory of the cache, which outlives the store.
  package var cache: OpaquePointer { shared.cache.pointer }
}

/// A key that is bound to a store: the quickest way to read a setting often.
///
///     let timeout = try store.bound(Key<Int>("idleResetSeconds"))
///     let seconds = try timeout.value
///
/// It follows the setting, as a name does. Corresponds to `livery_key` in C.
public final class BoundKey<T: SettingValue>: Sendable {
  @usableFromInline let key: InternedKey

  fileprivate init(_ key: InternedKey) {
    self.key = key
  }

  /// The setting's name.
  public var name: String { key.name }

  /// The setting's effective value.
  ///
  /// - Throws: as `Store.subscript(_:)`.
  @inlinable public var value: T {
    get throws(StoreError) {
      if T._scalarType != 0 {
        var bits: UInt64 = 0
        if key.scalar(T._scalarType, &bits), let value = T(_scalar: bits) { return value }
      }
      return try lookedUp()
    }
  }

  @usableFromInline
  func lookedUp() throws(StoreError) -> T {
    let value = try key.value()
    guard let content = T(value) else { throw key.store.mismatch(key.name, value, T.settingType) }
    return content
  }
}

extension Store {
  /// Binds a key: looks its name up once, for reading it often. Corresponds to `livery_key_open` in C.
  ///
  /// - Throws: `.invalidArgument` if the name is malformed, `.closed`.
  public func bound<T>(_ key: Key<T>) throws(StoreError) -> BoundKey<T> {
    BoundKey(try intern(key.name))
  }
}
