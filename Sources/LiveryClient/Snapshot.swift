import CLivery
import Synchronization

/// One moment of a store, held still, to read several settings that belong together.
///
/// Usable from any thread; calls on one snapshot wait for each other. Keep it for moments: space that writers free is not
/// used again until it is closed. Corresponds to `livery_snapshot` in C.
public final class Snapshot: @unchecked Sendable {
  /// The revision that it shows.
  public let revision: UInt64
  private let handle: OpaquePointer?
  private let isClosed = Atomic<Bool>(false)

  fileprivate init(_ handle: OpaquePointer?, revision: UInt64) {
    self.handle = handle
    self.revision = revision
  }

  deinit { close() }

  /// Ends it; closing twice is fine.
  public func close() {
    if !isClosed.exchange(true, ordering: .acquiringAndReleasing) { livery_snapshot_close(handle) }
  }

  /// A setting's effective value at the moment of the snapshot. Corresponds to `livery_snapshot_get` in C.
  ///
  /// - Throws: as `Store.value(_:)`.
  public func value(_ name: String) throws(StoreError) -> Value {
    var value: OpaquePointer?
    try passing(name) { livery_snapshot_get(handle, $0, &value) }
    return try Value(taking: value)
  }

  /// What a layer held for a setting, be it in effect or not; nil if it held nothing.
  ///
  /// Corresponds to `livery_snapshot_get_layer` in C.
  ///
  /// - Throws: `.corrupt`.
  public func value(_ name: String, in layer: Layer) throws(StoreError) -> Value? {
    try ifAny { () throws(StoreError) in
      var value: OpaquePointer?
      try passing(name) { livery_snapshot_get_layer(handle, layer.number, $0, &value) }
      return try Value(taking: value)
    }
  }

  /// The names of what a layer held, in their order. Corresponds to `livery_snapshot_list` in C.
  public func names(in layer: Layer, matching pattern: String? = nil) throws(StoreError) -> [String] {
    var names: OpaquePointer?
    try passing(pattern) { livery_snapshot_list(handle, layer.number, $0, &names) }
    return try Value(taking: names).texts
  }

  /// The next setting after a name that has a value and matches the pattern; nil if there are no more.
  ///
  /// Corresponds to `livery_snapshot_next` in C.
  public func next(
    after name: String, matching pattern: String? = nil
  ) throws(StoreError) -> (name: String, value: Value)? {
    var buffer = [CChar](repeating: 0, count: Int(LIVERY_NAME_MAX) + 1)
    try name.checkHasNoNUL()
    guard name.utf8.count < buffer.count else { throw StoreError(.invalidArgument, "the name is too long") }
    var place = 0
    for byte in name.utf8 {
      buffer[place] = CChar(bitPattern: byte)
      place += 1
    }
    var value: OpaquePointer?
    do throws(StoreError) {
      try passing(pattern) { (pattern) in
        buffer.withUnsafeMutableBufferPointer { livery_snapshot_next(handle, pattern, $0.baseAddress, &value) }
      }
    } catch {
      guard error.code == .notFound else { throw error }
      return nil
    }
    let found = buffer.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    return (found, try Value(taking: value))
  }

  /// An asset's bytes as they are in the store's memory, without a copy; the snapshot must not be closed meanwhile.
  ///
  /// Corresponds to `livery_snapshot_asset` in C.
  ///
  /// - Throws: as `Assets.bytes`.
  public func withAsset<R>(_ id: String, _ body: (RawSpan) -> R) throws(StoreError) -> R {
    var start: UnsafeRawPointer?
    var length = 0
    try passing(id) { livery_snapshot_asset(handle, $0, &start, &length) }
    return withExtendedLifetime(self) { body(UnsafeRawBufferPointer(start: start, count: length).bytes) }
  }
}

extension Store {
  /// Holds the present moment still. Corresponds to `livery_snapshot_open` in C.
  ///
  /// - Throws: `.busy` if all reader slots are taken.
  public func snapshot() throws(StoreError) -> Snapshot {
    var snapshot: OpaquePointer?
    try check(livery_snapshot_open(handle, &snapshot))
    var revision: UInt64 = 0
    let status = livery_snapshot_revision(snapshot, &revision)
    if status != livery_status(LIVERY_OK) {
      let error = StoreError(last: status)
      livery_snapshot_close(snapshot)
      throw error
    }
    return Snapshot(snapshot, revision: revision)
  }
}

extension Value {
  /// Those among the items of a list.
  var texts: [String] {
    guard case .list(let items) = self else { return [] }
    var texts: [String] = []
    for case .string(let text) in items { texts.append(text) }
    return texts
  }
}
