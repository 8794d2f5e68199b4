import CSystem
import LMDB

extension SharedEnvironment {
  /// What the schema says of the setting that a name or alias stands for.
  func declared(_ name: String) throws(StoreError) -> SettingDescriptor? {
    try read { (view) throws(StoreError) in try view.descriptor(view.resolveAlias(name)) }
  }
}

extension SharedEnvironment {
  /// Looks a setting up and keeps its value without a copy in between; false if it is not there or not simple, which is
  /// left to `value`.
  func refill(_ name: UnsafeRawBufferPointer, in slot: OpaquePointer?) -> Bool {
    guard let start = name.baseAddress?.assumingMemoryBound(to: CChar.self) else { return false }
    do throws(StoreError) {
      return try environment.read { (transaction) throws(StoreError) in
        var isWorthWhile = false
        let isKept = transaction.withValue(for: name, in: databases.effective) { (bytes) -> Bool? in
          guard let place = RecordPlace(bytes, key: name, tag: Tag.effective),
            place.payload.count <= Int(LVS_CACHE_CONTENT_MAX), place.expires == 0 || place.expires > lvs_realtime_us()
          else { return nil }
          return bytes.withUnsafeBytes { bytes in
            var entry = lvs_entry()
            entry.type = place.type.rawValue
            entry.expires = place.expires
            if let scalar = place.scalar {
              entry.scalar = scalar
            } else {
              entry.content = bytes.baseAddress.map { $0 + place.payload.lowerBound }
              entry.content_length = UInt32(place.payload.count)
            }
            isWorthWhile = lvs_cache_keep(cache.pointer, slot, start, name.count, transaction.id, &entry)
            return true
          }
        }
        if isWorthWhile { cache.follow(View(transaction: transaction, databases: databases)) }
        return isKept ?? false
      }
    } catch { return false }
  }

  /// A setting's effective value, from the cache or the store.
  ///
  /// - Parameter slot: the place of an interned name.
  func value(_ name: String, in slot: OpaquePointer? = nil) throws(StoreError) -> Value {
    if let known = cache.value(name, in: slot) { return known }
    return try read { (view) throws(StoreError) in
      let now = Timestamp.now
      let found = try view.found(name)
      let record = try view.effectiveRecord(found, at: now)
      guard let value = record.value else {
        cache.drop(name)
        throw .noValue(name)
      }
      // What is in effect in place of a value that has expired is so until the next commit at the latest.
      guard !found.record.hasExpired(at: now) else { return value }
      let isWorthWhile = cache.keep(
        record, of: name, isAlias: found.isAlias, in: slot, at: view.transaction.id)
      if isWorthWhile { cache.follow(view) }
      return value
    }
  }
}
