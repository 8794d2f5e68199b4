import CPage
import LiveryClient

/// A request from its head to the end of its answer, on the server's thread.
final class Exchange {
  private let server: Server
  private let connection: Connection
  private let handle: OpaquePointer
  private let head: Head
  private var target: Target?
  private var session: Session?
  private var stream: EventStream?
  private var body: [UInt8] = []
  /// Room that was taken for the body.
  private var reserved = 0
  private var isUnderWay = false
  private var isRefused = false

  init(_ server: Server, _ connection: Connection, _ handle: OpaquePointer) {
    self.server = server
    self.connection = connection
    self.handle = handle
    head = Head(of: handle)
  }

  /// The head has come: answers if that is enough.
  func begin() {
    session = server.sessions.hold(head.cookies(named: server.cookieName))
    if let status = problem() { return refuse(status) }
    guard let length = head.length, length > 0 else { return }
    let isUpload = session != nil && head.contentType.flatMap { Multipart.boundary(of: $0[...]) } != nil
    let most = session == nil ? Server.longestPIN : isUpload ? Server.longestUpload : Server.longestBody
    guard length <= most else { return refuse(413) }
    // What is read out of it takes as much again.
    guard server.reserve(length) else { return refuse(503) }
    reserved = length
    guard length <= Server.longestBody || lvp_can_allocate(2 * length + Server.longestBody) else { return refuse(503) }
    body.reserveCapacity(length)
    server.setDeadline(connection, Connection.deadline(for: length))
  }

  /// The status that the request is refused with before anybody looks at what it asks for.
  private func problem() -> Int? {
    guard server.isAnswering else { return 503 }
    if (try? checkMemory()) == nil { return 503 }
    let version = String(cString: lvp_exchange_version(handle))
    guard version.utf8.elementsEqual("HTTP/1.1".utf8) || version.utf8.elementsEqual("HTTP/1.0".utf8) else { return 505 }
    if head.isMalformed { return 400 }
    guard let host = head.host, let asked = Authority(host[...]) else { return 400 }
    guard allows(asked) else { return 421 }
    var count = 0
    let start = lvp_exchange_target(handle, &count)
    guard count <= Server.longestTarget else { return 414 }
    target = Target(Array(UnsafeBufferPointer(start: start, count: count)))
    guard target != nil else { return 400 }
    guard head.method != .other else { return 405 }
    if head.isChunked { return 411 }
    if head.method == .post {
      guard head.length != nil else { return 411 }
      guard isOwn else { return 403 }
    } else if let length = head.length, length > 0 {
      return 400
    }
    return nil
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
    if body.count + bytes.count <= reserved { body.append(contentsOf: bytes) }
  }

  /// All of it has come.
  func finish() {
    // The refusal could not be sent.
    guard !isRefused, let target else { return }
    isUnderWay = true
    server.noteUnderWay(1)
    server.setDeadline(connection, .max)
    if let answer = gateAnswer(target) { return give(answer.response, cookie: answer.cookie) }
    guard session != nil || isOpen(target) else {
      return server.gate.asksPIN && head.method == .get && !head.isFromScript
        ? give(.redirect(to: "/pin")) : notice(.needsLink, status: 403)
    }
    guard var request = request(target) else { return fail(400) }
    if head.method == .post {
      let csrf = head.csrf.isEmpty ? Array((request.fields["csrf"] ?? "").utf8) : head.csrf
      guard let session, session.isOwn(csrf) else { return fail(403) }
    }
    // It may have ended while the request was on its way: what it changes now would be told to nobody.
    if let session, !server.sessions.has(session) { return notice(.needsLink, status: 403) }
    request.session = session
    let response = server.answer(request)
    if response.endsSession, let session {
      let name = server.cookieName
      give(response, cookie: "\(name)=; Max-Age=0; HttpOnly; SameSite=Strict; Path=/")
      server.end(session, .done)
    } else {
      give(response)
    }
  }

  private func isOpen(_ target: Target) -> Bool {
    head.method != .post && server.options.open.contains { $0.utf8.elementsEqual(target.path.utf8) }
  }

  /// nil if the body is malformed.
  private func request(_ target: Target) -> Request? {
    var request = Request(method: head.method == .post ? .post : .get, path: target.path, query: target.query)
    request.languages = head.languages[...].text ?? ""
    request.isFromScript = head.isFromScript
    guard head.method == .post, !body.isEmpty else { return request }
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
    server.setDeadline(connection, lvp_now() + Connection.patience)
    if isUnderWay { server.noteUnderWay(-1) }
    if let stream { server.remove(stream) }
    if let session { server.release(session) }
    if reserved > 0 { server.giveBack(reserved) }
  }
}

// Links and PINs.
extension Exchange {
  /// What the gate has to say to a request; nil if it has nothing to do with it.
  private func gateAnswer(_ target: Target) -> (response: Response, cookie: String?)? {
    let path = Array(target.path.utf8)[...]
    let prefix = "/open/"
    if head.method != .post, path.starts(with: prefix.utf8) { return open(path.dropFirst(prefix.utf8.count)) }
    guard server.gate.asksPIN, path.elementsEqual("/pin".utf8) else { return nil }
    if session != nil { return (.redirect(to: "/"), nil) }
    return head.method == .post ? openWithPIN() : (drawn(.asksPIN(isWrong: false, wait: server.gate.wait), 200), nil)
  }

  private func open(_ token: ArraySlice<UInt8>) -> (Response, String?) {
    // Who looks ahead is to leave it for the person.
    if head.method == .head { return (drawn(.opens, 200), nil) }
    if head.isPrefetch { return (drawn(.opens, 503), nil) }
    // Every session has to give the PIN.
    if server.gate.asksPIN { return (.redirect(to: session == nil ? "/pin" : "/"), nil) }
    // It is good for another time where nobody can get in now.
    if session == nil, !server.sessions.hasRoom { return (drawn(.fails(503), 503), nil) }
    let isGood = server.gate.take(token)
    if session != nil { return (.redirect(to: "/"), nil) }
    return isGood ? openSession() : (drawn(.needsLink, 403), nil)
  }

  private func openWithPIN() -> (Response, String?) {
    guard
      let fields =
        head.contentType.flatMap({ Parameters($0[...]) })?.value.isSame("application/x-www-form-urlencoded") == true
        ? Fields(urlEncoded: body[...]) : nil
    else { return (drawn(.fails(400), 400), nil) }
    switch server.gate.tryPIN(fields["pin"] ?? "") {
    case .isRight: return openSession()
    case .isWrong(let wait): return (drawn(.asksPIN(isWrong: true, wait: wait), 403), nil)
    case .isTooSoon(let wait):
      var response = drawn(.asksPIN(isWrong: false, wait: wait), 429)
      response.headers.append((name: "Retry-After", value: "\(wait)"))
      return (response, nil)
    }
  }

  private func openSession() -> (Response, String?) {
    guard let (session, cookie) = server.sessions.open() else { return (drawn(.fails(503), 503), nil) }
    self.session = session
    // A browser that comes of a foreign page would not send the cookie where it is sent to; where it goes by itself it does.
    let isForeign = head.fetchSite.map { !$0.isSame("none") && !$0.isSame("same-origin") } ?? false
    var response = isForeign ? drawn(.opens, 200) : Response.redirect(to: "/")
    if isForeign { response.headers.append((name: "Refresh", value: "0; url=/")) }
    return (response, "\(server.cookieName)=\(cookie); HttpOnly; SameSite=Strict; Path=/")
  }

  private func drawn(_ notice: Notice, _ status: Int) -> Response {
    Response(status: status, body: server.options.draw(notice, head.languages[...].text ?? ""))
  }

  private func notice(_ notice: Notice, status: Int) { give(drawn(notice, status)) }

  private func refuse(_ status: Int) {
    isRefused = true
    fail(status)
  }

  private func fail(_ status: Int) {
    var response = drawn(.fails(status), status)
    if status == 405 { response.headers.append((name: "Allow", value: "GET, HEAD, POST")) }
    if status == 503 { response.headers.append((name: "Retry-After", value: "1")) }
    give(response)
  }

  private func give(_ response: Response, cookie: String? = nil) {
    var wanted = response
    if let first = response.stream, head.method == .get, response.status == 200 {
      if let session { stream = server.makeStream(session, connection, handle) }
      stream?.send(first())
      if stream == nil { wanted = drawn(.fails(503), 503) }
    }
    guard let (answer, status) = Answer.make(wanted, head, cookie: cookie, stream: stream) else { return }
    if isUnderWay, stream != nil {
      // It goes on for as long as it may; it is not what is waited for.
      isUnderWay = false
      server.noteUnderWay(-1)
    }
    if stream == nil { server.setDeadline(connection, Connection.deadline(for: wanted.body.count)) }
    _ = lvp_answer_give(answer, handle, UInt32(clamping: status))
  }
}

// What libmicrohttpd tells.
extension Server {
  static var handlers: lvp_handlers {
    lvp_handlers(
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
