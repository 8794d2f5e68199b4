import LMDB

extension SharedEnvironment {
  /// Commits that values are over whose time has come, so that every watch and the history hear of it; false if there is
  /// nothing to commit, or the clock cannot be trusted.
  func clearExpired(_ logLimits: LogLimits) throws(StoreError) -> Bool {
    defer { clock.warn() }
    return try write(timeout: 1000, isSynchronous: true, isRemoval: true) { (view) throws(StoreError) in
      var request = CommitRequest()
      request.origin = "expiry"
      return try expireOnly(view, request, logLimits)
    }
  }
}
