import LiveryClient
import LiveryHTTP
import LiveryPage

/// The console's pages: what browsers ask for, and are shown. Whoever serves them hands on what it does not answer itself.
package final class ConsolePages: Sendable {
  static let longestForm = 1 << 20
  static let longestUpload = 64 << 20
  /// Of a body before anybody has signed in.
  static let longestSignIn = 1 << 12

  let model: any ConsoleModel
  let guests = Guests()
  let forms = ChannelForms()
  let signedOut: @Sendable (any Visitor) -> Void

  /// - Parameter signedOut: told of who has gone, whose streams are to end.
  package init(_ model: any ConsoleModel, signedOut: @escaping @Sendable (any Visitor) -> Void = { _ in }) {
    self.model = model
    self.signedOut = signedOut
  }

  /// Whether somebody who has not signed in gets an answer.
  private static func isOpen(_ path: String) -> Bool {
    ["/style.css", "/script.js", "/worker.js", "/brand.css", "/sign-in"].contains { $0.sameBytes(as: path) }
  }

  /// From whom a request is, and what may come; as `Site` has it.
  package func admit(_ head: Head, _ target: Target, cookies: [ArraySlice<UInt8>]) -> Admission {
    var guest: SignedIn?
    for cookie in cookies.prefix(4) where guest == nil {
      guard let text = cookie.text, let person = model.person(text) else { continue }
      guest = guests.find(text, person)
    }
    var admission = Admission(guest, longestBody: ConsolePages.longestSignIn)
    if guest != nil {
      let isUpload = head.contentType.flatMap { Multipart.boundary(of: $0[...]) } != nil
      admission.longestBody = isUpload ? ConsolePages.longestUpload : ConsolePages.longestForm
      // Somebody else may sign in where somebody has: that form knows of no session.
      if target.path.sameBytes(as: "/sign-in") { admission.needsToken = false }
    } else if !ConsolePages.isOpen(target.path) {
      admission.answer =
        head.method == .get && !head.isFromScript
        ? .redirect(to: ConsolePages.signIn(for: target.path))
        : Response(
          status: 403, body: Layout.alone("Signed out", model.fleet, "<p><a href=\"/sign-in\">Sign in</a></p>").bytes)
    }
    return admission
  }

  package func answer(_ request: Request) -> Response {
    // The server takes other methods as well, for the API.
    guard request.method == .get || request.method == .post else {
      var response = refuse(405, request.head)
      response.headers.append((name: "Allow", value: "GET, HEAD, POST"))
      return response
    }
    if request.method == .get, var response = asset(request.path) {
      response.isForever = response.version?.sameBytes(as: request.query["v"] ?? "") ?? false
      return response
    }
    let isSigningIn = request.method == .post && request.path.sameBytes(as: "/sign-in")
    guard let guest = request.visitor as? SignedIn, !isSigningIn else { return signIn(request) }
    if request.method == .get, request.path.sameBytes(as: "/events") {
      let first = news
      return Response(type: "text/event-stream", stream: { first })
    }
    let view = View(pages: self, request: request, guest: guest)
    do throws(Refusal) { return try view.answer() } catch { return view.refused(error) }
  }

  package func refuse(_ status: Int, _ head: Head) -> Response {
    let reason: String
    switch status {
    case 403, 421: reason = "This is not allowed from here."
    case 404: reason = "There is no such page."
    case 405: reason = "This is not done here."
    case 413, 414: reason = "That is too much."
    case 429, 503: reason = "Please try again a little later."
    default: reason = "The request is malformed."
    }
    return Response(
      status: status, body: Layout.alone("That did not work", model.fleet, "<p>\(reason) (\(status))</p>").bytes)
  }

  /// The event that says that something has changed; the first one of each stream, too.
  package var news: [UInt8] { Array("event: all\nid: \(model.generation)\ndata: \(model.generation)\n\n".utf8) }

  private func asset(_ path: String) -> Response? {
    switch path {
    case "/style.css": return FramedForm.style
    case "/script.js": return FramedForm.script
    case "/worker.js": return FramedForm.worker
    case "/brand.css": return Response(type: "text/css; charset=utf-8", version: "0")
    default: return nil
    }
  }
}

/// Somebody who has signed in, in one browser.
final class SignedIn: Visitor {
  let cookie: String
  let csrf: String
  /// Of how many channels it is remembered what is tried.
  private static let most = 8
  private let lock = Lock()
  // Guarded by `lock`; of channels the latest last.
  private nonisolated(unsafe) var latest: Person
  private nonisolated(unsafe) var noted: [(channel: String, notes: SessionNotes)] = []

  init(_ cookie: String, _ person: Person) {
    self.cookie = cookie
    csrf = person.csrf
    latest = person
  }

  /// What is remembered of the form of a channel, such as the draft of a brand.
  func notes(of channel: String) -> SessionNotes {
    lock.withLock {
      let place = noted.firstIndex { $0.channel.sameBytes(as: channel) }
      let notes = place.map { noted.remove(at: $0).notes } ?? SessionNotes()
      if noted.count >= SignedIn.most { noted.removeFirst() }
      noted.append((channel, notes))
      return notes
    }
  }

  var person: Person {
    get { lock.withLock { latest } }
    set { lock.withLock { latest = newValue } }
  }
}

/// What is remembered of who has signed in, such as the draft of a brand: the latest ones. Who they are the console knows.
final class Guests: Sendable {
  private static let most = 256
  private let lock = Lock()
  // Guarded by `lock`, the latest last.
  private nonisolated(unsafe) var all: [SignedIn] = []

  func find(_ cookie: String, _ person: Person) -> SignedIn {
    lock.withLock {
      let place = all.firstIndex { $0.cookie.sameBytes(as: cookie) && $0.csrf.sameBytes(as: person.csrf) }
      let found = place.map { all.remove(at: $0) } ?? SignedIn(cookie, person)
      if all.count >= Guests.most { all.removeFirst() }
      all.append(found)
      found.person = person
      return found
    }
  }

  func forget(_ guest: SignedIn) { lock.withLock { all.removeAll { $0 === guest } } }
}
