import LMDB

/// A namespace: settings whose names begin with a prefix may be set whatever a schema declares, and one owner checks the
/// values of those that it does not declare.
struct Claim: Sendable {
  /// Gives the value that is to be kept; what it throws refuses the value.
  typealias Check = @Sendable (_ value: Value, _ name: String) throws(StoreError) -> Value

  let prefix: String
  let check: Check

  func covers(_ name: String) -> Bool { Self.covers(prefix, name) }

  /// The library's own of a setting's name, if it is in one.
  static func builtIn(of name: String) -> Claim? { builtIn.first { $0.covers(name) } }

  static func covers(_ prefix: String, _ name: String) -> Bool {
    name.utf8.count > prefix.utf8.count && name.utf8.starts(with: prefix.utf8)
  }

  /// A prefix ends with a dot, and is no part of another that is claimed.
  static func check(_ prefix: String, beside known: [String]) throws(StoreError) {
    try checkName(prefix)
    guard prefix.utf8.last == UInt8(ascii: "."), prefix.utf8.count > 1 else {
      throw StoreError(.invalidArgument, "`\(prefix)`: a namespace ends with a dot")
    }
    for other in builtIn.map({ $0.prefix }) + known {
      guard prefix.utf8.starts(with: other.utf8) || other.utf8.starts(with: prefix.utf8) else { continue }
      throw StoreError(.conflict, "`\(prefix)` cannot be claimed beside `\(other)`")
    }
  }
}

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
  static let none = Claims(prefixes: [])

  /// Those that the store knows of, besides the library's own.
  var prefixes: [String]

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

extension View {
  private static let most = 64

  /// Claims a namespace for good; values that were set aside in it count again.
  func claim(_ prefix: String, _ limits: LogLimits) throws(StoreError) -> Environment.Outcome<Void> {
    var claims = try claims()
    for known in claims.prefixes where known.sameBytes(as: prefix) { return .abort(()) }
    try Claim.check(prefix, beside: claims.prefixes)
    guard claims.prefixes.count < Self.most else {
      throw StoreError(.invalidArgument, "a store has at most \(Self.most) namespaces that are claimed")
    }
    let orphans = try orphans()
    for name in orphans.names where Claim.covers(prefix, name) {
      guard try orphan(name, among: orphans)?.isSecret == true else { continue }
      throw StoreError(
        .conflict, "`\(name)` was declared a secret: its value has to go before `\(prefix)` is claimed", setting: name)
    }
    claims.prefixes.append(prefix)
    try putClaims(claims)
    var names = NameSet()
    for layer in Layer.allCases {
      for name in try self.names(layer, prefix: prefix) { names.insert(name) }
    }
    var entry = LogEntry(revision: try revision() + 1, time: .now, layer: .defaults, origin: "claim")
    try recomputeEffective(names, &entry, limits) { _ in false }
    if !entry.changes.isEmpty { try finish(entry, limits) }
    return .commit(())
  }
}

extension Store {
  /// Claims a namespace: settings whose names begin with `prefix` may be set whatever a schema declares, and `check` sees
  /// every value of those that it does not declare before it is kept.
  ///
  /// The store remembers that the namespace is claimed, also when a backup is restored; the check belongs to this handle, and
  /// ends when that is closed. Where no handle of the process has claimed it, setting throws `.readOnly`; resetting is always
  /// possible. Corresponds to `livery_claim` in C.
  ///
  /// - Parameters:
  ///   - prefix: ends with a dot, such as `fetch.`.
  ///   - check: returns the value to be kept. What it throws refuses the value. Runs on any thread that changes the store
  ///     and must not change it itself; it may be run more than once for one change.
  /// - Throws: `.conflict` if a part of the namespace is claimed, or holds a former secret; `.readOnly` if the handle may not
  ///   write and the namespace is not claimed yet; as `ChangeSet.commit()`.
  public func claim(
    _ prefix: String, check: @escaping @Sendable (_ value: Value, _ name: String) throws(StoreError) -> Value
  ) throws(StoreError) {
    try whileOpen { () throws(StoreError) in
      let known = try shared.read { (view) throws(StoreError) in try view.claims() }
      if !known.prefixes.contains(where: { $0.sameBytes(as: prefix) }) {
        try Claim.check(prefix, beside: known.prefixes)
        try write { (view) throws(StoreError) in try view.claim(prefix, logLimits) }
      }
      shared.claims.add(Claim(prefix: prefix, check: check), owner: identity)
    }
  }
}
