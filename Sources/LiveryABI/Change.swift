import CLivery
import Livery

// Changes of one setting, committed at once.

private func set(
  _ store: OpaquePointer?, _ number: livery_layer, _ name: UnsafePointer<CChar>?,
  _ value: () throws(StoreError) -> Value
) -> livery_status {
  onStore(store) { (object) throws(StoreError) in
    let layer = try layer(number)
    try object.store.set(settingName(name), to: value(), in: layer)
  }
}

@_cdecl("livery_set_bool") @implementation
public func livery_set_bool(
  _ store: OpaquePointer?, _ layer: livery_layer, _ name: UnsafePointer<CChar>?, _ value: Bool
) -> livery_status {
  set(store, layer, name) { () throws(StoreError) in .bool(value) }
}

@_cdecl("livery_set_int") @implementation
public func livery_set_int(
  _ store: OpaquePointer?, _ layer: livery_layer, _ name: UnsafePointer<CChar>?, _ value: Int64
) -> livery_status {
  set(store, layer, name) { () throws(StoreError) in .int(value) }
}

@_cdecl("livery_set_double") @implementation
public func livery_set_double(
  _ store: OpaquePointer?, _ layer: livery_layer, _ name: UnsafePointer<CChar>?, _ value: Double
) -> livery_status {
  set(store, layer, name) { () throws(StoreError) in .double(value) }
}

@_cdecl("livery_set_string") @implementation
public func livery_set_string(
  _ store: OpaquePointer?, _ layer: livery_layer, _ name: UnsafePointer<CChar>?, _ text: UnsafePointer<CChar>?,
  _ length: Int
) -> livery_status {
  set(store, layer, name) { () throws(StoreError) in .string(try valueText(text, length)) }
}

@_cdecl("livery_set_data") @implementation
public func livery_set_data(
  _ store: OpaquePointer?, _ layer: livery_layer, _ name: UnsafePointer<CChar>?, _ bytes: UnsafeRawPointer?,
  _ length: Int
) -> livery_status {
  set(store, layer, name) { () throws(StoreError) in .data(try valueBytes(bytes, length)) }
}

@_cdecl("livery_set_color") @implementation
public func livery_set_color(
  _ store: OpaquePointer?, _ layer: livery_layer, _ name: UnsafePointer<CChar>?, _ value: livery_color
) -> livery_status {
  set(store, layer, name) { () throws(StoreError) in .color(Color(value)) }
}

@_cdecl("livery_set_value") @implementation
public func livery_set_value(
  _ store: OpaquePointer?, _ layer: livery_layer, _ name: UnsafePointer<CChar>?, _ value: OpaquePointer?
) -> livery_status {
  set(store, layer, name) { () throws(StoreError) in try content(value, "value") }
}

@_cdecl("livery_reset") @implementation
public func livery_reset(_ store: OpaquePointer?, _ number: livery_layer, _ name: UnsafePointer<CChar>?)
  -> livery_status
{
  onStore(store) { (object) throws(StoreError) in
    let layer = try layer(number)
    try object.store.reset(settingName(name), in: layer)
  }
}
