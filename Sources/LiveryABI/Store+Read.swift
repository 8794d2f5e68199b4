import CLivery
import CReadCache
import Livery

// The typed reads of the effective value. What the cache has is read without a handle being pinned.

/// The place of a result of 8 bytes, for the cache to write to.
@inline(__always)
func bits<Scalar>(_ place: UnsafeMutablePointer<Scalar>?) -> UnsafeMutablePointer<UInt64>? {
  UnsafeMutableRawPointer(place)?.assumingMemoryBound(to: UInt64.self)
}

private func bit(_ type: ValueType) -> UInt32 { 1 << UInt32(type.rawValue) }

/// The types that read as text as they are.
let textTypes = bit(.string) | bit(.url) | bit(.image)

/// Reads a setting as a type, when there is a place for the result.
///
/// - Parameter answer: what the cache said.
private func read<Place>(
  _ store: OpaquePointer?, _ name: UnsafePointer<CChar>?, as type: ValueType?, after answer: lvs_answer = LVS_OTHER,
  into place: Place?, _ parameter: StaticString, _ use: (Value, Place) throws(StoreError) -> Void
) -> livery_status {
  onStore(store) { (object) throws(StoreError) in
    let place = try required(place, parameter)
    try use(value(object, name, as: type, after: answer), place)
  }
}

/// Reads a setting as a type into a caller's buffer.
private func read(
  _ store: OpaquePointer?, _ name: UnsafePointer<CChar>?, as type: ValueType, after answer: lvs_answer,
  _ buffer: UnsafeMutableRawPointer?, _ capacity: Int, _ use: (Value) throws(StoreError) -> Void
) -> livery_status {
  onStore(store) { (object) throws(StoreError) in
    try checkBuffer(buffer, capacity)
    try use(value(object, name, as: type, after: answer))
  }
}

private func value(
  _ object: StoreObject, _ name: UnsafePointer<CChar>?, as type: ValueType?, after answer: lvs_answer
) throws(StoreError) -> Value {
  let name = try argumentBytes(name, limit: LIVERY_NAME_MAX, "name")
  return try object.store.value(named: name.bytes, as: type, wasMissed: answer == LVS_STALE)
}

@_cdecl("livery_get_bool") @implementation
public func livery_get_bool(
  _ store: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: UnsafeMutablePointer<Bool>?
) -> livery_status {
  var bits: UInt64 = 0
  let answer = lvs_read_name_scalar(handleNumber(store), name, ValueType.bool.rawValue, &bits)
  if let value, answer == LVS_READ {
    value.pointee = bits != 0
    return livery_status(LIVERY_OK)
  }
  return read(store, name, as: .bool, after: answer, into: value, "value") { (found, value) throws(StoreError) in
    value.pointee = try found.asBool()
  }
}

@_cdecl("livery_get_int") @implementation
public func livery_get_int(
  _ store: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: UnsafeMutablePointer<Int64>?
) -> livery_status {
  let answer = lvs_read_name_scalar(handleNumber(store), name, ValueType.int.rawValue, bits(value))
  if answer == LVS_READ { return livery_status(LIVERY_OK) }
  return read(store, name, as: .int, after: answer, into: value, "value") { (found, value) throws(StoreError) in
    value.pointee = try found.asInt()
  }
}

@_cdecl("livery_get_float") @implementation
public func livery_get_float(
  _ store: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: UnsafeMutablePointer<Float>?
) -> livery_status {
  var bits: UInt64 = 0
  let answer = lvs_read_name_scalar(handleNumber(store), name, ValueType.double.rawValue, &bits)
  if let value, answer == LVS_READ {
    if let nearest = Float(within: Double(bitPattern: bits)) {
      value.pointee = nearest
      return livery_status(LIVERY_OK)
    }
  }
  return read(store, name, as: .double, after: answer, into: value, "value") { (found, value) throws(StoreError) in
    guard let nearest = Float(within: try found.asDouble()) else {
      throw StoreError(
        .typeMismatch, "the number is beyond the range of float", setting: try settingName(name))
    }
    value.pointee = nearest
  }
}

@_cdecl("livery_get_double") @implementation
public func livery_get_double(
  _ store: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: UnsafeMutablePointer<Double>?
) -> livery_status {
  let answer = lvs_read_name_scalar(handleNumber(store), name, ValueType.double.rawValue, bits(value))
  if answer == LVS_READ { return livery_status(LIVERY_OK) }
  return read(store, name, as: .double, after: answer, into: value, "value") { (found, value) throws(StoreError) in
    value.pointee = try found.asDouble()
  }
}

@_cdecl("livery_get_date") @implementation
public func livery_get_date(
  _ store: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ microseconds: UnsafeMutablePointer<Int64>?
) -> livery_status {
  let answer = lvs_read_name_scalar(handleNumber(store), name, ValueType.date.rawValue, bits(microseconds))
  if answer == LVS_READ { return livery_status(LIVERY_OK) }
  return read(store, name, as: .date, after: answer, into: microseconds, "microseconds") {
    (found, place) throws(StoreError) in
    place.pointee = try found.asDate().microseconds
  }
}

@_cdecl("livery_get_color") @implementation
public func livery_get_color(
  _ store: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: UnsafeMutablePointer<livery_color>?
) -> livery_status {
  let size = MemoryLayout<livery_color>.size
  // The caller's own stays as it is unless the read is whole.
  var whole = livery_color()
  let answer = lvs_read_name_bytes(handleNumber(store), name, bit(.color), false, &whole, size, nil)
  if answer == LVS_READ, let value {
    value.pointee = whole
    return livery_status(LIVERY_OK)
  }
  return read(store, name, as: .color, after: answer, into: value, "value") { (found, value) throws(StoreError) in
    value.pointee = livery_color(try found.asColor())
  }
}

@_cdecl("livery_get_list") @implementation
public func livery_get_list(
  _ store: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  read(store, name, as: .list, into: value, "value") { (found, value) throws(StoreError) in
    try publish(found, to: value)
  }
}

@_cdecl("livery_get_object") @implementation
public func livery_get_object(
  _ store: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  read(store, name, as: .object, into: value, "value") { (found, value) throws(StoreError) in
    try publish(found, to: value)
  }
}

@_cdecl("livery_get_value") @implementation
public func livery_get_value(
  _ store: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  read(store, name, as: nil, into: value, "value") { (found, value) throws(StoreError) in
    try publish(found, to: value)
  }
}

@_cdecl("livery_get_string") @implementation
public func livery_get_string(
  _ store: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int,
  _ length: UnsafeMutablePointer<Int>?
) -> livery_status {
  let answer = lvs_read_name_bytes(handleNumber(store), name, textTypes, true, buffer, capacity, length)
  if answer == LVS_READ { return livery_status(LIVERY_OK) }
  return read(store, name, as: .string, after: answer, buffer, capacity) { (found) throws(StoreError) in
    try fill(buffer, capacity, length, with: found.asText())
  }
}

@_cdecl("livery_get_url") @implementation
public func livery_get_url(
  _ store: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int,
  _ length: UnsafeMutablePointer<Int>?
) -> livery_status {
  let answer = lvs_read_name_bytes(handleNumber(store), name, bit(.url), true, buffer, capacity, length)
  if answer == LVS_READ { return livery_status(LIVERY_OK) }
  return read(store, name, as: .url, after: answer, buffer, capacity) { (found) throws(StoreError) in
    try fill(buffer, capacity, length, with: found.asURL())
  }
}

@_cdecl("livery_get_data") @implementation
public func livery_get_data(
  _ store: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ buffer: UnsafeMutableRawPointer?, _ capacity: Int,
  _ length: UnsafeMutablePointer<Int>?
) -> livery_status {
  let answer = lvs_read_name_bytes(handleNumber(store), name, bit(.data), false, buffer, capacity, length)
  if answer == LVS_READ { return livery_status(LIVERY_OK) }
  return read(store, name, as: .data, after: answer, buffer, capacity) { (found) throws(StoreError) in
    try fill(buffer, capacity, length, with: found.asData())
  }
}

@_cdecl("livery_read") @implementation
public func livery_read(
  _ store: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ buffer: UnsafeMutableRawPointer?, _ capacity: Int,
  _ reading: UnsafeMutablePointer<livery_reading>?
) -> livery_status {
  var found = lvs_found()
  let answer = lvs_read_name_any(
    handleNumber(store), name, textTypes, bit(.data), ValueType.color.rawValue, buffer, capacity, &found)
  if let reading, answer == LVS_READ {
    reading.pointee = livery_reading(found)
    return livery_status(LIVERY_OK)
  }
  return onStore(store) { (object) throws(StoreError) in
    let reading = try required(reading, "reading")
    let value = try value(object, name, as: nil, after: answer)
    switch value {
    case .string, .url, .image, .data: try checkBuffer(buffer, capacity)
    default: break
    }
    var result = livery_reading()
    result.type = livery_type(value.type.rawValue)
    // What does not fit is told of, too.
    defer { reading.pointee = result }
    switch value {
    case .bool(let content): result.as_bool = content
    case .int(let content): result.as_int = content
    case .double(let content): result.as_double = content
    case .date(let content): result.as_int = content.microseconds
    case .color(let content): result.as_color = livery_color(content)
    case .string(let text), .url(let text), .image(let text):
      try fill(buffer?.assumingMemoryBound(to: CChar.self), capacity, &result.length, with: text)
    case .data(let bytes): try fill(buffer, capacity, &result.length, with: bytes)
    case .list, .object, .sealed: break
    }
  }
}

extension livery_reading {
  /// What the cache has found.
  fileprivate init(_ found: lvs_found) {
    self.init()
    type = livery_type(found.type)
    length = found.length
    switch ValueType(rawValue: found.type) {
    case .bool: as_bool = found.scalar != 0
    case .int, .date: as_int = Int64(bitPattern: found.scalar)
    case .double: as_double = Double(bitPattern: found.scalar)
    case .color:
      let parts = found.color
      as_color = livery_color(
        red: Float(bitPattern: parts.0), green: Float(bitPattern: parts.1), blue: Float(bitPattern: parts.2),
        alpha: Float(bitPattern: parts.3))
      length = 0
    default: break
    }
  }
}

@_cdecl("livery_copy_string") @implementation
public func livery_copy_string(
  _ store: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ text: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ length: UnsafeMutablePointer<Int>?
) -> livery_status {
  read(store, name, as: .string, into: text, "text") { (found, text) throws(StoreError) in
    try give(found.asText(), to: text, length)
  }
}

@_cdecl("livery_copy_data") @implementation
public func livery_copy_data(
  _ store: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ bytes: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
  _ length: UnsafeMutablePointer<Int>?
) -> livery_status {
  read(store, name, as: .data, into: bytes, "bytes") { (found, bytes) throws(StoreError) in
    let length = try required(length, "length")
    let content = try found.asData()
    bytes.pointee = try withBytes(of: content) { (content) throws(StoreError) in try copy(content) }
    length.pointee = content.count
  }
}
