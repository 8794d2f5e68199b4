import CLivery
import Livery

@_cdecl("livery_check") @implementation
public func livery_check(
  _ path: UnsafePointer<CChar>?, _ report: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  boundary(.maintenance) { () throws(StoreError) in
    let outcome = Store.check(path: try argument(path, limit: 4096, "path"))
    try deliver(outcome.report, when: outcome.hasReport, outcome.error, to: report)
  }
}

@_cdecl("livery_backup") @implementation
public func livery_backup(_ store: OpaquePointer?, _ path: UnsafePointer<CChar>?) -> livery_status {
  onStore(store, .maintenance) { (object) throws(StoreError) in
    if let path {
      try object.store.backup(to: argument(path, limit: 4096, "path"))
    } else {
      try object.store.backup()
    }
  }
}

@_cdecl("livery_backups") @implementation
public func livery_backups(
  _ store: OpaquePointer?, _ value: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  onStore(store, .maintenance) { (object) throws(StoreError) in
    let value = try required(value, "value")
    try publish(object.store.backups(), to: value)
  }
}

@_cdecl("livery_restore") @implementation
public func livery_restore(
  _ store: OpaquePointer?, _ backup: UnsafePointer<CChar>?, _ origin: UnsafePointer<CChar>?,
  _ revision: UnsafeMutablePointer<UInt64>?
) -> livery_status {
  onStore(store, .maintenance) { (object) throws(StoreError) in
    var source: String?
    if let backup { source = try argument(backup, limit: 4096, "backup") }
    var author = "restore"
    if let origin { author = try argument(origin, limit: LIVERY_ORIGIN_MAX, "origin") }
    let restored = try object.store.restore(from: source, origin: author)
    revision?.pointee = restored
  }
}

@_cdecl("livery_compact") @implementation
public func livery_compact(_ store: OpaquePointer?) -> livery_status {
  onStore(store, .maintenance) { (object) throws(StoreError) in try object.store.compact() }
}

@_cdecl("livery_forget") @implementation
public func livery_forget(
  _ store: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ flags: UInt32,
  _ report: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  onStore(store, .maintenance) { (object) throws(StoreError) in
    let name = try argument(name, limit: LIVERY_NAME_MAX, "name")
    try checkFlags(flags, known: LIVERY_FORGET_BACKUPS)
    let done = try object.store.forget(name, inBackups: flags != 0)
    if let report { try publish(done, to: report) }
  }
}

@_cdecl("livery_stats") @implementation
public func livery_stats(
  _ store: OpaquePointer?, _ value: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  onStore(store, .maintenance) { (object) throws(StoreError) in
    let value = try required(value, "value")
    try publish(object.store.statistics(), to: value)
  }
}
