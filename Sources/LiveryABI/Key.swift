import CLivery
import CReadCache
import Livery

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

@_cdecl("livery_key_get_bool") @implementation
public func livery_key_get_bool(_ key: OpaquePointer?, _ value: UnsafeMutablePointer<Bool>?) -> livery_status {
  var bits: UInt64 = 0
  let answer = lvs_read_key_scalar(handleNumber(key), ValueType.bool.rawValue, &bits)
  if let value, answer == LVS_READ {
    value.pointee = bits != 0
    return livery_status(LIVERY_OK)
  }
  return onKey(key) { (key) throws(StoreError) in
    let value = try required(value, "value")
    value.pointee = try key.value(as: .bool, wasMissed: answer == LVS_STALE).asBool()
  }
}

@_cdecl("livery_key_get_int") @implementation
public func livery_key_get_int(_ key: OpaquePointer?, _ value: UnsafeMutablePointer<Int64>?) -> livery_status {
  let answer = lvs_read_key_scalar(handleNumber(key), ValueType.int.rawValue, bits(value))
  if answer == LVS_READ { return livery_status(LIVERY_OK) }
  return onKey(key) { (key) throws(StoreError) in
    let value = try required(value, "value")
    value.pointee = try key.value(as: .int, wasMissed: answer == LVS_STALE).asInt()
  }
}

@_cdecl("livery_key_get_double") @implementation
public func livery_key_get_double(_ key: OpaquePointer?, _ value: UnsafeMutablePointer<Double>?) -> livery_status {
  let answer = lvs_read_key_scalar(handleNumber(key), ValueType.double.rawValue, bits(value))
  if answer == LVS_READ { return livery_status(LIVERY_OK) }
  return onKey(key) { (key) throws(StoreError) in
    let value = try required(value, "value")
    value.pointee = try key.value(as: .double, wasMissed: answer == LVS_STALE).asDouble()
  }
}

@_cdecl("livery_key_get_string") @implementation
public func livery_key_get_string(
  _ key: OpaquePointer?, _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int,
  _ length: UnsafeMutablePointer<Int>?
) -> livery_status {
  let answer = lvs_read_key_bytes(handleNumber(key), textTypes, true, buffer, capacity, length)
  if answer == LVS_READ { return livery_status(LIVERY_OK) }
  return onKey(key) { (key) throws(StoreError) in
    try checkBuffer(buffer, capacity)
    try fill(buffer, capacity, length, with: key.value(as: .string, wasMissed: answer == LVS_STALE).asText())
  }
}
