import CSystem

/// Environments of files that have been replaced or outgrown, kept for the transactions that are held in them, and how many
/// of those there are in which.
final class ParkedEnvironments: @unchecked Sendable {
  private struct Parked {
    var environment: ProcessEnvironment
    let epoch: Int
    var held: Int
  }

  private let lock = lvs_mutex_make()
  private var all: [Parked] = []
  /// How often the environment was opened anew, and how many transactions are held in the one that is open.
  private var present = 0
  private var heldHere = 0

  deinit {
    lvs_mutex_free(lock)
  }

  private func withLock<R>(_ body: () -> R) -> R {
    lvs_mutex_lock(lock)
    defer { lvs_mutex_unlock(lock) }
    return body()
  }

  var isEmpty: Bool { withLock { all.isEmpty } }

  /// How many transactions are held in the environment that is open.
  var countHere: Int { withLock { heldHere } }

  /// A transaction begins to be held; the epoch to end it with.
  func begin() -> Int {
    withLock {
      heldHere += 1
      return present
    }
  }

  /// Ends a transaction that was held. `keep` takes one of the environment that is open, for another use, or refuses it.
  ///
  /// - Parameter number: of the environment that is open. One that LMDB takes for the same process is not closed beside it.
  func end(_ epoch: Int, number: Int32, keep: () -> Bool, abort: () -> Void) {
    var last: ProcessEnvironment?
    let isKept = withLock {
      guard epoch != present else {
        heldHere -= 1
        return keep()
      }
      guard let place = all.firstIndex(where: { $0.epoch == epoch }) else { return false }
      all[place].held -= 1
      if all[place].held == 0, all[place].environment.number != number { last = all.remove(at: place).environment }
      return false
    }
    if !isKept { abort() }
    last?.close()
  }

  /// Puts the environment aside that was open until now, or closes it if nothing is held in it. `body` ends what is not
  /// held.
  func park(_ environment: ProcessEnvironment, _ body: () -> Void) {
    withLock {
      body()
      if heldHere > 0 || all.contains(where: { $0.environment.number == environment.number }) {
        all.append(Parked(environment: environment, epoch: present, held: heldHere))
      } else {
        // Nobody would come to close it, and its file may take space that is missed.
        var unused = environment
        unused.close()
      }
      present += 1
      heldHere = 0
    }
  }

  /// Keeps one in which nothing was begun until all are closed.
  func keep(_ environment: ProcessEnvironment) {
    withLock { all.append(Parked(environment: environment, epoch: -1, held: 0)) }
  }

  /// Closes all; nothing may be held.
  func closeAll() {
    withLock {
      for index in all.indices { all[index].environment.close() }
      all = []
    }
  }
}
