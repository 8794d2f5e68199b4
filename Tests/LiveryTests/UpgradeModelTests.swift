import Glibc
import Livery
import Testing

/// Random schemas, values and steps: what is planned is what happens, it can be taken back, it happens once, and the comparison
/// of the schemas foretells every loss.
///
/// `LIVERY_UPGRADE_SEEDS` is the number of pairs (100), `LIVERY_UPGRADE_SEED` repeats a single one.
@Suite(.onDisk) struct UpgradeModelTests {
  private static let threads = 2

  @Test func anUpgradeIsAsPlannedCanBeTakenBackHappensOnceAndItsLossesAreForetold() {
    func number(_ name: String) -> UInt64? { getenv(name).flatMap { UInt64(String(cString: $0)) } }
    let findings = Findings()
    let tally = Tally()
    if let seed = number("LIVERY_UPGRADE_SEED") {
      Self.run(seed, findings, tally)
    } else {
      let last = max(1, number("LIVERY_UPGRADE_SEEDS") ?? 100)
      inThreads(Self.threads) { index in
        for seed in stride(from: UInt64(index) + 1, through: last, by: Self.threads) { Self.run(seed, findings, tally) }
      }
      // The run is worth something only if all of this was met.
      #expect(tally.all.allSatisfy { $0 > 0 })
    }
    if number("LIVERY_UPGRADE_SEEDS") != nil {
      print("upgrades applied, refused, with losses, without, with orphans dropped: \(tally.all)")
    }
    #expect(findings.all == [])
  }

  private static func run(_ seed: UInt64, _ findings: Findings, _ tally: Tally) {
    do {
      var upgrade = RandomUpgrade(seed)
      for problem in try upgrade.problems(tally) {
        findings.add(
          """
          LIVERY_UPGRADE_SEED=\(seed): \(problem)
          old: \(String(decoding: upgrade.oldSchema, as: UTF8.self))
          new: \(String(decoding: upgrade.newSchema, as: UTF8.self))
          """)
      }
    } catch {
      findings.add("LIVERY_UPGRADE_SEED=\(seed): \(error)")
    }
  }
}

private final class Tally: @unchecked Sendable {
  private let lock = TestLock()
  private var counts = [0, 0, 0, 0, 0]

  var all: [Int] { lock.withLock { counts } }

  func count(_ index: Int) {
    lock.withLock { counts[index] += 1 }
  }
}

/// One schema, a store with values of it, and the schema that follows.
private struct RandomUpgrade {
  private var generator: SeededGenerator
  private(set) var oldSchema: [UInt8] = []
  private(set) var newSchema: [UInt8] = []
  private let layers: [Layer] = [.bundle, .recommended, .user, .session]

  init(_ seed: UInt64) {
    generator = SeededGenerator(state: seed &* 0x9e37_79b9)
  }

  mutating func problems(_ tally: Tally) throws -> [String] {
    let old = (0..<(2 + below(5))).map { field("k\($0)", depth: 0) }
    oldSchema = document(1, old, [])
    let temporary = access("/dev/shm", W_OK) == 0 ? TemporaryStore(in: "/dev/shm") : TemporaryStore()
    let kept = UInt64(below(4))
    let store = try temporary.open {
      $0.durability = .deferred
      $0.maximumReaders = 8
      $0.orphanVersions = kept
    }
    if let error = store.applySchema(oldSchema).error { throw error }
    for layer in layers {
      for field in old where chance(60) {
        for _ in 0..<6 {
          if (try? store.set(field.key, to: value(of: field), in: layer)) != nil { break }
        }
      }
    }
    let (new, steps) = successor(of: old)
    newSchema = document(2, new, steps)
    let compared = Store.compareSchemas(oldSchema, newSchema)
    if let error = compared.error { throw error }

    var problems: [String] = []
    let before = try store.exportJSON(layers: true)
    let valuesBefore = try values(store)
    let plan = store.checkSchema(newSchema)
    if try store.exportJSON(layers: true) != before { problems.append("the plan changed the store") }
    let outcome = store.applySchema(newSchema)
    for member in ["steps", "rejected", "orphaned", "dropped", "added", "removed", "changed", "diagnostics"]
    where plan.report[member] != outcome.report[member] {
      problems.append("the plan differs in \(member)")
    }
    if plan.error?.message != outcome.error?.message {
      problems.append("the plan says \(String(describing: plan.error))")
    }
    let losses = try self.losses(plan, store, new)
    problems += unforetold(losses, compared.report)
    tally.count(losses.isEmpty ? 3 : 2)
    guard outcome.error == nil else {
      tally.count(1)
      if try store.exportJSON(layers: true) != before { problems.append("a refused upgrade changed the store") }
      return problems
    }
    tally.count(0)
    let expected = try replay(plan.report, on: valuesBefore)
    let found = try values(store)
    if expected != found { problems.append("planned \(expected.description), found \(found.description)") }
    let orphaned = found.all.filter { (_, name, _) in !new.contains { $0.key == name } }.count
    if outcome.report["orphaned"]?.count != orphaned { problems.append("not \(orphaned) orphaned") }
    let after = try store.exportJSON(layers: true)
    let again = store.applySchema(newSchema)
    if again.report["applied"] != .bool(false) || again.error != nil { problems.append("applied twice") }
    if try store.exportJSON(layers: true) != after { problems.append("applying again changed the store") }
    problems += try orphaning(store, old, new, kept, tally)
    try store.restore(from: outcome.report.text("backup"))
    let restored = try store.exportJSON(layers: true)
    if restored != before { problems.append("restored \(restored), was \(before)") }
    return problems
  }

  /// Applies a third schema, and looks at what becomes of values that the second did not declare.
  private mutating func orphaning(
    _ store: Store, _ old: [RandomField], _ new: [RandomField], _ kept: UInt64, _ tally: Tally
  ) throws -> [String] {
    let version = 3 + below(4)
    let before = try values(store)
    var next: [RandomField] = []
    for field in new + old where chance(50) && !next.contains(where: { $0.key == field.key }) { next.append(field) }
    let schema = document(version, next, [])
    let plan = store.checkSchema(schema)
    let outcome = store.applySchema(schema)
    var problems: [String] = []
    if let error = outcome.error { problems.append("the third schema was refused: \(error)") }
    if plan.report["dropped"] != outcome.report["dropped"] {
      problems.append("the plan of the third differs in dropped")
    }
    let isOver = kept > 0 && version - 2 >= Int(kept)
    var expected = before, dropped = 0
    for (layer, name, _) in before.all {
      if !isOver || (new + next).contains(where: { $0.key == name }) { continue }
      expected.put(nil, name, layer)
      dropped += 1
    }
    let found = try values(store)
    if expected != found { problems.append("kept \(found.description), should \(expected.description)") }
    if outcome.report["dropped"]?.count != dropped { problems.append("not \(dropped) dropped") }
    if dropped > 0 { tally.count(4) }
    return problems
  }

  /// What the layers hold, by layer and name.
  private func values(_ store: Store) throws -> Held {
    var held = Held()
    guard case .object(let layers)? = JSON.object(try store.exportJSON(layers: true), "Layers") else { return held }
    for layer in layers where layer.key != "defaults" {
      guard case .object(let items) = layer.value else { continue }
      for item in items { held.put(try item.value["value"].map { try Value(json: $0) }, item.key, layer.key) }
    }
    return held
  }

  /// What an upgrade loses: the settings, and nil where it fails or a step says that it may be lost.
  private func losses(_ plan: SchemaOutcome, _ store: Store, _ new: [RandomField]) throws -> [String?] {
    if plan.error != nil { return [nil] }
    var losses: [String?] = []
    for item in plan.report["rejected"]?.items ?? [] { losses.append(item.text("name")) }
    for (_, name, _) in try values(store).all where !new.contains(where: { $0.key == name }) { losses.append(name) }
    for step in plan.report["steps"]?.items ?? [] {
      let outcome = step.text("outcome") ?? ""
      if ["removed", "defaulted"].contains(outcome) || outcome == "set" && step["before"] != nil { losses.append(nil) }
    }
    return losses
  }

  private func unforetold(_ losses: [String?], _ report: Value) -> [String] {
    var problems: [String] = []
    let findings = report["findings"]?.items ?? []
    for loss in losses {
      guard let name = loss else {
        if findings.isEmpty { problems.append("no finding foretold that values are dropped or the upgrade fails") }
        continue
      }
      let isForetold = findings.contains { finding in
        finding.text("severity") == "error" && (finding.text("setting") == name || finding["setting"] == nil)
      }
      if !isForetold { problems.append("no error foretold what becomes of \(name): \(report.json())") }
    }
    return problems
  }

  // MARK: Choosing

  private mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }
  private mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
  private mutating func one<T>(of all: [T]) -> T { all[below(all.count)] }

  private mutating func field(_ key: String, depth: Int) -> RandomField {
    var kinds = RandomField.Kind.allCases
    if depth > 0 { kinds.removeAll { $0 == .list } }
    return field(key, one(of: kinds), depth: depth)
  }

  private mutating func field(_ key: String, _ kind: RandomField.Kind, depth: Int) -> RandomField {
    var field = RandomField(key: key, kind: kind)
    switch kind {
    case .choice, .choices:
      let all: [Value] = chance(50) ? (1...4).map { .int($0) } : ["a", "b", "1", "2"].map { .string($0) }
      field.options = Array(all.shuffled(using: &generator).prefix(1 + below(4)))
    case .list: field.template = (0..<(1 + below(3))).map { self.field("m\($0)", depth: depth + 1) }
    default: break
    }
    constrain(&field)
    return field
  }

  private mutating func constrain(_ field: inout RandomField) {
    field.constraints = []
    func add(_ name: String, _ json: String) { field.constraints.append("\"\(name)\": \(json)") }
    if chance(20) { add("Required", "true") }
    switch field.kind {
    case .int, .double:
      if chance(40) { add("Minimum", "\(below(10) - 5)") }
      if chance(40) { add("Maximum", "\(10 + below(300))") }
      if chance(20) { add("Step", one(of: ["1", "2", "5", "60"])) }
    case .text, .url:
      if chance(30) { add("MinLength", "\(below(4))") }
      if chance(30) { add("MaxLength", "\(4 + below(20))") }
      if chance(20) { add("Pattern", one(of: ["\"^[a-z0-9:/.]*$\"", "\"1\"", "\"a\""])) }
    case .data:
      if chance(30) { add("MinLength", "\(below(3))") }
      if chance(30) { add("MaxLength", "\(3 + below(4))") }
    case .date:
      if chance(30) { add("Minimum", "\"20\(10 + below(10))-01-01T00:00:00Z\"") }
      if chance(30) { add("Maximum", "\"20\(20 + below(10))-01-01T00:00:00Z\"") }
    case .choices: if chance(30) { add("MaxItems", "\(1 + below(3))") }
    case .list:
      if chance(30) { add("MaxItems", "\(1 + below(3))") }
      if chance(30), let member = field.template.first { add("UniqueBy", "\"\(member.key)\"") }
    default: break
    }
  }

  private mutating func value(of field: RandomField) -> Value {
    switch field.kind {
    case .bool: return .bool(chance(50))
    case .int: return .int(Int64(below(330) - 10))
    case .double: return .double(Double(below(660) - 20) / 2)
    case .text:
      return .string(
        one(of: ["", "a", "1", "12", "a:1", "1:2:3", "soon", "2020-01-02T00:00:00Z", "#102030", "Aé", "true"]))
    case .url: return .url(one(of: ["", "https://a.example/1", "http://x.example"]))
    case .color:
      return .color(Color(hex: one(of: ["#102030", "#FFFFFF80"])) ?? Color(red: 0, green: 0, blue: 0, alpha: 1))
    case .date: return .date(Timestamp(rfc3339: "20\(10 + below(20))-06-01T00:00:00Z") ?? .now)
    case .image: return .image(one(of: ["asset", "https://a.example/i.png"]))
    case .data: return .data((0..<UInt8(below(7))).map { $0 })
    case .choice: return one(of: field.options)
    case .choices: return .list(Array(field.options.shuffled(using: &generator).prefix(below(4))))
    case .list:
      return .list(
        (0..<below(4)).map { _ in
          var members: [Value.Member] = []
          for member in field.template where chance(70) { members.append(.init(member.key, value(of: member))) }
          return .object(members)
        })
    }
  }

  // MARK: The schema that follows

  private mutating func successor(
    of old: [RandomField], in list: String = "", depth: Int = 0
  ) -> ([RandomField], [String]) {
    var new: [RandomField] = []
    var steps: [String] = []
    func path(_ name: String) -> String { "\"\(list)\(name)\"" }
    for field in old {
      var next = field
      switch below(10) {
      case 0, 1: break
      case 2, 3:
        if !field.options.isEmpty, chance(60) { next = self.field(field.key, field.kind, depth: depth) }
        constrain(&next)
      case 4, 5:
        next = self.field(field.key, depth: depth)
        let types = ["bool", "integer", "number", "string", "data", "url", "date", "color", "image"]
        let type = chance(80) ? next.kind.conversion ?? one(of: types) : one(of: types)
        if chance(60) { steps.append(convert(path(field.key), type)) }
      case 6:
        if chance(50) { steps.append("{\"Op\": \"remove\", \"Key\": \(path(field.key))}") }
        continue
      case 7:
        next.key = "r" + field.key
        if chance(70) {
          steps.append("{\"Op\": \"rename\", \"From\": \(path(field.key)), \"Into\": \(path(next.key))}")
        }
        if chance(30) { constrain(&next) }
      case 8 where field.kind == .list:
        let (members, inner) = successor(of: field.template, in: "\(field.key)[].", depth: depth + 1)
        next.template = members
        if members.isEmpty { next.template = field.template } else { steps += inner }
        if chance(60) { next.constraints = [] } else { constrain(&next) }
      default:
        let type = field.kind.conversion ?? "integer"
        steps.append(convert(path(field.key), type, scales: field.kind == .int || field.kind == .double))
        if chance(40) { constrain(&next) }
      }
      new.append(next)
    }
    if chance(30) { new.append(field("k20", depth: max(1, depth))) }
    let names = Array(Set((old + new).map { $0.key })).sorted().shuffled(using: &generator)
    if names.count > 2, chance(30) {
      let (a, b, c) = (path(names[0]), path(names[1]), path(names[2]))
      let when = one(of: ["", ", \"When\": \"absent\"", ", \"When\": {\"equals\": 1}"])
      let invalid = one(of: ["", ", \"Invalid\": \"remove\"", ", \"Invalid\": \"default\""])
      let step = one(of: [
        "{\"Op\": \"copy\", \"From\": \(a), \"Into\": \(b)}",
        "{\"Op\": \"set\", \"Key\": \(a), \"Value\": \(one(of: ["1", "\"x\"", "true", "61"]))\(when)}",
        "{\"Op\": \"split\", \"Key\": \(a), \"By\": \":\", \"Into\": [\(b), \(c)]\(invalid)}",
        "{\"Op\": \"join\", \"Keys\": [\(a), \(b)], \"By\": \":\", \"Into\": \(c)\(invalid)}",
      ])
      steps.insert(step, at: below(steps.count + 1))
    }
    return (new, steps)
  }

  private mutating func convert(_ path: String, _ type: String, scales: Bool = false) -> String {
    var text = "{\"Op\": \"convert\", \"Key\": \(path), \"Type\": \"\(type)\""
    if scales, chance(60) { text += ", \"Scale\": \(one(of: ["60", "-2", "0.5"]))" }
    if !scales, type == "integer" || type == "string", chance(40) {
      text += ", \"Map\": {\"1\": 7, \"true\": 8, \"a\": 9}"
    }
    return text + one(of: ["", ", \"Invalid\": \"remove\"", ", \"Invalid\": \"default\""]) + "}"
  }

  private func document(_ version: Int, _ fields: [RandomField], _ steps: [String]) -> [UInt8] {
    let settings = fields.map { $0.json }.joined(separator: ", ")
    let migrations =
      steps.isEmpty ? "" : ", \"Migrations\": [{\"To\": \(version), \"Steps\": [\(steps.joined(separator: ", "))]}]"
    return Array(
      "{\"Version\": \(version), \"Groups\": [{\"Title\": \"G\", \"Settings\": [\(settings)]}]\(migrations)}".utf8)
  }
}

private struct RandomField {
  enum Kind: String, CaseIterable {
    case bool = "ToggleSwitch"
    case int, double, choice, choices
    case text = "TextField"
    case url = "URL"
    case color = "Color"
    case date = "Date"
    case image = "Image"
    case data = "Data"
    case list = "List"

    /// What `convert` calls it.
    var conversion: String? {
      switch self {
      case .int: "integer"
      case .double: "number"
      case .text: "string"
      case .choice, .choices, .list: nil
      case .bool: "bool"
      default: rawValue.lowercased()
      }
    }
  }

  var key: String
  var kind: Kind
  var options: [Value] = []
  var template: [RandomField] = []
  var constraints: [String] = []

  var json: String {
    var type = kind.rawValue
    var members = constraints
    switch kind {
    case .int: type = "Number"; members.append("\"Format\": \"integer\"")
    case .double: type = "Number"
    case .choice, .choices:
      type = "ComboBox"
      members.append("\"Class\": [\"\(kind == .choice ? "Single" : "Multiple")\"]")
      members.append(
        "\"Options\": [\(options.map { "{\"Title\": \"T\", \"Value\": \($0.json())}" }.joined(separator: ", "))]")
    case .list: members.append("\"ItemTemplate\": [\(template.map { $0.json }.joined(separator: ", "))]")
    default: break
    }
    return "{\"Type\": \"\(type)\", \"Title\": \"T\", \"Key\": \"\(key)\"\(members.map { ", " + $0 }.joined())}"
  }
}

// MARK: Replaying a plan

/// Values by layer and name, as JSON has them.
private struct Held: Equatable {
  private var values: [String: Value] = [:]

  mutating func put(_ value: Value?, _ name: String, _ layer: String) {
    values["\(layer)/\(name)"] = value
  }

  func value(_ name: String, _ layer: String) -> Value? { values["\(layer)/\(name)"] }

  var all: [(layer: String, name: String, value: Value)] {
    values.map { (key, value) in
      let parts = key.split(separator: "/")
      return (String(parts[0]), String(parts[1]), value)
    }
  }

  var description: String {
    values.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value.json())" }.joined(separator: ", ")
  }

  /// Puts a value, or takes it away, where an entry's path leads: a setting, or a member of the item of a list.
  mutating func put(_ value: Value?, _ path: String, _ entry: Value) throws {
    let value = try value.map { try Value.of($0.json()) }
    let layer = entry.text("layer") ?? ""
    guard let item = entry["items"]?.items.first, case .int(let number) = item else { return put(value, path, layer) }
    let parts = path.split(separator: "[")
    let list = String(parts[0]), member = String(parts[1].dropFirst(2))
    var items = self.value(list, layer)?.items ?? []
    guard case .object(var members) = items[Int(number) - 1] else { return }
    members.removeAll { $0.key == member }
    if let value { members.append(.init(member, value)) }
    items[Int(number) - 1] = .object(members)
    put(.list(items), list, layer)
  }
}

/// What the entries of a plan make of values.
private func replay(_ report: Value, on values: Held) throws -> Held {
  var held = values
  for entry in report["steps"]?.items ?? [] {
    let name = entry.text("name") ?? "", outcome = entry.text("outcome")
    if outcome == "skipped" { continue }
    func texts(_ key: String) -> [String] {
      (entry[key]?.items ?? []).compactMap { if case .string(let text) = $0 { text } else { nil } }
    }
    let op = entry.text("op")
    for source in texts("from") { try held.put(nil, source, entry) }
    // What could not be joined leaves alone what it was to go into.
    if op == "join", outcome != "moved" { continue }
    if op != "copy" { try held.put(nil, name, entry) }
    switch op {
    case "split" where outcome == "moved":
      for (part, path) in zip(entry["after"]?.items ?? [], texts("into")) { try held.put(part, path, entry) }
    case "rename", "copy": for path in texts("into") { try held.put(entry["after"], path, entry) }
    default: try held.put(entry["after"], name, entry)
    }
  }
  return held
}

extension JSON {
  fileprivate static func object(_ text: String, _ key: String) -> JSON? {
    (try? JSON.parse(Array(text.utf8)))?[key]
  }
}
