import CSystem
import Glibc
import Livery
import Testing

/// Random operations on a store and on the oracle, which have to agree after each.
///
/// `LIVERY_MODEL_SEEDS` is the number of runs (200), `LIVERY_MODEL_SEED` repeats a single one.
@Suite struct ModelTests {
  private static let threads = 4

  @Test func aStoreDoesWhatTheModelSaysAfterAnySequenceOfOperations() throws {
    func number(_ name: String) -> UInt64? { getenv(name).flatMap { UInt64(String(cString: $0)) } }
    let findings = Findings()
    if let seed = number("LIVERY_MODEL_SEED") {
      Self.run(seed, findings)
    } else {
      let last = max(1, number("LIVERY_MODEL_SEEDS") ?? 200)
      inThreads(Self.threads) { index in
        for seed in stride(from: UInt64(index) + 1, through: last, by: Self.threads) { Self.run(seed, findings) }
      }
    }
    #expect(findings.all == [])
  }

  private static func run(_ seed: UInt64, _ findings: Findings) {
    do {
      var model = ModelRun(seed: seed, store: try ModelStore())
      for step in 1...100 {
        let operation = try model.step()
        let differences = try model.differences()
        guard differences.isEmpty else {
          return findings.add(
            """
            LIVERY_MODEL_SEED=\(seed), step \(step), after: \(operation())
            \(differences.joined(separator: "\n"))
            earlier: \(model.history.suffix(6).map { $0() }.joined(separator: "; "))
            """)
        }
      }
      let differences = try model.replicaDifferences()
      guard differences.isEmpty else {
        return findings.add("LIVERY_MODEL_SEED=\(seed), a store made from an export: \(differences)")
      }
    } catch {
      findings.add("LIVERY_MODEL_SEED=\(seed): \(error)")
    }
  }
}

/// A store in memory, if the system has a file system there, so that commits need not wait for a disk.
private struct ModelStore {
  let temporary: TemporaryStore
  let store: Store

  init() throws {
    temporary = access("/dev/shm", W_OK) == 0 ? TemporaryStore(in: "/dev/shm") : TemporaryStore()
    store = try temporary.open {
      $0.durability = .deferred
      $0.allowOverride = true
      $0.maximumReaders = 8
    }
  }
}

/// SplitMix64.
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
}

private struct ModelRun {
  private static let names = ["a", "b", "b.c", "d", "é", "u", "v"]
  private static let aliases = ["old.a", "old.b"]

  private var generator: SeededGenerator
  private let model: ModelStore
  private var oracle = Oracle()
  private var schema = ""
  /// Descriptions are made when they are needed: making them takes longer than the operations.
  private(set) var history: [() -> String] = []

  private var store: Store { model.store }

  init(seed: UInt64, store: ModelStore) {
    generator = SeededGenerator(state: seed)
    model = store
  }

  // MARK: Choosing

  private mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }
  private mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

  private mutating func name() -> String {
    chance(10) ? Self.aliases[below(Self.aliases.count)] : Self.names[below(Self.names.count)]
  }

  private mutating func value() -> Value {
    switch below(10) {
    case 0...4: .int(Int64(below(60)))
    case 5, 6: .string(String(below(60)))
    default: .string(["", "x", "word", "a long text"][below(4)])
    }
  }

  private mutating func layer() -> Layer {
    let layers: [Layer] = [.bundle, .recommended, .user, .user, .session, .enforced, .override]
    return layers[below(layers.count)]
  }

  // MARK: Operations

  /// One random operation on both; what it was.
  mutating func step() throws -> () -> String {
    let operation: () -> String
    switch below(100) {
    case 0..<70: operation = try change()
    case 70..<73: operation = try expiring()
    case 73..<83: operation = try applySchema()
    case 83..<93: operation = try importValues()
    default: operation = try importOwnExport()
    }
    history.append(operation)
    return operation
  }

  private mutating func randomChange() -> Oracle.Change {
    var change = Oracle.Change(layer: layer())
    change.clears = chance(8)
    var known: Set<String> = []
    for _ in 0..<(chance(60) ? 1 : below(5)) {
      let name = name()
      // Of two names of one setting the later edit counts, which the store finds out at commit.
      guard known.insert(oracle.target(name)).inserted else { continue }
      change.edits.append(chance(25) ? .reset(name) : .set(name, value()))
    }
    if change.layer == .override, chance(90) || change.layer == .session && chance(20) {
      change.expires = Timestamp(microseconds: Timestamp.now.microseconds + 3_600_000_000)
    }
    if chance(15) {
      let revision = UInt64(max(0, Int(oracle.revision) - below(4)))
      change.expected.append((name(), chance(20) ? 0 : revision))
    }
    return change
  }

  private mutating func change() throws -> () -> String {
    let change = randomChange()
    let found = try commit(change)
    expect(found?.description, oracle.commit(change, at: .now)?.description)
    return { "\(change) → \(found?.description ?? "OK")" }
  }

  private var mismatches: [String] = []

  private mutating func expect(_ found: String?, _ expected: String?) {
    if found != expected { mismatches.append("found \(found ?? "OK"), expected \(expected ?? "OK")") }
  }

  private func commit(_ change: Oracle.Change) throws -> StoreError.Code? {
    code { () throws(StoreError) in
      let set = try store.change(change.layer)
      if change.clears { try set.resetAll() }
      if let expires = change.expires { try set.expires(expires) }
      for expected in change.expected { try set.expect(expected.name, at: expected.revision) }
      for edit in change.edits {
        switch edit {
        case .set(let name, let value): try set.set(name, to: value)
        case .reset(let name): try set.reset(name)
        }
      }
      let revision = try set.commit()
      if try store.revision() != revision { throw StoreError(.io, "the revision is another") }
    }
  }

  /// A value that expires at once, so that the next comparison meets it expired and the next commit clears it away.
  private mutating func expiring() throws -> () -> String {
    let edit = Oracle.Edit.set(name(), value())
    let end = Timestamp(microseconds: Timestamp.now.microseconds + 4000)
    let change = Oracle.Change(layer: chance(50) ? .session : .override, expires: end, edits: [edit])
    let before = Timestamp.now
    let found = try commit(change)
    // On a busy machine the time may be over before the store looks.
    if found == .invalidValue, Timestamp.now >= end { return { "expired too early" } }
    expect(found?.description, oracle.commit(change, at: before)?.description)
    while Timestamp.now < end { lvs_sleep_us(200) }
    return { "\(change) → \(found?.description ?? "OK")" }
  }

  private mutating func applySchema() throws -> () -> String {
    let version = chance(10) ? max(1, oracle.version) - (chance(50) ? 1 : 0) : oracle.version + 1
    guard version > 0 else { return { "no schema" } }
    if version == oracle.version {
      let outcome = store.applySchema(Array(schema.utf8))
      expect(outcome.error?.code.description, nil)
      return { "the same schema" }
    }
    var declared: [String: Oracle.Declaration] = [:]
    for name in Self.names where chance(60) {
      var declaration = Oracle.Declaration(isInteger: chance(50), maximum: 0)
      declaration.maximum = declaration.isInteger ? Int64([20, 40, 100][below(3)]) : Int64([1, 5, 20][below(3)])
      if chance(60) { declaration.defaultValue = declaration.isInteger ? .int(Int64(below(20))) : .string("z") }
      declaration.isReadOnly = chance(15)
      if chance(50), let alias = ["a": "old.a", "b": "old.b"][name] { declaration.alias = alias }
      declared[name] = declaration
    }
    let isOpen = chance(50)
    let text = Self.json(version, isOpen, declared)
    let outcome = store.applySchema(Array(text.utf8))
    let isApplied = oracle.apply(version, isOpen: isOpen, declared, at: .now)
    expect(outcome.error?.code.description, isApplied ? nil : StoreError.Code.schemaNewer.description)
    if isApplied { schema = text }
    return { "schema \(text)" }
  }

  private static func json(_ version: UInt64, _ isOpen: Bool, _ declared: [String: Oracle.Declaration]) -> String {
    let settings = declared.sorted { $0.key.precedesInBytes($1.key) }.map { name, declaration in
      var text = "{\"Title\": \"T\", \"Key\": \"\(name)\", "
      text += declaration.isInteger ? "\"Type\": \"Number\", \"Format\": \"integer\", " : "\"Type\": \"TextField\", "
      text += "\"\(declaration.isInteger ? "Maximum" : "MaxLength")\": \(declaration.maximum)"
      if let value = declaration.defaultValue { text += ", \"Value\": \(value.json())" }
      if let alias = declaration.alias { text += ", \"Aliases\": [\"\(alias)\"]" }
      return text + ", \"ReadOnly\": \(declaration.isReadOnly)}"
    }
    return """
      {"Version": \(version), "Open": \(isOpen), "Groups": [{"Title": "G", "Settings": [\(settings.joined(separator: ","))]}]}
      """
  }

  private mutating func importValues() throws -> () -> String {
    let random = randomChange()
    var imported = Oracle.Change(layer: random.layer, isImport: true, isPartial: chance(50))
    var members: [Value.Member] = []
    imported.edits = random.edits.compactMap { edit in
      guard case .set(let name, let value) = edit else { return nil }
      members.append(.init(name, value))
      return edit
    }
    let change = imported
    let json = Value.object(members).json()
    let outcome = store.importJSON(Array(json.utf8), into: change.layer, partial: change.isPartial)
    expect(outcome.error?.code.description, oracle.commit(change, at: .now)?.description)
    return { "import \(json) into \(change.layer), partial \(change.isPartial)" }
  }

  /// A store holds what it exports: importing that changes nothing but that expired values go.
  private mutating func importOwnExport() throws -> () -> String {
    let exported = try store.exportJSON(layers: true)
    expect(store.importJSON(Array(exported.utf8), into: .user).error?.message, nil)
    expect(oracle.commit(Oracle.Change(layer: .user), at: .now)?.description, nil)
    return { "import of an export" }
  }

  // MARK: Comparing

  private static func shown(_ result: Result<Value, StoreError>) -> String {
    switch result {
    case .success(let value): value.json()
    case .failure(let error): error.code.description
    }
  }

  private static func read(_ body: () throws(StoreError) -> Value) -> Result<Value, StoreError> {
    do throws(StoreError) { return .success(try body()) } catch { return .failure(error) }
  }

  mutating func differences() throws -> [String] {
    defer { mismatches = [] }
    var found = mismatches
    func compare(_ what: String, _ left: String, _ right: String) {
      if left != right { found.append("\(what): the store says \(left), the model \(right)") }
    }
    let now = Timestamp.now
    compare("revision", "\(try store.revision())", "\(oracle.revision)")
    compare("schema version", "\(try store.schemaVersion())", "\(oracle.version)")
    let snapshot = try store.snapshot()
    defer { snapshot.close() }
    for name in Self.names + Self.aliases {
      let expected = Self.shown(oracle.read(name, at: now))
      compare("`\(name)`", Self.shown(Self.read { () throws(StoreError) in try store.value(name) }), expected)
      guard chance(25) else { continue }
      compare(
        "`\(name)` in a snapshot", Self.shown(Self.read { () throws(StoreError) in try snapshot.value(name) }), expected
      )
    }
    compare("list", Self.listed(try store.list()), expectedList(now))
    for name in Self.names + Self.aliases
    where oracle.declared[name] != nil || oracle.exists(name) && !oracle.entries(name).isEmpty {
      // The dearest of the comparisons: a third of the settings after each operation, chosen by the seed.
      guard chance(33) else { continue }
      compare("inspect `\(name)`", Self.inspected(try store.inspect(name)), "\(oracle.inspected(name, at: now))")
    }
    return found
  }

  private static func listed(_ list: Value) -> String {
    list.items.map { item in
      "\(item.text("name") ?? "") \(item["value"]?.json() ?? "-") \(item.text("layer") ?? "-") \(item["locked"] == .bool(true)) "
        + (item["revision"]?.json() ?? "-")
    }.joined(separator: ", ")
  }

  private func expectedList(_ now: Timestamp) -> String {
    (Self.names + Self.aliases).sorted { $0.precedesInBytes($1) }.compactMap { name in
      let state = oracle.state(name, at: now)
      guard oracle.declared[name] != nil || state.value != nil else { return nil }
      return "\(name) \(state.value?.json() ?? "-") \(state.layer?.description ?? "-") \(state.isLocked) "
        + (state.value == nil ? "-" : "\(oracle.changed(name))")
    }.joined(separator: ", ")
  }

  private static func inspected(_ report: Value) -> String {
    let layers = (report["layers"]?.items ?? []).map { item in
      "\(item.text("layer") ?? "") \(item["value"]?.json() ?? "-") \(item.text("state") ?? "") "
        + (item["revision"]?.json() ?? "")
    }
    return "\(layers)"
  }

  /// Another store with the same schema, given an export of the layers, answers the same.
  func replicaDifferences() throws -> [String] {
    let other = try ModelStore()
    if !schema.isEmpty, let error = other.store.applySchema(Array(schema.utf8)).error { throw error }
    let outcome = other.store.importJSON(Array(try store.exportJSON(layers: true).utf8), into: .user)
    if let error = outcome.error { return [error.message] }
    let now = Timestamp.now
    return (Self.names + Self.aliases).compactMap { name in
      let found = Self.shown(Self.read { () throws(StoreError) in try other.store.value(name) })
      let expected = Self.shown(oracle.read(name, at: now))
      return found == expected ? nil : "`\(name)`: the replica says \(found), the model \(expected)"
    }
  }
}
