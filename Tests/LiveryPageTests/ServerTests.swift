import CHTTP
import Glibc
import LiveryClient
import Synchronization
import Testing

@testable import LiveryHTTP

/// A server whose site is the test's, and what is said to it byte by byte.
@Suite struct ServerTests {
  private struct NoAnswer: Error {}

  private final class Plain: Site {
    let hasBegun = Atomic<Bool>(false)
    let goesOn = Atomic<Bool>(true)

    func admit(_ head: Head, _ target: Target, cookies: [ArraySlice<UInt8>]) -> Admission {
      hasBegun.store(true, ordering: .releasing)
      while !goesOn.load(ordering: .acquiring) { lvh_sleep(2) }
      var admission = Admission(nil, longestBody: 32 << 10)
      admission.isForm = false
      admission.needsToken = false
      return admission
    }

    func answer(_ request: Request) -> Response {
      var response = Response(type: "text/plain", body: Array("a".utf8), version: "1")
      if request.path == "/never" { response.later = { _ in } }
      if request.path == "/later" { response.later = { $0(Response(type: "text/plain", body: Array("late".utf8))) } }
      return response
    }

    func refuse(_ status: Int, _ head: Head) -> Response {
      Response(status: status, headers: status == 503 ? [(name: "Retry-After", value: "7")] : [])
    }
  }

  private final class Stopping: Sendable {
    let server: Server
    let isTelling = Atomic<Bool>(false)
    let hasTold = Atomic<Bool>(false)

    init(_ server: Server) { self.server = server }
  }

  /// A server at a path in a folder of its own.
  private func start(_ site: Plain, bodies: Int = 1 << 20) throws -> (Server, path: String) {
    var template = Array("/tmp/livery-server-XXXXXX".utf8CString)
    let folder = try template.withUnsafeMutableBufferPointer { place -> String in
      guard let made = place.baseAddress.flatMap({ mkdtemp($0) }) else { throw NoAnswer() }
      return String(cString: made)
    }
    var options = Server.Options()
    options.unixSocket = folder + "/socket"
    options.hosts = ["localhost"]
    options.methods = [.post, .put]
    options.limits.bodies = bodies
    return (try Server.start(options, site: site), folder + "/socket")
  }

  private func connect(_ path: String) throws -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { (place) in place.copyBytes(from: path.utf8) }
    let file = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    let status = withUnsafePointer(to: address) { (pointer) in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(file, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard status == 0 else { throw NoAnswer() }
    return file
  }

  private func send(_ file: Int32, _ text: String) {
    var bytes = Array(text.utf8)
    #expect(Glibc.send(file, &bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
  }

  /// What comes until the other side closes.
  private func rest(_ file: Int32) -> String {
    var all: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = recv(file, &part, part.count, 0)
      if count <= 0 { break }
      all += part[..<count]
    }
    close(file)
    return String(decoding: all, as: UTF8.self)
  }

  private func ask(_ path: String, _ line: String, _ fields: String = "", size: Int = 1) throws -> String {
    let file = try connect(path)
    let isRead = line.hasPrefix("GET")
    let length = isRead ? "" : "Content-Length: \(size)\r\n"
    let body = isRead ? "" : String(repeating: "x", count: size)
    send(file, "\(line) HTTP/1.1\r\nHost: localhost\r\n\(length)\(fields)Connection: close\r\n\r\n\(body)")
    return rest(file)
  }

  @Test func whatIsKnownIsNotSentAgainAndWhatChangesIsAnswered() throws {
    let (server, path) = try start(Plain())
    defer { server.stop() }
    #expect(try ask(path, "GET /").hasPrefix("HTTP/1.1 200"))
    #expect(try ask(path, "GET /", "If-None-Match: \"1\"\r\n").hasPrefix("HTTP/1.1 304"))
    #expect(try ask(path, "PUT /", "If-None-Match: *\r\n").hasPrefix("HTTP/1.1 200"))
    #expect(try ask(path, "POST /", "If-None-Match: \"1\"\r\n").hasPrefix("HTTP/1.1 200"))
    #expect(try ask(path, "POST /later").hasSuffix("late"))
  }

  @Test func whatTheSiteSaysOfWhenToComeAgainIsSaidOnce() throws {
    let (server, path) = try start(Plain(), bodies: 0)
    defer { server.stop() }
    // For what is small there is room all the same.
    #expect(try ask(path, "POST /").hasPrefix("HTTP/1.1 200"))
    let refused = try ask(path, "POST /", size: 20_000)
    #expect(refused.hasPrefix("HTTP/1.1 503"))
    #expect(refused.contains("Retry-After: 7\r\n"))
    #expect(!refused.contains("Retry-After: 1\r\n"))
  }

  @Test func aRequestThatCompletesWhileTheServerStopsDoesNotWait() throws {
    for _ in 0..<3 {
      let site = Plain()
      let (server, path) = try start(site)
      site.goesOn.store(false, ordering: .releasing)
      let file = try connect(path)
      send(file, "POST /never HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx")
      while !site.hasBegun.load(ordering: .acquiring) { lvh_sleep(2) }
      let stopper = lvh_thread_start(
        { server in
          if let server { Unmanaged<Server>.fromOpaque(server).takeUnretainedValue().stop() }
        }, Unmanaged.passUnretained(server).toOpaque(), false)
      // The socket goes before the answers that are waited for are ended.
      while access(path, F_OK) == 0 { lvh_sleep(2) }
      lvh_sleep(50)
      site.goesOn.store(true, ordering: .releasing)
      _ = rest(file)
      if let stopper { lvh_thread_join(stopper) }
    }
  }

  @Test func whoStopsItTwiceGoesOnOnceAllAreTold() throws {
    let (server, _) = try start(Plain())
    let told = Atomic<Int>(0)
    server.stop {
      // Whoever is told may stop it again.
      server.stop()
      told.add(1, ordering: .relaxed)
    }
    server.stop { told.add(1, ordering: .relaxed) }
    let count = told.load(ordering: .relaxed)
    #expect(count == 1)
  }

  @Test func whoWaitsForTheEndGoesOnOnceAllAreTold() throws {
    let stopping = Stopping(try start(Plain()).0)
    let stopper = lvh_thread_start(
      { stopping in
        guard let stopping else { return }
        let own = Unmanaged<Stopping>.fromOpaque(stopping).takeUnretainedValue()
        own.server.stop {
          own.isTelling.store(true, ordering: .releasing)
          lvh_sleep(50)
          own.hasTold.store(true, ordering: .releasing)
        }
      }, Unmanaged.passUnretained(stopping).toOpaque(), false)
    while !stopping.isTelling.load(ordering: .acquiring) { lvh_sleep(2) }
    stopping.server.stop()
    let hasTold = stopping.hasTold.load(ordering: .acquiring)
    #expect(hasTold)
    if let stopper { lvh_thread_join(stopper) }
  }

  @Test func aSocketThatNobodyListensAtIsReplacedAndNothingElse() throws {
    let (server, path) = try start(Plain())
    #expect(lvh_listen_at_path(path) == -EADDRINUSE)
    server.stop()
    let first = lvh_listen_at_path(path)
    #expect(first >= 0)
    // As a process leaves it behind that is killed.
    lvh_close(first)
    let second = lvh_listen_at_path(path)
    #expect(second >= 0)
    #expect(lvh_listen_at_path(path) == -EADDRINUSE)
    var facts = stat()
    #expect(stat(path, &facts) == 0 && facts.st_mode & 0o777 == 0o600)
    lvh_close(second)
    unlink(path)
    close(open(path, O_CREAT | O_WRONLY, 0o600))
    #expect(lvh_listen_at_path(path) == -EEXIST)
    #expect(lvh_listen_at_path("/nonexistent/socket") == -ENOENT)
    unlink(path)
  }
}
