import LiveryClient
import LiveryFleet
import LiveryHTTP

/// One request of a program, or of a script that goes by a session: docs/console-api.openapi.json describes each.
struct API {
  let console: Console
  let pages: ConsolePages
  let request: Request
  private let caller: Person?

  init(_ console: Console, _ pages: ConsolePages, _ request: Request) {
    self.console = console
    self.pages = pages
    self.request = request
    if let caller = request.visitor as? Caller {
      self.caller = caller.person
    } else {
      caller = (request.visitor as? SignedIn)?.person
    }
  }

  func answer() -> Response {
    do throws(Problem) { return try route() } catch { return error.response }
  }

  /// The largest number that an identifier has, and that programs which know numbers as doubles have exactly.
  static let largest: Int64 = 1 << 53 - 1

  private func route() throws(Problem) -> Response {
    guard let rest = request.path.after("/api/v1/") else { throw missing }
    var parts = rest.utf8.split(separator: .slash, omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }
    for part in parts where part.utf8.isEmpty { throw missing }
    let noun = parts.removeFirst()
    switch noun {
    case "openapi.json" where parts.isEmpty:
      try allow([.get], isOpen: true)
      return OpenAPI.response
    case "session" where parts.isEmpty: return try session()
    case "health" where parts.isEmpty: return try health()
    default: break
    }
    let person = try person()
    switch noun {
    case "status" where parts.isEmpty:
      try allow([.get])
      return try shown(domain { () throws(Refusal) in try console.status() })
    case "devices": return try devices(parts, person)
    case "groups": return try groups(parts, person)
    case "channels": return try channels(parts, person)
    case "publications": return try publications(parts, person)
    case "history" where parts.isEmpty: return try history()
    case "enrollments": return try enrollments(parts, person)
    case "schemas": return try schemas(parts, person)
    case "assets": return try assets(parts, person)
    case "admins": return try admins(parts, person)
    case "password" where parts.isEmpty: return try password(person)
    case "tokens": return try tokens(parts, person)
    default: throw missing
    }
  }

  var missing: Problem { Problem(404, "There is no such resource.") }

  func person() throws(Problem) -> Person {
    guard let caller else {
      throw Problem(401, "Send a token that is valid (Authorization: Bearer …), or sign in at /api/v1/session.")
    }
    return caller
  }

  /// Refuses methods and parameters that a resource does not have, and changes by who may make none.
  ///
  /// - Parameters:
  ///   - query: the parameters that there may be.
  ///   - isOpen: also for somebody who may change nothing, or is not known.
  func allow(_ methods: [Request.Method], query: [String] = [], isOpen: Bool = false) throws(Problem) {
    // One that the server does not know comes as one that reads.
    guard methods.contains(request.method), request.head.method != .other else {
      var problem = Problem(405, "The resource does not have this method.")
      var names = ""
      for method in methods { names += (names.utf8.isEmpty ? "" : ", ") + method.names }
      problem.allowed = names
      throw problem
    }
    if !isOpen, request.method != .get, try !person().mayChange { throw Problem(403, "A viewer changes nothing.") }
    for (index, field) in request.query.all.enumerated() {
      guard request.method == .get, query.contains(where: { $0.sameBytes(as: field.name) }) else {
        throw Problem(400, "There is no parameter \(field.name).")
      }
      for other in request.query.all[..<index] where other.name.sameBytes(as: field.name) {
        throw Problem(400, "The parameter \(field.name) is there twice.")
      }
    }
    if request.method == .delete { try expectNoBody() }
  }

  /// An action needs no body; an empty object is one that says nothing.
  func expectNothing() throws(Problem) {
    if !request.body.isEmpty { _ = try Body(request, []) }
  }

  func expectNoBody() throws(Problem) {
    guard request.body.isEmpty else { throw Problem(400, "No body is expected.") }
  }

  /// What the domain refuses, as a problem.
  ///
  /// - Parameter pointer: what is wrong if the domain finds it invalid.
  func domain<R>(at pointer: String? = nil, _ body: () throws(Refusal) -> R) throws(Problem) -> R {
    do throws(Refusal) { return try body() } catch { throw Problem(error, at: pointer) }
  }

  /// A number of the query; nil if there is none.
  func numberIfAny(_ name: String, _ range: ClosedRange<Int64>) throws(Problem) -> Int64? {
    guard let text = request.query[name] else { return nil }
    guard let number = API.number(text), range.contains(number) else {
      throw Problem(
        400,
        "The parameter \(name) is a whole number from \(range.lowerBound.description) to \(range.upperBound.description)."
      )
    }
    return number
  }

  /// How many are left out at the beginning.
  func offset() throws(Problem) -> Int { Int(try numberIfAny("offset", 0...Int64(DeviceFilter.farthest)) ?? 0) }

  func limit() throws(Problem) -> Int { Int(try numberIfAny("limit", 1...1000) ?? 100) }

  /// A text of the query; nil if there is none.
  func textIfAny(_ name: String) throws(Problem) -> String? {
    guard let text = request.query[name] else { return nil }
    guard !text.utf8.contains(0) else { throw Problem(400, "The parameter \(name) has a NUL.") }
    return text
  }

  /// Of digits alone, up to the largest.
  static func number(_ text: String) -> Int64? {
    guard (1...16).contains(text.utf8.count) else { return nil }
    var number: Int64 = 0
    for digit in text.utf8 {
      guard digit.isDigit else { return nil }
      number = number * 10 + Int64(digit - 0x30)
    }
    return number <= largest ? number : nil
  }
}

// Answers.
extension API {
  func shown(_ json: JSON, status: Int = 200) -> Response { shown(json.value, status: status) }

  func shown(_ value: Value, status: Int = 200) -> Response {
    Response(status: status, type: "application/json", body: value.jsonBytes)
  }

  func made(_ json: JSON, at path: String) -> Response {
    var response = shown(json, status: 201)
    response.headers.append((name: "Location", value: "/api/v1/" + API.encoded(path)))
    return response
  }

  func listed(_ items: [JSON], total: Int? = nil) -> Response {
    var json = JSON()
    json.add("items", value: .list(items.map { $0.value }))
    json.add("total", total ?? items.count)
    return shown(json)
  }

  var nothing: Response { Response(status: 204, type: "application/json") }

  /// A path as addresses have it.
  private static func encoded(_ path: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in path.utf8 {
      let isPlain =
        byte.isDigit || (0x61...0x7A).contains(byte.lowercased) || byte == .slash || byte == .hyphen
        || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "~")
      if isPlain {
        bytes.append(byte)
      } else {
        bytes += [.percent, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

// Who asks.
extension API {
  /// For who watches over the console, or shares out requests among several: whether it can do what it is asked for.
  private func health() throws(Problem) -> Response {
    try allow([.get], isOpen: true)
    _ = try domain { () throws(Refusal) in try console.stored() }
    var json = JSON()
    json.add("state", "ready")
    return shown(json)
  }

  private func session() throws(Problem) -> Response {
    try allow([.get, .post, .delete], isOpen: true)
    switch request.method {
    case .post: return try signIn()
    case .delete:
      guard let guest = request.visitor as? SignedIn else { throw Problem(401, "Nobody is signed in.") }
      return try domain { () throws(Refusal) in try pages.signOut(guest, nothing) }
    default: return shown(API.session(try person()))
    }
  }

  private func password(_ person: Person) throws(Problem) -> Response {
    try allow([.put], isOpen: true)
    let body = try Body(request, ["password", "new"])
    let (present, new) = (try body.text("password"), try body.text("new"))
    let cookie = (request.visitor as? SignedIn)?.cookie
    switch try domain({ () throws(Refusal) in
      try console.changePassword(of: person, present, to: new, keeping: cookie, from: request.head.address)
    }) {
    case .isRight: return nothing
    case .isWrong: throw Problem(403, "The present password is wrong.")
    case .isTooSoon(let wait): throw tooMany(wait)
    }
  }

  private func tooMany(_ wait: Int) -> Problem {
    var problem = Problem(429, "There were too many attempts.")
    problem.wait = wait
    return problem
  }

  private static func session(_ person: Person) -> JSON {
    var json = JSON()
    json.add("name", person.name)
    json.add("role", Console.word(person.role))
    // Whoever goes by a token needs none.
    if !person.csrf.utf8.isEmpty { json.add("csrf", person.csrf) }
    return json
  }

  private func signIn() throws(Problem) -> Response {
    let body = try Body(request, ["name", "password"])
    let (name, password) = (try body.text("name"), try body.text("password"))
    let address = request.head.address
    switch try domain({ () throws(Refusal) in try console.signIn(name, password, from: address) }) {
    case .isRight(let cookie):
      guard let person = console.person(cookie) else { throw Problem(503, "The session is gone.") }
      var response = shown(API.session(person), status: 201)
      response.cookie = .keep(cookie)
      return response
    case .isWrong: throw Problem(403, "The name or the password is wrong.")
    case .isTooSoon(let wait): throw tooMany(wait)
    }
  }
}

extension Request.Method {
  var names: String {
    switch self {
    case .get: "GET, HEAD"
    case .post: "POST"
    case .put: "PUT"
    case .patch: "PATCH"
    case .delete: "DELETE"
    }
  }
}
