import CSystem
import Livery
import Synchronization

// A handle is a number in a pointer's clothing, never an address:
//
//     kind (8 bits) | generation (28 bits) | index of the slot (28 bits)
//
// The state of a slot has kind and generation in the same place and below them whether it is live and how many calls
// have it pinned, so that one comparison recognizes a handle and one exchange pins it. Slots are never freed: a stale
// handle always finds a slot to be compared with.

enum HandleKind: UInt8 {
  case store = 1
  case value, change, key, snapshot, watch, migration
}

/// What a slot keeps alive.
class HandleObject {
  /// The store that closes the handle when it is closed itself; held so that it outlives calls on the handle.
  let owner: StoreObject?

  init(owner: StoreObject?) {
    self.owner = owner
  }

  /// The cache from which reads by this handle may be answered, and the place in it that the handle stands for.
  var cache: OpaquePointer? { nil }
  var slot: OpaquePointer? { nil }
}

struct HandleSlot: ~Copyable {
  let state = Atomic<UInt64>(0)
  /// References to a value that callers hold; the last one released closes the handle.
  let references = Atomic<UInt64>(0)
  /// The process that made the handle.
  let token = Atomic<UInt64>(0)
  var object: Unmanaged<HandleObject>? = nil
  var nextFree: UInt32 = HandleTable.none
}

typealias SlotPointer = UnsafeMutablePointer<HandleSlot>

/// The one table of all handles of the process.
final class HandleTable: @unchecked Sendable {
  static let shared = HandleTable()

  static let none = UInt32.max
  private static let indexBits: UInt64 = 28
  private static let indexMask: UInt64 = (1 << indexBits) - 1
  private static let kindShift: UInt64 = 56
  private static let generationMask: UInt64 = (1 << kindShift) - 1 - indexMask
  private static let live: UInt64 = 1 << (indexBits - 1)
  private static let pinMask: UInt64 = live - 1

  /// Chunk k holds 64 << k slots.
  private static let firstChunkBits = 6
  private static let chunkCount = Int(indexBits) - firstChunkBits
  private let chunks: UnsafeMutablePointer<Atomic<SlotPointer?>>

  /// Guards the free list, growth, and the children of stores.
  private let lock = lvs_mutex_make_global()
  private var firstFree = none
  private var slotCount: UInt32 = 0

  private init() {
    chunks = .allocate(capacity: Self.chunkCount)
    for chunk in 0..<Self.chunkCount {
      (chunks + chunk).initialize(to: Atomic<SlotPointer?>(nil))
    }
  }

  // Slots

  private func slot(_ index: UInt32) -> SlotPointer? {
    let place = UInt64(index) &+ (1 << UInt64(Self.firstChunkBits))
    let chunk = 63 &- place.leadingZeroBitCount &- Self.firstChunkBits
    guard chunk < Self.chunkCount, let base = chunks[chunk].load(ordering: .acquiring) else { return nil }
    return base + Int(place &- (1 << UInt64(chunk &+ Self.firstChunkBits)))
  }

  /// A slot that nobody uses; call it with the lock held.
  private func takeSlot() -> (UInt32, SlotPointer)? {
    if firstFree != Self.none, let slot = slot(firstFree) {
      let index = firstFree
      firstFree = slot.pointee.nextFree
      return (index, slot)
    }
    let index = slotCount
    if slot(index) == nil {
      let chunk = 63 &- (UInt64(index) &+ 64).leadingZeroBitCount &- Self.firstChunkBits
      guard chunk < Self.chunkCount else { return nil }
      let size = 1 << (chunk &+ Self.firstChunkBits)
      // Handles may stand for what was done already: small chunks are never refused.
      let bytes = size &* MemoryLayout<HandleSlot>.stride
      guard bytes <= 1 << 20 || lvs_memory_can_have(bytes) else { return nil }
      let base = SlotPointer.allocate(capacity: size)
      for offset in 0..<size { (base + offset).initialize(to: HandleSlot()) }
      chunks[chunk].store(base, ordering: .releasing)
    }
    guard let slot = slot(index) else { return nil }
    slotCount = index &+ 1
    return (index, slot)
  }

  // Making and closing

  /// A new handle on an object, with one reference.
  func insert(_ object: HandleObject, _ kind: HandleKind) throws(StoreError) -> UInt64 {
    lvs_mutex_lock(lock)
    defer { lvs_mutex_unlock(lock) }
    if let owner = object.owner, owner.isClosed { throw Self.closed(.store) }
    guard let (index, slot) = takeSlot() else {
      throw StoreError(.noMemory, "too many handles are open", systemError: ENOMEM)
    }
    let generation = slot.pointee.state.load(ordering: .relaxed) & Self.generationMask
    let tag = UInt64(kind.rawValue) << Self.kindShift | generation
    slot.pointee.object = Unmanaged.passRetained(object)
    slot.pointee.references.store(1, ordering: .relaxed)
    slot.pointee.token.store(lvs_process_token(), ordering: .relaxed)
    slot.pointee.state.store(tag | Self.live, ordering: .releasing)
    let handle = tag | UInt64(index)
    // Before the handle is among the children: closing those withdraws it again.
    if let cache = object.cache { lvs_fast_publish(handle, cache, object.slot) }
    object.owner?.children.insert(handle)
    return handle
  }

  /// Pins a handle of that kind, so that its object stays; each pin wants one `unpin`. With `closing` the handle is dead
  /// to all later calls, and its object goes with the last pin.
  func pin(_ handle: UInt64, _ kind: HandleKind, closing: Bool = false) throws(StoreError) -> SlotPointer {
    guard handle >> Self.kindShift == UInt64(kind.rawValue),
      let slot = slot(UInt32(truncatingIfNeeded: handle & Self.indexMask))
    else { throw Self.closed(kind) }
    let tag = handle & ~Self.indexMask
    var state = slot.pointee.state.load(ordering: .acquiring)
    while true {
      guard state & ~Self.indexMask == tag, state & Self.live != 0 else { throw Self.closed(kind) }
      guard slot.pointee.token.load(ordering: .relaxed) == lvs_process_token() else { throw Self.forked(kind) }
      let (done, found) = slot.pointee.state.weakCompareExchange(
        expected: state, desired: (closing ? state & ~Self.live : state) &+ 1,
        successOrdering: .acquiringAndReleasing, failureOrdering: .acquiring)
      if done {
        if closing { lvs_fast_withdraw(handle) }
        return slot
      }
      state = found
    }
  }

  /// The same without saying why not.
  func pinned(_ handle: UInt64, _ kind: HandleKind) -> SlotPointer? {
    do throws(StoreError) { return try pin(handle, kind) } catch { return nil }
  }

  func unpin(_ slot: SlotPointer, _ handle: UInt64) {
    let state = slot.pointee.state.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue
    if state & (Self.live | Self.pinMask) == 0 { retire(slot, handle, state) }
  }

  /// Closes a handle that another thread may be closing too; false if it was closed.
  @discardableResult
  func closeIfOpen(_ pointer: OpaquePointer?, _ kind: HandleKind) -> Bool {
    guard let pointer, let slot = try? pin(handleNumber(pointer), kind, closing: true) else { return false }
    unpin(slot, handleNumber(pointer))
    return true
  }

  /// One more reference to a value.
  func retain(_ handle: UInt64, _ kind: HandleKind) throws(StoreError) {
    let slot = try pin(handle, kind)
    defer { unpin(slot, handle) }
    var count = slot.pointee.references.load(ordering: .relaxed)
    while true {
      guard count > 0 else { throw Self.closed(kind) }
      let (done, found) = slot.pointee.references.weakCompareExchange(
        expected: count, desired: count &+ 1, ordering: .relaxed)
      if done { return }
      count = found
    }
  }

  /// One reference less; the last closes the handle.
  func release(_ handle: UInt64, _ kind: HandleKind) throws(StoreError) {
    let slot = try pin(handle, kind)
    defer { unpin(slot, handle) }
    var count = slot.pointee.references.load(ordering: .relaxed)
    while true {
      guard count > 0 else { throw Self.closed(kind) }
      let (done, found) = slot.pointee.references.weakCompareExchange(
        expected: count, desired: count &- 1, ordering: .relaxed)
      if done { break }
      count = found
    }
    if count == 1 { unpin(try pin(handle, kind, closing: true), handle) }
  }

  /// Lets go of the object of a closed handle; its slot may then be used again, under another generation.
  private func retire(_ slot: SlotPointer, _ handle: UInt64, _ state: UInt64) {
    let object = slot.pointee.object
    slot.pointee.object = nil
    let generation = (state &+ (1 << Self.indexBits)) & Self.generationMask
    lvs_mutex_lock(lock)
    slot.pointee.state.store(generation, ordering: .releasing)
    slot.pointee.nextFree = firstFree
    firstFree = UInt32(truncatingIfNeeded: handle & Self.indexMask)
    object?.takeUnretainedValue().owner?.children.remove(handle)
    lvs_mutex_unlock(lock)
    object?.release()
  }

  /// Closes all that was made from a store; what is in use finishes first.
  func closeChildren(of store: StoreObject) {
    lvs_mutex_lock(lock)
    store.isClosed = true
    let children = store.children
    store.children = []
    lvs_mutex_unlock(lock)
    for handle in children {
      guard let kind = HandleKind(rawValue: UInt8(truncatingIfNeeded: handle >> Self.kindShift)),
        let slot = try? pin(handle, kind, closing: true)
      else { continue }
      unpin(slot, handle)
    }
  }

  // Errors

  private static func closed(_ kind: HandleKind) -> StoreError {
    let message =
      switch kind {
      case .store: "the store was closed, or this is no store"
      case .value: "the value was released, or this is no value"
      case .change: "the change set was committed, discarded or closed with its store, or this is no change set"
      case .key: "the key or its store was closed, or this is no key"
      case .snapshot: "the snapshot or its store was closed, or this is no snapshot"
      case .watch: "the watch was stopped, its store was closed, or this is no watch"
      case .migration: "the migration's function has returned, or this is no migration"
      }
    return StoreError(.closed, message)
  }

  private static func forked(_ kind: HandleKind) -> StoreError {
    let message =
      switch kind {
      case .value: "the value belongs to the parent process: read it again"
      case .watch: "the watch belongs to the parent process"
      default: "the store belongs to the parent process: open it again"
      }
    return StoreError(.forked, message)
  }
}
