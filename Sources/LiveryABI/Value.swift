import CLivery
import CSystem
import Livery
import Synchronization

/// A value that C holds, with the copies of its text, bytes and keys that were handed out.
final class ValueObject: HandleObject {
  let value: Value
  /// References that callers hold; the last one released closes the handle.
  private let references = Atomic<UInt64>(1)
  private let text = Atomic<UnsafeMutableRawPointer?>(nil)
  private let data = Atomic<UnsafeMutableRawPointer?>(nil)
  private let keys = Atomic<UnsafeMutableRawPointer?>(nil)

  init(_ value: Value) {
    self.value = value
    super.init(owner: nil)
  }

  deinit {
    free(text.load(ordering: .acquiring))
    free(data.load(ordering: .acquiring))
    free(keys.load(ordering: .acquiring))
  }

  /// One reference more; false if there is none left.
  func retain() -> Bool {
    var count = references.load(ordering: .relaxed)
    while count > 0 {
      let (done, found) = references.weakCompareExchange(expected: count, desired: count &+ 1, ordering: .relaxed)
      if done { return true }
      count = found
    }
    return false
  }

  /// One reference less: how many were there.
  func release() -> UInt64 {
    var count = references.load(ordering: .relaxed)
    while count > 0 {
      let (done, found) = references.weakCompareExchange(expected: count, desired: count &- 1, ordering: .relaxed)
      if done { return count }
      count = found
    }
    return 0
  }

  /// The copy kept in `place`, made by the first who asks.
  private func kept(
    in place: borrowing Atomic<UnsafeMutableRawPointer?>,
    make: () throws(StoreError) -> UnsafeMutableRawPointer
  ) throws(StoreError) -> UnsafeMutableRawPointer {
    if let found = place.load(ordering: .acquiring) { return found }
    let made = try make()
    let (done, found) = place.compareExchange(expected: nil, desired: made, ordering: .acquiringAndReleasing)
    if !done, let found {
      free(made)
      return found
    }
    return made
  }

  func borrowedText() throws(StoreError) -> (UnsafeMutableRawPointer, Int) {
    let content = try value.asText()
    let memory = try kept(in: text) { () throws(StoreError) in
      try withBytes(of: content) { (bytes) throws(StoreError) in try copy(bytes) }
    }
    return (memory, content.utf8.count)
  }

  func borrowedData() throws(StoreError) -> (UnsafeMutableRawPointer, Int) {
    let content = try value.asData()
    let memory = try kept(in: data) { () throws(StoreError) in
      try withBytes(of: content) { (bytes) throws(StoreError) in try copy(bytes) }
    }
    return (memory, content.count)
  }

  /// All keys in one block: where each one ends, then their bytes, each with a NUL behind.
  func borrowedKey(_ index: Int) throws(StoreError) -> (UnsafeMutableRawPointer, Int) {
    guard case .object(let members) = value else {
      throw StoreError(.typeMismatch, "a value of type \(value.type) has no keys")
    }
    guard members.indices.contains(index) else { throw pastTheEnd(index, members.count) }
    let table = members.count &* MemoryLayout<Int>.stride
    let memory = try kept(in: keys) { () throws(StoreError) in
      var size = table
      for member in members { size &+= member.key.utf8.count &+ 1 }
      let memory = try allocate(size)
      var end = table
      for (position, member) in members.enumerated() {
        for byte in member.key.utf8 {
          memory.storeBytes(of: byte, toByteOffset: end, as: UInt8.self)
          end &+= 1
        }
        memory.storeBytes(of: 0, toByteOffset: end, as: UInt8.self)
        end &+= 1
        memory.storeBytes(of: end, toByteOffset: position &* MemoryLayout<Int>.stride, as: Int.self)
      }
      return memory
    }
    let begin = index == 0 ? table : memory.load(fromByteOffset: (index &- 1) &* MemoryLayout<Int>.stride, as: Int.self)
    return (memory + begin, members[index].key.utf8.count)
  }
}

private func pastTheEnd(_ index: Int, _ count: Int) -> StoreError {
  StoreError(.notFound, "index \(UInt(bitPattern: index)) is past the end of \(count)")
}

@_cdecl("livery_value_retain") @implementation
public func livery_value_retain(_ value: OpaquePointer?) -> livery_status {
  boundary { () throws(StoreError) in
    try pinned(value, .value, "value", as: ValueObject.self) { (value) throws(StoreError) in
      guard value.retain() else { throw HandleTable.closed(.value) }
    }
  }
}

@_cdecl("livery_value_release") @implementation
public func livery_value_release(_ value: OpaquePointer?) -> livery_status {
  ending { () throws(StoreError) in
    if let value { try releaseValue(value) }
  }
}

/// Gives a reference back; with the last one the handle is closed.
func releaseValue(_ pointer: OpaquePointer) throws(StoreError) {
  try pinned(pointer, .value, "value", as: ValueObject.self) { (value) throws(StoreError) in
    let count = value.release()
    guard count > 0 else { throw HandleTable.closed(.value) }
    if count == 1 { HandleTable.shared.closeIfOpen(handleNumber(pointer), .value) }
  }
}

@_cdecl("livery_value_type") @implementation
public func livery_value_type(_ value: OpaquePointer?, _ type: UnsafeMutablePointer<livery_type>?) -> livery_status {
  onValue(value) { (value) throws(StoreError) in
    try required(type, "type").pointee = livery_type(value.value.type.rawValue)
  }
}

@_cdecl("livery_value_as_bool") @implementation
public func livery_value_as_bool(_ value: OpaquePointer?, _ result: UnsafeMutablePointer<Bool>?) -> livery_status {
  onValue(value) { (value) throws(StoreError) in
    try required(result, "result").pointee = value.value.asBool()
  }
}

@_cdecl("livery_value_as_int") @implementation
public func livery_value_as_int(_ value: OpaquePointer?, _ result: UnsafeMutablePointer<Int64>?) -> livery_status {
  onValue(value) { (value) throws(StoreError) in
    try required(result, "result").pointee = value.value.asInt()
  }
}

@_cdecl("livery_value_as_double") @implementation
public func livery_value_as_double(_ value: OpaquePointer?, _ result: UnsafeMutablePointer<Double>?)
  -> livery_status
{
  onValue(value) { (value) throws(StoreError) in
    try required(result, "result").pointee = value.value.asDouble()
  }
}

@_cdecl("livery_value_as_string") @implementation
public func livery_value_as_string(
  _ value: OpaquePointer?, _ text: UnsafeMutablePointer<UnsafePointer<CChar>?>?, _ length: UnsafeMutablePointer<Int>?
) -> livery_status {
  onValue(value) { (value) throws(StoreError) in
    let text = try required(text, "text")
    let (memory, count) = try value.borrowedText()
    text.pointee = UnsafePointer(memory.assumingMemoryBound(to: CChar.self))
    length?.pointee = count
  }
}

@_cdecl("livery_value_as_data") @implementation
public func livery_value_as_data(
  _ value: OpaquePointer?, _ bytes: UnsafeMutablePointer<UnsafeRawPointer?>?, _ length: UnsafeMutablePointer<Int>?
) -> livery_status {
  onValue(value) { (value) throws(StoreError) in
    let bytes = try required(bytes, "bytes")
    let length = try required(length, "length")
    let (memory, count) = try value.borrowedData()
    bytes.pointee = UnsafeRawPointer(memory)
    length.pointee = count
  }
}

@_cdecl("livery_value_as_color") @implementation
public func livery_value_as_color(_ value: OpaquePointer?, _ result: UnsafeMutablePointer<livery_color>?)
  -> livery_status
{
  onValue(value) { (value) throws(StoreError) in
    try required(result, "result").pointee = livery_color(value.value.asColor())
  }
}

@_cdecl("livery_value_as_date") @implementation
public func livery_value_as_date(_ value: OpaquePointer?, _ microseconds: UnsafeMutablePointer<Int64>?)
  -> livery_status
{
  onValue(value) { (value) throws(StoreError) in
    try required(microseconds, "microseconds").pointee = value.value.asDate().microseconds
  }
}

@_cdecl("livery_value_count") @implementation
public func livery_value_count(_ value: OpaquePointer?, _ count: UnsafeMutablePointer<Int>?) -> livery_status {
  onValue(value) { (value) throws(StoreError) in
    try required(count, "count").pointee = value.value.count
  }
}

@_cdecl("livery_value_at") @implementation
public func livery_value_at(_ value: OpaquePointer?, _ index: Int, _ item: UnsafeMutablePointer<OpaquePointer?>?)
  -> livery_status
{
  onValue(value) { (value) throws(StoreError) in
    let item = try required(item, "item")
    try Memory.check()
    switch value.value {
    case .list(let items):
      guard items.indices.contains(index) else { throw pastTheEnd(index, items.count) }
      try publish(items[index], to: item)
    case .object(let members):
      guard members.indices.contains(index) else { throw pastTheEnd(index, members.count) }
      try publish(members[index].value, to: item)
    default:
      throw StoreError(.typeMismatch, "a value of type \(value.value.type) has no items")
    }
  }
}

@_cdecl("livery_value_member") @implementation
public func livery_value_member(
  _ value: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ member: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  onValue(value) { (value) throws(StoreError) in
    let key = try required(key, "key")
    let member = try required(member, "member")
    try Memory.check()
    guard case .object(let members) = value.value else {
      throw StoreError(.typeMismatch, "a value of type \(value.value.type) has no members")
    }
    for candidate in members where spells(key, candidate.key) {
      return try publish(candidate.value, to: member)
    }
    throw StoreError(.notFound, "there is no such member")
  }
}

/// Whether NUL-terminated text is the same bytes; reads no further than the first difference.
private func spells(_ text: UnsafePointer<CChar>, _ key: String) -> Bool {
  var position = 0
  for byte in key.utf8 {
    guard byte != 0, UInt8(bitPattern: text[position]) == byte else { return false }
    position &+= 1
  }
  return text[position] == 0
}

@_cdecl("livery_value_key_at") @implementation
public func livery_value_key_at(
  _ value: OpaquePointer?, _ index: Int, _ key: UnsafeMutablePointer<UnsafePointer<CChar>?>?,
  _ length: UnsafeMutablePointer<Int>?
) -> livery_status {
  onValue(value) { (value) throws(StoreError) in
    let key = try required(key, "key")
    let (memory, count) = try value.borrowedKey(index)
    key.pointee = UnsafePointer(memory.assumingMemoryBound(to: CChar.self))
    length?.pointee = count
  }
}

@_cdecl("livery_value_equal") @implementation
public func livery_value_equal(_ left: OpaquePointer?, _ right: OpaquePointer?, _ equal: UnsafeMutablePointer<Bool>?)
  -> livery_status
{
  boundary { () throws(StoreError) in
    let left = try content(left, "left")
    let right = try content(right, "right")
    try required(equal, "equal").pointee = left == right
  }
}
