import LiveryClient
import LiveryHTTP

// Who may come in, and what comes in.

extension Page: Site {
  static let longestForm = 1 << 20
  static let longestUpload = 64 << 20
  /// Of a body before there is a session.
  static let longestPIN = 1 << 10

  func admit(_ head: Head, _ target: Target, cookies: [ArraySlice<UInt8>]) -> Admission {
    let session = sessions.hold(cookies)
    var admission = Admission(session, longestBody: Page.longestPIN)
    if session != nil {
      let isUpload = head.contentType.flatMap { Multipart.boundary(of: $0[...]) } != nil
      admission.longestBody = isUpload ? Page.longestUpload : Page.longestForm
    }
    if isLink(head, target.path) { return admission }
    if gate.asksPIN, target.path.sameBytes(as: "/pin") {
      if session != nil { admission.answer = .redirect(to: "/") }
      return admission
    }
    guard session == nil, head.changes || !Page.open.contains(where: { $0.sameBytes(as: target.path) }) else {
      return admission
    }
    let asks = gate.asksPIN && head.method == .get && !head.isFromScript
    admission.answer = asks ? .redirect(to: "/pin") : drawn(.needsLink, 403, head)
    return admission
  }

  func answer(_ request: Request) -> Response {
    if isLink(request.head, request.path), let token = request.path.after("/open/") { return open(token, request) }
    if gate.asksPIN, request.path.sameBytes(as: "/pin") { return askPIN(request) }
    if let session = request.visitor as? Session {
      // It may have ended while the request was on its way: what it changes now would be told to nobody.
      guard sessions.has(session) else { return drawn(.needsLink, 403, request.head) }
      return answer(request, Guest(visitor: session, notes: session.notes))
    }
    return answer(request, nil)
  }

  func refuse(_ status: Int, _ head: Head) -> Response { drawn(.fails(status), status, head) }

  func release(_ visitor: any Visitor) -> Int64 { (visitor as? Session).map { sessions.release($0) } ?? .max }

  func keep(at now: Int64) -> Int64 {
    let (idle, next) = sessions.endIdle(at: now)
    for session in idle { end(session, .idle) }
    return next
  }

  func listenersChanged() { watch() }
}

// Links and PINs.
extension Page {
  /// What notices need, such as a style.
  private static let open = ["/style.css", "/brand.css", "/script.js", "/worker.js"]

  private func isLink(_ head: Head, _ path: String) -> Bool { !head.changes && path.after("/open/") != nil }

  private func open(_ token: String, _ request: Request) -> Response {
    let head = request.head
    let isKnown = request.visitor != nil
    // Who looks ahead is to leave it for the person.
    if head.method == .head { return drawn(.opens, 200, head) }
    if head.isPrefetch { return drawn(.opens, 503, head) }
    // Every session has to give the PIN.
    if gate.asksPIN { return .redirect(to: isKnown ? "/" : "/pin") }
    // It is good for another time where nobody can get in now.
    if !isKnown, !sessions.hasRoom { return drawn(.fails(503), 503, head) }
    let isGood = gate.take(Array(token.utf8)[...])
    if isKnown { return .redirect(to: "/") }
    return isGood ? openSession(head) : drawn(.needsLink, 403, head)
  }

  private func askPIN(_ request: Request) -> Response {
    let head = request.head
    guard request.method == .post else { return drawn(.asksPIN(isWrong: false, wait: gate.wait), 200, head) }
    switch gate.tryPIN(request.fields["pin"] ?? "") {
    case .isRight: return openSession(head)
    case .isWrong(let wait): return drawn(.asksPIN(isWrong: true, wait: wait), 403, head)
    case .isTooSoon(let wait):
      var response = drawn(.asksPIN(isWrong: false, wait: wait), 429, head)
      response.headers.append((name: "Retry-After", value: "\(wait)"))
      return response
    }
  }

  private func openSession(_ head: Head) -> Response {
    guard let (session, cookie) = sessions.open() else { return drawn(.fails(503), 503, head) }
    // A browser that comes of a foreign page would not send the cookie where it is sent to; where it goes by itself it does.
    let isForeign = head.fetchSite.map { !$0.isSame("none") && !$0.isSame("same-origin") } ?? false
    var response = isForeign ? drawn(.opens, 200, head) : Response.redirect(to: "/")
    if isForeign { response.headers.append((name: "Refresh", value: "0; url=/")) }
    response.cookie = .keep(cookie)
    response.visitor = session
    return response
  }

  private func drawn(_ notice: Notice, _ status: Int, _ head: Head) -> Response {
    Response(status: status, body: notice.html(Words(locale(head.languages[...].text ?? ""))).bytes)
  }
}
