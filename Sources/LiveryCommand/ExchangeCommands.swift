import Livery

/// `livery import`
func importFile(_ context: Context) throws(StoreError) {
  let path = context.words[0]
  let bytes = try Files.read(path)
  let replaces = context.arguments.has("replace")
  let layer = try context.layer(replaces ? .recommended : .user)
  let partial = context.arguments.has("partial")
  let trial = try context.trial()
  // An export of layers has values of every layer, whatever the option says.
  let store = try context.open(allowOverride: true)
  let outcome =
    isPropertyList(bytes)
    ? store.importPropertyList(bytes, into: layer, partial: partial, replacing: replaces, trial: trial)
    : store.importJSON(bytes, into: layer, partial: partial, replacing: replaces, trial: trial)
  if outcome.hasReport {
    context.output.result(outcome.report)
    for diagnostic in outcome.report.items("diagnostics") {
      let severity = outcome.error == nil ? "skipped" : "error"
      context.output.warn("\(Files.shown(path)): \(severity): \(truncated(diagnostic.text("message"), to: 1000))")
    }
    if case .list(let names)? = outcome.report["ignored"] {
      for name in names {
        context.output.warn(
          "\(Files.shown(path)): warning: `\(truncated(name.plain, to: 80))` stands beside the settings and is not read"
        )
      }
    }
  }
  if let error = outcome.error { throw error.within(path) }
  context.output.hasCommitted = true
  let count = outcome.report.number("imported")
  context.output.line(
    "imported \(count) value\(count == 1 ? "" : "s"), revision \(outcome.report.number("revision"))")
}

/// Binary property lists say what they are; XML begins with an angle bracket, which JSON never does.
private func isPropertyList(_ bytes: [UInt8]) -> Bool {
  if bytes.starts(with: "bplist".utf8) { return true }
  let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
  for byte in bytes.starts(with: mark) ? bytes.dropFirst(3) : bytes[...] {
    switch byte {
    case 0x20, 0x09, 0x0A, 0x0D: continue
    default: return byte == UInt8(ascii: "<")
    }
  }
  return false
}

/// `livery export`
func exportFile(_ context: Context) throws(StoreError) {
  let store = try context.open(readOnly: true)
  let layers = context.arguments.has("layers")
  let pretty = !context.output.isJSON || context.output.isTerminal || context.arguments.has("output")
  var text = try store.exportJSON(layers: layers, pretty: pretty)
  if !context.reveals {
    var filter = SecretFilter(try secretNames(store), of: store)
    let kept = filter.document(try JSON.parse(text.bytes))
    if filter.count > 0 {
      text = kept.json(pretty: pretty)
      let what =
        filter.count == 1 ? "1 value that is or may be secret" : "\(filter.count) values that are or may be secret"
      context.output.warn("livery: left out \(what); --reveal includes them")
    }
  }
  if let path = context.arguments.value("output"), !path.sameBytes(as: "-") {
    try Files.write((text + "\n").bytes, to: path, isPrivate: context.reveals)
    context.output.result(.object([.init("written", .string(path))]))
  } else {
    context.output.verbatim(text + "\n")
  }
}

private func secretNames(_ store: Store) throws(StoreError) -> Set<[UInt8]> {
  var names = Set<[UInt8]>()
  guard case .list(let items) = try store.list() else { return names }
  for item in items where Masking.isSecret(item) { names.insert(item.text("name").bytes) }
  return names
}

/// Leaves secrets out of an export: masking them would make it a document that cannot be imported.
private struct SecretFilter {
  private let secrets: Set<[UInt8]>
  private let store: Store
  private(set) var count = 0

  init(_ secrets: Set<[UInt8]>, of store: Store) {
    self.secrets = secrets
    self.store = store
  }

  mutating func document(_ json: JSON) -> Value {
    guard case .object(let members) = json else { return value(json) }
    var kept: [Value.Member] = []
    for member in members {
      if member.key.sameBytes(as: "Values") {
        kept.append(.init(member.key, settings(member.value)))
      } else if member.key.sameBytes(as: "Types") {
        kept.append(.init(member.key, settings(member.value, counts: false)))
      } else if member.key.sameBytes(as: "Layers"), case .object(let layers) = member.value {
        var items: [Value.Member] = []
        for layer in layers { items.append(.init(layer.key, settings(layer.value, areRecords: true))) }
        kept.append(.init(member.key, .object(items)))
      } else {
        kept.append(.init(member.key, value(member.value)))
      }
    }
    return .object(kept)
  }

  /// - Parameter areRecords: of a layer, which tell more than a value of each.
  private mutating func settings(_ json: JSON, counts: Bool = true, areRecords: Bool = false) -> Value {
    guard case .object(let members) = json else { return value(json) }
    var kept: [Value.Member] = []
    for member in members {
      if secrets.contains(member.key.bytes)
        || areRecords && member.value["setAside"] == .bool(true) && mayBeSecret(member.key)
      {
        if counts { count += 1 }
      } else {
        kept.append(.init(member.key, value(member.value)))
      }
    }
    return .object(kept)
  }

  /// Of what is set aside under a name: also of one that no schema declares any more the store knows what it was, unless the
  /// name is another's alias now.
  private func mayBeSecret(_ name: String) -> Bool {
    guard let item = try? store.inspect(name), item.text("name").sameBytes(as: name) else { return true }
    return Masking.isSecret(item)
  }

  private func value(_ json: JSON) -> Value {
    switch json {
    // An export has no nulls.
    case .null: .string("")
    case .bool(let truth): .bool(truth)
    case .int(let number): .int(number)
    case .double(let number): .double(number)
    case .string(let text): .string(text)
    case .array(let elements): .list(elements.map { value($0) })
    case .object(let members): .object(members.map { Value.Member($0.key, value($0.value)) })
    }
  }
}

/// `livery stats`
func statistics(_ context: Context) throws(StoreError) {
  let figures = try context.open(readOnly: true).statistics()
  context.output.result(figures)
  guard case .object(let members) = figures else { return }
  var rows: [[String]] = []
  for member in members {
    if case .object(let parts) = member.value {
      for part in parts { rows.append(["\(member.key).\(part.key)", part.value.plain]) }
    } else {
      rows.append([member.key, truncated(member.value.plain, to: 500)])
    }
  }
  context.output.line(String(table(rows, style: context.output.style).dropLast()))
}
