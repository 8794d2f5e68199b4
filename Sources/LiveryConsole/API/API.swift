import LiveryClient
import LiveryFleet
import LiveryHTTP

/// One request of a program, or of a script that goes by a session: docs/console-api.openapi.json describes each.
struct API {
  let console: Console
  let request: Request
  let person: Person?

  init(_ console: Console, _ request: Request) {
    self.console = console
    self.request = request
    if let caller = request.visitor as? Caller {
      person = caller.person
    } else {
      person = (request.visitor as? SignedIn)?.person
    }
  }

  func answer() -> Response {
    do throws(Problem) { return try route() } catch { return error.response }
  }

  private func route() throws(Problem) -> Response {
    guard let rest = request.path.after("/api/v1/") else { throw Problem(404, "The API lies beneath /api/v1/.") }
    let parts = rest.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }
    let noun = parts[0]
    if noun.sameBytes(as: "openapi.json"), parts.count == 1 {
      try only(.get)
      return Response(type: "application/json", body: Array(OpenAPI.text.utf8), version: OpenAPI.version)
    }
    if noun.sameBytes(as: "session"), parts.count == 1 { return try session() }
    guard let person else { throw Problem(401, "Send a token: Authorization: Bearer …, or sign in.") }
    if request.method != .get, !person.mayChange { throw Problem(403, "A viewer changes nothing.") }
    do throws(Refusal) {
      // What it throws is of the domain, or a problem that it has answered by itself.
      if let response = try answered(noun, Array(parts.dropFirst()), person) { return response }
    } catch { throw Problem(error) }
    throw Problem(404, "There is no such thing in the API.")
  }

  /// nil for what there is not.
  private func answered(_ noun: String, _ rest: [String], _ person: Person) throws(Refusal) -> Response? {
    let result: Result<Response?, Problem>
    switch noun {
    case "status" where rest.isEmpty: result = .success(shown(try console.status()))
    case "devices": result = try devices(rest, person)
    case "groups": result = try groups(rest, person)
    case "channels": result = try channels(rest, person)
    case "publications": result = try publications(rest, person)
    case "history" where rest.isEmpty: result = try history()
    case "enrollments": result = try enrollments(rest, person)
    case "schemas" where rest.isEmpty: result = try schemas(person)
    case "assets": result = try assets(rest, person)
    case "admins": result = try admins(rest, person)
    case "tokens": result = try tokens(rest, person)
    default: return nil
    }
    switch result {
    case .success(let response): return response
    case .failure(let problem): return problem.response
    }
  }

  func shown(_ json: JSON, status: Int = 200) -> Response { shown(json.value, status: status) }

  func shown(_ value: Value, status: Int = 200) -> Response {
    Response(status: status, type: "application/json", body: Array(((try? value.jsonText()) ?? "{}").utf8))
  }

  func listed(_ items: [JSON], total: Int? = nil) -> Response {
    var json = JSON()
    json.add("items", value: .list(items.map { $0.value }))
    json.add("total", total ?? items.count)
    return shown(json)
  }

  var nothing: Response { Response(status: 204, type: "application/json") }

  func only(_ methods: Request.Method...) throws(Problem) {
    guard !methods.contains(request.method) else { return }
    throw Problem(405, "This is not done here.")
  }

  var notDone: Result<Response?, Problem> { .failure(Problem(405, "This is not done here.")) }

  private func session() throws(Problem) -> Response {
    switch request.method {
    case .post:
      let body = try Body(request)
      let name = try body.text("name")
      let password = try body.text("password")
      do throws(Refusal) {
        switch try console.signIn(name, password) {
        case .isRight(let cookie):
          var json = JSON()
          guard let person = console.person(cookie) else { throw Refusal(.busy, "The session is gone.") }
          json.add("name", person.name)
          json.add("role", Console.word(person.role))
          json.add("csrf", person.csrf)
          var response = shown(json, status: 201)
          response.cookie = .keep(cookie)
          return response
        case .isWrong: throw Refusal(.invalid, "The name or the password is wrong.")
        case .isTooSoon(let wait):
          var response = Problem(429, "That were too many attempts.").response
          response.headers.append((name: "Retry-After", value: wait.description))
          return response
        }
      } catch { throw error.reason == .invalid ? Problem(403, error.message) : Problem(error) }
    case .delete:
      guard let guest = request.visitor as? SignedIn else { throw Problem(401, "Nobody is signed in.") }
      console.signOut(guest.cookie)
      var response = nothing
      response.cookie = .forget
      return response
    case .get:
      guard let person else { throw Problem(401, "Nobody is signed in.") }
      var json = JSON()
      json.add("name", person.name)
      json.add("role", Console.word(person.role))
      json.add("csrf", person.csrf)
      return shown(json)
    default: throw Problem(405, "This is not done here.")
    }
  }
}

/// A body that is an object of JSON, whose members are asked for by name.
struct Body {
  private let value: Value

  init(_ request: Request) throws(Problem) {
    guard let type = request.head.contentType,
      Array(type[...].cut(at: .semicolon).before.trimmed)[...].isSame("application/json")
    else { throw Problem(400, "The body has to be JSON: Content-Type: application/json.") }
    do throws(StoreError) { value = try Value(json: request.body) } catch {
      throw Problem(400, "The body is not JSON: \(error.message)")
    }
    guard case .object = value else { throw Problem(400, "The body is no object.") }
  }

  /// - Throws: 422 if there are members besides these.
  func only(_ names: String...) throws(Problem) {
    guard case .object(let members) = value else { return }
    for member in members where !names.contains(where: { $0.sameBytes(as: member.key) }) {
      throw Problem(422, "There is no such member.", at: "/" + member.key)
    }
  }

  func textIfAny(_ key: String) throws(Problem) -> String? {
    guard let member = value[key] else { return nil }
    guard case .string(let text) = member, !text.utf8.contains(0) else {
      throw Problem(422, "It has to be a text without NUL.", at: "/" + key)
    }
    return text
  }

  func text(_ key: String) throws(Problem) -> String {
    guard let text = try textIfAny(key) else { throw Problem(422, "It is missing.", at: "/" + key) }
    return text
  }

  func intIfAny(_ key: String, _ range: ClosedRange<Int64>) throws(Problem) -> Int64? {
    guard let member = value[key] else { return nil }
    guard case .int(let number) = member, range.contains(number) else {
      throw Problem(
        422, "It has to be a whole number from \(range.lowerBound.description) to \(range.upperBound.description).",
        at: "/" + key)
    }
    return number
  }

  func listIfAny(_ key: String) throws(Problem) -> [Value]? {
    guard let member = value[key] else { return nil }
    guard case .list(let items) = member else { throw Problem(422, "It has to be a list.", at: "/" + key) }
    return items
  }

  func textsIfAny(_ key: String) throws(Problem) -> [String]? {
    guard let items = try listIfAny(key) else { return nil }
    var texts: [String] = []
    for (index, item) in items.enumerated() {
      guard case .string(let text) = item, !text.utf8.contains(0) else {
        throw Problem(422, "It has to be a text without NUL.", at: "/\(key)/\(index)")
      }
      texts.append(text)
    }
    return texts
  }

  func intsIfAny(_ key: String) throws(Problem) -> [Int]? {
    guard let items = try listIfAny(key) else { return nil }
    var numbers: [Int] = []
    for (index, item) in items.enumerated() {
      guard case .int(let number) = item, (0...1_000_000).contains(number) else {
        throw Problem(422, "It has to be a whole number.", at: "/\(key)/\(index)")
      }
      numbers.append(Int(number))
    }
    return numbers
  }

  var whole: Value { value }
}
