import LMDB

/// Typed access to the databases within one transaction: the only place that knows how keys and records are laid out.
struct View {
  let transaction: Transaction
  let databases: Databases
  /// nil where nobody can open what is sealed. Whoever makes a view holds it: a counted reference would make each copy dearer.
  private let sealer: Unmanaged<Sealing>?
  var sealing: Sealing? { sealer?._withUnsafeGuaranteedRef { $0 } }

  init(transaction: Transaction, databases: Databases, sealing: Sealing? = nil) {
    self.transaction = transaction
    self.databases = databases
    sealer = sealing.map { Unmanaged.passUnretained($0) }
  }

  // MARK: effective

  func effective(_ name: String) throws(StoreError) -> Record? {
    let key = name.bytes
    let stored = try read(
      key, databases.effective, orDamaged: "the record of `\(name)`", setting: name
    ) { Record($0, key: key, tag: Tag.effective) }
    guard let stored, stored.sealed != nil else { return stored }
    return opened(stored, name)
  }

  func putEffective(_ record: Record, _ name: String) throws(StoreError) {
    let key = name.bytes
    let bytes =
      mayBeSealed
      ? try sealed(record, name, isDerived: true).encode(key: key, tag: Tag.effective)
      : record.encode(key: key, tag: Tag.effective)
    try put(bytes, key, databases.effective)
  }

  func deleteEffective(_ name: String) throws(StoreError) {
    try delete(name.bytes, databases.effective)
  }

  /// Walks the effective records in the order of names, after `after` and from `prefix` on while names begin with it.
  func walkEffective(
    after: String? = nil, prefix: String = "", _ body: (String, Record) throws(StoreError) -> Bool
  ) throws(StoreError) {
    var start = prefix.bytes
    if let after, prefix.precedesInBytes(after) || prefix.sameBytes(as: after) {
      start = after.bytes
      start.append(0)
    }
    try walk(databases.effective, from: start) { (key, value) throws(StoreError) in
      let keyBytes = key.array
      guard let name = key.text else { throw StoreError.damaged("a name") }
      guard name.utf8.starts(with: prefix.utf8) else { return false }
      guard let record = Record(value, key: keyBytes, tag: Tag.effective) else {
        throw StoreError.damaged("the record of `\(name)`", setting: name)
      }
      return try body(name, opened(record, name))
    }
  }

  /// Walks the effective records as they are stored, in the order of names; one for which there is nil is damaged.
  func walkStored(_ body: (RawSpan, RecordPlace?, RawSpan) throws(StoreError) -> Void) throws(StoreError) {
    try walk(databases.effective) { (key, value) throws(StoreError) in
      try body(key, RecordPlace(value, key: key, tag: Tag.effective), value)
      return true
    }
  }

  /// Walks the names that reads know, without looking at their records.
  func walkNames(_ body: (String) -> Bool) throws(StoreError) {
    try walk(databases.effective) { (key, _) throws(StoreError) in
      guard let name = key.text else { return true }
      return body(name)
    }
  }

  // MARK: layers

  func record(_ place: LayerKey) throws(StoreError) -> Record? {
    let stored = try stored(place)
    guard let stored, stored.sealed != nil else { return stored }
    return opened(stored, place.name)
  }

  private func stored(_ place: LayerKey) throws(StoreError) -> Record? {
    let key = place.bytes
    return try read(
      key, databases.layers, orDamaged: "the value of `\(place.name)` in the layer \(place.layer)", setting: place.name
    ) { Record($0, key: key, tag: Tag.layers) }
  }

  /// What the layers hold for a setting, weakest first.
  ///
  /// - Parameter layers: those that may hold anything.
  func records(of name: String, in layers: LayerSet = .all) throws(StoreError) -> [Record] {
    var found: [Record] = []
    for layer in Layer.allCases where layers.contains(layer) {
      if let record = try record(LayerKey(layer, name)) { found.append(record) }
    }
    return found
  }

  /// The layers that hold anything.
  func occupiedLayers() throws(StoreError) -> LayerSet {
    var occupied = LayerSet.none
    var start: UInt8? = 0
    while let next = start {
      start = nil
      try walk(databases.layers, from: [next]) { (key, _) throws(StoreError) in
        // A damaged key is of no layer, and after those of all layers.
        guard key.byteCount > 0, let layer = Layer(rawValue: key.byte(at: 0)) else { return false }
        occupied.insert(layer)
        start = layer.rawValue + 1
        return false
      }
    }
    return occupied
  }

  /// - Returns: the checksum of what is stored.
  @discardableResult
  func put(_ record: Record, _ place: LayerKey) throws(StoreError) -> UInt64 {
    let key = place.bytes
    // A damaged value is replaced like any other.
    try deleteExpiry(of: place)
    let bytes =
      mayBeSealed
      ? try sealed(record, place.name).encode(key: key, tag: Tag.layers) : record.encode(key: key, tag: Tag.layers)
    try put(bytes, key, databases.layers)
    if let expires = record.expires { try put([], ExpiryKey(expires, place).bytes, databases.expiries) }
    if record.boot != 0 { try put([], ExpiryKey(ExpiryKey.atBoot, place).bytes, databases.expiries) }
    return Checksum.stored(in: bytes)
  }

  /// The checksum that a layer's record carries, be it right or not; 0 if there is no record.
  func checksum(of place: LayerKey) throws(StoreError) -> UInt64 {
    let found: UInt64? = try read(place.bytes, databases.layers, orDamaged: "") {
      $0.byteCount < Checksum.size ? UInt64.max : $0.word(at: 0)
    }
    return found ?? 0
  }

  /// Removes a layer's value, a damaged one too.
  func delete(_ place: LayerKey) throws(StoreError) {
    try deleteExpiry(of: place)
    try delete(place.bytes, databases.layers)
  }

  /// Removes what `expiries` says of a value; a damaged one says nothing of it.
  private func deleteExpiry(of place: LayerKey) throws(StoreError) {
    guard place.layer.canExpire, let old = (try? stored(place))?.expires else { return }
    try delete(ExpiryKey(old, place).bytes, databases.expiries)
  }

  /// Walks the records of a layer, or of all layers from one on, weakest first, in the order of names.
  func walkLayers(
    _ layer: Layer? = nil, from first: Layer = .defaults, _ body: (LayerKey, Record) throws(StoreError) -> Void
  ) throws(StoreError) {
    let start = layer ?? first
    try walk(databases.layers, from: [start.rawValue]) { (key, value) throws(StoreError) in
      let keyBytes = key.array
      guard let place = LayerKey(key) else { throw StoreError.damaged("a key") }
      if let layer, place.layer != layer { return false }
      guard let record = Record(value, key: keyBytes, tag: Tag.layers) else {
        throw StoreError.damaged("the value of `\(place.name)` in the layer \(place.layer)", setting: place.name)
      }
      try body(place, opened(record, place.name))
      return true
    }
  }

  /// The names that begin with a prefix and have a value in a layer, in order.
  func names(_ layer: Layer, prefix: String) throws(StoreError) -> [String] {
    var found: [String] = []
    try walk(databases.layers, from: LayerKey(layer, prefix).bytes) { (key, _) throws(StoreError) in
      guard let place = LayerKey(key) else { throw StoreError.damaged("a key") }
      guard place.layer == layer, place.name.utf8.starts(with: prefix.utf8) else { return false }
      found.append(place.name)
      return true
    }
    return found
  }

  /// The names that match a pattern and have a value in a layer, in order.
  func names(_ layer: Layer, matching pattern: NamePattern?) throws(StoreError) -> [String] {
    let found = try names(layer, prefix: pattern?.literalPrefix ?? "")
    guard let pattern else { return found }
    return found.filter { pattern.matches($0) }
  }

  /// Walks where a layer has values, without looking at them.
  func walkPlaces(_ layer: Layer, _ body: (LayerKey) -> Void) throws(StoreError) {
    try walk(databases.layers, from: [layer.rawValue]) { (key, _) throws(StoreError) in
      guard let place = LayerKey(key) else { throw StoreError.damaged("a key") }
      guard place.layer == layer else { return false }
      body(place)
      return true
    }
  }

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
      if next == ExpiryKey.atBoot { next = nil }
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
