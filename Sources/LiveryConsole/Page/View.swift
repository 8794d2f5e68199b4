import LiveryClient
import LiveryHTTP
import LiveryPage

/// One request of somebody who has signed in, on its way to an answer.
struct View {
  let pages: ConsolePages
  let request: Request
  let guest: SignedIn

  var model: any ConsoleModel { pages.model }
  var person: Person { guest.person }

  func answer() throws(Refusal) -> Response {
    var parts = request.path.utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
    let section = parts.isEmpty ? "devices" : parts.removeFirst()
    if !isGet {
      if section.sameBytes(as: "sign-out"), parts.isEmpty { return try pages.signOut(guest) }
      guard person.mayChange || isSearch(section, parts) || isOwn(section, parts) else {
        return shown(
          nil, "Not allowed", "<h1>Not allowed</h1>\n\(Piece.notice("A viewer changes nothing."))", status: 403)
      }
    }
    switch section {
    case "sign-in" where parts.isEmpty: return .redirect(to: "/")
    case "devices": return try devices(parts)
    case "groups": return try groups(parts)
    case "channels": return try channels(parts)
    case "publications": return try publications(parts)
    case "enrollment": return try enrollment(parts)
    case "schemas": return try schemas(parts)
    case "history" where parts.isEmpty: return try history()
    case "password" where parts.isEmpty: return try password()
    default: return gone()
    }
  }

  /// What is sent as a form and changes nothing: what was typed, to be checked.
  private func isSearch(_ section: String, _ parts: [String]) -> Bool {
    section.sameBytes(as: "channels") && parts.count == 3 && parts[2].sameBytes(as: "check")
  }

  /// What everybody changes of their own.
  private func isOwn(_ section: String, _ parts: [String]) -> Bool {
    section.sameBytes(as: "password") && parts.isEmpty
  }

  var isGet: Bool { request.method == .get }

  /// A field of the form that was sent.
  func field(_ name: String) -> String { request.fields[name] ?? "" }

  /// A whole document, or for the script the part that changes.
  func shown(_ section: Layout.Section?, _ title: String, _ main: HTML, status: Int = 200) -> Response {
    if request.isFromScript { return Response(status: status, body: main.bytes) }
    return Response(status: status, body: layout(section).document(title, main).bytes)
  }

  func layout(_ section: Layout.Section?) -> Layout {
    var layout = Layout(fleet: model.fleet, person: person, section: section)
    if let publishing = try? model.publishing(), let problem = publishing.problem {
      layout.notice = """
        <div class="notice bad" role="note"><p>Not published yet, since \(Piece.time(publishing.since)): \
        \(Piece.count(publishing.waiting, "manifest", "manifests")). \(problem)</p></div>

        """
    }
    for warning in (try? model.warnings()) ?? [] {
      layout.notice += "<div class=\"notice bad\" role=\"note\"><p>\(warning)</p></div>\n"
    }
    return layout
  }

  func gone() -> Response {
    shown(
      nil, "Not found", "<h1>Not found</h1>\n<p id=\"notice\" tabindex=\"-1\">There is no such page.</p>\n", status: 404
    )
  }

  func refused(_ refusal: Refusal) -> Response {
    let status: Int
    switch refusal.reason {
    case .notFound: status = 404
    case .conflict: status = 409
    case .invalid: status = 422
    case .busy: status = 503
    }
    var response = shown(
      nil, "That did not work", "<h1>That did not work</h1>\n\(Piece.notice(refusal.message))", status: status)
    if status == 503 { response.headers.append((name: "Retry-After", value: "5")) }
    return response
  }

  /// The beginning of a form, for who may change something.
  func form(_ action: HTML, _ content: HTML, _ kind: HTML = "") -> HTML {
    guard person.mayChange else { return "" }
    return "<form method=\"post\" action=\"\(action)\"\(kind)>\(layout(nil).token)\(content)</form>\n"
  }

  /// What was done, after which the browser is sent somewhere else.
  var done: HTML {
    guard let done = request.query["done"] else { return "" }
    let text: String
    switch done {
    case "saved": text = "Saved."
    case "published": text = "Published."
    case "stopped": text = "Stopped: what was there before is back."
    case "raised": text = "The next step has begun."
    case "resumed": text = "The rollout goes on."
    case "undone": text = "Undone: what was there before is published again."
    case "taken": text = "Taken back: it does not hold any more."
    case "password": text = "The password is changed. Wherever else you were signed in you are signed out."
    case "discarded": text = "The draft is what is published."
    default: return ""
    }
    return Piece.notice(text, isGood: true)
  }
}
