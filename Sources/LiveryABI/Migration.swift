import CLivery
import Livery

// Host functions of migrations.

@_cdecl("livery_migration_register") @implementation
public func livery_migration_register(
  _ store: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ function: livery_migration_fn?,
  _ user_data: UnsafeMutableRawPointer?, _ destroy: livery_destroy_fn?
) -> livery_status {
  let userData = UserData(user_data, destroy)
  return onStore(store, .schemas, handing: userData) { (object) throws(StoreError) in
    let function = try required(function, "fn")
    try object.store.registerMigration(settingName(name)) { (call) throws(StoreError) in
      try carryOut(call, function, userData)
    }
  }
}

@_cdecl("livery_migration_layer") @implementation
public func livery_migration_layer(_ migration: OpaquePointer?, _ layer: UnsafeMutablePointer<livery_layer>?)
  -> livery_status
{
  onMigration(migration, .schemas) { (call) throws(StoreError) in
    try required(layer, "layer").pointee = livery_layer(call.layer.rawValue)
  }
}

@_cdecl("livery_migration_version") @implementation
public func livery_migration_version(_ migration: OpaquePointer?, _ version: UnsafeMutablePointer<UInt64>?)
  -> livery_status
{
  onMigration(migration, .schemas) { (call) throws(StoreError) in
    try required(version, "version").pointee = UInt64(clamping: call.version)
  }
}

@_cdecl("livery_migration_get") @implementation
public func livery_migration_get(
  _ migration: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  onMigration(migration, .schemas) { (call) throws(StoreError) in
    let value = try required(value, "value")
    let name = try settingName(name)
    guard let found = try call.value(name) else {
      throw StoreError(.noValue, "the layer \(call.layer) has no value for `\(name)`", setting: name)
    }
    try publish(found, to: value)
  }
}

@_cdecl("livery_migration_set") @implementation
public func livery_migration_set(_ migration: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: OpaquePointer?)
  -> livery_status
{
  onMigration(migration, .schemas) { (call) throws(StoreError) in
    try call.set(settingName(name), to: content(value, "value"))
  }
}

@_cdecl("livery_migration_remove") @implementation
public func livery_migration_remove(_ migration: OpaquePointer?, _ name: UnsafePointer<CChar>?) -> livery_status {
  onMigration(migration, .schemas) { (call) throws(StoreError) in try call.remove(settingName(name)) }
}

@_cdecl("livery_migration_names") @implementation
public func livery_migration_names(_ migration: OpaquePointer?, _ names: UnsafeMutablePointer<OpaquePointer?>?)
  -> livery_status
{
  onMigration(migration, .schemas) { (call) throws(StoreError) in
    let names = try required(names, "names")
    var list: [Value] = []
    for name in try call.names() { list.append(.string(name)) }
    try publish(.list(list), to: names)
  }
}

@_cdecl("livery_migration_fail") @implementation
public func livery_migration_fail(_ migration: OpaquePointer?, _ reason: UnsafePointer<CChar>?) -> livery_status {
  onMigration(migration, .schemas) { (call) throws(StoreError) in
    try call.fail(truncated(argument(reason, limit: 4096, "reason"), to: 4096))
  }
}

private func carryOut(
  _ call: MigrationCall, _ function: livery_migration_fn, _ userData: UserData
) throws(StoreError) {
  var handle: OpaquePointer?
  try publish(MigrationObject(call), .migration, to: &handle)
  let status = function(handle, userData.pointer)
  HandleTable.shared.closeIfOpen(handleNumber(handle), .migration)
  guard status != livery_status(LIVERY_OK) else { return }
  let name = String(cString: livery_status_name(status))
  let told = StoreError.left(of: status).map { ": \($0.message)" } ?? ""
  throw StoreError(.migration, "the function returned \(name) (\(status))\(told)")
}
