import CReadCache
import CSystem
import Livery

/// What a handle stands for; creadcache.h says what it is.
enum HandleKind: UInt8 {
  case store = 1
  case value, change, key, snapshot, watch, migration

  /// That of a handle.
  init?(_ handle: UInt64) { self.init(rawValue: UInt8(truncatingIfNeeded: handle >> 56)) }
}

/// What a handle keeps alive.
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

/// All handles of the process.
final class HandleTable: @unchecked Sendable {
  static let shared = HandleTable()

  /// Guards the children of stores.
  private let lock = lvs_mutex_make_global()

  /// A new handle on an object.
  func insert(_ object: HandleObject, _ kind: HandleKind) throws(StoreError) -> UInt64 {
    guard let owner = object.owner else { return try make(object, kind) }
    lvs_mutex_lock(lock)
    defer { lvs_mutex_unlock(lock) }
    guard !owner.isClosed else { throw Self.closed(.store) }
    let handle = try make(object, kind)
    owner.children.insert(handle)
    return handle
  }

  private func make(_ object: HandleObject, _ kind: HandleKind) throws(StoreError) -> UInt64 {
    let held = Unmanaged.passRetained(object)
    let handle = lvs_handle_make(kind.rawValue, held.toOpaque(), object.cache, object.slot)
    guard handle != 0 else {
      held.release()
      throw StoreError(.noMemory, "too many handles are open", systemError: ENOMEM)
    }
    return handle
  }

  /// Pins a handle of that kind, so that its object stays; each pin wants one `unpin`. With `closing` the handle is dead
  /// to all later calls, and its object goes with the last pin.
  func pin(
    _ handle: UInt64, _ kind: HandleKind, closing: Bool = false
  ) throws(StoreError) -> Unmanaged<HandleObject> {
    var object: UnsafeMutableRawPointer?
    let found = lvs_handle_pin(handle, kind.rawValue, closing, &object)
    guard found != LVS_FORKED else { throw Self.forked(kind) }
    guard found == LVS_PINNED, let object else { throw Self.closed(kind) }
    return Unmanaged<HandleObject>.fromOpaque(object)
  }

  func unpin(_ handle: UInt64) {
    guard let pointer = lvs_handle_unpin(handle) else { return }
    let object = Unmanaged<HandleObject>.fromOpaque(pointer)
    if let owner = object.takeUnretainedValue().owner {
      lvs_mutex_lock(lock)
      owner.children.remove(handle)
      lvs_mutex_unlock(lock)
    }
    object.release()
  }

  /// Closes a handle that another thread may be closing too; false if it was closed.
  @discardableResult
  func closeIfOpen(_ handle: UInt64, _ kind: HandleKind) -> Bool {
    guard (try? pin(handle, kind, closing: true)) != nil else { return false }
    unpin(handle)
    return true
  }

  /// Closes all that was made from a store; what is in use finishes first.
  func closeChildren(of store: StoreObject) {
    lvs_mutex_lock(lock)
    store.isClosed = true
    let children = store.children
    store.children = []
    lvs_mutex_unlock(lock)
    for handle in children {
      if let kind = HandleKind(handle) { closeIfOpen(handle, kind) }
    }
  }

  // Errors

  static func closed(_ kind: HandleKind) -> StoreError {
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
