import CClient
import CSync
import LiveryClient
import LiveryFleet
import LiveryTransfer

/// What drives a device on a handle on a store: it does what the state machine asks for, on the real clock, network and store.
///
/// Everything runs on the thread of its queue. Among all processes one drives at a time: whoever holds the lease.
final class Driver: @unchecked Sendable {
  static let closed = StoreError(.closed, "the store was closed")
  /// How long it is between two looks whether the lease is free, in milliseconds.
  private static let leasePause: Int64 = 1000
  /// How long it is until what could not be read is read again, in milliseconds.
  private static let damagePause: Int64 = 30_000
  /// The same of one that could not be read for now.
  private static let busyPause: Int64 = 1_000
  /// Until when after the beginning a first connection to the broker brings nothing that is not asked for anyway, in milliseconds.
  static let firstConnection: Int64 = 5000

  let store: Store
  let queue: Queue
  let folder: String?
  let endings: Endings
  let checks: Checks
  let lease: Lease
  let lock = Lock()
  // Guarded by `lock`.
  private var hasEnded = false
  private var isClaimed = false
  private var observation: Observation?
  /// Tells when the store is closed. It is paused: it hears of nothing else.
  private var closing: Observation?
  private var values: Observation?
  private var told = lvy_note()
  /// Held while the namespace is claimed, so that nobody comes between.
  private let claiming = Lock()

  // Of the queue's thread alone.
  var options = Options()
  private var users = 0
  /// How many of them take part, and have said how.
  private var members = 0
  private var hasLease = false
  private var isLooking = false
  var membership: Membership?
  var key: SigningKey?
  var machine: Device?
  /// Why there is none though the device is of a fleet.
  var damage: StoreError?
  private var events: [Device.Event] = []
  private var isHandling = false
  /// Rises whenever the machine is another one: what comes back for a former one is dropped.
  var generation = 0
  var wakeAt: Int64 = 0
  var wakeNumber = 0
  var alarm: Alarm?
  var transfers: [Int: Transfer] = [:]
  var transferCount = 0
  var waiters: [Waiter] = []
  var note = lvy_note()
  /// When a pull began, and when the last one ended well; milliseconds of the clock of `now`.
  var pullBegan: Int64 = 0
  var pullSucceeded: Int64 = 0
  var wasAsking = false
  var pullsSeen: UInt64 = 0
  /// What is on trial, if it is ours.
  var trial: Trial?
  /// Whether the last one has gone back, and the store does not keep yet that it counts as refused.
  var hasEndedTrial = false
  var isTrialLookedAtLater = false
  var hints: Hints?
  /// Why there is no connection to the broker at all.
  var hintsError: StoreError?
  var channels: [Channel] = []
  /// How often the broker had been reached when that was looked at last, and since when it is tried.
  var connectionsSeen = 0
  var hintsBegan: Int64 = 0
  /// What the console has said if it took no report of the device's, as it does of one that was removed.
  var refusal: String?
  /// What was wrong when another process, or a former machine, took part: so it is until this one knows better.
  private var former: (reason: String, message: String)?
  /// Whether the console has taken a report from this machine.
  var hasReported = false
  /// Whether it has said last that it knows a later report.
  var isOutnumbered = false
  /// Whether it is looked again what other processes ask and answer.
  var isHearing = false
  /// Why nothing could be had, or committed, the last time.
  var networkError: StoreError?
  var lastCommitError: StoreError?
  /// Why what has come cannot be kept, until the server is asked again.
  var storingError: StoreError?
  /// The commit by which what holds was made last.
  var lastRevision: UInt64 = 0

  private init(_ store: Store, _ queue: Queue, folder: String?) {
    self.store = store
    self.queue = queue
    self.folder = folder
    endings = Endings(store, queue)
    checks = Checks(store, queue)
    lease = Lease(folder: folder)
  }

  static func make(_ store: Store) throws(StoreError) -> Driver {
    // The path of a store in memory is a name, at which there is no folder of a store.
    Driver(store, try Queue.make("livery-sync"), folder: try store.statistics()["path"]?.text)
  }

  /// Takes the namespace for this handle.
  func claim(onEnd: @escaping @Sendable () -> Void) throws(StoreError) {
    try claiming.withLock { () throws(StoreError) in
      if isClaimed { return }
      // Whoever was here before could not claim it.
      guard !isOver else { throw Driver.closed }
      do throws(StoreError) { try claimNow(onEnd) } catch {
        lock.withLock { hasEnded = true }
        throw error
      }
      isClaimed = true
    }
  }

  private func claimNow(_ onEnd: @escaping @Sendable () -> Void) throws(StoreError) {
    try store.claim(Membership.prefix, takesAll: { $0.utf8.starts(with: Membership.records.utf8) }) {
      (value, name) throws(StoreError) in try Membership.check(value, name)
    }
    try store.claimSecret(Membership.key)
    try store.claimRecords()
    var names = WatchOptions()
    names.hasValues = false
    let observation = try store.observe("sync.**", options: names) { (events) in
      self.queue.run { self.hear(events) }
    }
    lock.withLock { self.observation = observation }
    // A watch that is never called ends on the thread that closes the store: one that is being called ends when that is over.
    let closing = try store.observe(Membership.setting, onEnd: onEnd) { _ in }
    try closing.setPaused(true)
    lock.withLock { self.closing = closing }
  }

  /// Whether nothing is done with it any more.
  var isOver: Bool { lock.withLock { hasEnded } }

  /// The store is closed: everything that is under way ends.
  func end() {
    let ended = lock.withLock { () -> [Observation?] in
      hasEnded = true
      defer { (self.observation, self.values, closing) = (nil, nil, nil) }
      return [self.observation, self.values, closing]
    }
    for observation in ended { observation?.cancel() }
    endings.end(Self.closed)
    queue.run {
      (self.users, self.members) = (0, 0)
      self.rest()
      self.queue.end()
    }
    queue.wait(for: LVC_OUTCOME)
    checks.end()
    lease.end()
  }

  // MARK: Who drives

  /// Somebody wants it to run, until `leave`.
  ///
  /// - Parameters:
  ///   - options: how; nil for somebody who waits for a pull or a push.
  ///   - other: how as long as nobody has said it.
  func enter(_ options: Options?, otherwise other: Options? = nil) {
    let isFirst = users == 0
    users += 1
    if options != nil { members += 1 }
    if let options, members == 1 {
      self.options = options
      // What was begun for somebody who waits goes on as is wanted now.
      if !isFirst, hasLease {
        start()
        giveWay()
      }
    } else if options == nil, isFirst, let other {
      self.options = other
    }
    look()
  }

  /// - Parameter isMember: whether it had said how it takes part.
  func leave(isMember: Bool) {
    users -= 1
    if isMember { members -= 1 }
    if users == 0 { rest() }
  }

  /// Nobody wants it to run any more.
  private func rest() {
    shutDown()
    let ended = waiters
    waiters = []
    // What others have asked for stays where it is: whoever takes the lease does it, one of those who wait at the latest.
    for waiter in ended where !waiter.isRemote { end(waiter, .failure(Self.closed)) }
    if hasLease { giveLease() }
  }

  /// Takes the lease, if it is free, and looks again later otherwise.
  func look() {
    guard users > 0, !hasLease else { return serve() }
    hasLease = !isOver && lease.take()
    guard hasLease else {
      serve()
      return lookAgain(after: Self.leasePause)
    }
    lvy_network_watch { Drivers.hearNetwork() }
    if let folder { _ = folder.withCString { lvy_note_read($0, &note) } }
    note.process = lvc_process()
    tell()
    start()
    hearRequests()
    serve()
    giveWay()
  }

  /// A process that can open the key is to have its turn.
  private func giveWay() {
    guard hasLease, damage?.code == .unavailable else { return }
    giveLease()
    lookAgain(after: Self.damagePause)
  }

  private func lookAgain(after pause: Int64) {
    guard !isLooking else { return }
    isLooking = true
    queue.run(after: pause * 1000) {
      self.isLooking = false
      self.look()
    }
  }

  private func giveLease() {
    hasLease = false
    note.process = 0
    note.next = 0
    tell()
    lease.give()
  }

  var drives: Bool { hasLease }

  /// Begins with what the store keeps.
  func start() {
    shutDown()
    let former = (reason: note.reasonText, message: note.messageText)
    note.reason.0 = 0
    note.message.0 = 0
    note.next = 0
    do throws(StoreError) {
      guard let membership = try Membership.of(store) else { return }
      guard case .data(let seed)? = try store.kept(Membership.key), let key = SigningKey.make(seed: seed) else {
        throw StoreError(.corrupt, "the device's key is damaged: leave the fleet, and enroll anew")
      }
      guard key.publicKey == membership.device else {
        throw StoreError(
          .corrupt, "the device's key is not the one that has joined the fleet: leave it, and enroll anew")
      }
      let chance = Crypto.random(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      let records = try Membership.records(of: store)
      let scope = try keepScope()
      note.use(scope)
      let made: Device
      do throws(FleetError) {
        made = try Device(membership.configuration(scope), records: records, seed: chance)
      } catch {
        throw StoreError(.corrupt, "\(error.message): leave the fleet, and enroll anew")
      }
      self.membership = membership
      self.key = key
      generation += 1
      machine = made
      // What was before the device joined this fleet says nothing.
      let isSame = note.device == membership.number
      if !isSame { (note.asked, note.taken) = (0, 0) }
      self.former = isSame ? former : nil
      note.device = membership.number
      alarm = Alarm.make { (reasons) in self.queue.run { self.ring(reasons) } }
      lookAtTrial(isFirst: true)
      // What a former machine was told this one does not know of.
      for index in waiters.indices { (waiters[index].isSaid, waiters[index].isIncluded) = (false, false) }
      handle(.boot)
      watchValues()
    } catch {
      damage = error
      let isDamaged = error.code == .corrupt
      note.fail(isDamaged ? "damaged" : error.code == .unavailable ? "sealed" : "postponed", error.message)
      tell()
      // It may be otherwise another time: soon, where the store is only busy.
      let started = generation
      queue.run(after: (isDamaged || error.code == .unavailable ? Self.damagePause : Self.busyPause) * 1000) {
        if self.users > 0, self.hasLease, self.generation == started { self.restart() }
      }
    }
  }

  /// The app that documents are taken for. It is kept, for those who do not name one: a report is no reason to take back what
  /// holds for the app.
  private func keepScope() throws(StoreError) -> String? {
    let kept = try store.kept(Membership.scope)?.text
    guard let scope = options.scope, kept.map({ !$0.sameBytes(as: scope) }) ?? true else { return kept }
    try store.keep { (edit) throws(StoreError) in try edit.set(Membership.scope, to: .string(scope)) }
    return scope
  }

  /// Begins anew with what the store keeps; who waits goes on waiting.
  private func restart() {
    start()
    serve()
    giveWay()
  }

  /// Ends what is under way. What is kept is in the store.
  private func shutDown() {
    generation += 1
    machine = nil
    alarm?.end()
    alarm = nil
    membership = nil
    key = nil
    damage = nil
    refusal = nil
    former = nil
    hasReported = false
    isOutnumbered = false
    trial = nil
    hasEndedTrial = false
    events = []
    (wasAsking, pullsSeen) = (false, 0)
    for transfer in transfers.values { transfer.cancel() }
    transfers = [:]
    hints?.end()
    hints = nil
    hintsError = nil
    channels = []
    let values = lock.withLock { () -> Observation? in
      defer { self.values = nil }
      return self.values
    }
    values?.cancel()
  }

  /// Values of the app's are told to the other side.
  private func watchValues() {
    var quiet = WatchOptions()
    quiet.minimumInterval = .seconds(1)
    quiet.hasValues = false
    guard let values = try? store.observe(options: quiet, { (events) in self.queue.run { self.hearValues(events) } })
    else { return }
    let isLate = lock.withLock { () -> Bool in
      if hasEnded { return true }
      self.values = values
      return false
    }
    if isLate { values.cancel() }
  }

  private func hearValues(_ events: [Event]) {
    guard machine != nil else { return }
    if events.contains(where: { $0.kind == .schema }) { handle(.tick) }
    let isOther = events.contains {
      $0.name.map { !$0.utf8.starts(with: Membership.prefix.utf8) } ?? ($0.kind == .resync)
    }
    if isOther { handle(.changed) }
    if trial != nil { lookAtTrial() }
  }

  /// Something of the namespace has changed, here or in another process.
  private func hear(_ events: [Event]) {
    func concerns(_ name: String) -> Bool { events.contains { $0.name?.sameBytes(as: name) ?? ($0.kind == .resync) } }
    func concerns(below prefix: String) -> Bool {
      events.contains { $0.name?.utf8.starts(with: prefix.utf8) ?? ($0.kind == .resync) }
    }
    if concerns(below: Membership.answers) { hearAnswers() }
    checks.look()
    // The key of what is sealed may have come.
    if damage?.code == .unavailable, events.contains(where: { $0.kind == .resync }) { look() }
    guard hasLease else { return }
    if concerns(Membership.setting), (try? Membership.of(store))?.map({ $0.device }) != membership.map({ $0.device }) {
      restart()
    }
    if concerns(below: Membership.requests) { hearRequests() }
    if concerns(Membership.health) { handle(.changed) }
    if trial != nil { lookAtTrial() }
    let isOwn = events.allSatisfy { $0.kind != .resync && $0.revision == lastRevision }
    if !isOwn, concerns(Self.ownedSetting), hasBeenRestored { restart() }
  }

  /// Whether the store keeps something else of what holds than the machine has made: it was put back to what it was once.
  private var hasBeenRestored: Bool {
    guard let machine, trial == nil else { return false }
    do throws(StoreError) {
      guard case .data(let applied)? = try store.kept(Self.ownedSetting)?["applied"] else {
        return machine.applied != nil
      }
      return machine.applied != applied
    } catch {
      return false
    }
  }

  // MARK: The machine

  /// Milliseconds since the system was started.
  var now: Int64 { lvy_uptime() }

  /// Seconds since 1970, as the device's clock has it.
  var clock: Int64 { max(0, Timestamp.now.microseconds / 1_000_000) }

  var moment: Device.Moment {
    let clock = max(0, Timestamp.now.microseconds)
    return Device.Moment(uptime: now, clock: clock / 1_000_000, fraction: clock % 1_000_000 / 1000)
  }

  var world: Device.World { Driver.world(of: store) }

  static func world(of store: Store) -> Device.World {
    Device.World(
      hasAsset: { (try? store.assets.info($0.hexadecimal)) != nil }, offset: { Zone.offset($0) },
      schema: (try? store.schemaVersion()).flatMap { $0 == 0 ? nil : Int64(clamping: $0) },
      canonical: { ((try? store.inspect($0)) ?? .list([]))["name"]?.text ?? $0 })
  }

  /// Tells the machine what has happened, and does what it asks for.
  func handle(_ event: Device.Event) {
    guard machine != nil else { return }
    events.append(event)
    guard !isHandling else { return }
    isHandling = true
    while machine != nil, !events.isEmpty {
      let event = events.removeFirst()
      let effects = machine?.handle(event, at: moment, world) ?? []
      watchPulls()
      for effect in effects where machine != nil { perform(effect) }
    }
    isHandling = false
    settle()
  }

  private func perform(_ effect: Device.Effect) {
    switch effect {
    case .request(let request): ask(request)
    case .report(let payload, let records): if save(records) { send(payload) }
    case .apply(let change, let records): apply(change, records)
    case .save(let records): _ = save(records)
    case .store(let hash, let bytes): events.append(.stored(keep(bytes, hash)))
    case .collect: collect()
    case .subscribe(let channels): subscribe(channels)
    case .wake(let uptime): wake(at: uptime)
    }
  }

  /// Tells the machine after what is being handled.
  func later(_ event: Device.Event) { events.append(event) }

  /// The server is being asked.
  func noteAsked() { note.asked = clock }

  /// Takes note of when pulls begin and end.
  private func watchPulls() {
    guard let machine else { return }
    let isAsking = machine.isAsking
    if isAsking, !wasAsking { pullBegan = now }
    if machine.pullsCompleted != pullsSeen {
      pullsSeen = machine.pullsCompleted
      pullSucceeded = pullBegan
      note.taken = clock
    }
    wasAsking = isAsking
  }

  /// What follows once the machine has nothing more to say.
  private func settle() {
    passTrialIfReached()
    noteState()
    finishPulls()
  }

  private func noteState() {
    guard let machine else { return }
    note.next = machine.nextAttempt > now ? clock + (machine.nextAttempt - now) / 1000 : clock
    if let problem = machine.problem, problem.reason == .unavailable, networkError == nil, let error = storingError {
      note.fail("postponed", "what is published cannot be stored now: \(error.message)")
    } else if let problem = machine.problem {
      // What stands in the way of the network only who asks there knows.
      let isOfNetwork = problem.reason == .unavailable
      note.fail(problem.reason.name, isOfNetwork ? networkError?.message ?? problem.message : problem.message)
    } else if machine.isBehind, let error = lastCommitError {
      note.fail("postponed", "what is published cannot be made to hold now: \(error.message)")
    } else if let refusal {
      note.fail("refused", refusal)
    } else if let former, isStill(former.reason, machine) {
      note.fail(former.reason, former.message)
    } else {
      note.reason.0 = 0
      note.message.0 = 0
    }
    tell()
  }

  /// Whether this machine has done nothing yet that shows it to be otherwise. What it looks at when it begins it knows itself.
  private func isStill(_ reason: String, _ machine: Device) -> Bool {
    if reason.sameBytes(as: "refused") { return !hasReported }
    let isOfPulls = FleetError.Reason.allCases.contains { $0.name.sameBytes(as: reason) }
    return isOfPulls && machine.pullsCompleted == 0
  }

  /// Tells the other processes how it is.
  func tell() {
    note.hints = hints.map { $0.isConnected ? 2 : 1 } ?? (hintsError == nil ? 0 : 1)
    note.setHintsProblem(hints?.problem ?? hintsError?.message ?? "")
    let note = note
    lock.withLock { told = note }
    lease.write(note)
  }

  /// What this process has told last.
  var toldNote: lvy_note { lock.withLock { told } }
}
