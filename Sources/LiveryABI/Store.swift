import CLivery
import Livery

@_cdecl("livery_open") @implementation
public func livery_open(
  _ path: UnsafePointer<CChar>?, _ options: UnsafePointer<livery_open_options>?,
  _ store: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  boundary { () throws(StoreError) in
    let options = try Store.Options(options)
    let path = path == nil && options.inMemory ? "" : try argument(path, limit: 4096, "path")
    let store = try required(store, "store")
    let opened = try Store(path: path, options: options)
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
      LIVERY_OPEN_DEFERRED, LIVERY_OPEN_NO_RECOVERY, LIVERY_OPEN_GROUP, LIVERY_OPEN_MEMORY)
    func has(_ flag: Int) -> Bool { options.flags & UInt32(truncatingIfNeeded: flag) != 0 }
    create = has(LIVERY_OPEN_CREATE)
    inMemory = has(LIVERY_OPEN_MEMORY)
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
  closing(store, .store, as: StoreObject.self) { (object) in
    HandleTable.shared.closeChildren(of: object)
    object.store.cancelPosts()
  }
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
