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
    var matching: NamePattern?
    if let pattern = try optionalPattern(pattern) { matching = try NamePattern(pattern) }
    guard let (name, found) = try snapshot.next(after: after, matching: matching) else {
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
