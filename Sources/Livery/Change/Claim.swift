import CSystem
import LMDB

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
    try walkPlaces { if Claim.covers(prefix, $0.name) { names.insert($0.name) } }
    var entry = LogEntry(revision: try revision() + 1, time: .now, layer: .defaults, origin: "claim")
    try settle(names, &entry, limits, isSecret: { _ in false }) { _ in }
    if !entry.changes.isEmpty { try finish(entry, limits) }
    return .commit(())
  }
}

extension View {
  private static let mostSecrets = 64

  /// Declares a setting of a claimed namespace to be secret, for good.
  func claimSecret(_ name: String) throws(StoreError) -> Environment.Outcome<Void> {
    var claims = try claims()
    if claims.declares(name) { return .abort(()) }
    try claims.checkSecret(name)
    guard claims.secrets.count < Self.mostSecrets else {
      throw StoreError(.invalidArgument, "a store has at most \(Self.mostSecrets) secrets in claimed namespaces")
    }
    var present: String?
    try walkPlaces { if Claims.means(name, $0.name) { present = $0.name } }
    if let present {
      throw StoreError(.conflict, "`\(present)` has a value already, which the log may tell", setting: present)
    }
    claims.secrets.append(name)
    try putClaims(claims)
    return .commit(())
  }
}

extension Store {
  /// Declares a setting of a claimed namespace to be secret, where no schema declares it: as with one that is declared so, its
  /// value is masked, and what is no longer in effect is forgotten.
  ///
  /// The store remembers it, for good; done again it does nothing. Corresponds to `livery_claim_secret` in C.
  ///
  /// - Parameter name: with a dot at its end all settings whose names begin so are.
  /// - Throws: `.notFound` if the name is in no claimed namespace; `.conflict` if it is in one of the library's own, or has a value; `.readOnly` if the
  ///   handle may not write and it is not declared yet; as `ChangeSet.commit()`.
  public func claimSecret(_ name: String) throws(StoreError) {
    try checkName(name)
    try whileOpen { () throws(StoreError) in
      let known = try shared.read { (view) throws(StoreError) in try view.claims() }
      if !known.declares(name) {
        try known.checkSecret(name)
        try write { (view) throws(StoreError) in try view.claimSecret(name) }
      }
      lvs_memory_wipe()
    }
  }

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
