import CLivery

/// Images, mostly, that a store keeps under the SHA-256 of their bytes. What is known of one is an object, as
/// `livery/asset.h` tells.
public struct Assets: Sendable {
  /// The largest asset, in bytes.
  public static var maximumSize: Int { Int(LIVERY_ASSET_MAX) }

  let store: Store

  /// Stores an asset, and commits. Corresponds to `livery_asset_put` in C.
  ///
  /// - Parameter allowsAny: take bytes that are no image that is known, too.
  /// - Returns: the asset's id; `Value.image` of it is the value for settings that show it.
  /// - Throws: `.parse` for what is no image, `.invalidValue` for a wrong size; as `ChangeSet.commit()`.
  @discardableResult
  public func put(_ bytes: [UInt8], allowsAny: Bool = false) throws(StoreError) -> String {
    try Self.putting(bytes, allowsAny) { livery_asset_put(store.handle, $0, $1, $2, $3) }
  }

  static func putting(
    _ bytes: [UInt8], _ allowsAny: Bool,
    _ body: (UnsafePointer<UInt8>?, Int, UInt32, UnsafeMutablePointer<CChar>?) -> livery_status
  ) throws(StoreError) -> String {
    guard !bytes.isEmpty else { throw StoreError(.invalidValue, "an asset has at least one byte") }
    var id = [CChar](repeating: 0, count: Int(LIVERY_ASSET_ID_SIZE))
    try passing(bytes: bytes) { (start, count) in
      id.withUnsafeMutableBufferPointer {
        body(start, count, allowsAny ? UInt32(LIVERY_ASSET_ANY) : 0, $0.baseAddress)
      }
    }
    return id.withUnsafeBufferPointer { text($0.baseAddress, $0.count - 1) }
  }

  /// An asset's bytes, as a copy. Corresponds to `livery_asset_get` in C; `Snapshot.withAsset` reads without copying.
  ///
  /// - Throws: `.notFound` if there is no such asset, `.invalidArgument` if the text is no id, `.corrupt`.
  public func bytes(_ id: String) throws(StoreError) -> [UInt8] {
    var start: UnsafeMutableRawPointer?
    var length = 0
    try passing(id) { livery_asset_get(store.handle, $0, &start, &length) }
    return taken(start, length)
  }

  /// What is known of an asset. Corresponds to `livery_asset_info` in C.
  ///
  /// - Throws: as `bytes`.
  public func info(_ id: String) throws(StoreError) -> Value {
    var value: OpaquePointer?
    try passing(id) { livery_asset_info(store.handle, $0, &value) }
    return try Value(taking: value)
  }

  /// What somebody has found out about an asset, under a name; nil if nothing is known. Corresponds to `livery_asset_fact` in C.
  ///
  /// - Throws: `.notFound` if there is no such asset, `.corrupt` if it is damaged, `.invalidArgument` for a malformed id or
  ///   name.
  public func fact(_ name: String, of id: String) throws(StoreError) -> [UInt8]? {
    var start: UnsafeMutableRawPointer?
    var length = 0
    try name.checkHasNoNUL()
    do throws(StoreError) {
      try passing(id) { (id) in name.withCString { livery_asset_fact(store.handle, id, $0, &start, &length) } }
    } catch {
      guard error.code == .noValue else { throw error }
      return nil
    }
    return taken(start, length)
  }

  /// All assets in the order of their ids, with `uses`, the names of the settings that refer to them.
  ///
  /// Corresponds to `livery_asset_list` in C.
  public func list() throws(StoreError) -> Value {
    try report { livery_asset_list(store.handle, &$0) }
  }

  /// Removes an asset; with `force` also if settings refer to it. Corresponds to `livery_asset_remove` in C.
  ///
  /// - Throws: `.notFound`, `.conflict` if a setting refers to it; as `ChangeSet.commit()`.
  public func remove(_ id: String, force: Bool = false) throws(StoreError) {
    try passing(id) { livery_asset_remove(store.handle, $0, force ? UInt32(LIVERY_ASSET_FORCE) : 0) }
  }

  /// What some bytes would be as an asset, without storing them. Corresponds to `livery_asset_describe` in C.
  public static func describe(_ bytes: [UInt8], allowsAny: Bool = false) throws(StoreError) -> Value {
    var value: OpaquePointer?
    guard !bytes.isEmpty else { throw StoreError(.invalidValue, "an asset has at least one byte") }
    try passing(bytes: bytes) { livery_asset_describe($0, $1, allowsAny ? UInt32(LIVERY_ASSET_ANY) : 0, &value) }
    return try Value(taking: value)
  }
}

extension Store {
  public var assets: Assets { Assets(store: self) }
}
