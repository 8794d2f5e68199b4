import CConsole
import LiveryClient
import LiveryFleet
import LiveryHTTP
import Synchronization

/// A console that serves: the server, and what has to be looked at now and then.
final class Service {
  private let console: Console
  private let site: ConsoleSite
  private let server: Server

  /// How often the database is asked whether something has changed, in milliseconds.
  private static let beat: Int32 = 300
  /// How long a look may take of which nothing is known, in milliseconds.
  private static let quickLook: Int64 = 1000

  /// - Parameters:
  ///   - listen: an address of numbers and a port.
  ///   - hosts: names under which it may be asked, besides that of the fleet's URL.
  ///   - isBehindProxy: whether a web server in front says for whom it asks.
  convenience init(_ console: Console, listen: String, hosts: [String], isBehindProxy: Bool) throws(Refusal) {
    console.hints = try Hints.make(console.place, serves: true)
    let served = Served()
    let site = try ConsoleSite(console) { (guest) in served.server?.hangUp { $0 === guest } }
    var options = Server.Options()
    options.listen = listen
    options.methods = [.post, .put, .patch, .delete]
    options.limits.connections = 1024
    options.limits.connectionsPerAddress = 1024
    options.hosts = hosts
    // A web server in front is asked at the usual ports, which browsers leave out.
    for name in hosts {
      guard let authority = Authority(Array(name.utf8)[...]), authority.port == nil else { continue }
      options.hosts += ["\(authority.host):80", "\(authority.host):443"]
    }
    options.isBehindProxy = isBehindProxy
    if let url = console.place.url {
      options.isSecure = url.utf8.starts(with: "https://".utf8)
      options.hosts.append(try Service.name(of: url))
    }
    if console.published?.isFar == true { console.uploads = try Uploads(console) }
    // What was committed before the console ended is published first; what stands in the way is told, and tried again.
    try? console.publishFiles()
    let server: Server
    do throws(StoreError) { server = try Server.start(options, site: site) } catch {
      throw Refusal(.invalid, error.message)
    }
    served.server = server
    self.init(console, site, server)
  }

  /// The host and the port of the fleet's address: those that devices and browsers ask for.
  static func name(of url: String) throws(Refusal) -> String {
    guard let authority = Authority(ofURL: Array(url.utf8)[...]), let port = authority.port else {
      throw Refusal(.invalid, "\(url): the fleet's address is https://HOST or https://HOST:PORT")
    }
    return "\(authority.host):\(port)"
  }

  private init(_ console: Console, _ site: ConsoleSite, _ server: Server) {
    self.console = console
    self.site = site
    self.server = server
  }

  /// The server, for what is made before it.
  private final class Served: @unchecked Sendable {
    private let lock = Lock()
    // Guarded by `lock`.
    private var started: Server?

    var server: Server? {
      get { lock.withLock { started } }
      set { lock.withLock { started = newValue } }
    }
  }

  var address: String { server.address }

  /// What is done again and again; what goes wrong with it is told once.
  private struct Chore {
    private var problem = ""

    /// - Returns: whether it was done.
    @discardableResult
    mutating func attempt(_ body: () throws(Refusal) -> Void) -> Bool {
      do throws(Refusal) { try body() } catch {
        if !problem.sameBytes(as: error.whole) { Output.complain(error.whole) }
        problem = error.whole
        return false
      }
      problem = ""
      return true
    }
  }

  /// Goes on until the program is told to stop.
  func run() {
    let console = console
    var known = console.generation
    var beats = 0
    var nextLook: Int64 = 0
    var lastLook: Int64 = 0
    // Each by itself: a folder that is full neither lets a bad rollout go on nor manifests come to their end.
    var (asking, publishing, looking, signing, listening) = (Chore(), Chore(), Chore(), Chore(), Chore())
    var (keys, hints) = (Chore(), Chore())
    while !lvo_wait(Service.beat) {
      beats += 1
      let isThere = asking.attempt { () throws(Refusal) in
        let stored = UInt64(clamping: try console.stored())
        if stored != console.generation { console.latest.store(stored, ordering: .relaxed) }
      }
      console.uploads?.expire()
      // Without the database nothing of the rest can be done.
      guard isThere else { continue }
      publishing.attempt { () throws(Refusal) in try console.publishFiles() }
      console.uploads?.keep()
      // A second or so; of a large fleet as rarely as it takes to leave nine tenths of the time to others.
      if beats % 4 == 0, Clock.now >= nextLook {
        let begun = Clock.now
        // What could not be looked at tells nothing of how long it takes.
        if looking.attempt({ () throws(Refusal) in try console.look() }) {
          // One that had to wait for somebody else is no measure of how long they take.
          let took = Clock.now - begun
          nextLook = Clock.now + 9 * min(took, max(lastLook, Service.quickLook))
          lastLook = took
        }
      }
      if beats % 200 == 1 { signing.attempt { () throws(Refusal) in try console.refresh() } }
      // What is no failure of anything that is done now, and will be.
      if beats % 200 == 1 {
        keys.attempt { () throws(Refusal) in
          if let problem = try console.keysProblem() { throw Refusal(.busy, problem) }
        }
      }
      if beats % 20 == 10 {
        hints.attempt { () throws(Refusal) in
          try console.noteBroker()
          if let problem = console.hints?.problem { throw Refusal(.busy, problem) }
        }
      }
      // Whoever was signed out elsewhere, has another password, or has not come for long.
      if beats % 40 == 2 { listening.attempt { () throws(Refusal) in try hangUp() } }
      if console.generation != known {
        known = console.generation
        server.send(site.pages.news)
      }
    }
    server.stop()
    console.hints?.flush(1000)
    try? console.forgetBroker()
  }

  /// Ends the streams of those who are signed in no more.
  private func hangUp() throws(Refusal) {
    let guests = server.listeners.compactMap { $0 as? SignedIn }
    guard !guests.isEmpty else { return }
    let sessions = try console.sessions()
    let gone = guests.filter { (guest) in
      let hash = Crypto.hash(Array(guest.cookie.utf8))
      return !sessions.contains { $0 == hash }
    }
    guard !gone.isEmpty else { return }
    server.hangUp { (visitor) in gone.contains { $0 === visitor } }
  }
}
