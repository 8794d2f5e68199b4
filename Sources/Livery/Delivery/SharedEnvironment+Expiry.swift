import LMDB

extension SharedEnvironment {
  /// Commits that values are over whose time has come, so that every watch and the history hear of it; false if there is
  /// nothing to commit, or the clock cannot be trusted.
  ///
  /// - Parameter timeout: how long to wait for other writers, in milliseconds.
  func clearExpired(_ logLimits: LogLimits, timeout: UInt32 = 1000) throws(StoreError) -> Bool {
    defer { clock.warn() }
    return try write(timeout: timeout, isSynchronous: true, isRemoval: true) { (view) throws(StoreError) in
      var request = CommitRequest()
      request.origin = "expiry"
      return try expireOnly(view, request, logLimits)
    }
  }
}
