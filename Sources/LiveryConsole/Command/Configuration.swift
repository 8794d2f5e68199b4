import LiveryClient
import LiveryFleet
import LiveryHTTP

/// What is noted in `console.json` of the console's folder: options that need not be given each time. The one password that
/// may be among them, in the address of a database, is not shown.
struct Configuration {
  static let names = [
    "database", "publish", "endpoint", "region", "credentials", "endpoint-ca-file", "broker", "broker-user",
    "broker-password-file", "broker-ca-file", "broker-client-id", "url",
  ]

  private(set) var values: [(name: String, value: String)] = []

  init() {}

  /// Reads what is noted in a folder: nothing if there is no file.
  ///
  /// - Throws: `.invalid` if it is not what it should be: to go on without would be another console.
  init(_ folder: String) throws(Refusal) {
    let path = "\(folder)/console.json"
    let bytes: [UInt8]
    do throws(Refusal) { bytes = try Files.read(path, most: 65536) } catch {
      if error.reason == .notFound { return }
      throw error
    }
    let noted: Value
    // What is wrong with it; or that nothing is there that reads JSON.
    do throws(StoreError) { noted = try Value(json: bytes) } catch {
      throw Refusal(.invalid, "\(path): \(error.message)")
    }
    guard noted.type == .object else { throw Refusal(.invalid, "\(path) is not a JSON object") }
    for name in Configuration.names {
      if let text = noted[name]?.text { set(name, text) }
    }
  }

  subscript(name: String) -> String? { values.first { $0.name.sameBytes(as: name) }?.value }

  mutating func set(_ name: String, _ value: String?) {
    values.removeAll { $0.name.sameBytes(as: name) }
    if let value { values.append((name, value)) }
  }

  /// With what is given now.
  func merging(_ arguments: Arguments) -> Configuration {
    var merged = self
    for name in Configuration.names {
      if let given = arguments[name] { merged.set(name, given) }
    }
    return merged
  }

  var json: JSON {
    var json = JSON()
    for name in Configuration.names { json.add(name, self[name]) }
    return json
  }

  /// Without the password that the address of a database may have: everything else is a file's name, or no secret.
  var shown: Configuration {
    var shown = self
    if let address = self["database"] { shown.set("database", Configuration.masked(address)) }
    return shown
  }

  /// `postgresql://user:…@host/name?password=…`.
  private static func masked(_ address: String) -> String {
    guard let scheme = address.after("postgresql://") ?? address.after("postgres://") else { return address }
    let bytes = Array(address.utf8)
    var rest = bytes[(bytes.count - scheme.utf8.count)...]
    var shown = Array(bytes[..<rest.startIndex])
    let hidden = Array("…".utf8)
    // A password may have a question mark.
    let host = rest.prefix { $0 != UInt8(ascii: "/") }
    if let at = host.lastIndex(of: UInt8(ascii: "@")), let colon = host[..<at].firstIndex(of: UInt8(ascii: ":")) {
      shown += rest[...colon] + hidden
      rest = rest[at...]
    }
    let key = Array("password=".utf8)
    while let first = rest.first {
      if rest.starts(with: key) {
        shown += key + hidden
        rest = rest.dropFirst(key.count).drop { $0 != UInt8(ascii: "&") }
      } else {
        shown.append(first)
        rest = rest.dropFirst()
      }
    }
    return String(decoding: shown, as: UTF8.self)
  }

  func write(_ folder: String) throws(Refusal) {
    let text = (try? json.value.jsonText(pretty: true)) ?? "{}"
    try Files.write("\(folder)/console.json", Array((text + "\n").utf8), mode: 0o600, replaces: true)
  }
}

extension Command {
  /// `config`, `config set NAME VALUE`, `config unset NAME`.
  func config(_ rest: [String]) throws(Refusal) {
    let folder = try folder()
    let key = "\(folder)/signing.key"
    guard Files.isThere(key) else {
      // What is noted is a fleet's.
      throw Files.isThere("\(folder)/console.json") ? Keys.isMissing(key) : Console.isMissing
    }
    let noted = try Configuration(folder)
    switch rest.first {
    case "set", "unset":
      guard Configuration.names.contains(where: { $0.sameBytes(as: rest[1]) }) else {
        throw Refusal(.invalid, "there is no option \(rest[1]) to be noted; `livery console config` lists what is")
      }
      guard rest.count == 2 || !rest[2].utf8.contains(0) else { throw Refusal(.invalid, "the value has a NUL") }
      let value = rest.count == 3 ? rest[2] : nil
      // Opened as it is going to be, and what is published left alone: whatever is noted can be changed back.
      var wanted = noted.merging(arguments)
      wanted.set(rest[1], value)
      var place = place(folder, wanted)
      try check(rest[1], place)
      place.published = nil
      // Nothing is changed where there is no fleet; and history tells who has changed it.
      let console = try Console(place)
      if rest[1].sameBytes(as: "url"), let url = place.url { try Console.check(url: url, of: console.fleet) }
      if rest.count == 3, rest[1].sameBytes(as: "database") { try console.checkKey() }
      try console.publishChangesOnly()
      // Another one may have been noted meanwhile.
      try Files.alone(in: folder) { () throws(Refusal) in
        var present = try Configuration(folder)
        present.set(rest[1], value)
        try present.write(folder)
      }
      try console.change { (_) throws(Refusal) in
        try console.note(person, rest.count == 3 ? "set \(rest[1])" : "unset \(rest[1])", "of the console")
      }
      done("it counts for consoles that start from now on")
    default:
      let shown = noted.shown
      show(
        shown.json,
        Configuration.names.compactMap { (name) in shown[name].map { "\(name)\t\($0)" } })
    }
  }

  /// Refuses what no console could be opened with: what is wrong with another option is that one's.
  private func check(_ name: String, _ place: Console.Place) throws(Refusal) {
    do throws(Refusal) {
      switch name {
      case "publish", "endpoint", "region", "credentials", "endpoint-ca-file": _ = try PublishedPlace.make(place)
      case "database": try Console.checkDatabase(of: place)
      case "broker":
        var alone = Console.Place()
        alone.broker = place.broker
        _ = try Hints.make(alone, serves: false)
      default: break
      }
    } catch {
      guard error.reason == .notFound else { throw error }
      throw Refusal(.invalid, error.message)
    }
  }
}
