import LiveryClient
import LiveryHTTP
import LiveryPage

// Who is not known yet.

extension ConsolePages {
  func signIn(_ request: Request) -> Response {
    guard request.path.sameBytes(as: "/sign-in") else { return refuse(403, request.head) }
    guard request.method == .post else { return form(200, "", nil) }
    let name = request.fields["name"] ?? ""
    do throws(Refusal) {
      switch try model.signIn(name, request.fields["password"] ?? "", from: request.head.address) {
      case .isRight(let cookie):
        // A new one, whatever the browser had.
        var response = Response.redirect(to: "/")
        response.cookie = .keep(cookie)
        return response
      case .isWrong(let wait):
        return form(403, name, "The name or the password is wrong." + (wait > 0 ? " Please wait \(wait) seconds." : ""))
      case .isTooSoon(let wait):
        var response = form(429, name, "That were too many attempts. Please wait \(wait) seconds.")
        response.headers.append((name: "Retry-After", value: "\(wait)"))
        return response
      }
    } catch {
      return form(error.reason == .busy ? 503 : 400, name, error.message)
    }
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

  private func form(_ status: Int, _ name: String, _ problem: String?) -> Response {
    var content: HTML = ""
    if let problem { content += Piece.notice(problem) }
    content += """
      <form method="post" action="/sign-in">
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
