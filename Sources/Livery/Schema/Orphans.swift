/// Settings that no schema declares any more while layers still hold values of them.
struct Orphans {
  struct Facts {
    /// The version of the schema that did not declare it any more.
    var since: UInt64
    /// Whether it was a secret, or may have been.
    var isSecret: Bool
  }

  private(set) var names: [String] = []
  private var facts: [Facts] = []
  private var numbers = ByteIndex()

  init() {}

  /// From its stored form. What a later library added is passed over.
  init(_ stored: Value) {
    guard case .object(let members) = stored else { return }
    for member in members {
      guard case .list(let parts) = member.value, parts.count > 1, case .int(let since) = parts[0],
        case .bool(let isSecret) = parts[1]
      else { continue }
      insert(member.key, Facts(since: UInt64(clamping: since), isSecret: isSecret))
    }
  }

  var stored: Value {
    var members: [Value.Member] = []
    for (number, name) in names.enumerated() {
      let facts = facts[number]
      members.append(.init(name, .list([.int(Int64(clamping: facts.since)), .bool(facts.isSecret)])))
    }
    return .object(members)
  }

  func facts(_ name: String) -> Facts? {
    numbers.number(of: name).map { facts[$0] }
  }

  /// Adds a name that is not there yet.
  mutating func insert(_ name: String, _ facts: Facts) {
    guard numbers.insert(name).isNew else { return }
    names.append(name)
    self.facts.append(facts)
  }
}

extension Orphans.Facts {
  /// The last version of the schema that keeps the values, when each of so many versions does; nil for all.
  func until(_ versions: UInt64) -> UInt64? {
    guard versions > 0 else { return nil }
    let (last, overflows) = since.addingReportingOverflow(versions - 1)
    return overflows || last > UInt64(Int64.max) ? nil : last
  }
}

extension View {
  /// What is known of a setting whose values do not count since it is not declared; nil if it has none of that kind.
  func orphan(_ name: String, among known: Orphans) throws(StoreError) -> Orphans.Facts? {
    guard try !standing(name).counts, try !records(of: name).isEmpty else { return nil }
    if let facts = known.facts(name) { return facts }
    // It was imported, or orphaned by an older library: nobody took note whether it was a secret.
    return Orphans.Facts(since: try schemaFacts().version, isSecret: true)
  }
}

// MARK: Upgrades

extension SchemaApplication {
  /// Decides what becomes of a value that the layers will hold and that does not count, since its setting is not declared:
  /// it is orphaned, or dropped if it was for long enough.
  ///
  /// - Parameter isNew: a step has made it, of a secret or not.
  mutating func drops(
    _ value: Value, _ place: LayerKey, _ known: Orphans, isNew: Bool, _ isOfSecret: Bool
  ) throws(StoreError) -> Bool {
    var facts = known.facts(place.name)
    if facts == nil, !isNew { facts = try view.orphan(place.name, among: known) }
    let found: Orphans.Facts
    if let facts {
      found = facts
    } else {
      let wasSecret = try view.descriptor(place.name)?.holdsSecret == true
      found = Orphans.Facts(since: report.version, isSecret: wasSecret || isOfSecret)
    }
    let last = found.until(orphanVersions)
    let isOver = last.map { report.version > $0 } ?? false
    if !isOver { orphans.insert(place.name, found) }
    guard isOver || found.since == report.version else { return false }
    var members: [Value.Member] = [
      .init("name", .string(place.name)), .init("layer", .string(place.layer.description)), .init("value", value),
      .init("since", .int(Int64(clamping: found.since))),
    ]
    var message = "orphaned since version \(found.since), kept "
    if let last {
      members.append(.init("until", .int(Int64(clamping: last))))
      message += "up to version \(last)"
    } else {
      message += "for ever"
    }
    members.append(.init("secret", .bool(found.isSecret)))
    members.append(.init("message", .string(message)))
    if isOver { report.dropped.append(.object(members)) } else { report.orphaned.append(.object(members)) }
    return isOver
  }
}
