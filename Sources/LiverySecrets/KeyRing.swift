import CSecrets
import LiveryClient

/// The keys of a store as this process knows them, and what they seal and open.
final class KeyRing: @unchecked Sendable {
  private static let patience: Int64 = 1000

  let source: KeySource
  private let lock: Lock
  // Guarded by `lock`.
  private var keys: [Key]
  private var stamp: lvk_stamp?
  /// The one that is sealed with while it is exchanged.
  private var held: Key?
  private var lastLook: Int64
  /// How often the source was read, and which of these came last of those that are here.
  private var reads = 0
  private var latest = 0

  init(_ source: KeySource, _ keys: [Key], _ stamp: lvk_stamp?) {
    self.source = source
    self.keys = keys
    self.stamp = stamp
    lock = Lock()
    lastLook = lvk_now_ms()
  }

  var names: [String] { lock.withLock { keys.map { $0.name } } }

  /// Reads the source anew; the keys of before stay if that fails.
  ///
  /// - Returns: what it has.
  @discardableResult
  func reload() throws(StoreError) -> [Key] {
    let number = lock.withLock { () -> Int in
      reads += 1
      return reads
    }
    let (fresh, seen) = try source.read()
    lock.withLock {
      // Whoever began to read later has seen what is newer.
      guard number > latest else { return }
      latest = number
      keys = fresh
      stamp = seen
      putHeldFirst()
    }
    return fresh
  }

  /// Seals with a key, whatever the source has, until this is called with nil.
  func hold(_ key: Key?) {
    lock.withLock {
      held = key
      putHeldFirst()
    }
  }

  /// Call it with the lock held.
  private func putHeldFirst() {
    guard let held else { return }
    keys = [held] + keys.filter { $0.id != held.id }
  }

  /// The key that seals, of the source as it is now: another process may have exchanged it. Where that cannot be read it
  /// is the one of before.
  private func sealing() -> Key? {
    let (held, first, seen) = lock.withLock { (self.held, keys.first, stamp) }
    if let held { return held }
    if let seen {
      guard let now = source.stamp(), !seen.isSame(as: now) else { return first }
    }
    do throws(StoreError) { return try reload().first } catch { return first }
  }

  func seal(
    _ place: SealPlace, _ bytes: UnsafeRawBufferPointer, _ buffer: UnsafeMutableRawBufferPointer
  ) throws(StoreError) -> Int {
    guard let key = sealing(), let count = key.seal(bytes, place.context, into: buffer) else {
      throw StoreError(.unavailable, "there is no key that seals")
    }
    return count
  }

  func open(
    _ place: SealPlace, _ bytes: UnsafeRawBufferPointer, _ buffer: UnsafeMutableRawBufferPointer
  ) throws(StoreError) -> Int {
    guard let key = try key(of: bytes) else {
      throw StoreError(.unavailable, "it is sealed with a key that is not known here")
    }
    guard let count = key.open(bytes, place.context, into: buffer) else {
      throw StoreError(.corrupt, "it is damaged, or was sealed for another place")
    }
    return count
  }

  /// The key that a value names, for which the source is read anew: a function from time to time.
  private func key(of bytes: UnsafeRawBufferPointer) throws(StoreError) -> Key? {
    guard bytes.count >= LVK_ID else { throw StoreError(.corrupt, "it is too short") }
    if let known = find(bytes) { return known }
    let now = lvk_now_ms()
    let mayLook = lock.withLock {
      guard now - lastLook >= Self.patience || !source.isFunction else { return false }
      lastLook = now
      return true
    }
    guard mayLook else { return nil }
    if let seen = lock.withLock({ stamp }) {
      // What has not changed has no other key.
      guard let present = source.stamp(), !seen.isSame(as: present) else { return nil }
    }
    do throws(StoreError) { try reload() } catch { return nil }
    return find(bytes)
  }

  private func find(_ bytes: UnsafeRawBufferPointer) -> Key? {
    let id = UnsafeRawBufferPointer(rebasing: bytes[0..<LVK_ID])
    return lock.withLock { keys.first { id.elementsEqual($0.id) } }
  }
}

extension lvk_stamp {
  fileprivate func isSame(as other: lvk_stamp) -> Bool {
    device == other.device && inode == other.inode && size == other.size && seconds == other.seconds
      && nanoseconds == other.nanoseconds
  }
}
