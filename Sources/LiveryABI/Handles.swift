import CLivery
import Livery

/// A store; closed when the last call on it, and on what was made from it, has finished.
final class StoreObject: HandleObject {
  let store: Store
  // Both guarded by the table's lock.
  var isClosed = false
  var children: Set<UInt64> = []

  init(_ store: Store) {
    self.store = store
    super.init(owner: nil)
  }

  override var cache: OpaquePointer? { store.cache }

  deinit { store.close() }
}

final class ChangeObject: HandleObject {
  let change: ChangeSet

  init(_ change: ChangeSet, owner: StoreObject) {
    self.change = change
    super.init(owner: owner)
  }
}

final class KeyObject: HandleObject {
  let key: InternedKey

  init(_ key: InternedKey, owner: StoreObject) {
    self.key = key
    super.init(owner: owner)
  }

  override var cache: OpaquePointer? { key.slot == nil ? nil : key.cache }
  override var slot: OpaquePointer? { key.slot }
}

final class SnapshotObject: HandleObject {
  let snapshot: Snapshot

  init(_ snapshot: Snapshot, owner: StoreObject) {
    self.snapshot = snapshot
    super.init(owner: owner)
  }

  deinit { snapshot.close() }
}

final class WatchObject: HandleObject {
  let observation: Observation

  init(_ observation: Observation, owner: StoreObject) {
    self.observation = observation
    super.init(owner: owner)
  }

  deinit { observation.cancel() }
}

/// Belongs to no store: it ends with the function that it was made for.
final class MigrationObject: HandleObject {
  let call: MigrationCall

  init(_ call: MigrationCall) {
    self.call = call
    super.init(owner: nil)
  }
}

// Calls on a handle: it stays pinned while `body` runs. The kind in the handle is what makes the downcast right.

func pinned<Object: HandleObject, Result>(
  _ pointer: OpaquePointer?, _ kind: HandleKind, _ parameter: StaticString, as type: Object.Type,
  _ body: (Object) throws(StoreError) -> Result
) throws(StoreError) -> Result {
  guard let pointer else { throw StoreError(.invalidArgument, "\(parameter) is NULL") }
  let handle = handleNumber(pointer)
  let object = try HandleTable.shared.pin(handle, kind)
  defer { HandleTable.shared.unpin(handle) }
  return try body(unsafeDowncast(object.takeUnretainedValue(), to: type))
}

func onStore(_ store: OpaquePointer?, _ body: (StoreObject) throws(StoreError) -> Void) -> livery_status {
  boundary { () throws(StoreError) in try pinned(store, .store, "store", as: StoreObject.self, body) }
}

/// As `onStore`, for calls that hand a function of the caller's over: if they fail, what belongs to it is let go.
func onStore(
  _ store: OpaquePointer?, handing userData: UserData, _ body: (StoreObject) throws(StoreError) -> Void
) -> livery_status {
  ending { () throws(StoreError) in
    do throws(StoreError) {
      try Memory.check()
      try pinned(store, .store, "store", as: StoreObject.self, body)
    } catch {
      // Before the thread's error is set, for `destroy` may leave one of its own.
      userData.end()
      throw error
    }
  }
}

func onChange(_ change: OpaquePointer?, _ body: (ChangeSet) throws(StoreError) -> Void) -> livery_status {
  boundary { () throws(StoreError) in
    try pinned(change, .change, "change", as: ChangeObject.self) { (object) throws(StoreError) in
      try body(object.change)
    }
  }
}

func onKey(_ key: OpaquePointer?, _ body: (InternedKey) throws(StoreError) -> Void) -> livery_status {
  boundary { () throws(StoreError) in
    try pinned(key, .key, "key", as: KeyObject.self) { (object) throws(StoreError) in try body(object.key) }
  }
}

func onSnapshot(_ snapshot: OpaquePointer?, _ body: (Snapshot) throws(StoreError) -> Void) -> livery_status {
  boundary { () throws(StoreError) in
    try pinned(snapshot, .snapshot, "snapshot", as: SnapshotObject.self) { (object) throws(StoreError) in
      try body(object.snapshot)
    }
  }
}

func onMigration(_ migration: OpaquePointer?, _ body: (MigrationCall) throws(StoreError) -> Void) -> livery_status {
  boundary { () throws(StoreError) in
    try pinned(migration, .migration, "migration", as: MigrationObject.self) { (object) throws(StoreError) in
      try body(object.call)
    }
  }
}

func onValue(_ value: OpaquePointer?, _ body: (ValueObject) throws(StoreError) -> Void) -> livery_status {
  ending { () throws(StoreError) in try pinned(value, .value, "value", as: ValueObject.self, body) }
}

/// The content of a value that was passed in beside another handle.
func content(_ value: OpaquePointer?, _ parameter: StaticString) throws(StoreError) -> Value {
  try pinned(value, .value, parameter, as: ValueObject.self) { (object) throws(StoreError) in object.value }
}

/// Makes a handle for a C caller.
func publish(_ object: HandleObject, _ kind: HandleKind, to pointer: UnsafeMutablePointer<OpaquePointer?>)
  throws(StoreError)
{
  let handle = try HandleTable.shared.insert(object, kind)
  pointer.pointee = OpaquePointer(bitPattern: UInt(handle))
}

func publish(_ value: Value, to pointer: UnsafeMutablePointer<OpaquePointer?>) throws(StoreError) {
  try publish(ValueObject(value), .value, to: pointer)
}

/// Closes a handle; NULL is nothing to close. `finish` runs after no new call can begin.
func closing<Object: HandleObject>(
  _ pointer: OpaquePointer?, _ kind: HandleKind, as type: Object.Type, finish: (Object) -> Void = { _ in }
) -> livery_status {
  ending { () throws(StoreError) in
    guard let pointer else { return }
    let handle = handleNumber(pointer)
    let object = try HandleTable.shared.pin(handle, kind, closing: true)
    finish(unsafeDowncast(object.takeUnretainedValue(), to: type))
    HandleTable.shared.unpin(handle)
  }
}
