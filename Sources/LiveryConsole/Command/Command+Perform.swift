import CConsole
import LiveryClient
import LiveryFleet
import LiveryHTTP

extension Command {
  /// false if there is no such command.
  func perform() throws(Refusal) -> Bool {
    let words = arguments.words
    let rest = Array(words.dropFirst())
    switch words.first {
    case "init" where rest.count == 1: try make(rest[0])
    case "serve" where rest.isEmpty: try serve()
    case "simulate":
      var all = ["livery-simulate"] + rest
      if isJSON { all.append("--json") }
      throw try become(all)
    case "admin": return try admin(rest)
    case "token": return try token(rest)
    case "schema": return try schema(rest)
    case "group": return try group(rest)
    case "device": return try device(rest)
    case "draft": return try draft(rest)
    case "diff" where rest.count <= 1: try difference(rest.first ?? "fleet")
    case "publish" where rest.count <= 1: try publish(rest.first ?? "fleet")
    case "rollout": return try rollout(rest)
    case "undo" where rest.count == 1: try act(.undo, rest[0])
    case "history" where rest.isEmpty: try history()
    case "explain" where rest.count == 1 || rest.count == 2: try explain(rest)
    case "enroll": return try enroll(rest)
    case "keys": return try keys(rest)
    case "config": return try config(rest)
    case "status" where rest.isEmpty: try status()
    default: return false
    }
    return true
  }

  private func become(_ words: [String]) throws(Refusal) -> Refusal {
    var bytes: [UInt8] = []
    var starts: [Int] = []
    for word in words {
      starts.append(bytes.count)
      bytes += word.utf8
      bytes.append(0)
    }
    let error = bytes.withUnsafeBufferPointer { (bytes) -> Int32 in
      guard let base = UnsafeRawPointer(bytes.baseAddress) else { return 0 }
      var pointers: [UnsafePointer<CChar>?] = starts.map { (base + $0).assumingMemoryBound(to: CChar.self) }
      pointers.append(nil)
      return pointers.withUnsafeBufferPointer { (list) in
        "livery-simulate".withCString { (name) in list.baseAddress.map { lvo_become(name, $0) } ?? 0 }
      }
    }
    return Refusal(
      .notFound,
      "livery-simulate: \(String(cString: lvo_reason(error))); no package has it: docs/fleet.md tells how `swift build` "
        + "makes it of Livery's sources")
  }

  private func make(_ fleet: String) throws(Refusal) {
    let place = try place()
    let root = arguments["root-key"] ?? "\(place.folder)/root.key"
    try Files.makeFolder(place.folder, mode: 0o700)
    try Console.initialize(place, fleet: fleet, rootKey: root, by: person) { () throws(Refusal) in
      try Configuration().merging(arguments).write(place.folder)
    }
    done("made the fleet \(fleet); keep \(root) somewhere else: whoever has it decides who signs")
  }

  private func serve() throws(Refusal) {
    lvo_catch_signals()
    let console = try open()
    console.complain = { _ in }
    if !arguments.has("publish-again") { try console.publishFromThere() }
    let service = try Service(
      console, listen: arguments["listen"] ?? "127.0.0.1:8080", hosts: arguments.all("host"),
      isBehindProxy: arguments.has("behind-proxy"))
    var json = JSON()
    json.add("address", service.address)
    show(json, [service.address])
    service.run()
  }

  /// A password: the first line of a file, or of standard input.
  private func password() throws(Refusal) -> String {
    if let path = arguments["password-file"] {
      let bytes = try Files.read(path, most: 4096)
      return String(decoding: Array(bytes.prefix { $0 != .lineFeed && $0 != .carriageReturn }), as: UTF8.self)
    }
    var line = [CChar](repeating: 0, count: 256)
    guard lvo_ask("Password: ", &line, line.count) >= 0 else { throw Refusal(.invalid, "there is no password") }
    return line.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
  }

  private func admin(_ rest: [String]) throws(Refusal) -> Bool {
    let console = try open()
    switch rest.first {
    case "add" where rest.count == 2, "set" where rest.count == 2:
      let present = try console.admins().first { $0.name.sameBytes(as: rest[1]) }
      guard let role = arguments["role"].map({ Console.role($0) }) ?? present?.role ?? .editor else {
        throw Refusal(.invalid, "--role is viewer or editor")
      }
      try console.put(rest[1], role, password: try password(), by: person)
      done("\(rest[1]) is \(Console.word(role))")
    case "remove" where rest.count == 2:
      try console.removeAdmin(rest[1], by: person)
      done("removed \(rest[1])")
    case "list" where rest.count == 1, nil:
      let all = try console.admins()
      show(list: all.map { $0.json }, all.map { "\($0.name)\t\(Console.word($0.role))" })
    default: return false
    }
    return true
  }

  private func token(_ rest: [String]) throws(Refusal) -> Bool {
    let console = try open()
    switch rest.first {
    case "make" where rest.count == 2:
      let made = try console.makeBearer(
        of: rest[1], arguments["label"] ?? "", days: try arguments.number("days", 365, 1...3650), by: person)
      var json = JSON()
      json.add("number", made.number)
      json.add("token", made.token)
      show(json, [made.token])
    case "remove" where rest.count == 2:
      guard let number = Array(rest[1].utf8)[...].decimal else { throw Refusal(.invalid, "a token has a number") }
      try console.removeBearer(Int64(number), by: person)
      done("removed token \(rest[1])")
    case "list" where rest.count == 1, nil:
      let all = try console.bearers()
      show(list: all.map { $0.json }, all.map { "\($0.number.description)\t\($0.admin)\t\($0.label)" })
    default: return false
    }
    return true
  }

  private func schema(_ rest: [String]) throws(Refusal) -> Bool {
    let console = try open()
    switch rest.first {
    case "add" where rest.count == 2:
      try console.addSchema(try Files.read(rest[1], most: 16 << 20), by: person)
      done("added \(rest[1])")
    case "list" where rest.count == 1, nil:
      let all = try console.schemas()
      show(
        list: all.map { $0.json },
        all.map {
          "version \($0.version.description)\t\($0.devices) devices\t\($0.isKnown ? $0.digest : "not known")"
            + ($0.isCurrent ? "\tcurrent" : "")
        })
    default: return false
    }
    return true
  }

  private func group(_ rest: [String]) throws(Refusal) -> Bool {
    let console = try open()
    switch rest.first {
    case "add" where rest.count == 2:
      try console.addGroup(rest[1], by: person)
      done("added group \(rest[1])")
    case "remove" where rest.count == 2:
      try console.removeGroup(rest[1], by: person)
      done("removed group \(rest[1])")
    case "up" where rest.count == 2, "down" where rest.count == 2:
      try console.moveGroup(rest[1], up: rest[0].sameBytes(as: "up"), by: person)
      done("moved group \(rest[1])")
    case "list" where rest.count == 1, nil:
      let all = try console.groups()
      show(list: all.map { $0.json }, all.map { "\($0.name)\t\($0.members) devices" })
    default: return false
    }
    return true
  }

  private func device(_ rest: [String]) throws(Refusal) -> Bool {
    let console = try open()
    switch rest.first {
    case "list" where rest.count == 1, nil:
      var filter = DeviceFilter()
      filter.query = arguments["query"] ?? ""
      filter.group = arguments["group"]
      if let word = arguments["device-state"] {
        guard let state = DeviceState.allCases.first(where: { $0.name.sameBytes(as: word) }) else {
          throw Refusal(.invalid, "--device-state is right, behind, trial, failing or silent")
        }
        filter.state = state
      }
      filter.limit = try arguments.number("limit", 100, 1...1000)
      let found = try console.devices(filter)
      show(
        list: found.lines.map { $0.json },
        found.lines.map {
          "\($0.id)\t\($0.state.name)\t\(Output.plain($0.name))\t\($0.groups.joinedByCommas)"
        })
    case "show" where rest.count == 2: try explain([rest[1]])
    case "name" where rest.count == 3:
      try console.name(rest[1], rest[2], by: person)
      done("named \(rest[1])")
    case "groups" where rest.count >= 2:
      try console.setGroups(Array(rest.dropFirst(2)), of: rest[1], by: person)
      done("\(rest[1]) is in \(rest.count == 2 ? "no group" : Array(rest.dropFirst(2)).joinedByCommas)")
    case "remove" where rest.count == 2:
      try console.refuse(rest[1], by: person)
      done("removed \(rest[1])")
    default: return false
    }
    return true
  }

  private func explain(_ rest: [String]) throws(Refusal) {
    let console = try open()
    let detail = try console.device(rest[0])
    let settings = detail.settings.filter { (setting) in rest.count == 1 || setting.name.sameBytes(as: rest[1]) }
    guard rest.count == 1 || !settings.isEmpty else { throw Refusal(.notFound, "nothing is known of \(rest[1])") }
    var lines: [String] = []
    if rest.count == 1 {
      lines.append("\(detail.line.id) \(detail.line.name): \(detail.line.state.name)")
      for one in detail.holdings {
        lines.append(
          "publication \(one.publication)\(one.name.map { " " + $0 } ?? "") of \(one.channel): \(one.about)")
      }
      for violation in detail.violations { lines.append("\(violation.name): \(violation.message)") }
    }
    for setting in settings {
      let value = setting.isSecret ? "…" : setting.value.flatMap { try? $0.jsonText() } ?? "?"
      lines.append("\(setting.name) = \(value): \(setting.decidedBy)")
      for later in setting.later {
        lines.append(
          "  \(Console.words(later.setting)) by publication \(later.publication), \(later.about)")
      }
    }
    show(detail.json, lines)
  }

  private func status() throws(Refusal) {
    let json = try open().status()
    show(
      json,
      json.members.map { (member) in
        if member.key.utf8.suffix(6).elementsEqual("Expire".utf8), case .int(let seconds) = member.value {
          return "\(member.key): \(Output.time(seconds))"
        }
        return "\(member.key): " + (member.value.text ?? (try? member.value.jsonText()) ?? "")
      })
  }

  private func history() throws(Refusal) {
    let all = try open().history(before: nil, limit: try arguments.number("limit", 100, 1...1000))
    show(
      list: all.map { $0.json },
      all.map {
        "\($0.number.description)\t\(Output.time($0.time))\t\($0.author)\t\(Output.plain($0.what))\t\($0.detail)"
      })
  }

  private func enroll(_ rest: [String]) throws(Refusal) -> Bool {
    let console = try open()
    switch rest.first {
    case "list" where rest.count == 1:
      let all = try console.tokens()
      show(list: all.map { $0.json }, all.map { "\($0.id)\t\(Output.plain($0.label))\t\($0.device ?? "open")" })
    case "withdraw" where rest.count == 2:
      try console.withdraw(rest[1], by: person)
      done("withdrew \(rest[1])")
    case nil:
      let line = try console.enroll(
        arguments["label"] ?? "", groups: arguments.all("group"), hours: try arguments.number("hours", 24, 1...8760),
        by: person)
      show(line.json, [line.code ?? ""])
    default: return false
    }
    return true
  }
}
