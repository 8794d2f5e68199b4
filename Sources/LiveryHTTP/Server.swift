import CHTTP
import LiveryClient
import Synchronization

/// A server of HTTP: it looks at every request, refuses what no browser and no program of ours would send, and has a site answer
/// the rest.
///
/// Requests are answered one after the other, on the server's thread. A second thread sleeps until something has taken too
/// long. Both sleep while there is nothing to do.
package final class Server: @unchecked Sendable {
  package struct Options: Sendable {
    /// An address of numbers and a port, which is one that is free if it is 0.
    package var listen = "127.0.0.1:0"
    /// The path of a socket to listen at instead.
    package var unixSocket: String?
    /// Under which names browsers may ask besides the address.
    package var hosts: [String] = []
    /// Why others than this device must not reach it; nil if they may.
    package var confinement: String?
    /// Browsers reach it by https alone, through a web server in front: cookies travel no other way.
    package var isSecure = false
    /// A web server in front says for whom it asks: the last address of X-Forwarded-For is the one that counts.
    package var isBehindProxy = false
    /// Which methods there are beside GET and HEAD.
    package var methods: [Head.Method] = [.post]
    package var limits = Limits()

    package init() {}
  }

  package struct Limits: Sendable {
    package var connections = 256
    package var connectionsPerAddress = 192
    package var streams = 128
    /// What bodies that come at the same time may take together.
    package var bodies = 128 << 20
    /// A body that is larger is asked for memory first.
    package var usualBody = 1 << 20

    package init() {}
  }

  /// The longest request without a body, and what libmicrohttpd takes for each connection.
  static let memoryPerConnection = 32 << 10
  static let longestTarget = 4096
  /// How long requests under way are waited for when the server stops, in milliseconds.
  static let farewell: Int64 = 5000

  let options: Options
  /// Whether browsers come by https alone.
  let isSecure: Bool
  let site: any Site
  let hosts: Hosts
  /// 0 for a socket without one.
  package let port: Int
  /// "http://127.0.0.1:41234".
  package let address: String
  /// Browsers keep cookies by host, whatever the port.
  let cookieName: String

  private let poller: OpaquePointer
  private let hasStopped = Atomic<Bool>(false)
  private let lock = Lock()
  // Guarded by `lock`.
  private var connections: [Connection] = []
  private var streams: [EventStream] = []
  private var deferred: [DeferredAnswer] = []
  private var nextStream: UInt64 = 1
  private var bodies = 0
  /// Requests of which all has come, and whose answer is not on its way yet.
  private var underWay = 0
  /// Until when the second thread sleeps.
  private var sleepsUntil = Int64.max
  private var isStopping = false
  /// Nothing may wait for its answer any more.
  private var answersAtOnce = false
  /// Somebody sees to its end; on which thread, once that has begun.
  private var isFinishing = false
  private var finisherThread: UInt = 0
  private var daemon: OpaquePointer?
  private var keeper: OpaquePointer?
  private var serverThread: UInt = 0
  private var keeperThread: UInt = 0

  private init(_ options: Options, _ site: any Site, _ listener: Listener, _ hosts: Hosts, _ poller: OpaquePointer) {
    self.options = options
    self.site = site
    self.hosts = hosts
    self.poller = poller
    port = listener.port
    address = listener.address
    let name = listener.port == 0 ? "livery" : "livery-\(listener.port)"
    // What it is to be found at says so, too.
    isSecure = options.isSecure || listener.address.utf8.starts(with: "https://".utf8)
    cookieName = isSecure ? "__Host-\(name)" : name
  }

  deinit { lvh_poller_free(poller) }

  /// Starts to serve; `stop` has to come.
  ///
  /// - Throws: `.busy`, `.io`, `.permission`; `.invalidArgument` for an option that is malformed, or an address that others
  ///   reach though they must not.
  package static func start(_ options: Options, site: any Site) throws(StoreError) -> Server {
    guard lvh_crypto_begin() else { throw StoreError(.io, "there are no random numbers") }
    let listener = try Listener(options)
    guard let hosts = Hosts(options.hosts, port: listener.port == 0 ? nil : listener.port) else {
      listener.close()
      throw StoreError(.invalidArgument, "a name of `hosts` is malformed: it is host or host:port")
    }
    guard let poller = lvh_poller_make() else {
      listener.close()
      throw StoreError(.io, "the system has no descriptor left")
    }
    let server = Server(options, site, listener, hosts, poller)
    guard server.begin(listener) else { throw StoreError(.busy, "no thread can be had") }
    return server
  }

  private func begin(_ listener: Listener) -> Bool {
    var handlers = Server.handlers
    // Both threads end in `stop`, which its caller has a reference for.
    let own = Unmanaged.passUnretained(self).toOpaque()
    // What is too much is turned away by `accepts`.
    var limits = lvh_limits(
      connections: UInt32(clamping: options.limits.connections + 64),
      per_address: UInt32(clamping: options.limits.connectionsPerAddress), memory: UInt32(Server.memoryPerConnection))
    lock.withLock {
      daemon = lvh_server_start(listener.descriptor, &handlers, own, &limits)
      if daemon != nil {
        keeper = lvh_thread_start(
          { server in
            if let server { Unmanaged<Server>.fromOpaque(server).takeUnretainedValue().keep() }
          }, own, false)
      }
    }
    let started = lock.withLock { (daemon, keeper) }
    if started.1 != nil { return true }
    listener.remove()
    if let daemon = started.0 { lvh_server_stop(daemon) } else { lvh_close(listener.descriptor) }
    return false
  }

  /// Stops, once requests under way are answered. Twice is fine.
  ///
  /// - Parameter then: called once it has stopped, before whoever waits for that goes on; not if somebody else stops it. On one
  ///   of the server's own threads that is after this has returned.
  /// - Returns: false if no thread can be had that stops it: it refuses everything, until this is called once more.
  @discardableResult
  package func stop(then: @escaping @Sendable () -> Void = {}) -> Bool {
    let (isOwn, isTold) = lock.withLock { () -> (Bool, Bool) in
      isStopping = true
      let thread = lvh_thread_self()
      return (thread == serverThread || thread == keeperThread, thread == finisherThread)
    }
    // Whoever is told of the end may stop it again.
    if isTold { return true }
    if !isOwn {
      // Who was to see to it may not be able to.
      while !hasStopped.load(ordering: .acquiring) { if takeFinish() { finish(then) } else { lvh_sleep(2) } }
    } else if takeFinish() {
      let own = Unmanaged.passRetained(Farewell(self, then))
      let thread = lvh_thread_start(
        { farewell in
          guard let farewell else { return }
          let last = Unmanaged<Farewell>.fromOpaque(farewell).takeRetainedValue()
          last.server.finish(last.then)
        }, own.toOpaque(), true)
      guard thread == nil else { return true }
      own.release()
      lock.withLock { isFinishing = false }
      return false
    }
    return true
  }

  /// Whether the caller is to see to the end.
  private func takeFinish() -> Bool {
    lock.withLock {
      defer { isFinishing = true }
      return !isFinishing
    }
  }

  /// What a thread of its own is given.
  private final class Farewell {
    let server: Server
    let then: @Sendable () -> Void

    init(_ server: Server, _ then: @escaping @Sendable () -> Void) {
      self.server = server
      self.then = then
    }
  }

  private func finish(_ then: @Sendable () -> Void) {
    let (daemon, keeper) = lock.withLock { () -> (OpaquePointer?, OpaquePointer?) in
      finisherThread = lvh_thread_self()
      return (self.daemon, self.keeper)
    }
    if let path = options.unixSocket { lvh_remove_socket(path) }
    for stream in lock.withLock({ streams }) { stream.finish() }
    let end = lvh_now() + Server.farewell
    while lock.withLock({ underWay > 0 || !streams.isEmpty }), lvh_now() < end { lvh_sleep(2) }
    // Whoever still waits is told to come again, for nothing may wait when it ends.
    let waiting = lock.withLock { () -> [DeferredAnswer] in
      answersAtOnce = true
      return deferred
    }
    for answer in waiting { answer.put(Server.comeAgain) }
    if let daemon { lvh_server_stop(daemon) }
    lvh_poller_wake(poller)
    if let keeper { lvh_thread_join(keeper) }
    then()
    // Another thread may have its number later.
    lock.withLock { finisherThread = 0 }
    hasStopped.store(true, ordering: .releasing)
  }

  /// What is answered in place of what would take longer than the server is there.
  private static let comeAgain = Response(status: 503, headers: [("Retry-After", "1")])

  /// Tells an event to every stream of those visitors: the lines of text/event-stream, with the empty one at the end.
  package func send(_ event: [UInt8], to isMeant: (any Visitor) -> Bool = { _ in true }) {
    for stream in lock.withLock({ streams }) where isMeant(stream.visitor) { stream.send(event) }
  }

  /// Who hears events, once for each stream.
  package var listeners: [any Visitor] { lock.withLock { streams.map { $0.visitor } } }

  /// Ends the streams of those visitors.
  package func hangUp(_ isMeant: (any Visitor) -> Bool) {
    for stream in lock.withLock({ streams }) where isMeant(stream.visitor) { stream.finish() }
  }
}

// What goes on, and for how long.
extension Server {
  var isFull: Bool { lock.withLock { isStopping || connections.count >= options.limits.connections } }

  var isAnswering: Bool { lock.withLock { !isStopping } }

  func add(_ connection: Connection) {
    lock.withLock {
      connections.append(connection)
      serverThread = lvh_thread_self()
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

  /// Has `keep` of the site called by then.
  package func look(by deadline: Int64) { lock.withLock { sleep(until: deadline) } }

  /// Call it with the lock held.
  private func sleep(until deadline: Int64) {
    guard deadline < sleepsUntil else { return }
    sleepsUntil = deadline
    lvh_poller_wake(poller)
  }

  func release(_ visitor: any Visitor) {
    let next = site.release(visitor)
    lock.withLock { sleep(until: next) }
  }

  /// Takes room for a body; false if there is none.
  func reserve(_ count: Int) -> Bool {
    lock.withLock {
      guard bodies + count <= options.limits.bodies else { return false }
      bodies += count
      return true
    }
  }

  func giveBack(_ count: Int) { lock.withLock { bodies -= count } }

  func noteUnderWay(_ change: Int) { lock.withLock { underWay += change } }

  /// A stream of events on a connection; nil if there are too many.
  func makeStream(_ visitor: any Visitor, _ connection: Connection, _ exchange: OpaquePointer) -> EventStream? {
    let stream = lock.withLock { () -> EventStream? in
      guard streams.count < options.limits.streams, !isStopping else { return nil }
      let stream = EventStream(nextStream, visitor, connection, exchange)
      nextStream += 1
      streams.append(stream)
      return stream
    }
    guard let stream else { return nil }
    guard lvh_poller_watch(poller, connection.descriptor, stream.number) else {
      remove(stream)
      return nil
    }
    site.listenersChanged()
    return stream
  }

  func remove(_ stream: EventStream) {
    stream.detach()
    lock.withLock { streams.removeAll { $0 === stream } }
    site.listenersChanged()
  }

  /// Keeps an answer that is waited for; false if nothing may wait any more: it has its answer then.
  func add(_ answer: DeferredAnswer) -> Bool {
    let mayWait = lock.withLock { () -> Bool in
      if !answersAtOnce { deferred.append(answer) }
      return !answersAtOnce
    }
    if !mayWait { answer.put(Server.comeAgain) }
    return mayWait
  }

  func remove(_ answer: DeferredAnswer) { lock.withLock { deferred.removeAll { $0 === answer } } }

  /// The second thread.
  private func keep() {
    var numbers = [UInt64](repeating: 0, count: 32)
    lock.withLock { keeperThread = lvh_thread_self() }
    while true {
      let now = lvh_now()
      // What becomes due while the site looks may be too late for it to see: that wakes this thread.
      lock.withLock { sleepsUntil = .max }
      let next = site.keep(at: now)
      let end = lock.withLock { () -> Int64? in
        if isStopping { return nil }
        var end = next
        for connection in connections where !connection.isCut {
          if connection.deadline <= now {
            // Its end is noticed by the server's thread. The descriptor is open as long as the connection is here.
            connection.isCut = true
            lvh_cut(connection.descriptor)
          } else {
            end = min(end, connection.deadline)
          }
        }
        sleepsUntil = end
        return end
      }
      guard let end else { break }
      let count = lvh_poller_wait(poller, end == .max ? -1 : end - now, &numbers, Int32(numbers.count))
      if count > 0 { hangUp(numbers.prefix(Int(count))) }
    }
  }

  /// The other side of these streams is gone.
  private func hangUp(_ numbers: ArraySlice<UInt64>) {
    for stream in lock.withLock({ streams }) where numbers.contains(stream.number) { stream.finish() }
  }
}
