/// A list of edits to one layer, committed together. It locks nothing until `commit`.
///
/// Usable from any thread; calls on one change set wait for each other. Corresponds to `livery_change` in C.
public final class ChangeSet: @unchecked Sendable {
  public let layer: Layer
  private let store: Store
  private let lock = Lock()
  // Guarded by `lock`.
  private var edits: [Edit] = []
  private var places = ByteIndex()
  private var assets: [NewAsset] = []
  private var clearsLayer = false
  private var expiry: Timestamp?
  private var expectations: [(name: String, layer: Layer, revision: UInt64)] = []
  private var origin = ""
  private var refusals: [Refusal] = []
  private var isEnded = false

  fileprivate init(_ store: Store, _ layer: Layer) {
    self.store = store
    self.layer = layer
  }

  /// Adds an edit: set a value. A later edit of the same setting replaces it. Whether the value fits is found at commit.
  public func set(_ name: String, to value: Value) throws(StoreError) {
    try add(name, .set(value))
  }

  /// Adds an edit: remove the layer's value, which uncovers the one beneath.
  public func reset(_ name: String) throws(StoreError) {
    try add(name, .reset)
  }

  /// Adds an asset, to be stored by the same commit as the edits. Corresponds to `livery_change_put_asset` in C.
  ///
  /// - Parameter allowsAny: take bytes that are no image that is known, too.
  /// - Returns: what the asset will be; `reference` is the value for settings that show it.
  /// - Throws: as `Assets.put`.
  @discardableResult
  public func put(_ bytes: [UInt8], allowsAny: Bool = false) throws(StoreError) -> Asset {
    let asset = try NewAsset(bytes, allowsAny: allowsAny)
    try whileOpen { () throws(StoreError) in assets.append(asset) }
    return asset.asset(at: .now)
  }

  /// Adds an edit: remove all values of the layer. Forgets the edits made so far; locks do not prevent it.
  public func resetAll() throws(StoreError) {
    try whileOpen { () throws(StoreError) in
      edits = []
      places = ByteIndex()
      clearsLayer = true
    }
  }

  /// When the values that are set from here on expire; nil for never.
  ///
  /// Required for the layer `override`, possible for `session`.
  public func expires(_ time: Timestamp?) throws(StoreError) {
    try whileOpen { () throws(StoreError) in
      guard layer.canExpire else {
        throw StoreError(.invalidArgument, "values of the layer \(layer) cannot expire")
      }
      expiry = time
    }
  }

  /// Makes the commit fail with `.conflict` if a setting was changed after a revision. 0 expects one never set.
  public func expect(_ name: String, at revision: UInt64) throws(StoreError) {
    try checkName(name)
    try whileOpen { () throws(StoreError) in expectations.append((name, layer, revision)) }
  }

  /// Where the changes come from; kept with each value. Up to 63 bytes without control characters.
  public func setOrigin(_ origin: String) throws(StoreError) {
    try checkOrigin(origin)
    try whileOpen { () throws(StoreError) in self.origin = origin }
  }

  /// Validates the whole and commits it as one transaction; returns its revision, or the present one if nothing changes.
  ///
  /// On success the change set has ended. On failure nothing was changed, `violations` lists all that is wrong, and edits
  /// may be corrected and committed again.
  ///
  /// - Throws: `.notFound`, `.typeMismatch`, `.invalidValue`, `.locked`, `.readOnly`, `.conflict`, `.busy`, `.noSpace`, `.io`,
  ///   `.corrupt`.
  @discardableResult
  public func commit() throws(StoreError) -> UInt64 {
    try whileOpen { () throws(StoreError) in
      refusals = []
      var request = CommitRequest()
      request.edits = edits
      request.assets = assets
      request.clearedLayers = clearsLayer ? [layer] : []
      request.layer = layer
      request.expectations = expectations
      request.origin = origin
      request.allowsOverride = store.options.allowOverride
      let result = try store.commit(request)
      if result.isRefused {
        refusals = result.refusals
        throw StoreError(refusing: result.refusals)
      }
      isEnded = true
      assets = []
      return result.revision
    }
  }

  /// Everything that was wrong at the last commit: a list of objects `name`, `status`, `constraint`, `message`.
  public func violations() -> Value {
    lock.withLock { .list(refusals.map { $0.value }) }
  }

  /// Forgets the edits; using the change set afterwards throws `.closed`. Twice is fine.
  public func discard() {
    lock.withLock {
      isEnded = true
      edits = []
      assets = []
      places = ByteIndex()
    }
  }

  private func add(_ name: String, _ action: Edit.Action) throws(StoreError) {
    try checkName(name)
    try whileOpen { () throws(StoreError) in
      let edit = Edit(name: name, layer: layer, action: action, expires: expiry)
      let (place, isNew) = places.insert(name)
      if isNew { edits.append(edit) } else { edits[place] = edit }
    }
  }

  private func whileOpen<R>(_ body: () throws(StoreError) -> R) throws(StoreError) -> R {
    try store.whileOpen { () throws(StoreError) in
      try lock.withLock { () throws(StoreError) in
        guard !isEnded else { throw StoreError(.closed, "the change set was committed or discarded") }
        return try body()
      }
    }
  }
}

extension StoreError {
  /// The first refusal as an error, saying how many more there are.
  init(refusing refusals: [Refusal]) {
    guard let first = refusals.first else {
      self.init(.invalidValue, "the change was refused")
      return
    }
    let more = refusals.count > 1 ? " (and \(refusals.count - 1) more)" : ""
    self.init(first.code, first.message + more, setting: first.name)
  }
}

extension Store {
  /// Begins a change set. Corresponds to `livery_change_begin` in C.
  ///
  /// - Throws: `.readOnly` if the store was opened read-only, for the layer `defaults`, and for `override` unless the store
  ///   was opened to allow it.
  public func change(_ layer: Layer) throws(StoreError) -> ChangeSet {
    try whileOpen { () throws(StoreError) in
      guard !options.readOnly else { throw StoreError(.readOnly, "the store was opened read-only") }
      guard layer != .defaults else {
        throw StoreError(.readOnly, "the layer defaults is written by applying a schema alone")
      }
      guard layer != .override || options.allowOverride else {
        throw StoreError(.readOnly, "the layer override needs a store that was opened to allow it")
      }
    }
    return ChangeSet(self, layer)
  }

  /// Sets one value, and commits. Corresponds to `livery_set_value` in C.
  ///
  /// - Throws: as `ChangeSet.commit`.
  public func set(_ name: String, to value: Value, in layer: Layer) throws(StoreError) {
    let change = try change(layer)
    try change.set(name, to: value)
    try change.commit()
  }

  /// Removes a layer's value, and commits. Corresponds to `livery_reset` in C.
  ///
  /// - Throws: as `ChangeSet.commit`.
  public func reset(_ name: String, in layer: Layer) throws(StoreError) {
    let change = try change(layer)
    try change.reset(name)
    try change.commit()
  }
}
