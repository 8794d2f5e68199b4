import CSystem
import LMDB

/// What an edit asks for, in view of the store as it is.
typealias Preparation = (View) throws(StoreError) -> CommitRequest

/// One commit that waits to be made, and what came of it.
final class PendingCommit: @unchecked Sendable {
  fileprivate(set) var request: CommitRequest
  /// Whether its thread makes the request itself, in view of the transaction: no other commit shares that.
  let isEdit: Bool
  private(set) var isRemoval: Bool
  /// How much the file may grow by it.
  private(set) var mostBytes: UInt64
  let logLimits: LogLimits
  let isSynchronous: Bool
  // Guarded by the queue, save while one thread has the commit in hand.
  fileprivate(set) var outcome: Result<CommitResult, StoreError>?
  /// What came of it will not change, whatever becomes of the transaction.
  fileprivate var isSettled = false
  fileprivate var isDone = false
  fileprivate var isLeader = false

  init(_ request: CommitRequest, _ logLimits: LogLimits, isSynchronous: Bool) {
    self.request = request
    isEdit = false
    isRemoval = request.isRemoval
    mostBytes = request.mostBytes
    self.logLimits = logLimits
    self.isSynchronous = isSynchronous
  }

  /// An edit, whose request is made in its transaction.
  init(editWith logLimits: LogLimits, isSynchronous: Bool) {
    request = CommitRequest()
    isEdit = true
    isRemoval = false
    mostBytes = 0
    self.logLimits = logLimits
    self.isSynchronous = isSynchronous
  }

  fileprivate func ask(for request: CommitRequest) {
    self.request = request
    isRemoval = request.isRemoval
    mostBytes = request.mostBytes
  }
}

/// The commits of a process that come while another is under way: they share the next transaction, and its sync.
///
/// The first to come leads: it makes its own commit and all that have gathered by then, each with a revision, a log entry
/// and a verdict of its own. The others sleep until theirs is on disk, or until one of them is to lead. An edit is made on
/// its own thread, when it comes to lead, and alone: what its function does is not to be done again for another's sake.
final class CommitQueue: @unchecked Sendable {
  private static let most = 64
  /// How long a leader waits for those that it expects, in nanoseconds; a sync takes longer.
  private static let patience: UInt64 = 100_000

  private let monitor = Monitor()
  private var waiting: [PendingCommit] = []
  private var isLed = false
  /// How many commits the last round saw: so many threads are likely to come again at once.
  private var expected = 1
  /// For whoever has the right to write.
  private let memory: CommitMemory

  /// - Parameter owners: who checks what is set in namespaces that are claimed.
  init(_ owners: ClaimOwners) {
    memory = CommitMemory(owners)
  }

  /// Makes a commit, together with others if there are any.
  ///
  /// - Parameter prepare: makes the request of an edit, in its transaction.
  func commit(
    _ pending: PendingCommit, _ shared: SharedEnvironment, timeout: UInt32, _ prepare: Preparation
  ) throws(StoreError) -> CommitResult {
    let deadline = lvs_monotonic_ns() &+ UInt64(timeout) * 1_000_000
    monitor.lock()
    defer { monitor.unlock() }
    waiting.append(pending)
    if isLed {
      if waiting.count >= expected { monitor.wakeAll() }
      try wait(for: pending, until: deadline, timeout)
    } else {
      isLed = true
      pending.isLeader = true
    }
    if pending.isLeader { lead(pending, shared, until: deadline, timeout, prepare) }
    guard let outcome = pending.outcome else { throw StoreError(.io, "the commit was not made") }
    return try outcome.get()
  }

  /// Waits until the commit is made, or is to lead.
  private func wait(for pending: PendingCommit, until deadline: UInt64, _ timeout: UInt32) throws(StoreError) {
    var mayLeave = true
    while !pending.isDone, !pending.isLeader {
      guard !monitor.wait(until: mayLeave ? deadline : UInt64.max) else { continue }
      // The lead may have come just now: who left with it would leave the others without one.
      if pending.isDone || pending.isLeader { return }
      // One that is being made cannot be called off.
      mayLeave = leave(pending)
      if mayLeave {
        throw .keptByOwnProcess(timeout)
      }
    }
  }

  /// Takes a commit that nobody has in hand out of the queue.
  private func leave(_ pending: PendingCommit) -> Bool {
    guard let place = waiting.firstIndex(where: { $0 === pending }) else { return false }
    waiting.remove(at: place)
    return true
  }

  /// Makes the commits that wait, and hands over to the next leader. Called with the monitor held.
  private func lead(
    _ pending: PendingCommit, _ shared: SharedEnvironment, until deadline: UInt64, _ timeout: UInt32,
    _ prepare: Preparation
  ) {
    let patience = lvs_monotonic_ns() &+ Self.patience
    while !pending.isEdit, waiting.count < expected, monitor.wait(until: patience) {}
    monitor.unlock()
    var group: [PendingCommit] = []
    var isMade = false
    var isCommitted = false
    var isSecond = false
    while !isMade {
      let opening = shared.environment.timesReopened
      do throws(StoreError) {
        try shared.follow()
        let left = deadline &- min(lvs_monotonic_ns(), deadline)
        try shared.gate.whileWriting(timeout: UInt32(clamping: (left &+ 999_999) / 1_000_000), saying: timeout) {
          () throws(StoreError) in
          guard try shared.mayWrite() else { return }
          if group.isEmpty { group = take(pending) }
          isCommitted = try make(group, shared, until: deadline, prepare)
          isMade = true
        }
      } catch {
        if shared.mayTryAgain(after: error, since: opening, &isSecond) { continue }
        if group.isEmpty { group = [pending] }
        for one in group where !one.isSettled { one.outcome = .failure(error) }
        isMade = true
      }
    }
    monitor.lock()
    for one in group { one.isDone = true }
    _ = leave(pending)
    expected = min(group.count + waiting.count, Self.most)
    isLed = !waiting.isEmpty
    if isLed { waiting[0].isLeader = true }
    if isLed || group.count > 1 { monitor.wakeAll() }
    if isCommitted {
      monitor.unlock()
      shared.clock.warn()
      shared.backups.committed(shared)
      monitor.lock()
    }
  }

  /// The commits to be made now: the leader's own, and what else has gathered.
  private func take(_ pending: PendingCommit) -> [PendingCommit] {
    monitor.lock()
    defer { monitor.unlock() }
    let most = pending.isEdit ? 0 : min(waiting.count, Self.most)
    let count = waiting[0..<most].firstIndex { $0.isEdit } ?? most
    var group = [PendingCommit](waiting[0..<count])
    waiting.removeFirst(count)
    if leave(pending) { group.append(pending) }
    return group
  }
}

extension CommitQueue {
  /// Makes commits in one transaction, one after the other; to be called by the holder of the right to write.
  ///
  /// A transaction cannot take back a part of itself. One that is refused half-way spoils it for all, and the others are
  /// made anew without it: that costs no sync.
  ///
  /// - Returns: whether anything was committed.
  private func make(
    _ group: [PendingCommit], _ shared: SharedEnvironment, until deadline: UInt64, _ prepare: Preparation
  ) throws(StoreError) -> Bool {
    var isSynchronous = false
    for pending in group where pending.isSynchronous { isSynchronous = true }
    guard makeRoom(for: group, shared) else { return false }
    while true {
      var isCommitted = false
      var number: UInt64 = 0
      let made = try shared.commit(isSynchronous, &isCommitted, until: deadline) { (view) throws(StoreError) in
        number = view.transaction.id
        memory.begin(number, generation: shared.openGeneration)
        shared.sealing.known = memory.seal
        let outcome = try make(group, view, shared, prepare)
        // What a transaction has found out and did not store is looked for again.
        if case .commit = outcome { memory.seal = shared.sealing.known } else { memory.seal = nil }
        return outcome
      }
      switch made {
      case .spoilt: continue
      case .committed:
        memory.keep(for: number + 1)
        return true
      case .nothing:
        memory.keep(for: number)
        return false
      }
    }
  }

  /// On a disk that is full only what removes is committed; false if there is nothing of that.
  private func makeRoom(for group: [PendingCommit], _ shared: SharedEnvironment) -> Bool {
    var bytes: UInt64 = 0
    for pending in group where !pending.isEdit { bytes &+= pending.mostBytes }
    if shared.reserve.hasRoom(shared.environment, for: bytes) { return true }
    var isAnything = false
    for pending in group where !pending.isSettled {
      // One by one there may be room.
      guard pending.isEdit || hasRoom(for: pending, shared) else {
        pending.outcome = .failure(SpaceReserve.full(shared.directory.path))
        pending.isSettled = true
        continue
      }
      isAnything = true
    }
    return isAnything
  }

  /// Whether there is room for one commit: if it only removes, without telling the log what.
  private func hasRoom(for pending: PendingCommit, _ shared: SharedEnvironment) -> Bool {
    if pending.isRemoval {
      pending.request.sparesLog = true
      return true
    }
    return shared.reserve.hasRoom(shared.environment, for: pending.mostBytes)
  }

  /// Makes the request of an edit, now that its transaction has begun.
  private func prepare(
    _ pending: PendingCommit, _ view: View, _ shared: SharedEnvironment, _ prepare: Preparation
  ) throws(StoreError) {
    pending.ask(for: try prepare(view))
    if shared.reserve.hasRoom(shared.environment, for: pending.mostBytes) || hasRoom(for: pending, shared) { return }
    throw SpaceReserve.full(shared.directory.path)
  }

  private enum Made {
    case committed, nothing, spoilt
  }

  private func make(
    _ group: [PendingCommit], _ view: View, _ shared: SharedEnvironment, _ prepare: Preparation
  ) throws(StoreError) -> Environment.Outcome<Made> {
    let transaction = view.transaction
    var commits = 0
    if let trial = try memory.trial(view), trial.isPending, view.isOver(trial), let first = group.first {
      // Reads have seen it go back already.
      memory.note(
        try view.end(
          trial, confirms: false, origin: TrialState.ownOrigin, first.logLimits, spares: first.request.sparesLog))
      commits += 1
    }
    for pending in group where !pending.isSettled {
      let before = transaction.writes
      do throws(StoreError) {
        if pending.isEdit { try self.prepare(pending, view, shared, prepare) }
        var committer = try Committer(view, pending.request, pending.logLimits, memory)
        let outcome = try committer.run { (bytes) throws(StoreError) in
          guard !shared.reserve.hasRoom(shared.environment, for: bytes) else { return }
          throw SpaceReserve.full(shared.directory.path)
        }
        switch outcome {
        case .commit(let result):
          pending.outcome = .success(result)
          commits += 1
          continue
        case .abort(let result): pending.outcome = .success(result)
        }
      } catch {
        // A map that is too small is made larger, and all is made anew.
        if transaction.isMapFull { throw error }
        pending.outcome = .failure(error)
      }
      if transaction.writes == before { continue }
      pending.isSettled = true
      return .abort(.spoilt)
    }
    return commits > 0 ? .commit(.committed) : .abort(.nothing)
  }
}
