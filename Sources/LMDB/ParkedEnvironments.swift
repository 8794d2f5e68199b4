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
  /// The number of the environment that is open; nil while none is.
  private var openNumber: Int32?

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
  func end(_ epoch: Int, keep: () -> Bool, abort: () -> Void) {
    withLock {
      if epoch == present {
        heldHere -= 1
        if !keep() { abort() }
        return
      }
      abort()
      if let place = all.firstIndex(where: { $0.epoch == epoch }) { all[place].held -= 1 }
      closeUnused()
    }
  }

  /// Puts the environment aside that was open until now. `body` ends what is not held.
  func park(_ environment: ProcessEnvironment, _ body: () -> Void) {
    withLock {
      body()
      all.append(Parked(environment: environment, epoch: present, held: heldHere))
      present += 1
      heldHere = 0
      openNumber = nil
    }
  }

  /// Another environment is open, with this number.
  func open(_ number: Int32) {
    withLock {
      openNumber = number
      closeUnused()
    }
  }

  /// Closes those in which nothing is held: their files may take space that is missed. One that LMDB takes for the same
  /// process is not closed beside another, nor any while it is not known what that will be. Called with the lock held.
  private func closeUnused() {
    guard let openNumber else { return }
    var index = all.count
    while index > 0 {
      index -= 1
      let number = all[index].environment.number
      let alike = all.reduce(0) { $0 + ($1.environment.number == number ? 1 : 0) }
      guard all[index].held == 0, number != openNumber, alike == 1 else { continue }
      var unused = all.remove(at: index).environment
      unused.close()
    }
  }

  /// Closes one in which nothing is held; later, if LMDB takes it for the same process as others.
  func discard(_ environment: ProcessEnvironment) {
    withLock {
      guard all.contains(where: { $0.environment.number == environment.number }) else {
        var unused = environment
        return unused.close()
      }
      all.append(Parked(environment: environment, epoch: -1, held: 0))
    }
  }

  /// Closes all; nothing may be held.
  func closeAll() {
    withLock {
      for index in all.indices { all[index].environment.close() }
      all = []
    }
  }
}
