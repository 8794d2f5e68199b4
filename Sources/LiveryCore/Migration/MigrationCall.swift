import CSystem

/// What a host function of a schema's migrations sees: the values of one layer, while it runs.
///
/// Usable from any thread until the function returns; afterwards everything throws `.closed`. Corresponds to
/// `livery_migration` in C.
public final class MigrationCall: @unchecked Sendable {
  /// The layer whose values the function works on.
  public let layer: Layer
  /// The version of the schema that the step leads to.
  public let version: Int64
  private let mutex = lvs_mutex_make()
  // Guarded by `mutex`.
  private let values: MigrationLayer
  private var hasEnded = false
  private var editedNames = ByteIndex()
  private var edits: [(name: String, before: Value?)] = []
  /// Those that the function has read.
  private var secrets: [Value] = []
  private var failed: StoreError?
  private var reason: String?

  init(_ values: MigrationLayer, version: Int64) {
    layer = values.layer
    self.version = version
    self.values = values
  }

  deinit { lvs_mutex_free(mutex) }

  /// A value of the layer; nil if it has none. Corresponds to `livery_migration_get` in C.
  public func value(_ name: String) throws(StoreError) -> Value? {
    try checkName(name)
    return try whileRunning { () throws(StoreError) in
      let value = try values.value(name)
      if let value, try values.isSecret(name) { secrets.append(value) }
      return value
    }
  }

  /// Sets a value of the layer. It keeps who set the former one, and when. Corresponds to `livery_migration_set` in C.
  ///
  /// - Throws: `.invalidValue` for what no setting can hold, and for a new value in `override`, where each has to expire.
  public func set(_ name: String, to value: Value) throws(StoreError) {
    try edit(name, value)
  }

  /// Removes a value of the layer, if there is one. Corresponds to `livery_migration_remove` in C.
  public func remove(_ name: String) throws(StoreError) {
    try edit(name, nil)
  }

  /// The names of all values of the layer, in the order of their bytes. Corresponds to `livery_migration_names` in C.
  public func names() throws(StoreError) -> [String] {
    try whileRunning { () throws(StoreError) in try values.names() }
  }

  /// Says why the step fails: the upgrade does then, whatever becomes of the function. The first reason counts.
  ///
  /// Corresponds to `livery_migration_fail` in C; in Swift throwing is as good.
  public func fail(_ reason: String) throws(StoreError) {
    try whileRunning { () throws(StoreError) in
      if self.reason == nil { self.reason = reason }
    }
  }

  private func edit(_ name: String, _ value: Value?) throws(StoreError) {
    try checkName(name)
    try whileRunning { () throws(StoreError) in
      let before = try values.value(name)
      if let value { try value.check() }
      if before == nil, value == nil { return }
      if value != nil, before == nil, layer == .override {
        throw StoreError(
          .invalidValue, "`\(name)`: a value of the layer override needs an expiry time, and a new one has none",
          setting: name)
      }
      try values.put(value, name, madeOf: [])
      if let value, secrets.contains(where: { value.reveals($0) }) { try values.markSecret(name) }
      if editedNames.insert(name).isNew { edits.append((name, before)) }
    }
  }

  private func whileRunning<R>(_ body: () throws(StoreError) -> R) throws(StoreError) -> R {
    lvs_mutex_lock(mutex)
    defer { lvs_mutex_unlock(mutex) }
    guard !hasEnded else { throw StoreError(.closed, "the migration's function has returned") }
    do throws(StoreError) { return try body() } catch {
      if error.code != .invalidValue { failed = error }
      throw error
    }
  }

  /// Runs a function on it; afterwards nothing can be done through it. Why it failed, if it did.
  ///
  /// Throws what reading the store threw, whatever the function made of it.
  func run(_ function: MigrationRun.Function) throws(StoreError) -> String? {
    var problem: String?
    do throws(StoreError) { try function(self) } catch { problem = error.message }
    lvs_mutex_lock(mutex)
    hasEnded = true
    lvs_mutex_unlock(mutex)
    if let failed { throw failed }
    return reason ?? problem
  }

  /// What the function changed, in the order in which it did first, with the values before. To be looked at after it ran.
  var edited: [(name: String, before: Value?)] { edits }
}
