import CPage
import LiveryClient
import Synchronization

/// A server of HTTP for a few browsers: it looks at every request, answers what belongs to the gate by itself, and has the rest
/// answered.
///
/// Requests are answered one after the other, on the server's thread. A second thread sleeps until something has taken too
/// long. Both sleep while there is nothing to do.
final class Server: @unchecked Sendable {
  struct Options: Sendable {
    /// An address of numbers and a port, which is one that is free if it is 0.
    var listen = "127.0.0.1:0"
    /// The path of a socket to listen at instead.
    var unixSocket: String?
    /// Under which names browsers may ask besides the address.
    var hosts: [String] = []
    /// After how many seconds without a sign of life a session ends.
    var idle = 300
    /// What is answered without a session, too: what notices need, such as a style.
    var open: [String] = []
    /// Draws what the server itself has to say, with the header Accept-Language.
    var draw: @Sendable (Notice, _ languages: String) -> [UInt8] = { _, _ in [] }
    /// Called when a stream begins, before its first event is asked for, and when one is over.
    var listenersChanged: @Sendable () -> Void = {}
  }

  static let mostConnections = 256
  static let mostConnectionsPerAddress = 192
  static let mostStreams = 128
  /// The longest request without a body, and what libmicrohttpd takes for each connection.
  static let memoryPerConnection = 32 << 10
  static let longestTarget = 4096
  static let longestBody = 1 << 20
  static let longestUpload = 64 << 20
  /// Of a body before there is a session.
  static let longestPIN = 1 << 10
  /// What bodies that come at the same time may take together.
  static let mostBodies = 128 << 20
  /// How long requests under way are waited for when the server stops, in milliseconds.
  static let farewell: Int64 = 5000

  let options: Options
  let gate: Gate
  let hosts: Hosts
  let sessions: Sessions
  /// 0 for a socket without one.
  let port: Int
  /// "http://127.0.0.1:41234".
  let address: String
  /// Browsers keep cookies by host, whatever the port.
  let cookieName: String
  let answer: @Sendable (Request) -> Response
  private let ended: @Sendable (Session, SessionEnd) -> Void

  private let poller: OpaquePointer
  private let hasStopped = Atomic<Bool>(false)
  private let lock = Lock()
  // Guarded by `lock`.
  private var connections: [Connection] = []
  private var streams: [EventStream] = []
  private var nextStream: UInt64 = 1
  private var bodies = 0
  /// Requests of which all has come, and whose answer is not on its way yet.
  private var underWay = 0
  /// Until when the second thread sleeps.
  private var sleepsUntil = Int64.max
  private var isStopping = false
  private var daemon: OpaquePointer?
  private var keeper: OpaquePointer?
  private var serverThread: UInt = 0
  private var keeperThread: UInt = 0

  private init(
    _ options: Options, _ gate: Gate, _ listener: Listener, _ hosts: Hosts, _ poller: OpaquePointer,
    _ answer: @escaping @Sendable (Request) -> Response, _ ended: @escaping @Sendable (Session, SessionEnd) -> Void
  ) {
    self.options = options
    self.gate = gate
    self.hosts = hosts
    self.answer = answer
    self.ended = ended
    self.poller = poller
    sessions = Sessions(idle: options.idle)
    port = listener.port
    address = listener.address
    cookieName = listener.port == 0 ? "livery" : "livery-\(listener.port)"
  }

  deinit { lvp_poller_free(poller) }

  /// An address that opens one session.
  func makeLink() -> String { "\(address)/open/\(gate.makeToken())" }

  /// Starts to serve; `stop` has to come.
  ///
  /// - Parameters:
  ///   - answer: called for each request that has passed, on the server's thread.
  ///   - ended: called once for each session, on any thread; without waiting for anything of the server.
  /// - Throws: `.busy`, `.io`, `.permission`; `.invalidArgument` for an option that is malformed, or an address that others
  ///   reach without a PIN.
  static func start(
    _ options: Options, gate: Gate, answer: @escaping @Sendable (Request) -> Response,
    ended: @escaping @Sendable (Session, SessionEnd) -> Void
  ) throws(StoreError) -> Server {
    guard lvp_crypto_begin() else { throw StoreError(.io, "there are no random numbers") }
    let listener = try Listener(options, asksPIN: gate.asksPIN)
    guard let hosts = Hosts(options.hosts, port: listener.port == 0 ? nil : listener.port) else {
      listener.close()
      throw StoreError(.invalidArgument, "a name of `hosts` is malformed: it is host or host:port")
    }
    guard let poller = lvp_poller_make() else {
      listener.close()
      throw StoreError(.io, "the system has no descriptor left")
    }
    let server = Server(options, gate, listener, hosts, poller, answer, ended)
    guard server.begin(listener) else { throw StoreError(.busy, "no thread can be had") }
    return server
  }

  private func begin(_ listener: Listener) -> Bool {
    var handlers = Server.handlers
    // Both threads end in `stop`, which its caller has a reference for.
    let own = Unmanaged.passUnretained(self).toOpaque()
    lock.withLock {
      daemon = lvp_server_start(
        listener.descriptor, &handlers, own, UInt32(Server.mostConnectionsPerAddress),
        UInt32(Server.memoryPerConnection))
      if daemon != nil {
        keeper = lvp_thread_start(
          { server in
            if let server { Unmanaged<Server>.fromOpaque(server).takeUnretainedValue().keep() }
          }, own, false)
      }
    }
    let started = lock.withLock { (daemon, keeper) }
    if started.1 != nil { return true }
    listener.remove()
    if let daemon = started.0 { lvp_server_stop(daemon) } else { lvp_close(listener.descriptor) }
    return false
  }

  /// Stops: requests under way are answered, then sessions end. Twice is fine. On one of the server's own threads it does not
  /// wait until that is so.
  func stop() {
    let (isFirst, isOwn) = lock.withLock { () -> (Bool, Bool) in
      let isFirst = !isStopping
      isStopping = true
      let thread = lvp_thread_self()
      return (isFirst, thread == serverThread || thread == keeperThread)
    }
    if !isOwn {
      if isFirst { finish() }
      while !hasStopped.load(ordering: .acquiring) { lvp_sleep(2) }
    } else if isFirst {
      let own = Unmanaged.passRetained(self)
      let thread = lvp_thread_start(
        { server in
          if let server { Unmanaged<Server>.fromOpaque(server).takeRetainedValue().finish() }
        }, own.toOpaque(), true)
      // Without a thread it goes on to listen, and refuses everything.
      if thread == nil { own.release() }
    }
  }

  private func finish() {
    let (daemon, keeper) = lock.withLock { (self.daemon, self.keeper) }
    if let path = options.unixSocket { lvp_remove_socket(path) }
    for stream in lock.withLock({ streams }) { stream.finish() }
    let end = lvp_now() + Server.farewell
    while lock.withLock({ underWay > 0 || !streams.isEmpty }), lvp_now() < end { lvp_sleep(2) }
    if let daemon { lvp_server_stop(daemon) }
    lvp_poller_wake(poller)
    if let keeper { lvp_thread_join(keeper) }
    // Whoever is told may stop it again.
    hasStopped.store(true, ordering: .releasing)
    for session in sessions.endAll() { ended(session, .stopped) }
  }

  /// Tells an event to every stream of those sessions: the lines of text/event-stream, with the empty one at the end.
  func send(_ event: [UInt8], to isMeant: (Session) -> Bool = { _ in true }) {
    for stream in lock.withLock({ streams }) where isMeant(stream.session) { stream.send(event) }
  }

  /// The sessions that hear events, one for each stream.
  var listeners: [Session] { lock.withLock { streams.map { $0.session } } }

  /// Ends a session and its streams.
  func end(_ session: Session, _ reason: SessionEnd) {
    guard sessions.end(session) else { return }
    for stream in lock.withLock({ streams }) where stream.session === session { stream.finish() }
    ended(session, reason)
  }
}

// What goes on, and for how long.
extension Server {
  var isFull: Bool { lock.withLock { isStopping || connections.count >= Server.mostConnections } }

  var isAnswering: Bool { lock.withLock { !isStopping } }

  func add(_ connection: Connection) {
    lock.withLock {
      connections.append(connection)
      serverThread = lvp_thread_self()
      sleep(until: connection.deadline)
    }
  }

  func remove(_ connection: Connection) {
    lock.withLock { connections.removeAll { $0 === connection } }
  }

  func setDeadline(_ connection: Connection, _ deadline: Int64) {
    lock.withLock {
      connection.deadline = deadline
      sleep(until: deadline)
    }
  }

  /// Call it with the lock held.
  private func sleep(until deadline: Int64) {
    guard deadline < sleepsUntil else { return }
    sleepsUntil = deadline
    lvp_poller_wake(poller)
  }

  func release(_ session: Session) {
    let next = sessions.release(session)
    lock.withLock { sleep(until: next) }
  }

  /// Takes room for a body; false if there is none.
  func reserve(_ count: Int) -> Bool {
    lock.withLock {
      guard bodies + count <= Server.mostBodies else { return false }
      bodies += count
      return true
    }
  }

  func giveBack(_ count: Int) { lock.withLock { bodies -= count } }

  func noteUnderWay(_ change: Int) { lock.withLock { underWay += change } }

  /// A stream of events on a connection; nil if there are too many.
  func makeStream(_ session: Session, _ connection: Connection, _ exchange: OpaquePointer) -> EventStream? {
    let stream = lock.withLock { () -> EventStream? in
      guard streams.count < Server.mostStreams, !isStopping else { return nil }
      let stream = EventStream(nextStream, session, connection, exchange)
      nextStream += 1
      streams.append(stream)
      return stream
    }
    guard let stream else { return nil }
    guard lvp_poller_watch(poller, connection.descriptor, stream.number) else {
      remove(stream)
      return nil
    }
    options.listenersChanged()
    return stream
  }

  func remove(_ stream: EventStream) {
    stream.detach()
    lock.withLock { streams.removeAll { $0 === stream } }
    options.listenersChanged()
  }

  /// The second thread.
  private func keep() {
    var numbers = [UInt64](repeating: 0, count: 32)
    lock.withLock { keeperThread = lvp_thread_self() }
    while true {
      let now = lvp_now()
      let (idle, next) = sessions.endIdle(at: now)
      for session in idle { ended(session, .idle) }
      let end = lock.withLock { () -> Int64? in
        if isStopping { return nil }
        var end = next
        for connection in connections where !connection.isCut {
          if connection.deadline <= now {
            // Its end is noticed by the server's thread. The descriptor is open as long as the connection is here.
            connection.isCut = true
            lvp_cut(connection.descriptor)
          } else {
            end = min(end, connection.deadline)
          }
        }
        sleepsUntil = end
        return end
      }
      guard let end else { break }
      let count = lvp_poller_wait(poller, end == .max ? -1 : end - now, &numbers, Int32(numbers.count))
      if count > 0 { hangUp(numbers.prefix(Int(count))) }
    }
  }

  /// The other side of these streams is gone.
  private func hangUp(_ numbers: ArraySlice<UInt64>) {
    for stream in lock.withLock({ streams }) where numbers.contains(stream.number) { stream.finish() }
  }
}
