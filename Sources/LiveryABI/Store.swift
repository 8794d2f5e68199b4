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
    durability = has(LIVERY_OPEN_DEFERRED) ? .deferred : .full
    sharesWithGroup = has(LIVERY_OPEN_GROUP)
    noRecovery = has(LIVERY_OPEN_NO_RECOVERY)
    // 0 is for the default.
    if options.backups > 0 { backups = options.backups }
    if options.backup_commits > 0 {
      automaticBackup.commits = options.backup_commits == .max ? nil : options.backup_commits
    }
    if options.backup_age_s > 0 {
      automaticBackup.age = options.backup_age_s == .max ? nil : .seconds(Int64(options.backup_age_s))
    }
    if options.busy_timeout_ms > 0 { busyTimeout = .milliseconds(Int64(options.busy_timeout_ms)) }
    if options.map_size > 0 { mapSize = options.map_size }
    if options.max_readers > 0 { maximumReaders = options.max_readers }
    if options.log_entries > 0 { logEntries = options.log_entries }
    if options.log_age_s > 0 { logAge = .seconds(Int64(options.log_age_s)) }
    if options.log_bytes > 0 { logBytes = options.log_bytes }
    if options.cache_size > 0 { cacheSize = options.cache_size }
    if options.orphan_versions > 0 { orphanVersions = options.orphan_versions }
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
