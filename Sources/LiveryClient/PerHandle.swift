import CClient

/// What an extension has of each handle on a store in this process, until the store is closed.
public final class PerHandle<Object: AnyObject & Sendable>: @unchecked Sendable {
  private struct Known {
    var number: UInt
    var process: Int64
    var object: Object
  }

  private let lock = Lock(isGlobal: true)
  // Guarded by `lock`.
  private var known: [Known] = []
  private let end: @Sendable (Object) -> Void

  /// - Parameter end: ends what was begun, once, when the store is closed or it could not begin.
  public init(end: @escaping @Sendable (Object) -> Void) {
    self.end = end
  }

  /// The object of a store, which is made at its first use.
  ///
  /// - Parameter begin: has an object begin that has not, and hear of the end of the store; `.closed` for one that has ended.
  public func find(
    _ store: Store, make: () throws(StoreError) -> Object,
    begin: (Object, @escaping @Sendable () -> Void) throws(StoreError) -> Void
  ) throws(StoreError) -> Object {
    // Also tells whether the handle is good, and not that of the parent of a process.
    _ = try store.revision()
    while true {
      let object: Object
      if let known = ifAny(store) { object = known } else { object = add(try make(), UInt(bitPattern: store.handle)) }
      do throws(StoreError) {
        try begin(object, { self.forget(object) })
        return object
      } catch {
        forget(object)
        // What another thread could not begin with it is nothing to this one, as long as the store is open.
        guard error.code == .closed else { throw error }
        _ = try store.revision()
      }
    }
  }

  /// The object of a store, if there is one.
  public func ifAny(_ store: Store) -> Object? { find(UInt(bitPattern: store.handle)) }

  /// Those of this process.
  public var all: [Object] {
    lock.withLock { known.filter { $0.process == lvc_process() }.map { $0.object } }
  }

  private func find(_ number: UInt) -> Object? {
    lock.withLock {
      for entry in known where entry.number == number && entry.process == lvc_process() { return entry.object }
      return nil
    }
  }

  /// The one that is known already, if somebody was quicker.
  private func add(_ object: Object, _ number: UInt) -> Object {
    lock.withLock {
      for entry in known where entry.number == number && entry.process == lvc_process() { return entry.object }
      known.append(Known(number: number, process: lvc_process(), object: object))
      return object
    }
  }

  private func forget(_ object: Object) {
    let isKnown = lock.withLock { () -> Bool in
      guard let index = known.firstIndex(where: { $0.object === object }) else { return false }
      known.remove(at: index)
      return true
    }
    if isKnown { end(object) }
  }
}
