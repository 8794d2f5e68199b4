import CCommand
import CConsole
import LiveryClient
import LiveryFleet
import LiveryHTTP

extension Command {
  /// Does what the words say, which have the form of a command.
  func perform() throws(Refusal) {
    let words = arguments.words
    let rest = Array(words.dropFirst())
    switch words.first {
    case "init": try make(rest[0])
    case "serve": try serve()
    case "admin": try admin(rest)
    case "token": try token(rest)
    case "schema": try schema(rest)
    case "group": try group(rest)
    case "asset": try addAsset(rest[1])
    case "device": try device(rest)
    case "draft": try draft(rest)
    case "diff": try difference(rest.first ?? "fleet")
    case "publish": try publish(rest.first ?? "fleet")
    case "rollout": try rollout(rest)
    case "undo": try act(.undo, rest[0])
    case "history": try history()
    case "explain": try explain(rest)
    case "enroll": try enroll(rest)
    case "keys": try keys(rest)
    case "config": try config(rest)
    default: try status()
    }
  }

  /// Becomes the program that knows the options.
  func simulate() throws(Refusal) -> Refusal {
    var bytes: [UInt8] = []
    var starts: [Int] = []
    for word in ["livery-simulate"] + arguments.words.dropFirst() {
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

  /// A password: the first line of a file, or of standard input; nil if there is none.
  private func password(_ title: String) throws(Refusal) -> String? {
    if let path = arguments["password-file"] {
      let bytes = try Files.read(path, most: 4096)
      return String(decoding: Array(bytes.prefix { $0 != .lineFeed && $0 != .carriageReturn }), as: UTF8.self)
    }
    var count = 0
    guard let line = command_read_line(title, true, &count) else { return nil }
    defer { lvo_free(line) }
    return count == 0 ? nil : String(decoding: UnsafeRawBufferPointer(start: line, count: count), as: UTF8.self)
  }

  private func admin(_ rest: [String]) throws(Refusal) {
    let console = try open()
    switch rest.first {
    case "add", "set":
      let present = try console.admins().first { $0.name.sameBytes(as: rest[1]) }
      guard let role = arguments["role"].map({ Console.role($0) }) ?? present?.role ?? .editor else {
        throw Command.usage("--role is viewer or editor")
      }
      let isNew = rest[0].sameBytes(as: "add")
      // Nobody types a password in vain.
      try console.check(rest[1], isNew: isNew)
      let password = try password(isNew ? "Password" : "Password (none: as it is)")
      try console.put(rest[1], role, password: password, isNew: isNew, by: person)
      done("\(rest[1]) is \(Console.word(role))")
    case "remove":
      try console.removeAdmin(rest[1], by: person)
      done("removed \(rest[1])")
    default:
      let all = try console.admins()
      show(list: all.map { $0.json }, all.map { "\($0.name)\t\(Console.word($0.role))" })
    }
  }

  private func token(_ rest: [String]) throws(Refusal) {
    let console = try open()
    switch rest.first {
    case "make":
      let made = try console.makeBearer(
        of: rest[1], arguments["label"] ?? "", days: try arguments.number("days", 365, 1...3650), by: person)
      var json = JSON()
      json.add("number", made.number)
      json.add("token", made.token)
      show(json, [made.token])
    case "remove":
      guard let number = Array(rest[1].utf8)[...].decimal else { throw Command.usage("a token has a number") }
      try console.removeBearer(Int64(number), by: person)
      done("removed token \(rest[1])")
    default:
      let all = try console.bearers()
      let now = Timestamp.now.microseconds / 1_000_000
      show(
        list: all.map { $0.json },
        all.map { (one) in
          let end = (one.expires < now ? "over since " : "until ") + Output.time(one.expires)
          return "\(one.number.description)\t\(one.admin)\t\(Output.plain(one.label))\t\(end)"
        })
    }
  }

  private func schema(_ rest: [String]) throws(Refusal) {
    let console = try open()
    switch rest.first {
    case "add":
      try console.addSchema(try Files.read(rest[1], most: 16 << 20), by: person)
      done("added \(rest[1])")
    default:
      let all = try console.schemas()
      show(
        list: all.map { $0.json },
        all.map {
          "version \($0.version.description)\t\($0.devices) devices\t\($0.isKnown ? $0.digest : "not known")"
            + ($0.isCurrent ? "\tcurrent" : "")
        })
    }
  }

  private func addAsset(_ path: String) throws(Refusal) {
    let bytes = try Files.read(path, most: Limit.asset)
    try open().keep(bytes, by: person)
    var json = JSON()
    json.add("id", Crypto.hash(bytes).hexadecimal)
    show(json, [Crypto.hash(bytes).hexadecimal])
  }

  private func group(_ rest: [String]) throws(Refusal) {
    let console = try open()
    switch rest.first {
    case "add":
      try console.addGroup(rest[1], by: person)
      done("added group \(rest[1])")
    case "remove":
      try console.removeGroup(rest[1], by: person)
      done("removed group \(rest[1])")
    case "up", "down":
      let isUp = rest[0].sameBytes(as: "up")
      let isMoved = try console.moveGroup(rest[1], up: isUp, by: person)
      done(isMoved ? "moved group \(rest[1])" : "group \(rest[1]) is the \(isUp ? "weakest" : "strongest") already")
    default:
      let all = try console.groups()
      show(list: all.map { $0.json }, all.map { "\($0.name)\t\($0.members) devices" })
    }
  }

  private func device(_ rest: [String]) throws(Refusal) {
    let console = try open()
    switch rest.first {
    case "show": try explain([rest[1]])
    case "name":
      try console.name(rest[1], rest[2], by: person)
      done("named \(rest[1])")
    case "groups":
      let groups = Array(rest.dropFirst(2))
      guard groups.isEmpty == arguments.has("none") else {
        guard groups.isEmpty else { throw Command.usage("`device groups` takes groups or --none") }
        let present = try console.device(rest[1]).line.groups
        var json = JSON()
        json.add("groups", texts: present)
        return show(json, present)
      }
      try console.setGroups(groups, of: rest[1], by: person)
      done("\(rest[1]) is in \(groups.isEmpty ? "no group" : groups.joinedByCommas)")
    case "remove":
      try console.refuse(rest[1], by: person)
      done("removed \(rest[1])")
    default:
      var filter = DeviceFilter()
      filter.query = arguments["query"] ?? ""
      filter.group = arguments["group"]
      // A spelling mistake is no group that nobody is in.
      if let group = filter.group { try console.known("group." + group) }
      if let word = arguments["device-state"] {
        guard let state = DeviceState.allCases.first(where: { $0.name.sameBytes(as: word) }) else {
          throw Command.usage("--device-state is right, behind, trial, failing or silent")
        }
        filter.state = state
      }
      let lines = try paged(
        from: try arguments.number("offset", 0, 0...DeviceFilter.farthest),
        most: try arguments.number("limit", .max, 1...DeviceFilter.farthest)
      ) { (from, limit) throws(Refusal) -> [DeviceLine] in
        var page = filter
        page.offset = from
        page.limit = limit
        return try console.devices(page).lines
      }
      show(
        list: lines.map { $0.json },
        lines.map {
          "\($0.id)\t\($0.state.name)\t\(Output.plain($0.name))\t\($0.groups.joinedByCommas)"
        })
    }
  }

  /// The most that the console gives at once.
  private static let page = 1000

  /// Up to so many from a place on, page by page.
  private func paged<Item>(
    from place: Int = 0, most: Int = .max, _ page: (_ from: Int, _ limit: Int) throws(Refusal) -> [Item]
  ) throws(Refusal) -> [Item] {
    var all: [Item] = []
    while all.count < most {
      let limit = min(most - all.count, Command.page)
      let items = try page(place + all.count, limit)
      all += items
      if items.count < limit { break }
    }
    return all
  }

  private func explain(_ rest: [String]) throws(Refusal) {
    let console = try open()
    let detail = try console.device(rest[0])
    var settings = detail.settings
    if rest.count > 1 {
      guard let setting = try console.setting(rest[1], of: detail) else {
        throw Refusal(.notFound, "nothing is known of \(rest[1])")
      }
      settings = [setting]
    }
    var lines: [String] = []
    if rest.count == 1 {
      lines.append("\(detail.line.id) \(detail.line.name): \(detail.line.state.name)")
      if let problem = detail.line.problem { lines.append("it cannot take what is published: \(problem)") }
      if let health = detail.health { lines.append("it says: \(health)") }
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
    show(rest.count == 1 ? detail.json : settings[0].json, lines.map { Output.plain($0) })
  }

  private func status() throws(Refusal) {
    let json = try open().status()
    var lines: [String] = []
    for member in json.members {
      if member.key.utf8.suffix(6).elementsEqual("Expire".utf8), case .int(let seconds) = member.value {
        lines.append("\(member.key): \(Output.time(seconds))")
      } else if member.value.type != .object, member.value.type != .list {
        lines.append("\(member.key): " + (member.value.text ?? (try? member.value.jsonText()) ?? ""))
      }
    }
    let value = json.value
    if let publishing = value["publishing"], let place = publishing["place"]?.text,
      case .int(let count)? = publishing["waiting"]
    {
      var line = "publishing: \(place): \(Piece.count(Int(count), "manifest waits", "manifests wait"))"
      if case .int(let since)? = publishing["since"] { line += " since \(Output.time(since))" }
      lines.append(line + (publishing["problem"]?.text.map { ": " + $0 } ?? ""))
    }
    for problem in value["problems"]?.items ?? [] {
      lines.append("\(problem["part"]?.text ?? ""): \(problem["message"]?.text ?? "")")
    }
    show(json, lines.map { Output.plain($0) })
  }

  private func history() throws(Refusal) {
    let all = try open().history(before: nil, limit: try arguments.number("limit", 100, 1...1000))
    show(
      list: all.map { $0.json },
      all.map {
        "\($0.number.description)\t\(Output.time($0.time))\t\($0.author)\t\(Output.plain($0.what))\t\(Output.plain($0.detail))"
      })
  }

  private func enroll(_ rest: [String]) throws(Refusal) {
    let console = try open()
    switch rest.first {
    case "list":
      let all = try paged { (from, limit) throws(Refusal) -> [EnrollmentLine] in
        try console.tokens(from: from, limit: limit).lines
      }
      let now = Timestamp.now.microseconds / 1_000_000
      show(
        list: all.map { $0.json },
        all.map { "\($0.id)\t\(Output.plain($0.label))\t\($0.device ?? ($0.expires > now ? "open" : "over"))" })
    case "withdraw":
      try console.withdraw(rest[1], by: person)
      done("withdrew \(rest[1])")
    default:
      let line = try console.enroll(
        arguments["label"] ?? "", groups: arguments.all("group"), hours: try arguments.number("hours", 24, 1...8760),
        by: person)
      show(line.json, [line.code ?? ""])
    }
  }
}
