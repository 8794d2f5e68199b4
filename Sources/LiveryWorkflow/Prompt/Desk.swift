import CClient
import CWorkflow
import LiveryClient

/// What a handle on a store has of people, from its first use until it is closed: who shows prompts, who asks for them, and what is
/// being picked.
final class Desk: @unchecked Sendable {
  static let closed = StoreError(.closed, "the store was closed")

  let store: Store
  let loop: Loop
  /// The store's folder, in which providers are found; negative for a store in memory.
  let folder: Int32
  private let mailbox: Mailbox
  private let dispatched: Mailbox
  private let claiming = Lock()
  private let lock = Lock()
  // Guarded by `lock`.
  private var hasEnded = false
  /// In the order in which they came; also those that are being withdrawn, until they have ended.
  private var providers: [Provider] = []
  private var requests: [Request] = []
  private var picks: [Pick] = []
  private var hostCamera: HostCamera?
  /// Tells when the store is closed. It is paused: it hears of nothing else.
  private var closing: Observation?
  // Of the loop's thread alone.
  private var isClaimed = false
  private var arePermissionsClaimed = false

  fileprivate static func make(_ store: Store) throws(StoreError) -> Desk {
    // The path of a store in memory is a name, at which there is no folder of a store.
    let path = try store.statistics()["path"]?.text
    let loop = try Loop.make()
    return Desk(store, loop, folder: path?.withCString { lvw_folder_open($0) } ?? -1)
  }

  private init(_ store: Store, _ loop: Loop, folder: Int32) {
    self.store = store
    self.loop = loop
    self.folder = folder
    mailbox = Mailbox(store, dispatched: false)
    dispatched = Mailbox(store, dispatched: true)
    // What comes back may have been typed by a person.
    lvw_memory_wipe()
  }

  deinit {
    guard loop.isOfThisProcess else { return }
    loop.end {}
    if folder >= 0 { lvw_close(folder) }
  }

  func mailbox(dispatched isDispatched: Bool) -> Mailbox { isDispatched ? dispatched : mailbox }

  /// Hears of the end of the store.
  fileprivate func watch(onEnd: @escaping @Sendable () -> Void) throws(StoreError) {
    try claiming.withLock { () throws(StoreError) in
      // Whoever was here before could not.
      guard !lock.withLock({ hasEnded }) else { throw Self.closed }
      if lock.withLock({ self.closing != nil }) { return }
      let closing = try store.observe(Facts.prefix, onEnd: onEnd) { _ in }
      try closing.setPaused(true)
      lock.withLock { self.closing = closing }
    }
  }

  /// The form of an answer to what was asked for; nil if it may be anything.
  static func form(of request: Value) -> PromptForm? {
    guard let kind = request["kind"]?.text else { return nil }
    return PromptKind.named(kind)?.form ?? request["schema"]?.text.map { PromptForm(schema: $0) }
  }

  // MARK: Requests

  /// Takes a request onto the stack; with `replaces` the topmost one goes.
  ///
  /// - Throws: `.closed` if the store is being closed.
  func push(_ request: Request) throws(StoreError) {
    let former = try lock.withLock { () throws(StoreError) -> Request? in
      guard !hasEnded else { throw Self.closed }
      let former = request.wish.replaces ? requests.last(where: { !$0.isEnding }) : nil
      requests.append(request)
      return former
    }
    try? former?.cancel("the prompt was replaced by another one")
  }

  /// Ends the topmost request.
  ///
  /// - Throws: `.notFound` if there is none.
  func pop() throws(StoreError) {
    guard let top = lock.withLock({ requests.last(where: { !$0.isEnding }) }) else {
      throw StoreError(.notFound, "there is no request for a prompt")
    }
    try top.cancel("the prompt was taken away")
  }

  func letGo(_ request: Request) {
    lock.withLock { requests.removeAll { $0 === request } }
  }

  /// How many lie beneath a request.
  func depth(of request: Request) -> Int {
    lock.withLock { requests.filter { $0 === request || !$0.isEnding }.firstIndex { $0 === request } ?? 0 }
  }

  /// Keeps what a person has said, if it is a fact.
  func keep(_ kind: String, _ answer: Value, _ subject: Value) throws(StoreError) {
    guard let kind = PromptKind.named(kind), kind.isFact else { return }
    if !isClaimed {
      try Facts.claim(store)
      isClaimed = true
    }
    let fact = Facts.record(kind, answer, subject)
    let change = try store.change(.user)
    do throws(StoreError) {
      try change.setOrigin("prompt")
      try change.set(fact.name, to: fact.value)
      try change.commit()
    } catch {
      change.discard()
      throw error
    }
  }

  // MARK: Picking

  /// - Throws: `.closed` if the store is being closed.
  func add(_ pick: Pick) throws(StoreError) {
    try lock.withLock { () throws(StoreError) in
      guard !hasEnded else { throw Self.closed }
      picks.append(pick)
    }
  }

  func letGo(_ pick: Pick) {
    lock.withLock { picks.removeAll { $0 === pick } }
  }

  /// The program's; nil for devices.
  ///
  /// - Throws: `.closed` if the store is being closed: it has no camera of the program's any more, and a device's is not asked for.
  var camera: HostCamera? {
    get throws(StoreError) {
      try lock.withLock { () throws(StoreError) in
        guard !hasEnded else { throw Self.closed }
        return hostCamera
      }
    }
  }

  /// - Throws: `.closed` if the store is being closed.
  func setCamera(_ camera: HostCamera?) throws(StoreError) {
    // What is let go of runs code of the program's: outside the lock.
    let former = try lock.withLock { () throws(StoreError) -> HostCamera? in
      guard !hasEnded else { throw Self.closed }
      defer { hostCamera = camera }
      return hostCamera
    }
    withExtendedLifetime(former) {}
  }

  /// Takes the namespace of what is known about permissions, on the loop's thread. Who may not write may look.
  func claimPermissions() throws(StoreError) {
    if arePermissionsClaimed { return }
    do throws(StoreError) { try PickerPermissions.claim(store) } catch {
      guard error.code == .readOnly else { throw error }
    }
    arePermissionsClaimed = true
  }

  // MARK: Providers

  /// - Throws: `.permission`, `.noSpace`, `.io` if others cannot be let know of it.
  func add(_ provider: Provider) throws(StoreError) {
    if folder >= 0 {
      // What a process has left that was killed before its socket had its name.
      for name in names(".prompt.").made(before: UInt64(max(0, lvw_time_us() - 60_000_000))) {
        name.withCString { lvw_folder_remove(folder, $0) }
      }
      let name = "\(Self.prefix(provider.kind))\(lvc_process()).\(lvw_time_us())"
      let listener = name.withCString { lvw_listen(folder, $0) }
      guard listener >= 0 else { throw Self.failure(-listener) }
      provider.listener = listener
      provider.socketName = name
    }
    let isTaken = lock.withLock { () -> Bool in
      if !hasEnded { providers.append(provider) }
      return !hasEnded
    }
    guard isTaken else {
      hide(provider)
      closeListener(of: provider)
      throw Self.closed
    }
    if provider.listener >= 0 { loop.post { self.listen(provider) } }
  }

  private static func failure(_ error: Int32) -> StoreError {
    let code: StoreError.Code =
      switch error {
      case EACCES, EPERM, EROFS: .permission
      case ENOSPC, EDQUOT: .noSpace
      case EMFILE, ENFILE, ENOMEM: .busy
      default: .io
      }
    return StoreError(
      code, "a socket for prompts cannot be made in the store's folder", setting: nil, systemError: error)
  }

  /// Nobody finds it any more.
  private func hide(_ provider: Provider) {
    if !provider.socketName.isEmpty { provider.socketName.withCString { lvw_folder_remove(folder, $0) } }
  }

  func withdraw(_ provider: Provider) {
    // The parent's provider is not its child's to withdraw, nor is its socket.
    guard loop.isOfThisProcess else { return }
    let isFirst = lock.withLock { () -> Bool in
      guard !provider.isLeaving, providers.contains(where: { $0 === provider }) else { return false }
      provider.isLeaving = true
      return true
    }
    guard isFirst else { return }
    hide(provider)
    // Where the loop takes nothing any more, who closes the store ends it.
    loop.post { self.end(provider, StoreError(.unavailable, "who showed the prompt is withdrawn")) }
  }

  /// On the loop's thread.
  private func end(_ provider: Provider, _ reason: StoreError) {
    if provider.isWithdrawn { return }
    provider.isWithdrawn = true
    lock.withLock { providers.removeAll { $0 === provider } }
    Provider.handles.remove(provider.handle)
    if provider.listener >= 0 { loop.forget(provider.listener) }
    closeListener(of: provider)
    for prompt in Array(provider.prompts.values) { prompt.end(reason) }
    provider.mailbox.add { provider.functions.end() }
  }

  private func closeListener(of provider: Provider) {
    guard provider.listener >= 0 else { return }
    lvw_close(provider.listener)
    provider.listener = -1
  }

  /// Lets in who comes to a provider. On the loop's thread.
  private func listen(_ provider: Provider) {
    if provider.listener >= 0 { loop.watch(provider.listener) { self.accept(provider) } }
  }

  private func accept(_ provider: Provider) {
    while true {
      let descriptor = lvw_accept(provider.listener)
      if descriptor == -EAGAIN { return }
      if descriptor < 0 {
        // Without a descriptor for who waits there, the listener stays readable: it is looked at again in a while.
        loop.forget(provider.listener)
        _ = loop.run(after: 100_000) { self.listen(provider) }
        return
      }
      // Nobody fills this process with descriptors.
      guard provider.prompts.count < 64, lvw_peer_is_trusted(descriptor) else {
        lvw_close(descriptor)
        continue
      }
      Prompt(provider, Link(loop, descriptor)).start()
    }
  }

  /// Who shows prompts of a kind: who names it before who shows any; of this handle, then of other processes; the newest first.
  ///
  /// - Throws: `.closed` if the store is being closed: nobody shows them then, and that is no reason to take a default.
  func candidates(_ kind: String) throws(StoreError) -> [Request.Candidate] {
    let (all, present) = try lock.withLock { () throws(StoreError) -> ([Provider], [Provider]) in
      guard !hasEnded else { throw Self.closed }
      return (providers, providers.filter { !$0.isLeaving })
    }
    var found: [Request.Candidate] = []
    for kind in [kind, PromptKind.any] {
      for own in present.reversed() where own.kind.sameBytes(as: kind) { found.append(.own(own)) }
      for socket in names(Self.prefix(kind)).sorted
      where !all.contains(where: { $0.socketName.sameBytes(as: socket) }) { found.append(.other(socket)) }
    }
    return found
  }

  /// What the names of the sockets begin with of those who show prompts of a kind.
  private static func prefix(_ kind: String) -> String {
    // No kind has capitals in its name.
    "prompt.\(kind.sameBytes(as: PromptKind.any) ? "ANY" : kind)."
  }

  /// The names of sockets in the store's folder that begin with a prefix.
  private func names(_ prefix: String) -> Names {
    let names = Names()
    guard folder >= 0 else { return names }
    let context = Unmanaged.passUnretained(names)
    prefix.withCString { (prefix) in
      lvw_folder_list(
        folder, prefix,
        { (name, context) in
          guard let name, let context else { return }
          Unmanaged<Names>.fromOpaque(context).takeUnretainedValue().add(String(cString: name))
        }, context.toOpaque())
    }
    return names
  }

  /// - Throws: `.unavailable` if it has ended; `.refused` if it is of another user.
  func connect(_ candidate: Request.Candidate) throws(StoreError) -> Link {
    switch candidate {
    case .own(let provider):
      let (own, other) = Link.pair(loop)
      Prompt(provider, other).start()
      return own
    case .other(let name): return Link(loop, try reach(name))
    }
  }

  private func reach(_ name: String) throws(StoreError) -> Int32 {
    let descriptor = name.withCString { lvw_connect(folder, $0) }
    guard descriptor >= 0 else {
      // What a process that was killed has left.
      if descriptor == -ECONNREFUSED { name.withCString { lvw_folder_remove(folder, $0) } }
      throw StoreError(.unavailable, "who shows prompts of this kind has ended, or cannot be reached")
    }
    guard lvw_peer_is_trusted(descriptor) else {
      lvw_close(descriptor)
      throw StoreError(.refused, "who shows prompts of this kind is another user")
    }
    return descriptor
  }

  /// Whether anybody shows prompts of a kind.
  ///
  /// - Throws: `.closed` if the store is being closed.
  func isProvided(_ kind: String) throws(StoreError) -> Bool {
    for candidate in try candidates(kind) {
      guard case .other(let name) = candidate else { return true }
      if let descriptor = try? reach(name) {
        lvw_close(descriptor)
        return true
      }
    }
    return false
  }

  /// What is told of the kinds that nobody shows.
  ///
  /// - Throws: `.closed` if the store is being closed.
  func missing() throws(StoreError) -> [Value] {
    var missing: [Value] = []
    for kind in PromptKind.all where try !isProvided(kind.name) { missing.append(kind.value) }
    return missing
  }

  // MARK: The end

  /// The store is closed: everything that is under way ends.
  fileprivate func end() {
    let (closing, requests, providers, picks, camera) = lock.withLock {
      () -> (Observation?, [Request], [Provider], [Pick], HostCamera?) in
      defer {
        self.closing = nil
        self.providers = []
        hostCamera = nil
        hasEnded = true
      }
      return (self.closing, self.requests, self.providers, self.picks, hostCamera)
    }
    closing?.cancel()
    mailbox.close()
    dispatched.close()
    for provider in providers { hide(provider) }
    @Sendable func endAll() {
      for pick in picks { pick.close() }
      for request in requests { request.handle(.closed) }
      for provider in providers { self.end(provider, Self.closed) }
    }
    if loop.isHere {
      // A camera of the program's has closed the store while it was called: nothing may be left for later.
      endAll()
      loop.end {}
    } else {
      let isOver = Gate()
      loop.end {
        endAll()
        isOver.open()
      }
      isOver.wait()
    }
    mailbox.finish()
    dispatched.finish()
    withExtendedLifetime(camera) {}
  }
}

/// Names of sockets, which end with the time at which they were made.
private final class Names {
  private var names: [(name: String, time: UInt64)] = []

  func add(_ name: String) {
    let digits = name.utf8.split(separator: UInt8(ascii: ".")).last ?? name.utf8[...]
    names.append((name, UInt64(String(decoding: Array(digits), as: UTF8.self)) ?? 0))
  }

  func made(before time: UInt64) -> [String] { names.filter { $0.time < time }.map { $0.name } }

  var sorted: [String] { names.sorted { $0.time > $1.time }.map { $0.name } }
}

/// The desks of this process, one for each handle on a store.
enum Desks {
  private static let all = PerHandle<Desk> { $0.end() }

  /// The desk of a store, which is made at its first use.
  static func find(_ store: Store) throws(StoreError) -> Desk {
    try all.find(store, make: { () throws(StoreError) in try Desk.make(store) }) {
      (desk, onEnd) throws(StoreError) in try desk.watch(onEnd: onEnd)
    }
  }
}
