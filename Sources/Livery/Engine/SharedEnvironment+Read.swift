import LMDB

extension SharedEnvironment {
  /// Whether a value of the setting that a name or alias stands for is not for everyone's eyes.
  func isSecret(_ name: String, _ value: Value) throws(StoreError) -> Bool {
    try read { (view) throws(StoreError) in
      try view.isSecret(asDeclared: view.resolveAlias(name), value)
    }
  }

  /// A setting's effective value: from the cache, or looked up in a transaction.
  ///
  /// - Parameters:
  ///   - slot: the place of an interned name.
  ///   - wasMissed: whether the cache was asked already, and has nothing that counts.
  func value(
    _ name: RawSpan, in slot: OpaquePointer? = nil, wasMissed: Bool = false
  ) throws(StoreError) -> Value {
    if !wasMissed, let known = cache.value(name, in: slot) { return known }
    do throws(StoreError) {
      return try read(looksOnce: true) { (view) throws(StoreError) in
        var isWorthWhile = false
        let value = try view.value(of: name) { (value, place, bytes, isAlias) in
          isWorthWhile = cache.keep(
            value, place, bytes, of: name, isAlias: isAlias, in: slot, at: view.transaction.id)
          if place.payload.count <= SettingCache.largestContent { lookedAt.note(bytes, view, environment, cache) }
        }
        if isWorthWhile { cache.follow(view) }
        return value
      }
    } catch {
      if error.code == .noValue { cache.drop(name) }
      throw error
    }
  }
}
