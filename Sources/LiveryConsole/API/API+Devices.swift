import LiveryClient
import LiveryFleet
import LiveryHTTP

extension API {
  typealias Answered = Result<Response?, Problem>

  /// A body's part that may be wrong, and what is done with it.
  func done(_ body: () throws(Problem) -> Response) -> Answered {
    do throws(Problem) { return .success(try body()) } catch { return .failure(error) }
  }

  /// Runs what the domain refuses, as a problem.
  func domain<R>(at pointer: String? = nil, _ body: () throws(Refusal) -> R) throws(Problem) -> R {
    do throws(Refusal) { return try body() } catch { throw Problem(error, at: pointer) }
  }

  /// A number of the query; the default if there is none.
  func number(_ name: String, _ usual: Int64, _ range: ClosedRange<Int64>) throws(Problem) -> Int64 {
    guard let text = request.query[name] else { return usual }
    guard let number = Array(text.utf8)[...].decimal, range.contains(Int64(number)) else {
      throw Problem(
        400, "\(name) is a whole number from \(range.lowerBound.description) to \(range.upperBound.description).")
    }
    return Int64(number)
  }

  func devices(_ rest: [String], _ person: Person) throws(Refusal) -> Answered {
    if rest.isEmpty {
      guard request.method == .get else { return notDone }
      return done { () throws(Problem) in
        var filter = DeviceFilter()
        filter.query = request.query["query"] ?? ""
        filter.group = request.query["group"]
        if let word = request.query["state"] {
          guard let state = DeviceState.allCases.first(where: { $0.name.sameBytes(as: word) }) else {
            throw Problem(400, "state is right, behind, failing or silent.")
          }
          filter.state = state
        }
        if request.query["schema"] != nil { filter.schema = try number("schema", 0, 0...1 << 53) }
        filter.offset = Int(try number("offset", 0, 0...1_000_000_000))
        filter.limit = Int(try number("limit", 100, 1...1000))
        let found = try domain { () throws(Refusal) in try console.devices(filter) }
        return listed(found.lines.map { $0.json }, total: found.total)
      }
    }
    guard rest.count == 1 else { return .success(nil) }
    let id = rest[0]
    switch request.method {
    case .get: return .success(shown(try console.device(id).json))
    case .patch:
      return done { () throws(Problem) in
        let body = try Body(request)
        try body.only("name", "groups")
        let (name, groups) = (try body.textIfAny("name"), try body.textsIfAny("groups"))
        if let name {
          try domain(at: "/name") { () throws(Refusal) in try console.name(id, name, by: person) }
        }
        if let groups {
          try domain(at: "/groups") { () throws(Refusal) in try console.setGroups(groups, of: id, by: person) }
        }
        return try domain { () throws(Refusal) in shown(try console.device(id).json) }
      }
    case .delete:
      try console.refuse(id, by: person)
      return .success(nothing)
    default: return notDone
    }
  }

  func groups(_ rest: [String], _ person: Person) throws(Refusal) -> Answered {
    if rest.isEmpty {
      if request.method == .get { return .success(listed(try console.groups().map { $0.json })) }
      guard request.method == .post else { return notDone }
      return done { () throws(Problem) in
        let body = try Body(request)
        try body.only("name")
        let name = try body.text("name")
        try domain(at: "/name") { () throws(Refusal) in try console.addGroup(name, by: person) }
        return shown(GroupLine(name: name, members: 0).json, status: 201)
      }
    }
    guard rest.count == 1 else { return .success(nil) }
    guard request.method == .delete else { return notDone }
    try console.removeGroup(rest[0], by: person)
    return .success(nothing)
  }

  func history() throws(Refusal) -> Answered {
    guard request.method == .get else { return notDone }
    return done { () throws(Problem) in
      let before = request.query["before"] == nil ? nil : try number("before", 0, 0...1 << 53)
      let limit = Int(try number("limit", 100, 1...1000))
      return try domain { () throws(Refusal) in
        listed(try console.history(before: before, limit: limit).map { $0.json })
      }
    }
  }

  func enrollments(_ rest: [String], _ person: Person) throws(Refusal) -> Answered {
    if rest.isEmpty {
      if request.method == .get { return .success(listed(try console.tokens().map { $0.json })) }
      guard request.method == .post else { return notDone }
      return done { () throws(Problem) in
        let body = try Body(request)
        try body.only("label", "groups", "hours")
        let label = try body.textIfAny("label") ?? ""
        let groups = try body.textsIfAny("groups") ?? []
        let hours = Int(try body.intIfAny("hours", 1...8760) ?? 24)
        return try domain { () throws(Refusal) in
          shown(try console.enroll(label, groups: groups, hours: hours, by: person).json, status: 201)
        }
      }
    }
    guard rest.count == 1 else { return .success(nil) }
    switch request.method {
    case .get: return .success(shown(try console.token(rest[0]).json))
    case .delete:
      try console.withdraw(rest[0], by: person)
      return .success(nothing)
    default: return notDone
    }
  }

  func schemas(_ person: Person) throws(Refusal) -> Answered {
    if request.method == .get { return .success(listed(try console.schemas().map { $0.json })) }
    guard request.method == .post else { return notDone }
    return done { () throws(Problem) in
      _ = try Body(request)
      try domain { () throws(Refusal) in try console.addSchema(request.body, by: person) }
      return try domain { () throws(Refusal) in listed(try console.schemas().map { $0.json }) }
    }
  }

  func assets(_ rest: [String], _ person: Person) throws(Refusal) -> Answered {
    if rest.isEmpty {
      guard request.method == .post else { return notDone }
      guard !request.body.isEmpty else { return .failure(Problem(422, "An image has 1 to \(Limit.asset) bytes.")) }
      try console.keep(request.body, by: person)
      var json = JSON()
      json.add("id", Crypto.hash(request.body).hexadecimal)
      json.add("size", request.body.count)
      return .success(shown(json, status: 201))
    }
    guard rest.count == 1 else { return .success(nil) }
    guard request.method == .get else { return notDone }
    guard let bytes = try console.asset(rest[0]) else { throw Refusal(.notFound, "There is no such image.") }
    var response = Response(type: "application/octet-stream", body: bytes, version: rest[0])
    response.isForever = true
    return .success(response)
  }

  func admins(_ rest: [String], _ person: Person) throws(Refusal) -> Answered {
    if rest.isEmpty {
      guard request.method == .get else { return notDone }
      return .success(listed(try console.admins().map { $0.json }))
    }
    guard rest.count == 1 else { return .success(nil) }
    switch request.method {
    case .put:
      return done { () throws(Problem) in
        let body = try Body(request)
        try body.only("role", "password")
        guard let role = Console.role(try body.text("role")) else {
          throw Problem(422, "It has to be viewer or editor.", at: "/role")
        }
        let password = try body.textIfAny("password")
        try domain { () throws(Refusal) in try console.put(rest[0], role, password: password, by: person) }
        return nothing
      }
    case .delete:
      try console.removeAdmin(rest[0], by: person)
      return .success(nothing)
    default: return notDone
    }
  }

  func tokens(_ rest: [String], _ person: Person) throws(Refusal) -> Answered {
    if rest.isEmpty {
      if request.method == .get { return .success(listed(try console.bearers().map { $0.json })) }
      guard request.method == .post else { return notDone }
      return done { () throws(Problem) in
        let body = try Body(request)
        try body.only("label", "days")
        let label = try body.textIfAny("label") ?? ""
        let days = Int(try body.intIfAny("days", 1...3650) ?? 365)
        return try domain { () throws(Refusal) in
          let made = try console.makeBearer(of: person.name, label, days: days, by: person)
          var json = JSON()
          json.add("number", made.number)
          json.add("token", made.token)
          return shown(json, status: 201)
        }
      }
    }
    guard rest.count == 1 else { return .success(nil) }
    guard request.method == .delete else { return notDone }
    guard let number = Array(rest[0].utf8)[...].decimal else { throw Refusal(.notFound, "There is no such token.") }
    try console.removeBearer(Int64(number), by: person)
    return .success(nothing)
  }
}
