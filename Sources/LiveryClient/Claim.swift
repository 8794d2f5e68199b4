import CLivery

extension Store {
  /// Claims a namespace: settings whose names begin with `prefix` may be set whatever a schema declares, and `check` sees
  /// every value of those that it does not declare before it is kept.
  ///
  /// The store remembers that the namespace is claimed; the check belongs to this handle, and ends when that is closed.
  /// Corresponds to `livery_claim` in C.
  ///
  /// - Parameters:
  ///   - prefix: ends with a dot, such as `fetch.`.
  ///   - onEnd: runs once: when the store is closed, or before claiming throws.
  ///   - takesAll: whether a setting takes any value, which is kept then without being read.
  ///   - check: returns the value to be kept. What it throws refuses the value. Runs on any thread that changes the store
  ///     and must not change it itself; it may be run more than once for one change.
  /// - Throws: `.conflict` if a part of the namespace is claimed, or holds a former secret; `.readOnly` if the handle may not
  ///   write and the namespace is not claimed yet; as `ChangeSet.commit()`.
  public func claim(
    _ prefix: String, onEnd: @escaping @Sendable () -> Void = {},
    takesAll: @escaping @Sendable (_ name: String) -> Bool = { _ in false },
    check: @escaping @Sendable (_ value: Value, _ name: String) throws(StoreError) -> Value
  ) throws(StoreError) {
    let claim = ClaimCheck(check, takesAll, onEnd)
    do throws(StoreError) { try prefix.checkHasNoNUL() } catch {
      onEnd()
      throw error
    }
    try passing(prefix) {
      livery_claim(
        handle, $0,
        { name, value, checked, userData in Box.of(userData, as: ClaimCheck.self).run(name, value, checked) },
        claim.handed, Box.letGo)
    }
  }

  /// Declares a setting of a claimed namespace to be secret, where no schema declares it. Corresponds to `livery_claim_secret`
  /// in C.
  ///
  /// - Throws: `.notFound` if the name is in no claimed namespace; `.conflict` if it is in one of the library's own, or has a
  ///   value; `.readOnly` if the handle may not write and it is not declared yet; as `ChangeSet.commit()`.
  public func claimSecret(_ name: String) throws(StoreError) {
    try passing(name) { livery_claim_secret(handle, $0) }
  }
}

private final class ClaimCheck: Box {
  private let check: @Sendable (Value, String) throws(StoreError) -> Value
  private let takesAll: @Sendable (String) -> Bool
  private let onEnd: @Sendable () -> Void

  init(
    _ check: @escaping @Sendable (Value, String) throws(StoreError) -> Value,
    _ takesAll: @escaping @Sendable (String) -> Bool, _ onEnd: @escaping @Sendable () -> Void
  ) {
    self.check = check
    self.takesAll = takesAll
    self.onEnd = onEnd
  }

  override func end() { onEnd() }

  func run(
    _ name: UnsafePointer<CChar>?, _ handle: OpaquePointer?, _ checked: UnsafeMutablePointer<OpaquePointer?>?
  ) -> livery_status {
    let name = name.map { String(cString: $0) } ?? ""
    if takesAll(name) { return livery_status(LIVERY_OK) }
    do throws(StoreError) {
      let value = try Value(reading: handle)
      let kept = try check(value, name)
      if kept != value { checked?.pointee = try kept.makeHandle() }
      return livery_status(LIVERY_OK)
    } catch {
      return error.leaving()
    }
  }
}
