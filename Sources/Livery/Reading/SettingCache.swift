import CReadCache
import CSystem
import LMDB

/// What this process knows of the effective values of a store; creadcache.h says how it is kept.
///
/// The memory outlives the object: a read that is late finds an empty cache, and looks the value up.
final class SettingCache: @unchecked Sendable {
  /// What is larger is not kept.
  static let largestContent = Int(LVS_CACHE_CONTENT_MAX)

  let pointer: OpaquePointer

  private init(_ pointer: OpaquePointer) {
    self.pointer = pointer
  }

  /// - Parameter lockFile: LMDB's lock file, while LMDB does not have it open yet.
  static func make(bytes: UInt64, lockFile: Int32, wakeFile: Int32) throws(StoreError) -> SettingCache {
    guard let made = lvs_cache_make(bytes, lockFile, LockPage.lastCommitOffset, wakeFile) else {
      throw .system(ENOMEM, "the cache")
    }
    return SettingCache(made)
  }

  /// Begins to keep values, if the number of the last commit is found where it is expected.
  func start(_ environment: Environment, _ databases: Databases, _ lockPage: LockPage) throws(StoreError) {
    // Commits of other processes may fall between the two looks.
    for _ in 0..<10 {
      let isRight = try environment.read { (transaction) throws(StoreError) in
        let view = View(transaction: transaction, databases: databases)
        // With the number of its commits damaged a store is opened still, and reads go past the cache.
        guard lockPage.lastCommit != nil, let revision = try? view.revision() else {
          _ = lvs_cache_check(pointer, LVS_NO_COMMIT, 0)
          return true
        }
        return lvs_cache_check(pointer, transaction.id, revision)
      }
      if isRight { return }
    }
  }

  /// To be called once, when nobody reads any more: the memory is given back.
  func retire() {
    lvs_cache_retire(pointer)
  }

  /// A setting's effective value; nil if it has to be looked up.
  ///
  /// - Parameter slot: the place of an interned name.
  func value(_ name: RawSpan, in slot: OpaquePointer?) -> Value? {
    withUnsafeTemporaryAllocation(byteCount: Int(LVS_CACHE_CONTENT_MAX), alignment: 8) { buffer in
      var copied = 0
      // What may be secret is not left on the stack.
      defer { lvs_wipe(buffer.baseAddress, copied) }
      var type: UInt8 = 0
      var scalar: UInt64 = 0
      let length = name.withText { lvs_cache_copy(pointer, slot, $0, $1, &type, &scalar, buffer.baseAddress) }
      // A read that failed may have copied, too.
      copied = length >= 0 ? length : Int(LVS_CACHE_CONTENT_MAX)
      guard length >= 0, let type = ValueType(rawValue: type) else { return nil }
      return Value(type, scalar: scalar)
        ?? Payload.decode(type, UnsafeRawBufferPointer(rebasing: buffer[0..<length]).bytes)
    }
  }

  /// Keeps what a transaction has found, out of where it lies. True if going through the commits is worth while.
  @inline(__always)
  func keep(
    _ value: Value, _ place: RecordPlace, _ bytes: RawSpan, of name: RawSpan, isAlias: Bool,
    in slot: OpaquePointer?, at commit: UInt64
  ) -> Bool {
    guard place.payload.count <= Self.largestContent else { return false }
    // An entry has one end, by one clock.
    if place.trial != nil, place.expires != 0 { return false }
    var entry = lvs_entry()
    entry.type = value.type.rawValue
    entry.is_alias = isAlias
    entry.expires = place.trial.map { -$0.deadline } ?? place.expires
    return bytes.withUnsafeBytes { bytes in
      if let scalar = value.scalar {
        entry.scalar = scalar
      } else {
        entry.content = bytes.baseAddress.map { $0 + place.payload.lowerBound }
        entry.content_length = UInt32(truncatingIfNeeded: place.payload.count)
      }
      return name.withText { lvs_cache_keep(pointer, slot, $0, $1, commit, &entry) }
    }
  }

  /// Whether nothing had to go for something else to be kept.
  var holdsAll: Bool { lvs_cache_holds_all(pointer) }

  /// The place of a name, to be given back with `release`; nil if there is none to be had.
  func intern(_ name: String) -> OpaquePointer? {
    name.withSpan { (name) in name.withText { lvs_cache_intern(pointer, $0, $1) } }
  }

  func release(_ slot: OpaquePointer) {
    lvs_cache_release(pointer, slot)
  }

  /// Goes through the commits since the last time, and forgets what they changed: all else counts again without being
  /// looked up. When the log does not tell, each value is looked up once.
  func follow(_ view: View) {
    var commit: UInt64 = 0
    var revision: UInt64 = 0
    guard lvs_cache_begin_sync(pointer, &commit, &revision) else { return }
    let id = view.transaction.id
    do throws(StoreError) {
      guard id > commit else { return lvs_cache_cancel_sync(pointer) }
      let present = try view.revision()
      let isComplete = try forgetChanges(view, after: revision, to: present, commits: commit == 0 ? nil : id - commit)
      lvs_cache_end_sync(pointer, id, present, isComplete)
    } catch {
      // What is damaged is for reads to report.
      lvs_cache_cancel_sync(pointer)
    }
  }

  /// Forgets what the log says was changed; false if it does not say all.
  private func forgetChanges(
    _ view: View, after revision: UInt64, to present: UInt64, commits: UInt64?
  ) throws(StoreError) -> Bool {
    // A commit without a revision of its own has no entry.
    guard let commits, present > revision, present - revision <= 1024, commits <= present - revision else {
      return false
    }
    var next = revision + 1
    var isComplete = true
    try view.walkLog(after: revision, opens: false) { (number, entry, size) throws(StoreError) in
      guard let entry, number == next, !entry.isSchema, !entry.isTooLarge, size <= 1 << 16 else {
        isComplete = false
        return false
      }
      next += 1
      for change in entry.changes { forget(change.name) }
      for edit in entry.edits { forget(edit.name) }
      return true
    }
    return isComplete && next == present + 1
  }

  /// Forgets a name that has no value any more.
  func drop(_ name: RawSpan) { name.withText { lvs_cache_drop(pointer, $0, $1) } }

  private func forget(_ name: String) {
    name.withSpan { (name) in name.withText { lvs_cache_forget(pointer, $0, $1) } }
  }
}

extension RawSpan {
  /// Hands C the bytes of a name.
  @inline(__always)
  fileprivate func withText<R>(_ body: (UnsafePointer<CChar>?, Int) -> R) -> R {
    withUnsafeBytes { body($0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count) }
  }
}

extension Value {
  /// The value as 8 bytes, of the types that take no more.
  fileprivate var scalar: UInt64? {
    switch self {
    case .bool(let value): value ? 1 : 0
    case .int(let value): UInt64(bitPattern: value)
    case .double(let value): value.bitPattern
    case .date(let value): UInt64(bitPattern: value.microseconds)
    default: nil
    }
  }

  fileprivate init?(_ type: ValueType, scalar: UInt64) {
    switch type {
    case .bool: self = .bool(scalar != 0)
    case .int: self = .int(Int64(bitPattern: scalar))
    case .double: self = .double(Double(bitPattern: scalar))
    case .date: self = .date(Timestamp(microseconds: Int64(bitPattern: scalar)))
    default: return nil
    }
  }
}
