import LiveryClient
import LiveryFleet
import LiveryHTTP

// What channels are to say, and what was published.
extension API {
  func channels(_ rest: [String], _ person: Person) throws(Problem) -> Response {
    guard let channel = rest.first else {
      try allow([.get], query: ["offset", "limit"])
      let (offset, limit) = (try offset(), try limit())
      return try domain { () throws(Refusal) in
        let (lines, total) = try console.channels(from: offset, limit: limit)
        return listed(lines.map { $0.json }, total: total)
      }
    }
    if rest.count == 1 {
      try allow([.get])
      return try domain { () throws(Refusal) in shown(try console.channel(channel).json) }
    }
    guard rest.count == 2 else { throw missing }
    switch rest[1] {
    case "draft": return try draft(channel, person)
    case "difference":
      try allow([.get])
      return try domain { () throws(Refusal) in shown(try console.difference(channel).json) }
    case "publications":
      try allow([.post])
      return try publish(channel, person)
    default: throw missing
    }
  }

  private func publish(_ channel: String, _ person: Person) throws(Problem) -> Response {
    let body = try Body(
      request,
      ["revision", "comment", "steps", "pause", "bound", "name", "from", "until", "trial", "app", "schema"])
    guard let revision = try body.intIfAny("revision", 0...API.largest) else {
      throw Problem(422, "It is missing: the revision of the draft that was seen.", at: "/revision")
    }
    var plan = Plan()
    plan.comment = try body.textIfAny("comment") ?? ""
    if let steps = try body.intsIfAny("steps", 1...10_000) { plan.steps = steps }
    plan.pause = Int(try body.intIfAny("pause", 0...2_592_000) ?? 0)
    plan.bound = Int(try body.intIfAny("bound", 0...10_000) ?? Int64(plan.bound))
    plan.name = try body.textIfAny("name")
    plan.conditions = try conditions(body)
    return try domain { () throws(Refusal) in
      let number = try console.publish(channel, plan, at: UInt64(clamping: revision), by: person)
      return made(try console.publication(number).json, at: "publications/\(Int(number))")
    }
  }

  private func conditions(_ body: Body) throws(Problem) -> Conditions {
    var conditions = Conditions()
    conditions.from = try API.time(body, "from")
    conditions.until = try API.time(body, "until")
    if let value = body.valueIfAny("trial") {
      let trial = try Body(value, ["seconds", "check"], at: "/trial")
      guard let seconds = try trial.intIfAny("seconds", 1...Conditions.longestTrial) else {
        throw Problem(422, "It is missing.", at: "/trial/seconds")
      }
      let check = try trial.textIfAny("check")
      if let check, !Name.isValid(check) {
        throw Problem(422, "A check's name is \(Conditions.nameWords).", at: "/trial/check")
      }
      conditions.trial = Document.Trial(seconds: seconds, check: check)
    }
    conditions.app = try body.textIfAny("app")
    if let versions = try body.intsIfAny("schema", 1...API.largest) {
      guard versions.count == 2, versions[0] <= versions[1] else {
        throw Problem(422, "It has to be the least and the highest version, in this order.", at: "/schema")
      }
      conditions.schema = Int64(versions[0])...Int64(versions[1])
    }
    return conditions
  }

  /// Seconds since 1970, or what a clock on the wall shows where the device is.
  private static func time(_ body: Body, _ key: String) throws(Problem) -> ScheduledTime? {
    guard let value = body.valueIfAny(key) else { return nil }
    if case .string(let text) = value {
      guard let time = ScheduledTime(text: text) else {
        throw Problem(
          422, "There is no such date and time: it is one such as 2026-12-24T18:00:00.", at: body.pointer(key))
      }
      return time
    }
    return try body.intIfAny(key, 0...Limit.time).map { .moment($0) }
  }

  func publications(_ rest: [String], _ person: Person) throws(Problem) -> Response {
    guard let first = rest.first else {
      try allow([.get], query: ["channel", "before", "limit"])
      let channel = try textIfAny("channel")
      let (before, limit) = (try numberIfAny("before", 1...API.largest), try limit())
      return try domain { () throws(Refusal) in
        let total = try console.database.number(
          "SELECT COUNT(*) FROM publications" + (channel == nil ? "" : " WHERE channel = ?"),
          channel.map { [.text($0)] } ?? [])
        return listed(
          try console.publications(channel, before: before, limit: limit).map { $0.json }, total: Int(total ?? 0))
      }
    }
    guard let number = API.number(first) else { throw missing }
    if rest.count == 1 {
      try allow([.get])
      return try domain { () throws(Refusal) in shown(try console.publication(number).json) }
    }
    guard rest.count == 2, let step = RolloutStep(rest[1]) else { throw missing }
    try allow([.post])
    var share: Int?
    if step == .raise, !request.body.isEmpty {
      share = try Body(request, ["share"]).intIfAny("share", 0...10_000).map { Int($0) }
    } else {
      try expectNothing()
    }
    return try domain { () throws(Refusal) in
      shown(try console.publication(try console.act(step, on: number, at: share, by: person)).json)
    }
  }

  func history() throws(Problem) -> Response {
    try allow([.get], query: ["before", "limit"])
    let (before, limit) = (try numberIfAny("before", 1...API.largest), try limit())
    return try domain { () throws(Refusal) in
      let total = try console.database.number("SELECT COUNT(*) FROM history")
      return listed(try console.history(before: before, limit: limit).map { $0.json }, total: Int(total ?? 0))
    }
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
