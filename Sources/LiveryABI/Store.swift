import CLivery
import CSystem
import Livery

@_cdecl("livery_open") @implementation
public func livery_open(
  _ path: UnsafePointer<CChar>?, _ options: UnsafePointer<livery_open_options>?,
  _ store: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  boundary { () throws(StoreError) in
    let path = try argument(path, limit: 4096, "path")
    let store = try required(store, "store")
    let opened = try Store(path: path, options: Store.Options(options))
    opened.lookForSecrets()
    try publish(StoreObject(opened), .store, to: store)
  }
}

extension Store.Options {
  init(_ pointer: UnsafePointer<livery_open_options>?) throws(StoreError) {
    self.init()
    guard let pointer else { return }
    let options = try structure(pointer, none: livery_open_options())
    try checkFlags(
      options.flags, known: LIVERY_OPEN_CREATE, LIVERY_OPEN_READ_ONLY, LIVERY_OPEN_ALLOW_OVERRIDE,
      LIVERY_OPEN_DEFERRED, LIVERY_OPEN_NO_RECOVERY, LIVERY_OPEN_GROUP)
    func has(_ flag: Int) -> Bool { options.flags & UInt32(truncatingIfNeeded: flag) != 0 }
    create = has(LIVERY_OPEN_CREATE)
    readOnly = has(LIVERY_OPEN_READ_ONLY)
    allowOverride = has(LIVERY_OPEN_ALLOW_OVERRIDE)
    deferred = has(LIVERY_OPEN_DEFERRED)
    sharesWithGroup = has(LIVERY_OPEN_GROUP)
    noRecovery = has(LIVERY_OPEN_NO_RECOVERY)
    backups = options.backups
    snapshotCommits = options.snapshot_commits
    snapshotAge = options.snapshot_age_s
    busyTimeout = options.busy_timeout_ms
    mapSize = options.map_size
    maxReaders = options.max_readers
    logEntries = options.log_entries
    logAge = options.log_age_s
    logBytes = options.log_bytes
    cacheSize = options.cache_size
    orphanVersions = options.orphan_versions
  }
}

@_cdecl("livery_close") @implementation
public func livery_close(_ store: OpaquePointer?) -> livery_status {
  closing(store, .store, as: StoreObject.self) { HandleTable.shared.closeChildren(of: $0) }
}

@_cdecl("livery_revision") @implementation
public func livery_revision(_ store: OpaquePointer?, _ revision: UnsafeMutablePointer<UInt64>?) -> livery_status {
  onStore(store) { (object) throws(StoreError) in
    try required(revision, "revision").pointee = object.store.revision()
  }
}

@_cdecl("livery_list") @implementation
public func livery_list(
  _ store: OpaquePointer?, _ pattern: UnsafePointer<CChar>?, _ options: UnsafePointer<livery_list_options>?,
  _ value: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  onStore(store) { (object) throws(StoreError) in
    let value = try required(value, "value")
    var after: String?
    var limit = 0
    if let options {
      let options = try structure(options, none: livery_list_options())
      if let name = options.after { after = try argument(name, limit: LIVERY_NAME_MAX, "after") }
      // A limit beyond Int.max comes in as a negative number, and is none.
      limit = max(options.limit, 0)
    }
    try publish(object.store.list(optionalPattern(pattern), after: after, limit: limit), to: value)
  }
}

@_cdecl("livery_inspect") @implementation
public func livery_inspect(
  _ store: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  onStore(store) { (object) throws(StoreError) in
    let value = try required(value, "value")
    try publish(object.store.inspect(settingName(name)), to: value)
  }
}

@_cdecl("livery_key_open") @implementation
public func livery_key_open(
  _ store: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ key: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  onStore(store) { (object) throws(StoreError) in
    let key = try required(key, "key")
    try publish(KeyObject(object.store.intern(settingName(name)), owner: object), .key, to: key)
  }
}

@_cdecl("livery_key_close") @implementation
public func livery_key_close(_ key: OpaquePointer?) -> livery_status {
  closing(key, .key, as: KeyObject.self)
}

private func keyScalar(_ key: OpaquePointer?, _ type: ValueType, _ bits: UnsafeMutablePointer<UInt64>?) -> Bool {
  let answer = lvs_fast_key_scalar(handleNumber(key), type.rawValue, bits)
  if answer == LVS_READ { return true }
  return answer == LVS_STALE && refilled(key)
    && lvs_fast_key_scalar(handleNumber(key), type.rawValue, bits) == LVS_READ
}

private func keyText(
  _ key: OpaquePointer?, _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int, _ length: UnsafeMutablePointer<Int>?
) -> Bool {
  let answer = lvs_fast_key_bytes(handleNumber(key), textTypes, true, buffer, capacity, length)
  if answer == LVS_READ { return true }
  return answer == LVS_STALE && refilled(key)
    && lvs_fast_key_bytes(handleNumber(key), textTypes, true, buffer, capacity, length) == LVS_READ
}

@_cdecl("livery_key_get_bool") @implementation
public func livery_key_get_bool(_ key: OpaquePointer?, _ value: UnsafeMutablePointer<Bool>?) -> livery_status {
  var bits: UInt64 = 0
  if let value, keyScalar(key, .bool, &bits) {
    value.pointee = bits != 0
    return livery_status(LIVERY_OK)
  }
  return onKey(key) { (key) throws(StoreError) in
    let value = try required(value, "value")
    value.pointee = try key.value(as: .bool).asBool()
  }
}

@_cdecl("livery_key_get_int") @implementation
public func livery_key_get_int(_ key: OpaquePointer?, _ value: UnsafeMutablePointer<Int64>?) -> livery_status {
  if keyScalar(key, .int, bits(value)) { return livery_status(LIVERY_OK) }
  return onKey(key) { (key) throws(StoreError) in
    let value = try required(value, "value")
    value.pointee = try key.value(as: .int).asInt()
  }
}

@_cdecl("livery_key_get_double") @implementation
public func livery_key_get_double(_ key: OpaquePointer?, _ value: UnsafeMutablePointer<Double>?) -> livery_status {
  if keyScalar(key, .double, bits(value)) { return livery_status(LIVERY_OK) }
  return onKey(key) { (key) throws(StoreError) in
    let value = try required(value, "value")
    value.pointee = try key.value(as: .double).asDouble()
  }
}

@_cdecl("livery_key_get_string") @implementation
public func livery_key_get_string(
  _ key: OpaquePointer?, _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int,
  _ length: UnsafeMutablePointer<Int>?
) -> livery_status {
  if keyText(key, buffer, capacity, length) {
    return livery_status(LIVERY_OK)
  }
  return onKey(key) { (key) throws(StoreError) in
    try checkBuffer(buffer, capacity)
    try fill(buffer, capacity, length, with: key.value(as: .string).asText())
  }
}
