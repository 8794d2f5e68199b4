import CHTTP
import LiveryClient

/// A request from its head to the end of its answer, on the server's thread.
final class Exchange {
  private let server: Server
  private let connection: Connection
  private let handle: OpaquePointer
  private let head: Head
  private var target: Target?
  private var admission = Admission()
  private var stream: EventStream?
  private var body: [UInt8] = []
  /// How many bytes the body is going to have.
  private var length = 0
  /// Room that was taken for what has come of it.
  private var reserved = 0
  private var hasRoom = true
  /// A body for which there always is room, and how much is taken at a time for others.
  private static let smallBody = 16 << 10
  private static let step = 1 << 20
  private var isUnderWay = false
  private var isRefused = false
  /// What the answer comes by, if it comes later.
  private var deferred: DeferredAnswer?

  init(_ server: Server, _ connection: Connection, _ handle: OpaquePointer) {
    self.server = server
    self.connection = connection
    self.handle = handle
    var head = Head(of: handle)
    if !server.options.isBehindProxy || !head.takeForwarded() { head.address = connection.remote }
    self.head = head
  }

  /// The head has come: answers if that is enough.
  func begin() {
    if let status = problem() { return refuse(status) }
    guard let target else { return }
    admission = server.site.admit(head, target, cookies: head.cookies(named: server.cookieName))
    // Who takes no forms says of each resource what it has.
    if head.method == .other, admission.isForm { return refuse(405) }
    guard let length = head.length, length > 0 else { return }
    guard length <= admission.longestBody else { return refuse(413) }
    self.length = length
    let usual = server.options.limits.usualBody
    guard length <= usual || lvh_can_allocate(2 * length + usual) else { return refuse(503) }
    body.reserveCapacity(min(length, Exchange.step))
    server.setDeadline(connection, Connection.deadline(for: length))
  }

  /// The status that the request is refused with before anybody looks at what it asks for.
  private func problem() -> Int? {
    guard server.isAnswering else { return 503 }
    if (try? checkMemory()) == nil { return 503 }
    let version = String(cString: lvh_exchange_version(handle))
    guard version.utf8.elementsEqual("HTTP/1.1".utf8) || version.utf8.elementsEqual("HTTP/1.0".utf8) else { return 505 }
    if head.isMalformed { return 400 }
    guard let host = head.host, let asked = Authority(host[...]) else { return 400 }
    guard allows(asked) else { return 421 }
    var count = 0
    let start = lvh_exchange_target(handle, &count)
    guard count <= Server.longestTarget else { return 414 }
    target = Target(Array(UnsafeBufferPointer(start: start, count: count)))
    guard target != nil else { return 400 }
    guard isKnown(head.method) || head.method == .other else { return 405 }
    // Of what has neither chunks nor a length there is no body (RFC 9112, section 6.3).
    if head.isChunked { return 411 }
    if head.changes {
      guard isOwn else { return 403 }
    } else if head.method != .other, let length = head.length, length > 0 {
      return 400
    }
    return nil
  }

  private func isKnown(_ method: Head.Method) -> Bool {
    method == .get || method == .head || server.options.methods.contains { $0 == method }
  }

  private func allows(_ authority: Authority) -> Bool {
    server.hosts.allows(authority, local: connection.local, isLoopback: connection.isLoopback)
  }

  /// Whether a form was sent by a page of ours, as far as the browser says where it comes from.
  private var isOwn: Bool {
    if let site = head.fetchSite, !site.isSame("same-origin"), !site.isSame("none") { return false }
    guard let source = head.origin ?? head.referrer else { return true }
    guard let origin = Authority(ofURL: source[...]) else { return false }
    return allows(origin)
  }

  func receive(_ bytes: UnsafeBufferPointer<UInt8>) {
    // The length was said before; libmicrohttpd keeps to it.
    let count = body.count + bytes.count
    guard count <= length, hasRoom else { return }
    // What is said and does not come takes nobody's room, and what is small there is room for.
    if count > Exchange.smallBody, count > reserved {
      let more = min(max(count - reserved, Exchange.step), length - reserved)
      guard server.reserve(more) else {
        hasRoom = false
        body = []
        server.giveBack(reserved)
        reserved = 0
        return
      }
      reserved += more
    }
    body.append(contentsOf: bytes)
  }

  /// All of it has come.
  func finish() {
    // The refusal could not be sent.
    guard !isRefused, let target else { return }
    if let deferred {
      if let answer = deferred.answer { give(answer) }
      return
    }
    isUnderWay = true
    server.noteUnderWay(1)
    server.setDeadline(connection, .max)
    if let answer = admission.answer { return give(answer) }
    guard hasRoom else { return fail(503) }
    guard var request = request(target) else { return fail(400) }
    if head.changes, admission.needsToken, let visitor = admission.visitor {
      let csrf = head.csrf.isEmpty ? Array((request.fields["csrf"] ?? "").utf8) : head.csrf
      guard visitor.isOwn(csrf) else { return fail(403) }
    }
    request.visitor = admission.visitor
    let response = server.site.answer(request)
    // It can be read, which is not what was asked for.
    if head.method == .other, response.status < 400 { return fail(405) }
    if let later = response.later {
      let place = DeferredAnswer(handle)
      deferred = place
      // Before anybody can have the answer sent.
      lvh_exchange_defer(handle)
      if server.add(place) { later { place.put($0) } }
      return
    }
    if let visitor = response.visitor, admission.visitor == nil { admission.visitor = visitor }
    give(response)
  }

  /// One that is not known comes to the site as one that reads, and `.other` in the head.
  private var method: Request.Method {
    switch head.method {
    case .get, .head, .other: .get
    case .post: .post
    case .put: .put
    case .patch: .patch
    case .delete: .delete
    }
  }

  /// nil if the body is malformed.
  private func request(_ target: Target) -> Request? {
    var request = Request(method: method, path: target.path, query: target.query)
    request.head = head
    request.languages = head.languages[...].text ?? ""
    request.isFromScript = head.isFromScript
    guard head.changes, !body.isEmpty else { return request }
    guard admission.isForm else {
      request.body = body
      body = []
      return request
    }
    guard let type = head.contentType else { return nil }
    if let boundary = Multipart.boundary(of: type[...]) {
      guard let form = Multipart(body, boundary: boundary) else { return nil }
      request.fields = form.fields
      request.files = form.files
    } else {
      guard Parameters(type[...])?.value.isSame("application/x-www-form-urlencoded") == true,
        let fields = Fields(urlEncoded: body[...])
      else { return nil }
      request.fields = fields
    }
    body = []
    return request
  }

  /// The answer is on its way, or the connection is gone.
  func end() {
    server.setDeadline(connection, lvh_now() + Connection.patience)
    if isUnderWay { server.noteUnderWay(-1) }
    if let stream { server.remove(stream) }
    if let deferred { server.remove(deferred) }
    if let visitor = admission.visitor { server.release(visitor) }
    if reserved > 0 { server.giveBack(reserved) }
  }
}

// Answers.
extension Exchange {
  private func refuse(_ status: Int) {
    isRefused = true
    fail(status)
  }

  private func fail(_ status: Int) {
    var response = server.site.refuse(status, head)
    if status == 405 { response.headers.append((name: "Allow", value: allowed)) }
    if status == 503, !response.headers.contains(where: { $0.name.utf8.isSame("Retry-After") }) {
      response.headers.append((name: "Retry-After", value: "1"))
    }
    give(response)
  }

  /// What the header Allow says where the site does not: what is read, or a form as well.
  private var allowed: String {
    let takesForms = admission.isForm && server.options.methods.contains { $0 == .post }
    return takesForms ? "GET, HEAD, POST" : "GET, HEAD"
  }

  private func give(_ response: Response) {
    defer { response.then?() }
    var wanted = response
    if let first = response.stream, head.method == .get, response.status == 200 {
      if let visitor = admission.visitor { stream = server.makeStream(visitor, connection, handle) }
      stream?.send(first())
      if stream == nil { wanted = server.site.refuse(503, head) }
    }
    guard let (answer, status) = Answer.make(wanted, head, cookie: cookie(wanted.cookie), stream: stream) else {
      return
    }
    if isUnderWay, stream != nil {
      // It goes on for as long as it may; it is not what is waited for.
      isUnderWay = false
      server.noteUnderWay(-1)
    }
    if stream == nil { server.setDeadline(connection, Connection.deadline(for: wanted.body.count)) }
    _ = lvh_answer_give(answer, handle, UInt32(clamping: status))
  }
}

extension Exchange {
  private func cookie(_ cookie: Response.Cookie?) -> String? {
    let rest = "HttpOnly; SameSite=Strict; Path=/" + (server.isSecure ? "; Secure" : "")
    switch cookie {
    case .keep(let content)?: return "\(server.cookieName)=\(content); \(rest)"
    case .forget?: return "\(server.cookieName)=; Max-Age=0; \(rest)"
    case nil: return nil
    }
  }
}

// What libmicrohttpd tells.
extension Server {
  static var handlers: lvh_handlers {
    lvh_handlers(
      accepts: { server in server.map { !Server.of($0).isFull } ?? false },
      opened: { server, descriptor in
        guard let server else { return nil }
        let connection = Connection(Server.of(server), descriptor)
        connection.server.add(connection)
        return Unmanaged.passRetained(connection).toOpaque()
      },
      closed: { connection in
        guard let connection else { return }
        let closed = Unmanaged<Connection>.fromOpaque(connection).takeRetainedValue()
        closed.server.remove(closed)
      },
      began: { server, connection, handle in
        guard let server, let connection, let handle else { return nil }
        let exchange = Exchange(
          Server.of(server), Unmanaged<Connection>.fromOpaque(connection).takeUnretainedValue(), handle)
        exchange.begin()
        return Unmanaged.passRetained(exchange).toOpaque()
      },
      received: { exchange, bytes, count in
        guard let exchange else { return }
        Unmanaged<Exchange>.fromOpaque(exchange).takeUnretainedValue().receive(
          UnsafeBufferPointer(start: bytes, count: count))
      },
      finished: { exchange in
        guard let exchange else { return }
        Unmanaged<Exchange>.fromOpaque(exchange).takeUnretainedValue().finish()
      },
      ended: { exchange in
        guard let exchange else { return }
        Unmanaged<Exchange>.fromOpaque(exchange).takeRetainedValue().end()
      })
  }

  private static func of(_ pointer: UnsafeMutableRawPointer) -> Server {
    Unmanaged<Server>.fromOpaque(pointer).takeUnretainedValue()
  }
}
