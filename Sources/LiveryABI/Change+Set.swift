import CLivery
import Livery

// Change sets.

@_cdecl("livery_change_begin") @implementation
public func livery_change_begin(
  _ store: OpaquePointer?, _ number: livery_layer, _ change: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  onStore(store) { (object) throws(StoreError) in
    let change = try required(change, "change")
    try publish(ChangeObject(object.store.change(layer(number)), owner: object), .change, to: change)
  }
}

private func add(
  _ change: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: () throws(StoreError) -> Value
) -> livery_status {
  onChange(change) { (change) throws(StoreError) in
    try change.set(settingName(name), to: value())
  }
}

@_cdecl("livery_change_set_bool") @implementation
public func livery_change_set_bool(_ change: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: Bool)
  -> livery_status
{
  add(change, name) { () throws(StoreError) in .bool(value) }
}

@_cdecl("livery_change_set_int") @implementation
public func livery_change_set_int(_ change: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: Int64)
  -> livery_status
{
  add(change, name) { () throws(StoreError) in .int(value) }
}

@_cdecl("livery_change_set_double") @implementation
public func livery_change_set_double(_ change: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: Double)
  -> livery_status
{
  add(change, name) { () throws(StoreError) in .double(value) }
}

@_cdecl("livery_change_set_string") @implementation
public func livery_change_set_string(
  _ change: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ text: UnsafePointer<CChar>?, _ length: Int
) -> livery_status {
  add(change, name) { () throws(StoreError) in .string(try valueText(text, length)) }
}

@_cdecl("livery_change_set_data") @implementation
public func livery_change_set_data(
  _ change: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ bytes: UnsafeRawPointer?, _ length: Int
) -> livery_status {
  add(change, name) { () throws(StoreError) in .data(try valueBytes(bytes, length)) }
}

@_cdecl("livery_change_set_color") @implementation
public func livery_change_set_color(_ change: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: livery_color)
  -> livery_status
{
  add(change, name) { () throws(StoreError) in .color(Color(value)) }
}

@_cdecl("livery_change_set_value") @implementation
public func livery_change_set_value(_ change: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: OpaquePointer?)
  -> livery_status
{
  add(change, name) { () throws(StoreError) in try content(value, "value") }
}

@_cdecl("livery_change_replace") @implementation
public func livery_change_replace(_ change: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: OpaquePointer?)
  -> livery_status
{
  onChange(change) { (change) throws(StoreError) in
    try change.replace(settingName(name), with: content(value, "value"))
  }
}

@_cdecl("livery_change_layer") @implementation
public func livery_change_layer(_ change: OpaquePointer?, _ number: livery_layer) -> livery_status {
  onChange(change) { (change) throws(StoreError) in try change.use(layer(number)) }
}

@_cdecl("livery_change_get") @implementation
public func livery_change_get(
  _ change: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  onChange(change) { (change) throws(StoreError) in
    let value = try required(value, "value")
    try publish(change.value(settingName(name)), to: value)
  }
}

@_cdecl("livery_change_get_layer") @implementation
public func livery_change_get_layer(
  _ change: OpaquePointer?, _ number: livery_layer, _ name: UnsafePointer<CChar>?,
  _ value: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  onChange(change) { (change) throws(StoreError) in
    let value = try required(value, "value")
    let layer = try layer(number)
    try publish(
      held(settingName(name), layer) { (name) throws(StoreError) in try change.value(name, in: layer) }, to: value)
  }
}

@_cdecl("livery_change_list") @implementation
public func livery_change_list(
  _ change: OpaquePointer?, _ number: livery_layer, _ pattern: UnsafePointer<CChar>?,
  _ names: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  onChange(change) { (change) throws(StoreError) in
    let names = try required(names, "names")
    try publish(list(change.names(in: layer(number), matching: namePattern(pattern))), to: names)
  }
}

@_cdecl("livery_change_ignore_locks") @implementation
public func livery_change_ignore_locks(_ change: OpaquePointer?) -> livery_status {
  onChange(change) { (change) throws(StoreError) in try change.ignoreLocks() }
}

@_cdecl("livery_change_reset") @implementation
public func livery_change_reset(_ change: OpaquePointer?, _ name: UnsafePointer<CChar>?) -> livery_status {
  onChange(change) { (change) throws(StoreError) in try change.reset(settingName(name)) }
}

@_cdecl("livery_change_reset_all") @implementation
public func livery_change_reset_all(_ change: OpaquePointer?) -> livery_status {
  onChange(change) { (change) throws(StoreError) in try change.resetAll() }
}

@_cdecl("livery_change_expires") @implementation
public func livery_change_expires(_ change: OpaquePointer?, _ microseconds: Int64) -> livery_status {
  onChange(change) { (change) throws(StoreError) in
    try change.expires(microseconds == 0 ? nil : Timestamp(microseconds: microseconds))
  }
}

@_cdecl("livery_change_session_ends") @implementation
public func livery_change_session_ends(_ change: OpaquePointer?, _ microseconds: Int64) -> livery_status {
  onChange(change) { (change) throws(StoreError) in
    try change.sessionEnds(microseconds == 0 ? nil : Timestamp(microseconds: microseconds))
  }
}

@_cdecl("livery_change_expect") @implementation
public func livery_change_expect(_ change: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ revision: UInt64)
  -> livery_status
{
  onChange(change) { (change) throws(StoreError) in try change.expect(settingName(name), at: revision) }
}

@_cdecl("livery_change_origin") @implementation
public func livery_change_origin(_ change: OpaquePointer?, _ origin: UnsafePointer<CChar>?) -> livery_status {
  onChange(change) { (change) throws(StoreError) in
    try change.setOrigin(argument(origin, limit: LIVERY_ORIGIN_MAX, "origin"))
  }
}

@_cdecl("livery_change_attribute") @implementation
public func livery_change_attribute(_ change: OpaquePointer?, _ origin: UnsafePointer<CChar>?) -> livery_status {
  onChange(change) { (change) throws(StoreError) in
    guard let origin else { return try change.attribute(to: nil) }
    try change.attribute(to: argument(origin, limit: LIVERY_ORIGIN_MAX, "origin"))
  }
}

@_cdecl("livery_change_commit") @implementation
public func livery_change_commit(_ change: OpaquePointer?, _ revision: UnsafeMutablePointer<UInt64>?)
  -> livery_status
{
  let status = onChange(change) { (change) throws(StoreError) in
    let committed = try change.commit()
    revision?.pointee = committed
  }
  // Another thread may have closed the handle meanwhile: the commit counts all the same.
  if status == livery_status(LIVERY_OK) { HandleTable.shared.closeIfOpen(handleNumber(change), .change) }
  return status
}

@_cdecl("livery_change_violations") @implementation
public func livery_change_violations(_ change: OpaquePointer?, _ violations: UnsafeMutablePointer<OpaquePointer?>?)
  -> livery_status
{
  onChange(change) { (change) throws(StoreError) in
    let violations = try required(violations, "violations")
    try publish(change.violations(), to: violations)
  }
}

@_cdecl("livery_change_discard") @implementation
public func livery_change_discard(_ change: OpaquePointer?) -> livery_status {
  closing(change, .change, as: ChangeObject.self)
}
