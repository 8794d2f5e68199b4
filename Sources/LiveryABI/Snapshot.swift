import CLivery
import Livery

@_cdecl("livery_snapshot_open") @implementation
public func livery_snapshot_open(_ store: OpaquePointer?, _ snapshot: UnsafeMutablePointer<OpaquePointer?>?)
  -> livery_status
{
  onStore(store) { (object) throws(StoreError) in
    let snapshot = try required(snapshot, "snapshot")
    try publish(SnapshotObject(object.store.snapshot(), owner: object), .snapshot, to: snapshot)
  }
}

@_cdecl("livery_snapshot_close") @implementation
public func livery_snapshot_close(_ snapshot: OpaquePointer?) -> livery_status {
  closing(snapshot, .snapshot, as: SnapshotObject.self) { $0.snapshot.close() }
}

@_cdecl("livery_snapshot_revision") @implementation
public func livery_snapshot_revision(_ snapshot: OpaquePointer?, _ revision: UnsafeMutablePointer<UInt64>?)
  -> livery_status
{
  onSnapshot(snapshot) { (snapshot) throws(StoreError) in
    try required(revision, "revision").pointee = snapshot.revision
  }
}

@_cdecl("livery_snapshot_get") @implementation
public func livery_snapshot_get(
  _ snapshot: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  onSnapshot(snapshot) { (snapshot) throws(StoreError) in
    let value = try required(value, "value")
    try publish(snapshot.value(settingName(name)), to: value)
  }
}

@_cdecl("livery_snapshot_get_layer") @implementation
public func livery_snapshot_get_layer(
  _ snapshot: OpaquePointer?, _ number: livery_layer, _ name: UnsafePointer<CChar>?,
  _ value: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  onSnapshot(snapshot) { (snapshot) throws(StoreError) in
    let value = try required(value, "value")
    let layer = try layer(number)
    try publish(
      held(settingName(name), layer) { (name) throws(StoreError) in try snapshot.value(name, in: layer) }, to: value)
  }
}

@_cdecl("livery_snapshot_list") @implementation
public func livery_snapshot_list(
  _ snapshot: OpaquePointer?, _ number: livery_layer, _ pattern: UnsafePointer<CChar>?,
  _ names: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  onSnapshot(snapshot) { (snapshot) throws(StoreError) in
    let names = try required(names, "names")
    try publish(list(snapshot.names(in: layer(number), matching: namePattern(pattern))), to: names)
  }
}

@_cdecl("livery_snapshot_next") @implementation
public func livery_snapshot_next(
  _ snapshot: OpaquePointer?, _ pattern: UnsafePointer<CChar>?, _ name: UnsafeMutablePointer<CChar>?,
  _ value: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  onSnapshot(snapshot) { (snapshot) throws(StoreError) in
    let buffer = try required(name, "name")
    let value = try required(value, "value")
    let after = try settingName(buffer)
    if !after.isEmpty { try checkName(after) }
    guard let (name, found) = try snapshot.next(after: after, matching: namePattern(pattern)) else {
      throw StoreError(.notFound, "there are no more settings")
    }
    // The buffer holds any name there can be; a longer one would be a damaged record.
    guard name.utf8.count <= Int(LIVERY_NAME_MAX) else {
      throw StoreError(.corrupt, "a stored name is longer than \(LIVERY_NAME_MAX) bytes")
    }
    try publish(found, to: value)
    try fill(buffer, Int(LIVERY_NAME_MAX) &+ 1, nil, with: name)
  }
}

// What layers hold, of snapshots and change sets.

func namePattern(_ pattern: UnsafePointer<CChar>?) throws(StoreError) -> NamePattern? {
  guard let pattern = try optionalPattern(pattern) else { return nil }
  return try NamePattern(pattern)
}

func list(_ names: [String]) -> Value { .list(names.map { .string($0) }) }

/// A layer's value; what it does not hold is told as having none.
func held(
  _ name: String, _ layer: Layer, _ read: (String) throws(StoreError) -> Value?
) throws(StoreError) -> Value {
  if let value = try read(name) { return value }
  throw StoreError(.noValue, "the layer \(layer) holds no value for `\(name)`", setting: name)
}
