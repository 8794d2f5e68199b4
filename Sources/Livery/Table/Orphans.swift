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

  /// Adds what is known of a name: all its values are kept as long as the latest of them, and are secret if one is.
  mutating func insert(_ name: String, _ facts: Facts) {
    let (number, isNew) = numbers.insert(name)
    if isNew {
      names.append(name)
      self.facts.append(facts)
    } else {
      self.facts[number].since = max(self.facts[number].since, facts.since)
      self.facts[number].isSecret = self.facts[number].isSecret || facts.isSecret
    }
  }
}

extension Orphans.Facts {
  /// The last version of the schema that keeps the values, when each of so many versions does; nil for all.
  func until(_ versions: UInt64?) -> UInt64? {
    guard let versions, versions > 0 else { return nil }
    let (last, overflows) = since.addingReportingOverflow(versions - 1)
    return overflows || last > UInt64(Int64.max) ? nil : last
  }
}

extension View {
  /// What is known of a setting whose values do not count since it is not declared; nil if it has none of that kind.
  func orphan(_ name: String, among known: Orphans) throws(StoreError) -> Orphans.Facts? {
    guard try !admission(name).counts, try !records(of: name).isEmpty else { return nil }
    if let facts = known.facts(name) { return facts }
    // It was imported, or orphaned by an older library: nobody took note whether it was a secret.
    return Orphans.Facts(since: try schemaFacts().version, isSecret: true)
  }

  /// Values were added to settings that are not declared, and nobody knows whether they are of secrets.
  func takeForSecrets(_ names: NameSet) throws(StoreError) {
    guard !names.names.isEmpty else { return }
    var known = try orphans()
    var hasMore = false
    for name in names.names {
      // What is not known of is taken for one anyhow.
      guard let facts = known.facts(name), !facts.isSecret else { continue }
      known.insert(name, Orphans.Facts(since: facts.since, isSecret: true))
      hasMore = true
    }
    if hasMore { try putOrphans(known) }
  }
}
