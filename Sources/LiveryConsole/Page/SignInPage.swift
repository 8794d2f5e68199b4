import LiveryClient
import LiveryHTTP
import LiveryPage

// Who is not known yet.

extension ConsolePages {
  func signIn(_ request: Request) -> Response {
    guard request.path.sameBytes(as: "/sign-in") else { return refuse(403, request.head) }
    guard request.method == .post else { return form(200, "", request.query["to"], nil) }
    let name = request.fields["name"] ?? ""
    let page = request.fields["to"]
    do throws(Refusal) {
      switch try model.signIn(name, request.fields["password"] ?? "", from: request.head.address) {
      case .isRight(let cookie):
        let way = Response.redirect(to: page.flatMap { ConsolePages.isOwn($0) ? $0 : nil } ?? "/")
        // A new one, whatever the browser had: who was signed in there has gone.
        var response =
          try (request.visitor as? SignedIn).map { (former) throws(Refusal) in try signOut(former, way) } ?? way
        response.cookie = .keep(cookie)
        return response
      case .isWrong(let wait):
        let more = wait > 0 ? " Please wait \(wait) seconds." : ""
        return form(403, name, page, "The name or the password is wrong." + more)
      case .isTooSoon(let wait):
        var response = form(429, name, page, "That were too many attempts. Please wait \(wait) seconds.")
        response.headers.append((name: "Retry-After", value: "\(wait)"))
        return response
      }
    } catch {
      return form(error.reason == .busy ? 503 : 400, name, page, error.message)
    }
  }

  /// The address of signing in, from where it goes on to a page.
  static func signIn(for path: String) -> String {
    if path.sameBytes(as: "/") { return "/sign-in" }
    var encoded: [String] = []
    for part in path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
      encoded.append(Piece.part(String(decoding: part, as: UTF8.self)))
    }
    return "/sign-in?to=" + Piece.part(encoded.joined(separator: "/"))
  }

  /// Whether an address that came along is a path of this console, and leads nowhere else.
  private static func isOwn(_ address: String) -> Bool {
    let bytes = Array(address.utf8)
    guard bytes.first == .slash, bytes.count <= 1024, bytes.count < 2 || bytes[1] != .slash else { return false }
    return bytes.allSatisfy { (0x21...0x7e).contains($0) && $0 != .backslash }
  }

  func signOut(_ guest: SignedIn) throws(Refusal) -> Response { try signOut(guest, .redirect(to: "/sign-in")) }

  /// Ends a session: what follows from that is in the answer.
  func signOut(_ guest: SignedIn, _ answer: Response) throws(Refusal) -> Response {
    try model.signOut(guest.cookie)
    guests.forget(guest)
    var response = answer
    response.cookie = .forget
    response.then = { [signedOut] in signedOut(guest) }
    return response
  }

  private func form(_ status: Int, _ name: String, _ page: String?, _ problem: String?) -> Response {
    var content: HTML = ""
    var way: HTML = ""
    if let page { way += "<input type=\"hidden\" name=\"to\" value=\"\(page)\">" }
    if let problem { content += Piece.notice(problem) }
    content += """
      <form method="post" action="/sign-in">\(way)
      <p><label class="title" for="name">Name</label><input type="text" id="name" name="name" value="\(name)" \
      autocomplete="username" autocapitalize="none" required maxlength="64"></p>
      <p><label class="title" for="password">Password</label><input type="password" id="password" name="password" \
      autocomplete="current-password" required maxlength="128"></p>
      <p><button class="main">Sign in</button></p>
      </form>

      """
    return Response(status: status, body: Layout.alone("Sign in", model.fleet, content).bytes)
  }
}
