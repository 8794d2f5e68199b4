import LiveryClient
import LiveryFleet
import LiveryHTTP

// Devices, the groups that they are in, and the codes by which they join.
extension API {
  func devices(_ rest: [String], _ person: Person) throws(Problem) -> Response {
    guard let id = rest.first else {
      try allow([.get], query: ["query", "group", "state", "schema", "offset", "limit"])
      return try found()
    }
    if rest.count == 1 { return try device(id, person) }
    switch rest[1] {
    case "settings" where rest.count == 3:
      try allow([.get])
      let setting = try domain { () throws(Refusal) in try console.setting(rest[2], of: try console.device(id)) }
      guard let setting else {
        throw Problem(404, "The device has told of no such setting, and nothing that it takes names it.")
      }
      return shown(setting.json)
    default: throw missing
    }
  }

  private func found() throws(Problem) -> Response {
    var filter = DeviceFilter()
    filter.query = try textIfAny("query") ?? ""
    filter.group = try textIfAny("group")
    if let word = request.query["state"] {
      guard let state = DeviceState.allCases.first(where: { $0.name.sameBytes(as: word) }) else {
        throw Problem(400, "The parameter state is right, behind, trial, failing or silent.")
      }
      filter.state = state
    }
    filter.schema = try numberIfAny("schema", 0...API.largest)
    filter.offset = try offset()
    filter.limit = try limit()
    let found = try domain { () throws(Refusal) in try console.devices(filter) }
    return listed(found.lines.map { $0.json }, total: found.total)
  }

  private func device(_ id: String, _ person: Person) throws(Problem) -> Response {
    try allow([.get, .patch, .delete])
    if request.method == .delete {
      try domain { () throws(Refusal) in try console.refuse(id, by: person) }
      return nothing
    }
    if request.method == .patch {
      let body = try Body(request, ["name", "groups"])
      let (name, groups) = (try body.textIfAny("name"), try body.textsIfAny("groups"))
      if name != nil || groups != nil {
        try domain(at: groups == nil ? "/name" : "/groups") { () throws(Refusal) in
          try console.set(name: name, groups: groups, of: id, by: person)
        }
      }
    }
    return try domain { () throws(Refusal) in shown(try console.device(id).json) }
  }

  func groups(_ rest: [String], _ person: Person) throws(Problem) -> Response {
    guard let name = rest.first else {
      try allow([.get, .post])
      if request.method == .post {
        let name = try Body(request, ["name"]).text("name")
        try domain(at: "/name") { () throws(Refusal) in try console.addGroup(name, by: person) }
        return made(GroupLine(name: name, members: 0).json, at: "groups/" + name)
      }
      return try domain { () throws(Refusal) in listed(try console.groups().map { $0.json }) }
    }
    if rest.count == 1 {
      try allow([.get, .delete])
      if request.method == .delete {
        try domain { () throws(Refusal) in try console.removeGroup(name, by: person) }
        return nothing
      }
      let all = try domain { () throws(Refusal) in try console.groups() }
      guard let line = all.first(where: { $0.name.sameBytes(as: name) }) else {
        throw Problem(404, "There is no such group.")
      }
      return shown(line.json)
    }
    // The weakest are the first.
    let isUp = rest[1].sameBytes(as: "weaker")
    guard rest.count == 2, isUp || rest[1].sameBytes(as: "stronger") else { throw missing }
    try allow([.post])
    try expectNothing()
    return try domain { () throws(Refusal) in
      try console.moveGroup(name.nulFree, up: isUp, by: person)
      return listed(try console.groups().map { $0.json })
    }
  }

  func enrollments(_ rest: [String], _ person: Person) throws(Problem) -> Response {
    guard let id = rest.first else {
      try allow([.get, .post], query: ["offset", "limit"])
      if request.method == .post { return try enroll(person) }
      let (offset, limit) = (try offset(), try limit())
      return try domain { () throws(Refusal) in
        let (lines, total) = try console.tokens(from: offset, limit: limit)
        return listed(lines.map { $0.json }, total: total)
      }
    }
    guard rest.count == 1 else { throw missing }
    try allow([.get, .delete])
    if request.method == .delete {
      try domain { () throws(Refusal) in try console.withdraw(id, by: person) }
      return nothing
    }
    return try domain { () throws(Refusal) in shown(try console.token(id).json) }
  }

  private func enroll(_ person: Person) throws(Problem) -> Response {
    let body = try Body(request, ["label", "groups", "hours"])
    let label = try body.textIfAny("label") ?? ""
    let groups = try body.textsIfAny("groups") ?? []
    let hours = Int(try body.intIfAny("hours", 1...8760) ?? 24)
    let line = try domain(at: groups.isEmpty ? nil : "/groups") { () throws(Refusal) in
      try console.enroll(label, groups: groups, hours: hours, by: person)
    }
    return made(line.json, at: "enrollments/" + line.id)
  }
}
