import CLivery

extension Store {
  /// Makes the store forget what it knows of a setting beside its present values. Meant for secrets. Corresponds to
  /// `livery_forget` in C, where the report is described.
  ///
  /// - Parameter inBackups: also in the store's own folder of backups.
  /// - Throws: `.readOnly`, `.busy`, `.noSpace`, `.permission`, `.io`, `.corrupt`, `.formatNewer`.
  @discardableResult
  public func forget(_ name: String, inBackups: Bool = false) throws(StoreError) -> Value {
    var value: OpaquePointer?
    try passing(name) { livery_forget(handle, $0, inBackups ? UInt32(LIVERY_FORGET_BACKUPS) : 0, &value) }
    return try Value(taking: value)
  }
}
