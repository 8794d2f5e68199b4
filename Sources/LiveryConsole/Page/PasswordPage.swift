import LiveryClient
import LiveryHTTP
import LiveryPage

// Another password of one's own: viewers have one, too.

extension View {
  func password() throws(Refusal) -> Response {
    guard !isGet else { return password(200, nil) }
    let new = field("new")
    guard new.sameBytes(as: field("again")) else { return password(422, "The new password was not typed twice alike.") }
    do throws(Refusal) {
      switch try model.changePassword(
        of: person, field("password"), to: new, keeping: guest.cookie, from: request.head.address)
      {
      case .isRight: return .redirect(to: "/password?done=password")
      case .isWrong(let wait):
        return password(403, "The present password is wrong." + (wait > 0 ? " Please wait \(wait) seconds." : ""))
      case .isTooSoon(let wait):
        var response = password(429, "That were too many attempts. Please wait \(wait) seconds.")
        response.headers.append((name: "Retry-After", value: "\(wait)"))
        return response
      }
    } catch {
      guard error.reason == .invalid else { throw error }
      return password(422, error.message)
    }
  }

  private func password(_ status: Int, _ problem: String?) -> Response {
    var html: HTML = "<h1>Password</h1>\n\(done)"
    if let problem { html += Piece.notice(problem) }
    html += """
      <form method="post" action="/password">\(layout(nil).token)
      <input type="text" name="username" value="\(person.name)" autocomplete="username" hidden>
      \(row("password", "Present password", "current-password"))\
      \(row("new", "New password", "new-password"))\
      \(row("again", "New password, once more", "new-password"))\
      <div class="save"><button class="main">Change the password</button></div>
      </form>

      """
    return shown(nil, "Password", html, status: status)
  }

  private func row(_ name: HTML, _ title: HTML, _ kind: HTML) -> HTML {
    """
    <div class="row"><label class="title" for="\(name)">\(title)</label><div class="control">\
    <input type="password" id="\(name)" name="\(name)" autocomplete="\(kind)" required maxlength="128"></div></div>

    """
  }
}
