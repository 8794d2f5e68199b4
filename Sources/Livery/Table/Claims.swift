/// The owners of namespaces in this process.
final class ClaimOwners: @unchecked Sendable {
  private let lock = Lock()
  // Guarded by `lock`.
  private var claims: [(owner: UInt64, claim: Claim)] = []

  /// The latest is asked.
  func add(_ claim: Claim, owner: UInt64) { lock.withLock { claims.append((owner, claim)) } }

  func removeAll(of owner: UInt64) {
    // Letting go may run code of the caller's: outside the lock.
    let former = lock.withLock {
      let former = claims
      claims.removeAll { $0.owner == owner }
      return former
    }
    withExtendedLifetime(former) {}
  }

  func claim(of name: String) -> Claim? {
    lock.withLock { claims.last { $0.claim.covers(name) }?.claim }
  }
}

/// The namespaces that are claimed in a store, and who may check their values.
struct Claims: Sendable {
  static let none = Claims(prefixes: [], secrets: [])

  /// Those that the store knows of, besides the library's own.
  var prefixes: [String]
  /// Names in them that their owners have declared to be secret; with a dot at the end all that begin so.
  var secrets: [String]

  func isSecret(_ name: String) -> Bool { secrets.contains { Claims.means($0, name) } }

  /// Whether just this has been declared.
  func declares(_ secret: String) -> Bool { secrets.contains { $0.sameBytes(as: secret) } }

  /// Whether a declared secret is a setting, or begins as its name does.
  static func means(_ secret: String, _ name: String) -> Bool {
    secret.utf8.last == UInt8(ascii: ".") ? name.begins(with: secret) : secret.sameBytes(as: name)
  }

  /// Whether a setting is a secret that nobody exports: what a schema declares is what that says.
  func hides(_ name: String, _ view: View) throws(StoreError) -> Bool {
    guard isSecret(name) else { return false }
    return try view.descriptor(name) == nil
  }

  func checkSecret(_ name: String) throws(StoreError) {
    guard covers(name) || prefixes.contains(where: { $0.sameBytes(as: name) }) else {
      throw StoreError(.notFound, "`\(name)` is in no claimed namespace", setting: name)
    }
    guard Claim.builtIn(of: name) == nil else {
      throw StoreError(.conflict, "`\(name)` is in a namespace of the library's own", setting: name)
    }
  }

  func covers(_ name: String) -> Bool {
    for prefix in prefixes where Claim.covers(prefix, name) { return true }
    return Claim.builtIn(of: name) != nil
  }

  /// What a value of a setting that is not declared becomes when it is set.
  ///
  /// - Throws: what the namespace's owner throws; `.readOnly` if it is not in this process.
  func checked(_ value: Value, _ name: String, _ owners: ClaimOwners?) throws(StoreError) -> Value {
    if let claim = Claim.builtIn(of: name) { return try claim.check(value, name) }
    for prefix in prefixes where Claim.covers(prefix, name) {
      guard let claim = owners?.claim(of: name) else {
        throw StoreError(.readOnly, "only who has claimed `\(prefix)` may set it")
      }
      let checked = try claim.check(value, name)
      try checked.check()
      return checked
    }
    return value
  }
}
