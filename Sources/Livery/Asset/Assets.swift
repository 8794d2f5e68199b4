import LMDB

/// The assets of a store: images, mostly, that settings refer to by the SHA-256 of their bytes.
///
/// The same bytes are stored once. An asset never changes; a setting that is to show another image refers to another
/// asset. To store images together with the settings that show them, use `ChangeSet.put`.
public struct Assets: Sendable {
  let store: Store
}

extension Store {
  public var assets: Assets { Assets(store: self) }
}

extension Assets {
  /// Stores an asset, and commits. It makes no revision and no event: no reader knows of it before a setting names it.
  ///
  /// Corresponds to `livery_asset_put` in C.
  ///
  /// - Parameter allowsAny: take bytes that are no image that is known, too, as "application/octet-stream".
  /// - Throws: `.parse` if the bytes are no image, or one whose header is damaged; `.invalidValue` if there are none, or more
  ///   than `Asset.maximumSize`; `.readOnly`, `.busy`, `.noSpace`, `.io`.
  @discardableResult
  public func put(_ bytes: [UInt8], allowsAny: Bool = false) throws(StoreError) -> Asset {
    let asset = try NewAsset(bytes, allowsAny: allowsAny)
    var request = CommitRequest()
    request.assets = [asset]
    _ = try store.commit(request)
    let stored = asset.asset(at: .now)
    // It may have been there for long, or be gone again.
    return (try? info(stored.id)) ?? stored
  }

  /// An asset's bytes, as a copy. Corresponds to `livery_asset_get` in C; `Snapshot.withAsset` reads without copying.
  ///
  /// - Throws: `.notFound` if there is no such asset, `.invalidArgument` if the text is no id, `.corrupt`.
  public func bytes(_ id: String) throws(StoreError) -> [UInt8] {
    let key = try Asset.requiredKey(of: id)
    return try store.read { (view) throws(StoreError) in
      try Memory.require((view.asset(key)?.size ?? 0) * 2)
      return try view.withAsset(key) { $0.array }.found(id)
    }
  }

  /// What is known of an asset. Corresponds to `livery_asset_info` in C.
  ///
  /// - Throws: as `bytes`.
  public func info(_ id: String) throws(StoreError) -> Asset {
    let key = try Asset.requiredKey(of: id)
    return try store.read { (view) throws(StoreError) in try view.asset(key).found(id) }
  }

  /// All assets in the order of their ids: a list of objects as of `Asset.value`, with `uses`, the names of the settings
  /// that refer to it in any layer, each once. Of a damaged one there are only `id`, `bytes`, `uses`, and `damaged`, true.
  ///
  /// Corresponds to `livery_asset_list` in C.
  public func list() throws(StoreError) -> Value {
    try store.read { (view) throws(StoreError) in
      let uses = try AssetUses(view)
      var items: [Value] = []
      try view.walkAssets { (key, asset, size) throws(StoreError) in
        var members: [Value.Member]
        if case .object(let known)? = asset?.value {
          members = known
        } else {
          members = [
            .init("id", .string(Hexadecimal.encode(key))), .init("bytes", .int(Int64(size))),
            .init("damaged", .bool(true)),
          ]
        }
        var names = NameSet()
        for user in uses.users(of: key) { names.insert(user.name) }
        members.append(.init("uses", .list(names.names.map { .string($0) })))
        items.append(.object(members))
      }
      return .list(items)
    }
  }

  /// What somebody has found out about an asset and put with `ChangeSet.putFact`; nil if nothing was, or if that is damaged.
  ///
  /// Corresponds to `livery_asset_fact` in C.
  ///
  /// - Throws: `.notFound` if there is no such asset, `.corrupt` if it is damaged, `.invalidArgument` for a malformed id or
  ///   name.
  public func fact(_ name: String, of id: String) throws(StoreError) -> [UInt8]? {
    let key = try Asset.requiredKey(of: id)
    try AssetFact.check(name)
    return try store.read { (view) throws(StoreError) in
      _ = try view.asset(key).found(id)
      return try view.fact(key, name)
    }
  }

  /// Removes an asset. Corresponds to `livery_asset_remove` in C.
  ///
  /// - Parameter force: also if settings refer to it; they then name an asset that is missing.
  /// - Throws: `.notFound`; `.conflict` with the setting, if one refers to it in any layer; `.invalidArgument` if the text is
  ///   no id; `.readOnly`, `.busy`, `.noSpace`, `.io`, `.corrupt`.
  public func remove(_ id: String, force: Bool = false) throws(StoreError) {
    let key = try Asset.requiredKey(of: id)
    try store.write(isRemoval: true) { (view) throws(StoreError) -> Environment.Outcome<Void> in
      guard try view.hasAsset(key) else { throw .missingAsset(id) }
      if !force, let user = try AssetUses(view).users(of: key).first {
        throw StoreError(
          .conflict, "`\(user.name)` refers to the asset \(id) in the layer \(user.layer)", setting: user.name)
      }
      try view.deleteAsset(key)
      return .commit(())
    }
  }

  /// What `collect` spares.
  public struct CollectOptions: Sendable {
    /// Remove nothing, only tell what would be.
    public var dryRun = false
    /// Remove also what only the log refers to; undoing then brings back settings whose image is missing.
    public var ignoresLog = false
    /// Keep what was stored so few seconds ago: a program may be about to refer to it.
    public var minimumAge: UInt32 = 0

    public init() {}
  }

  /// Removes all assets that nothing refers to: no value of any layer, one that was set aside included, and nothing that the
  /// log could bring back.
  ///
  /// Corresponds to `livery_asset_collect` in C.
  ///
  /// - Returns: an object `removed` (a list of ids), `bytes` (that they had), `kept` (the number of others).
  /// - Throws: `.corrupt` if a value is damaged, since what it refers to is not known; `.readOnly`, `.busy`, `.noSpace`, `.io`.
  @discardableResult
  public func collect(_ options: CollectOptions = CollectOptions()) throws(StoreError) -> Value {
    if options.dryRun {
      return try store.read { (view) throws(StoreError) in try Garbage(view, options).report }
    }
    return try store.write(isRemoval: true) { (view) throws(StoreError) -> Environment.Outcome<Value> in
      let garbage = try Garbage(view, options)
      for key in garbage.keys { try view.deleteAsset(key) }
      return garbage.keys.isEmpty ? .abort(garbage.report) : .commit(garbage.report)
    }
  }
}

/// What nothing refers to.
private struct Garbage {
  var keys: [[UInt8]] = []
  var report: Value

  init(_ view: View, _ options: Assets.CollectOptions) throws(StoreError) {
    var uses = try AssetUses(view)
    if !options.ignoresLog { try uses.addLog(view) }
    let oldest = Timestamp.now.microseconds &- Int64(options.minimumAge) * 1_000_000
    var found: [[UInt8]] = []
    var removed: [Value] = []
    var bytes = 0
    var kept: Int64 = 0
    try view.walkAssets { (key, asset, size) throws(StoreError) in
      let isYoung = options.minimumAge > 0 && (asset?.time.microseconds ?? Int64.min) > oldest
      guard uses.users(of: key).isEmpty, !isYoung else {
        kept += 1
        return
      }
      found.append(key)
      removed.append(.string(Hexadecimal.encode(key)))
      bytes += size
    }
    keys = found
    report = .object([
      .init("removed", .list(removed)), .init("bytes", .int(Int64(bytes))), .init("kept", .int(kept)),
    ])
  }
}

extension Optional {
  fileprivate func found(_ id: String) throws(StoreError) -> Wrapped {
    guard let self else { throw .missingAsset(id) }
    return self
  }
}

extension Snapshot {
  /// Hands `body` an asset's bytes as they are in the store's memory, without a copy; valid until `body` returns. `body` must
  /// not use the snapshot.
  ///
  /// Corresponds to `livery_snapshot_asset` in C.
  ///
  /// - Throws: as `Assets.bytes`.
  public func withAsset<R>(_ id: String, _ body: (RawSpan) -> R) throws(StoreError) -> R {
    let key = try Asset.requiredKey(of: id)
    return try read { (view) throws(StoreError) in try view.withAsset(key, body).found(id) }
  }

  /// What is known of an asset at the moment of the snapshot.
  ///
  /// - Throws: as `Assets.bytes`.
  public func asset(_ id: String) throws(StoreError) -> Asset {
    let key = try Asset.requiredKey(of: id)
    return try read { (view) throws(StoreError) in try view.asset(key).found(id) }
  }
}
