import Livery
import Testing

/// A store that goes through versions of a schema.
struct Upgrading {
  let temporary = TemporaryStore()
  let store: Store

  /// A store with an open schema of version 1, and values by layer.
  init(_ values: [(Layer, String, Value)] = [], settings: String = "") throws {
    store = try temporary.open { $0.allowOverride = true }
    let outcome = store.applySchema(Self.schema(1, settings))
    if let error = outcome.error { throw error }
    for (layer, name, value) in values {
      let change = try store.change(layer)
      if layer == .override { try change.expires(Timestamp(microseconds: Timestamp.now.microseconds + 3_600_000_000)) }
      try change.set(name, to: value)
      try change.commit()
    }
  }

  /// An open schema, so that what is not declared reads too.
  static func schema(_ version: Int, _ settings: String, steps: String = "") -> [UInt8] {
    let migrations = steps.isEmpty ? "" : ", \"Migrations\": [{\"To\": \(version), \"Steps\": [\(steps)]}]"
    return Array(
      """
      {"Version": \(version), "Open": true, "Groups": [{"Title": "G", "Settings": [\(settings)]}]\(migrations)}
      """.utf8)
  }

  /// Plans and does an upgrade to version 2; both have to say the same.
  @discardableResult
  func upgrade(_ steps: String, settings: String = "") throws -> SchemaOutcome {
    let schema = Self.schema(2, settings, steps: steps)
    let before = try store.exportJSON(layers: true)
    let plan = store.checkSchema(schema)
    #expect(try store.exportJSON(layers: true) == before)
    let outcome = store.applySchema(schema)
    for member in ["steps", "rejected", "orphaned", "dropped", "added", "removed", "changed"] {
      #expect(plan.report[member] == outcome.report[member])
    }
    #expect(plan.error?.message == outcome.error?.message)
    if outcome.error != nil { #expect(try store.exportJSON(layers: true) == before) }
    return outcome
  }

  /// What a layer holds for a setting.
  func value(_ name: String, _ layer: Layer = .user) -> Value? {
    guard let layers = try? store.inspect(name)["layers"] else { return nil }
    return layers.items.first { $0.text("layer") == layer.description }?["value"]
  }
}

extension Value {
  /// From JSON.
  static func of(_ json: String) throws -> Value {
    try Value(json: JSON.parse(Array(json.utf8)))
  }
}
