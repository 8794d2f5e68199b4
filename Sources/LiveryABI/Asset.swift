import CLivery
import Livery

/// The bytes of an asset that a caller passes in.
private func assetBytes(_ pointer: UnsafeRawPointer?, _ length: Int) throws(StoreError) -> [UInt8] {
  let start = try required(pointer, "bytes")
  return [UInt8](
    try bytes(start, length, limit: LIVERY_ASSET_MAX, tooLong: .invalidValue, zeroTerminated: false, "bytes"))
}

private func allowsAny(_ flags: UInt32) throws(StoreError) -> Bool {
  try checkFlags(flags, known: LIVERY_ASSET_ANY)
  return flags != 0
}

private func assetID(_ pointer: UnsafePointer<CChar>?) throws(StoreError) -> String {
  try argument(pointer, limit: 1024, "id")
}

private func factName(_ pointer: UnsafePointer<CChar>?) throws(StoreError) -> String {
  try argument(pointer, limit: 1024, "name")
}

@_cdecl("livery_asset_describe") @implementation
public func livery_asset_describe(
  _ bytes: UnsafeRawPointer?, _ length: Int, _ flags: UInt32, _ value: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  boundary(.assets) { () throws(StoreError) in
    let value = try required(value, "value")
    try publish(Asset(describing: assetBytes(bytes, length), allowsAny: allowsAny(flags)).value, to: value)
  }
}

@_cdecl("livery_asset_put") @implementation
public func livery_asset_put(
  _ store: OpaquePointer?, _ bytes: UnsafeRawPointer?, _ length: Int, _ flags: UInt32,
  _ id: UnsafeMutablePointer<CChar>?
) -> livery_status {
  onStore(store, .assets) { (object) throws(StoreError) in
    let asset = try object.store.assets.put(assetBytes(bytes, length), allowsAny: allowsAny(flags))
    if let id { try fill(id, Int(LIVERY_ASSET_ID_SIZE), nil, with: asset.id) }
  }
}

@_cdecl("livery_change_put_asset") @implementation
public func livery_change_put_asset(
  _ change: OpaquePointer?, _ bytes: UnsafeRawPointer?, _ length: Int, _ flags: UInt32,
  _ id: UnsafeMutablePointer<CChar>?
) -> livery_status {
  onChange(change, .assets) { (change) throws(StoreError) in
    let asset = try change.put(assetBytes(bytes, length), allowsAny: allowsAny(flags))
    if let id { try fill(id, Int(LIVERY_ASSET_ID_SIZE), nil, with: asset.id) }
  }
}

@_cdecl("livery_change_put_fact") @implementation
public func livery_change_put_fact(
  _ change: OpaquePointer?, _ id: UnsafePointer<CChar>?, _ name: UnsafePointer<CChar>?,
  _ content: UnsafeRawPointer?, _ length: Int
) -> livery_status {
  onChange(change, .assets) { (change) throws(StoreError) in
    let content = try bytes(
      content, length, limit: LIVERY_ASSET_FACT_MAX, tooLong: .invalidValue, zeroTerminated: false, "bytes")
    try change.putFact(factName(name), of: assetID(id), [UInt8](content))
  }
}

@_cdecl("livery_asset_fact") @implementation
public func livery_asset_fact(
  _ store: OpaquePointer?, _ id: UnsafePointer<CChar>?, _ name: UnsafePointer<CChar>?,
  _ bytes: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ length: UnsafeMutablePointer<Int>?
) -> livery_status {
  onStore(store, .assets) { (object) throws(StoreError) in
    let bytes = try required(bytes, "bytes")
    let length = try required(length, "length")
    let id = try assetID(id)
    let name = try factName(name)
    guard let content = try object.store.assets.fact(name, of: id) else {
      throw StoreError(.noValue, "nothing is known of the asset \(id) under the name \(name)")
    }
    bytes.pointee = try withBytes(of: content) { (content) throws(StoreError) in try copy(content) }
    length.pointee = content.count
  }
}

@_cdecl("livery_asset_get") @implementation
public func livery_asset_get(
  _ store: OpaquePointer?, _ id: UnsafePointer<CChar>?, _ bytes: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
  _ length: UnsafeMutablePointer<Int>?
) -> livery_status {
  onStore(store, .assets) { (object) throws(StoreError) in
    let bytes = try required(bytes, "bytes")
    let length = try required(length, "length")
    let content = try object.store.assets.bytes(assetID(id))
    bytes.pointee = try withBytes(of: content) { (content) throws(StoreError) in try copy(content) }
    length.pointee = content.count
  }
}

@_cdecl("livery_snapshot_asset") @implementation
public func livery_snapshot_asset(
  _ snapshot: OpaquePointer?, _ id: UnsafePointer<CChar>?, _ bytes: UnsafeMutablePointer<UnsafeRawPointer?>?,
  _ length: UnsafeMutablePointer<Int>?
) -> livery_status {
  onSnapshot(snapshot, .assets) { (snapshot) throws(StoreError) in
    let bytes = try required(bytes, "bytes")
    let length = try required(length, "length")
    // The map stays where it is while the snapshot is open.
    let place = try snapshot.withAsset(assetID(id)) { $0.withUnsafeBytes { $0 } }
    bytes.pointee = place.baseAddress
    length.pointee = place.count
  }
}

@_cdecl("livery_asset_info") @implementation
public func livery_asset_info(
  _ store: OpaquePointer?, _ id: UnsafePointer<CChar>?, _ value: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  onStore(store, .assets) { (object) throws(StoreError) in
    let value = try required(value, "value")
    try publish(object.store.assets.info(assetID(id)).value, to: value)
  }
}

@_cdecl("livery_asset_list") @implementation
public func livery_asset_list(_ store: OpaquePointer?, _ value: UnsafeMutablePointer<OpaquePointer?>?)
  -> livery_status
{
  onStore(store, .assets) { (object) throws(StoreError) in
    let value = try required(value, "value")
    try publish(object.store.assets.list(), to: value)
  }
}

@_cdecl("livery_asset_remove") @implementation
public func livery_asset_remove(_ store: OpaquePointer?, _ id: UnsafePointer<CChar>?, _ flags: UInt32)
  -> livery_status
{
  onStore(store, .assets) { (object) throws(StoreError) in
    try checkFlags(flags, known: LIVERY_ASSET_FORCE)
    try object.store.assets.remove(assetID(id), force: flags != 0)
  }
}

@_cdecl("livery_asset_collect") @implementation
public func livery_asset_collect(
  _ store: OpaquePointer?, _ options: UnsafePointer<livery_collect_options>?,
  _ report: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  onStore(store, .assets) { (object) throws(StoreError) in
    let done = try object.store.assets.collect(Assets.CollectOptions(options))
    if let report { try publish(done, to: report) }
  }
}

extension Assets.CollectOptions {
  init(_ pointer: UnsafePointer<livery_collect_options>?) throws(StoreError) {
    self.init()
    guard let pointer else { return }
    let options = try structure(pointer, none: livery_collect_options())
    try checkFlags(options.flags, known: LIVERY_COLLECT_DRY_RUN, LIVERY_COLLECT_IGNORE_LOG)
    dryRun = options.flags & UInt32(LIVERY_COLLECT_DRY_RUN) != 0
    ignoresLog = options.flags & UInt32(LIVERY_COLLECT_IGNORE_LOG) != 0
    minimumAge = options.min_age_s
  }
}
