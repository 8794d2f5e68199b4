import CLivery
import Livery

@_cdecl("livery_value_make_bool") @implementation
public func livery_value_make_bool(_ content: Bool, _ value: UnsafeMutablePointer<OpaquePointer?>?) -> livery_status {
  make(value) { () throws(StoreError) in .bool(content) }
}

@_cdecl("livery_value_make_int") @implementation
public func livery_value_make_int(_ content: Int64, _ value: UnsafeMutablePointer<OpaquePointer?>?) -> livery_status {
  make(value) { () throws(StoreError) in .int(content) }
}

@_cdecl("livery_value_make_double") @implementation
public func livery_value_make_double(_ content: Double, _ value: UnsafeMutablePointer<OpaquePointer?>?)
  -> livery_status
{
  make(value) { () throws(StoreError) in .double(content) }
}

@_cdecl("livery_value_make_string") @implementation
public func livery_value_make_string(
  _ text: UnsafePointer<CChar>?, _ length: Int, _ value: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  make(value) { () throws(StoreError) in .string(try valueText(text, length)) }
}

@_cdecl("livery_value_make_data") @implementation
public func livery_value_make_data(
  _ bytes: UnsafeRawPointer?, _ length: Int, _ value: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  make(value) { () throws(StoreError) in .data(try valueBytes(bytes, length)) }
}

@_cdecl("livery_value_make_url") @implementation
public func livery_value_make_url(
  _ text: UnsafePointer<CChar>?, _ length: Int, _ value: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  make(value) { () throws(StoreError) in .url(try valueText(text, length)) }
}

@_cdecl("livery_value_make_date") @implementation
public func livery_value_make_date(_ microseconds: Int64, _ value: UnsafeMutablePointer<OpaquePointer?>?)
  -> livery_status
{
  make(value) { () throws(StoreError) in .date(Timestamp(microseconds: microseconds)) }
}

@_cdecl("livery_value_make_color") @implementation
public func livery_value_make_color(_ content: livery_color, _ value: UnsafeMutablePointer<OpaquePointer?>?)
  -> livery_status
{
  make(value) { () throws(StoreError) in .color(Color(content)) }
}

@_cdecl("livery_value_make_image") @implementation
public func livery_value_make_image(
  _ text: UnsafePointer<CChar>?, _ length: Int, _ value: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  make(value) { () throws(StoreError) in .image(try valueText(text, length)) }
}

@_cdecl("livery_value_make_list") @implementation
public func livery_value_make_list(
  _ items: UnsafePointer<OpaquePointer?>?, _ count: Int, _ value: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  make(value) { () throws(StoreError) in
    guard count != 0 else { return .list([]) }
    let items = try required(items, "items")
    try checkCount(count)
    var list: [Value] = []
    for index in 0..<count { list.append(try content(items[index], "item")) }
    return .list(list)
  }
}

@_cdecl("livery_value_make_object") @implementation
public func livery_value_make_object(
  _ keys: UnsafePointer<UnsafePointer<CChar>?>?, _ members: UnsafePointer<OpaquePointer?>?, _ count: Int,
  _ value: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  make(value) { () throws(StoreError) in
    guard count != 0 else { return .object([]) }
    let keys = try required(keys, "keys")
    let members = try required(members, "members")
    try checkCount(count)
    var object: [Value.Member] = []
    for index in 0..<count {
      let member = try content(members[index], "member")
      object.append(Value.Member(try valueText(required(keys[index], "key"), -1), member))
    }
    return .object(object)
  }
}

/// Each item takes a byte at least, so that more of them are too large before any is looked at.
private func checkCount(_ count: Int) throws(StoreError) {
  guard count > 0, count <= Int(LIVERY_VALUE_MAX) else {
    throw StoreError(.invalidValue, "\(UInt(bitPattern: count)) items are more than a value holds")
  }
}

/// Checks and hands out what `content` gives.
private func make(_ value: UnsafeMutablePointer<OpaquePointer?>?, _ content: () throws(StoreError) -> Value)
  -> livery_status
{
  boundary { () throws(StoreError) in
    let value = try required(value, "value")
    let made = try content()
    try made.check()
    try publish(made, to: value)
  }
}

@_cdecl("livery_value_from_json") @implementation
public func livery_value_from_json(
  _ json: UnsafePointer<CChar>?, _ length: Int, _ value: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  boundary { () throws(StoreError) in
    let value = try required(value, "value")
    let parsed = try JSON.parse(document(json, length, zeroTerminated: true, "json"))
    try publish(Value(json: parsed), to: value)
  }
}

@_cdecl("livery_value_to_json") @implementation
public func livery_value_to_json(
  _ value: OpaquePointer?, _ flags: UInt32, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ length: UnsafeMutablePointer<Int>?
) -> livery_status {
  onValue(value) { (value) throws(StoreError) in
    let json = try required(json, "json")
    try checkFlags(flags, known: LIVERY_JSON_PRETTY)
    try Memory.check()
    try give(value.value.jsonText(pretty: flags & UInt32(LIVERY_JSON_PRETTY) != 0), to: json, length)
  }
}
