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

  /// The setting's effective value.
  ///
  /// - Parameter wasMissed: whether the cache was asked already, and has nothing that counts.
  package func value(wasMissed: Bool = false) throws(StoreError) -> Value {
    try use.whileOpen { () throws(StoreError) in
      try name.withSpan { (name) throws(StoreError) in try use.shared.value(name, in: slot, wasMissed: wasMissed) }
    }
  }

  /// The setting's effective value in another type, if nothing is lost by that.
  package func value(as type: ValueType, wasMissed: Bool) throws(StoreError) -> Value {
    let value = try value(wasMissed: wasMissed)
    if value.type == type { return value }
    guard let coerced = value.coerced(to: type) else { throw mismatch(value, type.description) }
    return coerced
  }

  /// What to say of a value that does not convert.
  func mismatch(_ value: Value, _ type: String) -> StoreError {
    let isSecret = try? use.whileOpen { () throws(StoreError) in try use.shared.isSecret(name, value) }
    return StoreError(mismatch: value, of: name, isSecret: isSecret, type)
  }

  /// The memory of the cache, which outlives the store.
  package var cache: OpaquePointer { use.shared.cache.pointer }
}

extension Store {
  /// A setting's effective value by the bytes of its name, in another type if nothing is lost by that.
  ///
  /// - Parameter wasMissed: whether the cache was asked already, and has nothing that counts.
  package func value(
    named name: RawSpan, as type: ValueType?, wasMissed: Bool
  ) throws(StoreError) -> Value {
    let value = try whileOpen { () throws(StoreError) in try shared.value(name, wasMissed: wasMissed) }
    guard let type, value.type != type else { return value }
    return try coerce(value, of: name.text ?? "", to: type)
  }

  package func intern(_ name: String) throws(StoreError) -> InternedKey {
    try checkName(name)
    return InternedKey(use, name, try whileOpen { () throws(StoreError) in shared.cache.intern(name) })
  }

  /// The memory of the cache, which outlives the store.
  package var cache: OpaquePointer { shared.cache.pointer }
}
