import CConsole
import LiveryClient
import LiveryFleet
import LiveryHTTP

/// All that a console serves: devices beneath `/v1/`, programs beneath `/api/v1/`, and people everywhere else.
package final class ConsoleSite: Site, @unchecked Sendable {
  /// The most bytes of a body of the API; images may have more.
  static let longestBody = 4 << 20

  let console: Console
  let pages: ConsolePages
  private let devices: DeviceAnswers

  /// - Parameter signedOut: told of who has gone, whose streams are to end.
  package convenience init(
    _ console: Console, signedOut: @escaping @Sendable (any Visitor) -> Void = { _ in }
  ) throws(Refusal) {
    self.init(console, try ReportQueue(console), signedOut)
  }

  private init(_ console: Console, _ reports: ReportQueue, _ signedOut: @escaping @Sendable (any Visitor) -> Void) {
    self.console = console
    devices = DeviceAnswers(console, reports)
    pages = ConsolePages(console, signedOut: signedOut)
  }

  enum Part { case device, api, page }

  static func part(_ path: String) -> Part {
    if path.utf8.starts(with: "/v1/".utf8) { return .device }
    return path.utf8.starts(with: "/api/".utf8) ? .api : .page
  }

  package func admit(_ head: Head, _ target: Target, cookies: [ArraySlice<UInt8>]) -> Admission {
    switch ConsoleSite.part(target.path) {
    case .page:
      var admission = pages.admit(head, target, cookies: cookies)
      if admission.visitor == nil, admission.answer != nil, !cookies.isEmpty, isWithoutDatabase {
        // Nobody is sent away to sign in who may have done so.
        var response = pages.refuse(503, head)
        response.headers.append((name: "Retry-After", value: "5"))
        admission.answer = response
        admission.longestBody = ConsolePages.longestForm
      }
      return admission
    case .device:
      var admission = Admission(nil, longestBody: DeviceAnswers.longestBody(target.path))
      admission.isForm = false
      admission.needsToken = false
      return admission
    case .api: return admit(program: head, target, cookies)
    }
  }

  private func admit(program head: Head, _ target: Target, _ cookies: [ArraySlice<UInt8>]) -> Admission {
    var admission: Admission
    if let authorization = head.authorization {
      var caller: Caller?
      do throws(Refusal) {
        if authorization.begins(with: "Bearer "), let token = authorization.dropFirst(7).trimmed.text,
          let person = try console.person(bearer: token)
        {
          caller = Caller(person)
        }
      } catch {
        return refused(Problem(503, error.message))
      }
      // Whoever has a right one is let in whatever others of the same address have tried.
      if caller == nil, let address = Rates.key(of: head.address) {
        let wait = console.rates.tokens.take(address)
        if wait > 0 {
          var problem = Problem(429, "Too many tokens were wrong.")
          problem.wait = wait
          return refused(problem)
        }
      }
      admission = Admission(caller)
      // No browser sends it by itself.
      admission.needsToken = false
    } else {
      var guest: SignedIn?
      for cookie in cookies.prefix(4) where guest == nil {
        guard let text = cookie.text, let person = console.person(text) else { continue }
        guest = pages.guests.find(text, person)
      }
      if guest == nil, !cookies.isEmpty, isWithoutDatabase {
        return refused(Problem(503, "The database cannot be reached."))
      }
      admission = Admission(guest)
    }
    admission.isForm = false
    admission.longestBody = admission.visitor == nil ? ConsolePages.longestSignIn : ConsoleSite.longestBody
    if admission.visitor != nil, target.path.sameBytes(as: "/api/v1/assets") { admission.longestBody = Limit.asset }
    return admission
  }

  /// Whether nobody can be known for the moment.
  private var isWithoutDatabase: Bool { (try? console.stored()) == nil }

  /// Whatever is asked for. Its body is read, as long as it is a usual one, for the answer to arrive.
  private func refused(_ problem: Problem) -> Admission {
    var admission = Admission(nil, longestBody: ConsoleSite.longestBody)
    admission.isForm = false
    admission.answer = problem.response
    return admission
  }

  package func answer(_ request: Request) -> Response {
    switch ConsoleSite.part(request.path) {
    case .page: return pages.answer(request)
    case .device: return devices.answer(request)
    case .api: return API(console, pages, request).answer()
    }
  }

  package func refuse(_ status: Int, _ head: Head) -> Response {
    // Where it was sent is not known here: browsers say what they want, and programs are content with less. No page sends JSON, or
    // knows a token.
    let isProgram = head.authorization != nil || head.contentType.map { $0.begins(with: "application/json") } ?? false
    if !isProgram, head.fetchSite != nil || head.isFromScript { return pages.refuse(status, head) }
    var response = Problem(status, ConsoleSite.reason(status)).response
    // The server says itself when to come again.
    response.headers.removeAll { $0.name.sameBytes(as: "Retry-After") }
    return response
  }
}

extension ConsoleSite {
  /// What is wrong with a request that nobody has looked at, for people.
  private static func reason(_ status: Int) -> String {
    switch status {
    case 400: "The request is malformed: its path, its host, its length or its fields."
    case 403:
      "A change by a session is sent from a page of this console, with the session's csrf as X-Livery-CSRF. Programs send a token."
    case 405: "This method is not known here."
    case 411: "A body is sent with its length."
    case 413: "The body is larger than what is sent there may be."
    case 414: "The address is too long."
    case 421: "The console does not go by this host's name: serve it with --host."
    case 503: "There is too much to do: ask again a little later."
    case 505: "HTTP/1.1 is spoken here."
    default: Problem.title(status)
    }
  }
}

/// Somebody by a token.
final class Caller: Visitor {
  let person: Person
  var csrf: String { "" }

  init(_ person: Person) { self.person = person }
}
