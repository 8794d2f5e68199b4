import CSystem
import LMDB

/// The place of a value that is sealed.
public struct SealPlace: Sendable {
  public let name: String
  public let layer: Layer
  /// What to bind the value to: the store, the name, the layer and the type, as bytes.
  public let context: [UInt8]
}

/// Seals and opens the values of secrets; see `Store.setSealer`. Corresponds to `livery_sealer` in C.
public struct Sealer: Sendable {
  /// What becomes of the bytes of a value.
  public typealias Function = @Sendable (_ bytes: [UInt8], _ place: SealPlace) throws(StoreError) -> [UInt8]

  public let seal: Function
  public let open: Function

  public init(seal: @escaping Function, open: @escaping Function) {
    self.seal = seal
    self.open = open
  }
}

/// The sealers that this process has for a store.
final class Sealing: @unchecked Sendable {
  private let lock = Lock()
  // Guarded by `lock`.
  private var sealers: [(owner: UInt64, sealer: Sealer)] = []
  /// What the transaction of the one who may write knows of the store; nil if it has not looked.
  var known: Known?

  struct Known {
    let mark: SealMark?
  }

  /// The latest is asked.
  var sealer: Sealer? { lock.withLock { sealers.last?.sealer } }

  /// What an owner had, and where in the order of them.
  struct Former {
    let sealer: Sealer
    let place: Int
  }

  /// - Returns: what the owner had before. Letting go of it may run code of the caller's.
  @discardableResult
  func exchange(_ sealer: Sealer?, of owner: UInt64) -> Former? {
    lock.withLock {
      let place = sealers.firstIndex { $0.owner == owner }
      let former = place.map { Former(sealer: sealers[$0].sealer, place: $0) }
      sealers.removeAll { $0.owner == owner }
      if let sealer { sealers.append((owner, sealer)) }
      return former
    }
  }

  /// Takes an exchange back. Others may have come and gone since.
  func restore(_ former: Former?, of owner: UInt64) {
    // Letting go of the sealer may run code of the caller's: outside the lock.
    let gone = lock.withLock {
      let gone = sealers.first { $0.owner == owner }
      sealers.removeAll { $0.owner == owner }
      if let former { sealers.insert((owner, former.sealer), at: min(former.place, sealers.count)) }
      return gone
    }
    withExtendedLifetime(gone) {}
  }
}

/// That a store's secrets are sealed, as it is stored.
struct SealMark: Equatable {
  /// What sealed values are bound to: the identifier that the store had when the first was.
  var store: [UInt8]
  /// Whether secrets may lie in the file that nobody who was there could seal.
  var isPending: Bool

  init(store: [UInt8], isPending: Bool) {
    self.store = store
    self.isPending = isPending
  }

  init?(_ stored: [UInt8]) {
    guard stored.count > 1, stored.count <= 256 else { return nil }
    isPending = stored[0] & 1 != 0
    store = [UInt8](stored[1...])
  }

  var stored: [UInt8] { [isPending ? 1 : 0] + store }
}

extension View {
  private static let noKey = "is sealed, and this process has no key for it"

  /// nil if the store's secrets are not sealed.
  @inline(never)
  func sealMark() throws(StoreError) -> SealMark? {
    if transaction.isWriting, let known = sealing?.known { return known.mark }
    let mark = try storedSealMark()
    if transaction.isWriting { sealing?.known = Sealing.Known(mark: mark) }
    return mark
  }

  func putSealMark(_ mark: SealMark) throws(StoreError) {
    try storeSealMark(mark)
    sealing?.known = Sealing.Known(mark: mark)
  }

  /// Whether the store's secrets are sealed, or nobody has looked yet.
  @inline(__always)
  var mayBeSealed: Bool {
    guard transaction.isWriting, let known = sealing?.known else { return true }
    return known.mark != nil
  }

  /// Whether a value that somebody sets cannot be kept, since it would have to be sealed.
  func lacksSealer(_ name: String, _ declared: SettingValidator?, _ value: Value) throws(StoreError) -> Bool {
    guard mayBeSealed, try sealMark() != nil, sealing?.sealer == nil else { return false }
    return try isSecret(name, declared?.descriptor, value)
  }

  // MARK: opening

  /// A record with its value, if that can be opened.
  @inline(__always)
  func opened(_ record: Record, _ name: String) -> Record {
    guard let sealed = record.sealed else { return record }
    return opened(record, sealed, name)
  }

  @inline(never)
  private func opened(_ record: Record, _ sealed: Sealed, _ name: String) -> Record {
    guard let value = try? open(sealed, name) else { return record }
    return record.with(value, sealed)
  }

  /// What a value is; itself if it is sealed and cannot be opened.
  @inline(never)
  func opened(_ value: Value?, _ name: String) -> Value? {
    guard case .sealed(let sealed)? = value else { return value }
    return (try? open(sealed, name)) ?? value
  }

  /// - Throws: `.unavailable` if nobody here can open it, `.corrupt` if whoever has the key says that it is another's or damaged.
  func open(_ sealed: Sealed, _ name: String) throws(StoreError) -> Value {
    guard let sealer = sealing?.sealer, let mark = try sealMark() else {
      throw StoreError(.unavailable, "`\(name)` \(Self.noKey)", setting: name)
    }
    let context = Sealed.context(store: mark.store, name: name, type: sealed.type, layer: sealed.layer)
    var bytes: [UInt8]
    do throws(StoreError) {
      let layer = Layer(rawValue: sealed.layer) ?? .defaults
      bytes = try sealer.open(sealed.content, SealPlace(name: name, layer: layer, context: context))
    } catch {
      if error.code == .corrupt {
        throw StoreError(
          .corrupt, "the sealed value of `\(name)` is damaged, or was sealed for another place", setting: name)
      }
      throw Self.refused("opened", name, error)
    }
    lvs_memory_wipe()
    defer { bytes.withUnsafeMutableBytes { lvs_wipe($0.baseAddress, $0.count) } }
    guard let value = bytes.withUnsafeBytes({ Payload.decode(sealed.type, $0.bytes) }), (try? value.check()) != nil
    else { throw StoreError(.corrupt, "`\(name)` opens as something that is no value of it", setting: name) }
    return value
  }

  /// What a sealer's failure comes to: it has no key, unless memory has ended.
  private static func refused(_ done: String, _ name: String, _ error: StoreError) -> StoreError {
    let code = error.code == .noMemory ? StoreError.Code.noMemory : .unavailable
    return StoreError(code, "`\(name)` cannot be \(done): \(error.message)", setting: name)
  }

  /// A value that is to leave the store.
  func requireOpen(_ value: Value, _ name: String) throws(StoreError) -> Value {
    guard case .sealed(let sealed) = value else { return value }
    return try open(sealed, name)
  }

  // MARK: sealing

  /// What is to be stored of a setting.
  @inline(never)
  func sealed(_ setting: SettingRecord, _ name: String) throws(StoreError) -> SettingRecord {
    guard try sealMark() != nil else { return setting }
    var setting = setting
    try setting.transform { (record, isConverted) throws(StoreError) in
      try sealed(record, name, isDerived: isConverted)
    }
    return setting
  }

  /// A record as it is to be stored: sealed if its setting is a secret, and plain if not.
  ///
  /// - Parameter isDerived: it tells only what the layers tell already; who has no key stores it as those do.
  @inline(never)
  func sealed(_ record: Record, _ name: String, isDerived: Bool = false) throws(StoreError) -> Record {
    guard let mark = try sealMark() else { return record }
    guard let value = record.value, !value.isSealed else { return record }
    guard record.layer != .defaults, try isSecret(name, value) else { return record.with(value, nil) }
    if record.sealed != nil { return record }
    guard sealing?.sealer != nil || !isDerived else {
      if !mark.isPending { try putSealMark(SealMark(store: mark.store, isPending: true)) }
      return record
    }
    return record.with(value, try seal(value, name, record.layer, mark))
  }

  @inline(never)
  private func seal(_ value: Value, _ name: String, _ layer: Layer, _ mark: SealMark) throws(StoreError) -> Sealed {
    guard let sealer = sealing?.sealer else {
      throw StoreError(
        .unavailable, "`\(name)` is a secret of a store that seals them, and this process has no key to do so",
        setting: name)
    }
    lvs_memory_wipe()
    let context = Sealed.context(store: mark.store, name: name, type: value.type, layer: layer.rawValue)
    let place = SealPlace(name: name, layer: layer, context: context)
    let content: [UInt8]
    do throws(StoreError) { content = try sealer.seal(Payload.encode(value), place) } catch {
      throw Self.refused("sealed", name, error)
    }
    return Sealed(value.type, layer: layer.rawValue, content: content)
  }

  /// A log entry as it is to be stored. What would have to be sealed and cannot be is not told.
  func sealed(_ entry: LogEntry) throws(StoreError) -> LogEntry {
    guard let mark = try sealMark() else { return entry }
    var entry = entry
    for index in entry.changes.indices { try seal(&entry.changes[index], mark) }
    for index in entry.edits.indices { try seal(&entry.edits[index], mark) }
    return entry
  }

  @inline(never)
  private func seal(_ change: inout LogEntry.Change, _ mark: SealMark) throws(StoreError) {
    let name = change.name
    if !change.isSecret { change.isSecret = try isSecret(name, change.new) }
    if !change.isSecret { change.isSecret = try isSecret(name, change.old) }
    guard change.isSecret else { return }
    if try !seal(&change.old, name, change.layer, mark) { change.isOldForgotten = true }
    if try !seal(&change.new, name, change.layer, mark) { change.isNewForgotten = true }
  }

  @inline(never)
  private func seal(_ edit: inout LogEntry.Edit, _ mark: SealMark) throws(StoreError) {
    guard edit.old?.isSealed == false, try isSecret(edit.name, edit.old) else { return }
    if try seal(&edit.old, edit.name, edit.layer, mark) { return }
    edit.oldExpires = nil
    edit.isForgotten = true
  }

  /// False if a value had to go, since it cannot be sealed.
  @inline(never)
  private func seal(
    _ value: inout Value?, _ name: String, _ layer: Layer, _ mark: SealMark
  ) throws(StoreError) -> Bool {
    guard let plain = value, !plain.isSealed else { return true }
    let canSeal = sealing?.sealer != nil
    value = canSeal ? .sealed(try seal(plain, name, layer, mark)) : nil
    return canSeal
  }

  /// A log entry with its values, as far as they can be opened.
  @inline(never)
  func opened(_ entry: LogEntry) -> LogEntry {
    guard entry.holdsSealed else { return entry }
    var entry = entry
    for index in entry.changes.indices {
      entry.changes[index].old = opened(entry.changes[index].old, entry.changes[index].name)
      entry.changes[index].new = opened(entry.changes[index].new, entry.changes[index].name)
    }
    for index in entry.edits.indices {
      entry.edits[index].old = opened(entry.edits[index].old, entry.edits[index].name)
    }
    return entry
  }
}

extension LogEntry {
  /// Whether it has values that are sealed.
  var holdsSealed: Bool {
    for change in changes where change.old?.isSealed == true || change.new?.isSealed == true { return true }
    for edit in edits where edit.old?.isSealed == true { return true }
    return false
  }
}
