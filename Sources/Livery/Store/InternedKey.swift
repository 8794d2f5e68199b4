import CSystem

/// A setting's name with its place in the cache.
package final class InternedKey: @unchecked Sendable {
  private let use: StoreUse
  package let name: String
  /// nil when the cache has no room for it: reads then go by name.
  package let slot: OpaquePointer?

  init(_ use: StoreUse, _ name: String, _ slot: OpaquePointer?) {
    self.use = use
    self.name = name
    self.slot = slot
  }

  deinit {
    // A store that is closed has let go of its cache.
    if let slot { try? use.whileOpen { () throws(StoreError) in use.shared.cache.release(slot) } }
  }

  /// Looks the setting up, for a read to try the cache once more; false if there is more to it.
  package func refill() -> Bool {
    do throws(StoreError) {
      return try use.whileOpen { () throws(StoreError) in
        var name = self.name
        return name.withUTF8 { use.shared.refill(UnsafeRawBufferPointer($0), in: slot) }
      }
    } catch { return false }
  }

  /// The setting's effective value.
  package func value() throws(StoreError) -> Value {
    try use.whileOpen { () throws(StoreError) in try use.shared.value(name, in: slot) }
  }

  /// The setting's effective value in another type, if nothing is lost by that.
  package func value(as type: ValueType) throws(StoreError) -> Value {
    let value = try value()
    guard let coerced = value.coerced(to: type) else { throw mismatch(value, type.description) }
    return coerced
  }

  /// What to say of a value that does not convert.
  func mismatch(_ value: Value, _ type: String) -> StoreError {
    let declared = try? use.whileOpen { () throws(StoreError) in try use.shared.declared(name) }
    return StoreError(mismatch: value, of: name, declared, type)
  }

  /// The memory of the cache, which outlives the store.
  package var cache: OpaquePointer { use.shared.cache.pointer }
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
    return InternedKey(use, name, try whileOpen { () throws(StoreError) in shared.cache.intern(name) })
  }

  /// The memory of the cache, which outlives the store.
  package var cache: OpaquePointer { shared.cache.pointer }
}
