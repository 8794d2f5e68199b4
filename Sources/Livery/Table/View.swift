import CSystem
import LMDB

/// Typed access to the databases within one transaction: the only place that knows how keys and records are laid out.
struct View {
  let transaction: Transaction
  let databases: Databases
  /// nil where nobody can open what is sealed. Whoever makes a view holds it: a counted reference would make each copy dearer.
  private let sealer: Unmanaged<Sealing>?
  /// In microseconds since the start of the system: what is on trial counts as it does then. 0 for each look's own.
  private let moment: Int64
  var sealing: Sealing? { sealer?._withUnsafeGuaranteedRef { $0 } }

  /// - Parameter moment: 0 for whoever looks at one record alone: several have to be seen at one moment.
  init(
    transaction: Transaction, databases: Databases, sealing: Sealing? = nil, at moment: Int64 = lvs_boottime_us()
  ) {
    self.transaction = transaction
    self.databases = databases
    sealer = sealing.map { Unmanaged.passUnretained($0) }
    self.moment = moment
  }

  /// The moment as which what is on trial is seen.
  var trialMoment: Int64 { moment == 0 ? lvs_boottime_us() : moment }

  /// The same with what is on trial as if it had gone back.
  var reverted: View {
    View(transaction: transaction, databases: databases, sealing: sealing, at: .max)
  }

  // MARK: expiries

  /// Where values have expired by a moment.
  func expired(by now: Timestamp) throws(StoreError) -> [ExpiryKey] {
    var found: [ExpiryKey] = []
    try walk(databases.expiries) { (key, _) throws(StoreError) in
      guard let expiry = ExpiryKey(key) else { throw StoreError.damaged("an expiry time") }
      guard expiry.time <= now else { return false }
      found.append(expiry)
      return true
    }
    return found
  }

  /// Where values have ended with a boot of the system. The keys of those that are not there any more go when `cleans`.
  func endedWithBoot(cleans: Bool = false) throws(StoreError) -> [ExpiryKey] {
    var keys: [ExpiryKey] = []
    try walk(databases.expiries, from: ExpiryKey.bootKeys) { (key, _) throws(StoreError) in
      guard let key = ExpiryKey(key) else { throw StoreError.damaged("an expiry time") }
      keys.append(key)
      return true
    }
    var found: [ExpiryKey] = []
    for key in keys {
      do throws(StoreError) {
        let boot = try record(key.place)?.boot ?? 0
        if boot != 0 {
          if Boot.hasEnded(boot) { found.append(key) }
          continue
        }
      } catch {
        // What is damaged is for its readers to report.
        guard error.code == .corrupt else { throw error }
        continue
      }
      if cleans { try deleteExpiry(key) }
    }
    return found
  }

  func deleteExpiry(_ expiry: ExpiryKey) throws(StoreError) {
    try delete(expiry.bytes, databases.expiries)
  }

  /// When the next value expires, if one does, or the next after a moment.
  func nextExpiry(after moment: Timestamp? = nil) throws(StoreError) -> Timestamp? {
    var next: Timestamp?
    var start: [UInt8] = []
    if let moment { start.append(bigEndian: UInt64(bitPattern: max(moment.microseconds, 0) &+ 1)) }
    try walk(databases.expiries, from: start) { (key, _) throws(StoreError) in
      next = ExpiryKey(key)?.time
      if let time = next, time >= ExpiryKey.onTrial { next = nil }
      return false
    }
    return next
  }

  // MARK: plumbing

  /// Reads and decodes one stored thing: nil if it is not there, `.corrupt` if it does not decode.
  func read<R>(
    _ key: [UInt8], _ database: Database, orDamaged what: @autoclosure () -> String, setting: String? = nil,
    _ decode: (RawSpan) -> R?
  ) throws(StoreError) -> R? {
    let found: (isThere: Bool, decoded: R?)
    do {
      found = try transaction.withValue(for: key, in: database) { bytes in
        guard let bytes else { return (false, nil) }
        return (true, decode(bytes))
      }
    } catch { throw StoreError(error) }
    if found.isThere, found.decoded == nil { throw StoreError.damaged(what(), setting: setting) }
    return found.decoded
  }

  func put(_ value: [UInt8], _ key: [UInt8], _ database: Database) throws(StoreError) {
    do { try transaction.put(value, for: key, in: database) } catch { throw StoreError(error) }
  }

  /// The same of what is in no array.
  @inline(__always)
  func put(_ value: RawSpan, _ key: RawSpan, _ database: Database) throws(StoreError) {
    do { try transaction.put(value, for: key, in: database) } catch { throw StoreError(error) }
  }

  func delete(_ key: [UInt8], _ database: Database) throws(StoreError) {
    do { try transaction.delete(key, in: database) } catch { throw StoreError(error) }
  }

  func count(_ database: Database) throws(StoreError) -> Int {
    do { return try transaction.count(database) } catch { throw StoreError(error) }
  }

  func clear(_ database: Database) throws(StoreError) {
    do { try transaction.clear(database) } catch { throw StoreError(error) }
  }

  func walk(
    _ database: Database, from start: [UInt8] = [], _ body: (RawSpan, RawSpan) throws(StoreError) -> Bool
  ) throws(StoreError) {
    var failure: StoreError?
    do {
      try transaction.walk(database, from: start) { key, value in
        do throws(StoreError) {
          try Memory.check()
          return try body(key, value)
        } catch {
          failure = error
          return false
        }
      }
    } catch { throw StoreError(error) }
    if let failure { throw failure }
  }
}
