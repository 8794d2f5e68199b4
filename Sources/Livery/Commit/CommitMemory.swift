import LMDB

/// What the commits of a process know of the settings they change. The next one need not look it up again, as long as nobody
/// else commits in between.
///
/// Used by whoever has the right to write.
final class CommitMemory: @unchecked Sendable {
  /// Of an import of very many settings not all is kept.
  private static let most = 1_000

  /// Who checks what is set in namespaces that are claimed.
  let owners: ClaimOwners?
  private var numbers = ByteIndex()
  private var settings: [KnownSetting] = []
  /// Those whose declarations are too large to be kept beyond the transaction.
  private var large: [KnownSetting] = []
  private var hasLooked = false
  private(set) var facts = SchemaFacts.none
  private(set) var claims = Claims.none
  /// What is known of the store's secrets being sealed.
  var seal: Sealing.Known?
  /// The layers that may hold anything.
  var occupied = LayerSet.all
  /// The transaction and the data file in which all this holds; 0 if in none.
  private var transaction: UInt64 = 0
  private var generation: UInt32 = 0
  /// No value is left that has ended with a boot before.
  var hasClearedBoot = false
  /// When the values of the layer `session` end that say nothing else; looked up when it is wanted.
  private var deadline: Timestamp??
  /// Counts the commits that use it.
  private var commits = 0

  init(_ owners: ClaimOwners? = nil) {
    self.owners = owners
  }

  /// Forgets everything unless it holds in a transaction. Until `keep` it holds in no other one.
  func begin(_ transaction: UInt64, generation: UInt32) {
    if self.transaction != transaction || self.generation != generation { forget() }
    if self.generation != generation { hasClearedBoot = false }
    self.transaction = 0
    self.generation = generation
  }

  /// Everything holds in the transaction to come, if that has this number.
  func keep(for transaction: UInt64) {
    if settings.count > Self.most { forget() }
    for setting in large { setting.forgetRow() }
    large = []
    self.transaction = transaction
  }

  private func forget() {
    numbers = ByteIndex()
    settings = []
    large = []
    seal = nil
    hasLooked = false
    deadline = nil
  }

  /// A number for the next commit, other than that of any before.
  func nextCommit() -> Int {
    commits += 1
    return commits
  }

  /// Finds out what concerns all settings, unless that is known.
  func look(_ view: View) throws(StoreError) {
    if hasLooked { return }
    facts = try view.schemaFacts()
    claims = try view.claims()
    occupied = try view.occupiedLayers()
    hasLooked = true
  }

  func sessionDeadline(_ view: View) throws(StoreError) -> Timestamp? {
    if let deadline { return deadline }
    let found = try view.sessionDeadline()
    deadline = .some(found)
    return found
  }

  func putSessionDeadline(_ time: Timestamp?, _ view: View) throws(StoreError) {
    try view.putSessionDeadline(time)
    deadline = .some(time)
  }

  func setting(_ name: String) -> KnownSetting {
    let (number, isNew) = numbers.insert(name)
    if isNew { settings.append(KnownSetting(name, isKept: number < Self.most && !claims.isSecret(name))) }
    return settings[number]
  }

  /// Whether a setting may be set that is not declared.
  func admits(_ name: String) -> Bool { facts.isOpen || claims.covers(name) }

  /// What the schema says of a setting's name.
  func row(_ setting: KnownSetting, _ view: View) throws(StoreError) -> SchemaRow? {
    let row = try setting.row(view)
    if setting.hasLargeRow { large.append(setting) }
    return row
  }
}

/// What is known of one setting within a transaction: what was read of it, and what the transaction has made of that since.
///
/// Only what takes little memory is kept, and no secret.
final class KnownSetting {
  /// What a database holds. A damaged record is there, but cannot be told.
  typealias Stored = (isThere: Bool, record: Record?)

  let name: String
  /// Whether what is read is kept at all.
  private let isKept: Bool
  /// The largest declaration that is kept, in bytes as it is stored; most take 200.
  private static let largestRow = 512
  private var row: SchemaRow?
  private var knowsRow = false
  private(set) var hasLargeRow = false
  /// Whether values are kept, too.
  private var keepsValues = false
  private var effective: Stored?
  /// What the layers hold, weakest first, as far as they have been looked at.
  private var records: [Record] = []
  private var lookedAt = LayerSet.none
  /// The commit that touched it last, and why: the layer edited last, and whether only time did it.
  private(set) var commit = 0
  private(set) var layer = Layer.defaults
  private(set) var isExpiry = false

  init(_ name: String, isKept: Bool) {
    self.name = name
    self.isKept = isKept
  }

  /// Notes that a commit touches it; false if it did before.
  func touch(_ commit: Int, _ layer: Layer, isExpiry: Bool) -> Bool {
    defer { self.commit = commit }
    self.layer = layer
    self.isExpiry = isExpiry
    return self.commit != commit
  }

  func row(_ view: View) throws(StoreError) -> SchemaRow? {
    if knowsRow { return row }
    let (read, size) = try view.sizedRow(name)
    guard isKept else { return read }
    row = read
    knowsRow = true
    keepsValues = true
    if case .setting(let declared)? = read {
      hasLargeRow = size > Self.largestRow || declared.descriptor.pattern != nil
      keepsValues = !declared.descriptor.holdsSecret
    }
    return read
  }

  func forgetRow() {
    row = nil
    knowsRow = false
  }

  /// A damaged record is like any other, but that it cannot be told.
  ///
  /// - Parameter anew: look at what is stored, which may have been damaged since it was looked at last.
  func effective(_ view: View, anew: Bool = false) throws(StoreError) -> Stored {
    if !anew, let effective { return effective }
    do throws(StoreError) {
      let record = try view.effective(name)
      return (record != nil, record)
    } catch {
      guard error.code == .corrupt else { throw error }
      return (true, nil)
    }
  }

  func putEffective(_ record: Record?, _ view: View) throws(StoreError) {
    if let record { try view.putEffective(record, name) } else { try view.deleteEffective(name) }
    effective = keepsValues && record?.isSmall ?? true ? (record != nil, record) : nil
  }

  /// What a layer holds. A damaged value can be set anew or removed like any other.
  func stored(_ layer: Layer, _ view: View, anew: Bool = false) throws(StoreError) -> Stored {
    do throws(StoreError) {
      let record = anew ? try view.record(LayerKey(layer, name)) : try record(layer, view)
      return (record != nil, record)
    } catch {
      guard error.code == .corrupt else { throw error }
      return (true, nil)
    }
  }

  /// What the layers hold that may hold anything, weakest first.
  func records(_ occupied: LayerSet, _ view: View) throws(StoreError) -> [Record] {
    if lookedAt.isSuperset(of: occupied) { return records }
    var found: [Record] = []
    for layer in Layer.allCases where occupied.contains(layer) {
      if let record = try record(layer, view) { found.append(record) }
    }
    return found
  }

  /// - Returns: the checksum of what is stored.
  func put(_ record: Record, _ view: View) throws(StoreError) -> UInt64 {
    let sum = try view.put(record, LayerKey(record.layer, name))
    note(record, record.layer)
    return sum
  }

  func remove(_ layer: Layer, _ view: View) throws(StoreError) {
    try view.delete(LayerKey(layer, name))
    note(nil, layer)
  }

  private func record(_ layer: Layer, _ view: View) throws(StoreError) -> Record? {
    if lookedAt.contains(layer) {
      for index in records.indices where records[index].layer == layer { return records[index] }
      return nil
    }
    let read = try view.record(LayerKey(layer, name))
    note(read, layer)
    return read
  }

  private func note(_ record: Record?, _ layer: Layer) {
    let keeps = keepsValues && record?.isSmall ?? true
    if keeps { lookedAt.insert(layer) } else { lookedAt.remove(layer) }
    let record = keeps ? record : nil
    let place = records.firstIndex { $0.layer >= layer } ?? records.count
    let isThere = place < records.count && records[place].layer == layer
    switch (record, isThere) {
    case (let record?, true): records[place] = record
    case (let record?, false): records.insert(record, at: place)
    case (nil, true): records.remove(at: place)
    case (nil, false): break
    }
  }
}

extension Record {
  /// Whether it takes little memory.
  fileprivate var isSmall: Bool {
    switch value {
    case .string(let text), .url(let text), .image(let text): text.utf8.count <= 256
    case .data(let bytes): bytes.count <= 256
    case .list, .object, .sealed: false
    case .bool, .int, .double, .date, .color, nil: true
    }
  }
}
