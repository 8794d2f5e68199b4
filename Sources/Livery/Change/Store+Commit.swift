import CSystem
import LMDB

extension Store {
  /// Validates a request as a whole and commits it as one transaction.
  func commit(_ request: CommitRequest) throws(StoreError) -> CommitResult {
    try whileOpen { () throws(StoreError) in
      try checkWritable()
      let deadline = lvs_monotonic_ns() &+ UInt64(options.timeout) * 1_000_000
      var request = request
      request.owners = shared.claims
      let pending = PendingCommit(request, logLimits, isSynchronous: options.durability == .full)
      do throws(StoreError) {
        return try shared.commits.commit(pending, shared, timeout: options.timeout)
      } catch {
        guard error.code == .noSpace, request.isRemoval, shared.environment.hasNoRoomForCopy else { throw error }
      }
      // The past gives way where there is no room even to remove, once nobody here reads what is given up.
      shared.backups.waitForCopy(until: deadline)
      try giveUpHistory()
      let again = PendingCommit(request, logLimits, isSynchronous: options.durability == .full)
      return try shared.commits.commit(again, shared, timeout: options.timeout)
    }
  }

  /// Commits what `prepare` asks for in view of the store as it is: no other writer comes between.
  func commit(_ prepare: (View) throws(StoreError) -> CommitRequest) throws(StoreError) -> CommitResult {
    try write { (view) throws(StoreError) in
      var request = try prepare(view)
      request.owners = shared.claims
      guard request.isRemoval || shared.reserve.hasRoom(shared.environment, for: request.mostBytes) else {
        throw SpaceReserve.full(shared.directory.path)
      }
      var committer = try Committer(view, request, logLimits, CommitMemory())
      return try committer.run()
    }
  }
}

extension Store {
  /// Empties the log, as a commit that nobody hears of.
  func giveUpHistory() throws(StoreError) {
    try write(isRemoval: true) { (view) throws(StoreError) -> Environment.Outcome<Void> in
      try view.clear(view.databases.log)
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
