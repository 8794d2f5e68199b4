import LiveryClient
import LiveryFleet
import LiveryHTTP

extension API {
  func channels(_ rest: [String], _ person: Person) throws(Refusal) -> Answered {
    if rest.isEmpty {
      guard request.method == .get else { return notDone }
      return .success(listed(try console.channels().map { $0.json }))
    }
    let channel = rest[0]
    if rest.count == 1 {
      guard request.method == .get else { return notDone }
      return .success(shown(try console.channel(channel).json))
    }
    guard rest.count == 2 else { return .success(nil) }
    switch rest[1] {
    case "draft": return try draft(channel, person)
    case "difference":
      guard request.method == .get else { return notDone }
      return .success(shown(try console.difference(channel).json))
    case "publications":
      guard request.method == .post else { return notDone }
      return publish(channel, person)
    default: return .success(nil)
    }
  }

  private func draft(_ channel: String, _ person: Person) throws(Refusal) -> Answered {
    switch request.method {
    case .get:
      let draft = try console.draft(channel)
      var response = shown(draft.json)
      response.version = "r\(draft.revision)"
      return .success(response)
    case .patch: return done { () throws(Problem) in try change(channel, person) }
    case .delete:
      try console.discard(channel, by: person)
      return .success(nothing)
    default: return notDone
    }
  }

  /// The revision that was seen: of the body, or of If-Match.
  private func revision(_ body: Body) throws(Problem) -> UInt64 {
    let member = try body.intIfAny("revision", 0...1 << 53)
    if let header = request.head.ifMatch {
      guard let text = header[...].trimmed.text, let number = text.after("\"r")?.utf8.split(separator: .quote).first,
        let revision = Array(number)[...].decimal, member == nil || member == Int64(revision)
      else { throw Problem(400, "If-Match is not the entity tag of a draft.") }
      return UInt64(clamping: revision)
    }
    guard let member else { throw Problem(422, "It is missing: the revision that was seen.", at: "/revision") }
    return UInt64(clamping: member)
  }

  private func change(_ channel: String, _ person: Person) throws(Problem) -> Response {
    let body = try Body(request)
    try body.only("revision", "settings")
    let revision = try revision(body)
    guard let items = try body.listIfAny("settings") else { throw Problem(422, "It is missing.", at: "/settings") }
    guard items.count <= Limit.settings else { throw Problem(422, "There are too many.", at: "/settings") }
    _ = try domain { () throws(Refusal) in try console.known(channel) }
    var settings: [DraftSetting] = []
    for (index, item) in items.enumerated() {
      let place = "/settings/\(index)"
      guard case .object(let members) = item, case .string(let name)? = item["name"], !name.utf8.contains(0) else {
        throw Problem(422, "It has to be an object with a name.", at: place)
      }
      for member in members where !["name", "verb", "value"].contains(where: { $0.sameBytes(as: member.key) }) {
        throw Problem(422, "There is no such member.", at: place + "/" + member.key)
      }
      // Without a verb it is taken out of the draft.
      var verb = ""
      if let given = item["verb"] {
        guard case .string(let word) = given else { throw Problem(422, "It has to be a text.", at: place + "/verb") }
        verb = word
      }
      var value = item["value"]
      if let given = value, !verb.utf8.isEmpty, !verb.sameBytes(as: "release") {
        value = try domain(at: place + "/value") { () throws(Refusal) in try console.typed(name, given) }
      }
      settings.append(DraftSetting(name: name, verb: verb, value: value))
    }
    try domain { () throws(Refusal) in try console.save(settings, in: channel, at: revision, by: person) }
    return try domain { () throws(Refusal) in
      let draft = try console.draft(channel)
      var response = shown(draft.json)
      response.version = "r\(draft.revision)"
      return response
    }
  }

  private func publish(_ channel: String, _ person: Person) -> Answered {
    done { () throws(Problem) in
      let body = try Body(request)
      try body.only("revision", "comment", "steps", "pause", "bound")
      let revision = try revision(body)
      var plan = Plan()
      plan.comment = try body.textIfAny("comment") ?? ""
      if let steps = try body.intsIfAny("steps") { plan.steps = steps }
      plan.pause = Int(try body.intIfAny("pause", 0...2_592_000) ?? 0)
      plan.bound = Int(try body.intIfAny("bound", 0...10_000) ?? Int64(plan.bound))
      return try domain { () throws(Refusal) in
        let number = try console.publish(channel, plan, at: revision, by: person)
        return shown(try console.publication(number).json, status: 201)
      }
    }
  }

  func publications(_ rest: [String], _ person: Person) throws(Refusal) -> Answered {
    if rest.isEmpty {
      guard request.method == .get else { return notDone }
      return done { () throws(Problem) in
        let before = request.query["before"] == nil ? nil : try number("before", 0, 0...1 << 53)
        let limit = Int(try number("limit", 100, 1...1000))
        return try domain { () throws(Refusal) in
          listed(try console.publications(request.query["channel"], before: before, limit: limit).map { $0.json })
        }
      }
    }
    guard let number = Array(rest[0].utf8)[...].decimal else {
      throw Refusal(.notFound, "There is no such publication.")
    }
    if rest.count == 1 {
      guard request.method == .get else { return notDone }
      return .success(shown(try console.publication(Int64(number)).json))
    }
    guard rest.count == 2, let step = RolloutStep(rest[1]) else { return .success(nil) }
    guard request.method == .post else { return notDone }
    let made = try console.act(step, on: Int64(number), by: person)
    return .success(shown(try console.publication(made).json))
  }
}

extension RolloutStep {
  init?(_ word: String) {
    switch word {
    case "stop": self = .stop
    case "raise": self = .raise
    case "resume": self = .resume
    case "undo": self = .undo
    default: return nil
    }
  }
}
