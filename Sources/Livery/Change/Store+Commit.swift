import CSystem
import LMDB

extension Store {
  /// Validates a request as a whole and commits it as one transaction.
  func commit(_ request: CommitRequest) throws(StoreError) -> CommitResult {
    try commit({ PendingCommit(request, logLimits, isSynchronous: options.durability == .full) }) { _ in CommitRequest()
    }
  }

  /// Commits what `prepare` asks for: no other writer comes between what it sees and the commit.
  func commitEdit(_ prepare: Preparation) throws(StoreError) -> CommitResult {
    try commit({ PendingCommit(editWith: logLimits, isSynchronous: options.durability == .full) }, prepare)
  }

  private func commit(_ make: () -> PendingCommit, _ prepare: Preparation) throws(StoreError) -> CommitResult {
    try whileOpen { () throws(StoreError) in
      try checkWritable()
      let deadline = lvs_monotonic_ns() &+ UInt64(timeout) * 1_000_000
      let pending = make()
      do throws(StoreError) {
        return try shared.commits.commit(pending, shared, timeout: timeout, prepare)
      } catch {
        guard error.code == .noSpace, pending.isRemoval, shared.environment.hasNoRoomForCopy else { throw error }
      }
      // The past gives way where there is no room even to remove, once nobody here reads what is given up.
      shared.backups.waitForCopy(until: deadline)
      try giveUpHistory()
      return try shared.commits.commit(make(), shared, timeout: timeout, prepare)
    }
  }
}

extension Store {
  /// Empties the log, as a commit that nobody hears of.
  func giveUpHistory() throws(StoreError) {
    try write(isRemoval: true) { (view) throws(StoreError) -> Environment.Outcome<Void> in
      try view.clearLog()
      try view.putTrimmed(try view.revision())
      return .commit(())
    }
  }

  /// Takes all values of secrets out of the log, as a commit that nobody hears of.
  func forgetSecrets() throws(StoreError) {
    try write(isRemoval: true) { (view) throws(StoreError) -> Environment.Outcome<Void> in
      try view.forgetSecrets() > 0 ? .commit(()) : .abort(())
    }
  }
}
