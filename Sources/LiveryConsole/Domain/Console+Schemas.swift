import CLivery
import LiveryClient
import LiveryFleet
import LiveryHTTP

// Schemas, of which the one with the highest version is what forms are drawn of, and images.
extension Console {
  package func schema() throws(Refusal) -> [UInt8]? {
    try database.first("SELECT content FROM schemas ORDER BY version DESC, number DESC LIMIT 1") {
      (row) throws(Refusal) in
      row.bytes(0)
    }
  }

  package func schemas() throws(Refusal) -> [SchemaLine] {
    var lines: [SchemaLine] = []
    var current: String?
    try database.each("SELECT version, digest, title FROM schemas ORDER BY version DESC, number DESC") {
      (row) throws(Refusal) in
      var line = SchemaLine()
      line.version = row.int(0)
      line.digest = row.text(1)
      line.title = row.text(2)
      line.isKnown = true
      line.isCurrent = current == nil
      if current == nil { current = line.digest }
      lines.append(line)
    }
    try database.each(
      """
      SELECT schema_version, COUNT(*) FROM devices WHERE refused = 0 AND schema_version IS NOT NULL
      GROUP BY schema_version ORDER BY schema_version DESC
      """
    ) { (row) throws(Refusal) in
      let version = row.int(0)
      if let index = lines.firstIndex(where: { $0.version == version }) {
        lines[index].devices = Int(row.int(1))
      } else {
        var line = SchemaLine()
        line.version = version
        line.devices = Int(row.int(1))
        lines.append(line)
      }
    }
    return lines
  }

  package func addSchema(_ json: [UInt8], by person: Person) throws(Refusal) {
    let checked = Store.checkSchema(json)
    if let error = checked.error { throw Refusal(.invalid, error.message) }
    let store = try SchemaStores.open(json)
    let (version, digest): (Int64, String)
    do throws(StoreError) {
      (version, digest) = (Int64(clamping: try store.schemaVersion()), try store.schemaDigest())
    } catch { throw Refusal(.invalid, error.message) }
    let title = (try? Value(json: json))?["Title"]?.text ?? ""
    guard version <= Limit.version else {
      throw Refusal(.invalid, "The schema has version \(version), and \(Limit.version) is the highest.")
    }
    try change { (_) throws(Refusal) in
      guard try database.number("SELECT COUNT(*) FROM schemas WHERE digest = ?", [.text(digest)]) == 0 else {
        throw Refusal(.conflict, "This schema is here already.")
      }
      let number = try next("schema")
      try database.run(
        "INSERT INTO schemas (number, digest, version, title, content, created) VALUES (?, ?, ?, ?, ?, ?)",
        [
          .int(number), .text(digest), .int(version), .text(title.nulFree), .bytes(json), .int(Console.now),
        ])
      try note(person, "added schema version \(version)", digest)
    }
  }

  package func asset(_ id: String) throws(Refusal) -> [UInt8]? {
    guard id.utf8.count == 64, let hash = Hexadecimal.bytes(id) else { return nil }
    return try asset(hash: hash)
  }

  package func keep(_ asset: [UInt8], by person: Person) throws(Refusal) {
    guard !asset.isEmpty, asset.count <= Limit.asset else {
      throw Refusal(.invalid, "An image has 1 to \(Limit.asset) bytes.")
    }
    // What a browser or an app cannot show is found here, and not on all devices.
    do throws(StoreError) { _ = try Assets.describe(asset) } catch { throw Refusal(.invalid, error.message) }
    let hash = Crypto.hash(asset)
    try change { (stamp) throws(Refusal) in
      guard try database.number("SELECT COUNT(*) FROM assets WHERE hash = ?", [.bytes(hash)]) == 0 else { return }
      try database.run(
        "INSERT INTO assets (hash, content, size, stamp) VALUES (?, ?, ?, ?)",
        [.bytes(hash), .bytes(asset), .int(Int64(asset.count)), .int(stamp)])
      try note(person, "uploaded image \(hash.hexadecimal)", "\(asset.count) bytes")
    }
  }

  /// A value as JSON has it, with the type that the schema says; as it is if there is no schema.
  ///
  /// - Throws: `.invalid` with what the schema has against it.
  func typed(_ name: String, _ value: Value) throws(Refusal) -> Value {
    try typed([Value.Member(name, value)])[0]
  }

  /// The same of several settings, each once.
  func typed(_ settings: [Value.Member]) throws(Refusal) -> [Value] {
    let json = try schema()
    let typed = try json.map { (json) throws(Refusal) in try types.typed(settings, json) } ?? settings.map { $0.value }
    return zip(settings, typed).map { $0.key.after("branding.image.") == nil ? $1 : $1.withAssets }
  }
}

extension Value {
  /// Of an image of a brand, whose schema knows no types: what is a hash is an asset, which goes along to devices.
  fileprivate var withAssets: Value {
    switch self {
    case .string(let text): text.utf8.count == 64 && Hexadecimal.bytes(text) != nil ? .image(text) : self
    case .list(let items): .list(items.map { $0.withAssets })
    case .object(let members):
      .object(members.map { $0.key.sameBytes(as: "image") ? Member($0.key, $0.value.withAssets) : $0 })
    default: self
    }
  }
}

extension Console {
  /// What the schema does not take.
  func unfit(_ settings: [DraftSetting]) throws(Refusal) -> [Unfit] {
    guard let json = try schema() else { return [] }
    return try shown(try types.unfit(settings, json) { try? self.asset($0) })
  }

  /// The settings whose values nobody may read: what one version of the schema calls secret stays so, though a later one does not
  /// have it any more.
  func secrets() throws(Refusal) -> [String] { try bared().secrets }

  func bared() throws(Refusal) -> BaredSecrets {
    var bared = BaredSecrets()
    let known = try self.names()
    let schemas = try database.all("SELECT number, version FROM schemas") { (row) throws(Refusal) in
      (number: row.int(0), version: row.int(1))
    }
    for schema in schemas {
      let names = try types.secrets(of: schema.number) { () throws(Refusal) in
        try database.first("SELECT content FROM schemas WHERE number = ?", [.int(schema.number)]) {
          (row) throws(Refusal) in row.bytes(0)
        }
      }
      // What was secret by another name is so by this one.
      bared.add(names + names.map { known.name($0) }, of: schema.version)
    }
    return bared
  }
}

/// What schemas call secret. One that does not tells what is wrong with a value in words that have the value in them.
struct BaredSecrets {
  /// By each of their names.
  private(set) var secrets: [String] = []
  /// Those that all schemas of a version call so.
  private var hidden: [Int64: [String]] = [:]

  fileprivate mutating func add(_ names: [String], of version: Int64) {
    for name in names where !secrets.contains(where: { $0.sameBytes(as: name) }) { secrets.append(name) }
    hidden[version] = hidden[version]?.filter { (name) in names.contains { $0.sameBytes(as: name) } } ?? names
  }

  private static let unsaid = "its value is secret, and is not told"

  /// Whether a schema of a version may tell the value of a setting that another one calls secret.
  func isBared(_ name: String, by version: Int64?) -> Bool {
    guard secrets.contains(where: { $0.sameBytes(as: name) }) else { return false }
    return !(version.flatMap { hidden[$0] } ?? []).contains { $0.sameBytes(as: name) }
  }

  /// What a schema of a version says of a setting, without its value where that is a secret.
  func shown(_ message: String, of name: String, by version: Int64?) -> String {
    // What is of no setting may be of any.
    let isOfAny = name.sameBytes(as: "?") && !secrets.isEmpty
    return isOfAny || isBared(name, by: version) ? Self.unsaid : message
  }

  /// What was kept of a device's failure, by a schema that is not known any more.
  func shown(failure: String) -> String {
    for verdict in ["refused", "unusable"] {
      for name in secrets + ["?"] where failure.after("\(verdict): \(name): ") != nil {
        if !secrets.isEmpty { return "\(verdict): \(name): \(Self.unsaid)" }
      }
    }
    return failure
  }

  private static let masked: [String] = {
    let verbs = ["nothing", "recommend …", "replace …", "enforce …", "release …"]
    return verbs.flatMap { (one) in verbs.map { one + " → " + $0 } }
  }()

  /// What history tells of a draft; nothing where that has the value of what became a secret later.
  func shown(history detail: String) -> String {
    for part in detail.pieces(between: "; ") {
      for name in secrets {
        guard let rest = part.after(name + ": ") else { continue }
        guard Self.masked.contains(where: { $0.sameBytes(as: rest) }) else { return "…" }
      }
    }
    return detail
  }
}

extension String {
  fileprivate func pieces(between separator: String) -> [String] {
    let (bytes, separator) = (Array(utf8), Array(separator.utf8))
    var (pieces, start, place): ([String], Int, Int) = ([], 0, 0)
    while place + separator.count <= bytes.count {
      if bytes[place..<place + separator.count].elementsEqual(separator) {
        pieces.append(String(decoding: bytes[start..<place], as: UTF8.self))
        place += separator.count
        start = place
      } else {
        place += 1
      }
    }
    return pieces + [String(decoding: bytes[start...], as: UTF8.self)]
  }
}

// What is shown of drafts to whoever asks. The forms of the page have what the present schema calls secret shown by itself.
extension Console {
  package func shown(_ unfit: [Unfit]) throws(Refusal) -> [Unfit] { try shown(unfit, by: try presentVersion()) }

  /// What a schema of a version has against values.
  func shown(_ unfit: [Unfit], by version: Int64?) throws(Refusal) -> [Unfit] {
    guard !unfit.isEmpty else { return unfit }
    let bared = try bared()
    return unfit.map { Unfit(name: $0.name, problem: bared.shown($0.problem, of: $0.name, by: version)) }
  }

  private func presentVersion() throws(Refusal) -> Int64? {
    try database.number("SELECT MAX(version) FROM schemas")
  }

  package func baredSecrets() throws(Refusal) -> [String] {
    let (bared, present) = (try bared(), try presentVersion())
    return bared.secrets.filter { bared.isBared($0, by: present) }
  }

  func shown(_ draft: ChannelDraft) throws(Refusal) -> ChannelDraft {
    let secrets = try secrets()
    var shown = draft
    for index in shown.settings.indices {
      shown.settings[index].isSecret = secrets.contains { $0.sameBytes(as: shown.settings[index].name) }
    }
    return shown
  }

  func shown(_ settings: [Difference.Setting]) throws(Refusal) -> [Difference.Setting] {
    let secrets = try secrets()
    var shown = settings
    for index in shown.indices {
      let isSecret = secrets.contains { $0.sameBytes(as: shown[index].name) }
      shown[index].before?.isSecret = isSecret
      shown[index].after?.isSecret = isSecret
    }
    return shown
  }
}

/// Stores in memory that know a schema, for what it says of values.
final class SchemaStores: @unchecked Sendable {
  private let lock = Lock()
  // Guarded by `lock`.
  private var latest: (schema: [UInt8], store: Store, names: SettingNames)?
  private var secrets: [(number: Int64, names: [String])] = []

  private func known(_ json: [UInt8]) throws(Refusal) -> (store: Store, names: SettingNames) {
    if let latest, latest.schema == json { return (latest.store, latest.names) }
    let store = try SchemaStores.open(json)
    let names = try SchemaStores.names(of: store)
    latest = (json, store, names)
    return (store, names)
  }

  func names(_ json: [UInt8]) throws(Refusal) -> SettingNames {
    try lock.withLock { () throws(Refusal) in try known(json).names }
  }

  private static func names(of store: Store) throws(Refusal) -> SettingNames {
    do throws(StoreError) { return SettingNames(try store.form(FormOptions(includesHidden: true))) } catch {
      throw Refusal(.busy, error.message)
    }
  }

  /// - Parameter content: asked for the schema, once: none is ever another one.
  func secrets(of number: Int64, _ content: () throws(Refusal) -> [UInt8]?) throws(Refusal) -> [String] {
    if let known = lock.withLock({ secrets.first { $0.number == number } }) { return known.names }
    guard let json = try content() else { return [] }
    let names = try SchemaStores.names(of: SchemaStores.open(json)).secrets
    lock.withLock { if !secrets.contains(where: { $0.number == number }) { secrets.append((number, names)) } }
    return names
  }

  /// What a schema does not take.
  func unfit(
    _ settings: [DraftSetting], _ json: [UInt8], asset: (String) -> [UInt8]?
  ) throws(Refusal) -> [Unfit] {
    try lock.withLock { () throws(Refusal) in
      let store = try known(json).store
      do throws(StoreError) {
        let unfit = try store.fill(settings, asset: asset)
        _ = try store.edit(.ofDrafts) { (change) throws(StoreError) in try change.resetAll() }
        return unfit
      } catch { throw Refusal(.busy, error.message) }
    }
  }

  /// A store with a schema and without values.
  static func open(_ json: [UInt8]) throws(Refusal) -> Store {
    var options = Store.Options()
    options.create = true
    options.inMemory = true
    do throws(StoreError) {
      let store = try Store(path: "console-\(Crypto.random(8).hexadecimal)", options: options)
      if let error = store.applySchema(json).error { throw error }
      return store
    } catch { throw Refusal(.invalid, error.message) }
  }

  func typed(_ settings: [Value.Member], _ json: [UInt8]) throws(Refusal) -> [Value] {
    try lock.withLock { () throws(Refusal) in
      let store = try known(json).store
      // An image is there once it was uploaded, which the store does not know of.
      do throws(StoreError) {
        let text = Array(try Value.object(settings).jsonText().utf8)
        let status = text.withUnsafeBufferPointer { (bytes) -> livery_status in
          bytes.withMemoryRebound(to: CChar.self) {
            livery_import_json(store.handle, livery_layer(Layer.ofDrafts.rawValue), $0.baseAddress, $0.count, 0, nil)
          }
        }
        try LiveryClient.check(status)
        var typed: [Value] = []
        // As it was set: defaults of members that it leaves out are those of each device's schema.
        _ = try store.edit(.ofDrafts) { (change) throws(StoreError) in
          typed = []
          for setting in settings { typed.append(try change.value(setting.key, in: .ofDrafts) ?? setting.value) }
          try change.resetAll()
        }
        return typed
      } catch { throw Refusal(.invalid, "\(settings.first?.key ?? ""): \(error.message)") }
    }
  }
}
