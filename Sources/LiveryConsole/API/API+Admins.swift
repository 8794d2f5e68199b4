import LiveryClient
import LiveryFleet
import LiveryHTTP

// Who may do something, and what the console holds besides: schemas and images.
extension API {
  func admins(_ rest: [String], _ person: Person) throws(Problem) -> Response {
    guard let name = rest.first else {
      try allow([.get])
      return try domain { () throws(Refusal) in listed(try console.admins().map { $0.json }) }
    }
    guard rest.count == 1 else { throw missing }
    try allow([.get, .put, .delete])
    if request.method == .delete {
      try domain { () throws(Refusal) in try console.removeAdmin(name, by: person) }
      return nothing
    }
    if request.method == .put {
      let body = try Body(request, ["role", "password"])
      guard let role = Console.role(try body.text("role")) else {
        throw Problem(422, "It is viewer or editor.", at: "/role")
      }
      let password = try body.textIfAny("password")
      try domain { () throws(Refusal) in try console.put(name, role, password: password, by: person) }
    }
    let all = try domain { () throws(Refusal) in try console.admins() }
    guard let admin = all.first(where: { $0.name.sameBytes(as: name) }) else {
      throw Problem(404, "There is nobody of that name.")
    }
    return shown(admin.json)
  }

  func tokens(_ rest: [String], _ person: Person) throws(Problem) -> Response {
    guard let first = rest.first else {
      try allow([.get, .post])
      if request.method == .post { return try makeToken(person) }
      return try domain { () throws(Refusal) in listed(try console.bearers().map { $0.json }) }
    }
    guard rest.count == 1, let number = API.number(first) else { throw missing }
    try allow([.delete])
    try domain { () throws(Refusal) in try console.removeBearer(number, by: person) }
    return nothing
  }

  private func makeToken(_ person: Person) throws(Problem) -> Response {
    let body = try Body(request, ["admin", "label", "days"])
    let admin = try body.textIfAny("admin") ?? person.name
    let label = try body.textIfAny("label") ?? ""
    let days = Int(try body.intIfAny("days", 1...3650) ?? 365)
    do throws(Refusal) {
      let made = try console.makeBearer(of: admin, label, days: days, by: person)
      var json = JSON()
      json.add("number", made.number)
      json.add("token", made.token)
      return shown(json, status: 201)
    } catch {
      // What is not there is not what was asked for, but what the body names.
      guard error.reason != .notFound else { throw Problem(422, error.message, at: "/admin") }
      throw Problem(error, at: "/label")
    }
  }

  func schemas(_ rest: [String], _ person: Person) throws(Problem) -> Response {
    if rest.count == 1, rest[0].sameBytes(as: "current") {
      try allow([.get])
      guard let bytes = try domain({ () throws(Refusal) in try console.schema() }) else {
        throw Problem(404, "There is no schema.")
      }
      return Response(
        type: "application/json", body: bytes, version: [UInt8](Crypto.hash(bytes).prefix(16)).hexadecimal)
    }
    guard rest.isEmpty else { throw missing }
    try allow([.get, .post])
    if request.method == .post {
      try Body.check(request, isJSON: true)
      do throws(StoreError) { _ = try Value(json: request.body) } catch { throw Problem(400, error.message) }
      try domain { () throws(Refusal) in try console.addSchema(request.body, by: person) }
    }
    let all = try domain { () throws(Refusal) in try console.schemas() }
    var response = listed(all.map { $0.json })
    if request.method == .post {
      response.status = 201
      response.headers.append((name: "Location", value: "/api/v1/schemas"))
    }
    return response
  }

  func assets(_ rest: [String], _ person: Person) throws(Problem) -> Response {
    guard let id = rest.first else {
      try allow([.post])
      try Body.check(request, isJSON: false)
      try domain { () throws(Refusal) in try console.keep(request.body, by: person) }
      var json = JSON()
      let id = Crypto.hash(request.body).hexadecimal
      json.add("id", id)
      json.add("size", request.body.count)
      return made(json, at: "assets/" + id)
    }
    guard rest.count == 1 else { throw missing }
    try allow([.get])
    guard let bytes = try domain({ () throws(Refusal) in try console.asset(id) }) else {
      throw Problem(404, "There is no such image.")
    }
    var response = Response(type: "application/octet-stream", body: bytes, version: id)
    response.isForever = true
    return response
  }
}
