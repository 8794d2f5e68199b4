import CClient
import CLivery

/// The handles that an extension gives to C: numbers in a pointer's clothing, so that one which is closed, foreign or of the
/// parent process is recognized and gives a status.
///
///     kind (8 bits) | generation (28 bits) | place (28 bits)
///
/// Each extension has one table for the life of the process.
public final class Handles<Object: AnyObject & Sendable>: @unchecked Sendable {
  private struct Slot {
    var object: Object?
    var generation: UInt64
    /// The process that made the handle.
    var process: Int64
  }

  private static var bits: UInt64 { 28 }
  private static var mask: UInt64 { 1 << bits - 1 }

  private let kind: UInt64
  private let noun: String
  private let lock = Lock(isGlobal: true)
  // Guarded by `lock`.
  private var slots: [Slot] = []
  private var free: [Int] = []

  /// - Parameters:
  ///   - kind: tells these handles from others; the store's own are below 64.
  ///   - noun: what to call one of them in messages.
  public init(kind: UInt8, noun: String) {
    self.kind = UInt64(kind)
    self.noun = noun
  }

  /// A new handle on an object, which the table holds until it is removed.
  public func insert(_ object: Object) throws(StoreError) -> OpaquePointer {
    try lock.withLock { () throws(StoreError) in
      let place = free.popLast() ?? slots.count
      guard place <= Int(Self.mask) else { throw StoreError(.noMemory, "too many handles are open") }
      if place == slots.count { slots.append(Slot(object: nil, generation: 0, process: 0)) }
      slots[place].object = object
      slots[place].generation = slots[place].generation % Self.mask + 1
      slots[place].process = lvc_process()
      let number = kind << (2 * Self.bits) | slots[place].generation << Self.bits | UInt64(place)
      guard let handle = OpaquePointer(bitPattern: UInt(number)) else {
        throw StoreError(.noMemory, "too many handles are open")
      }
      return handle
    }
  }

  /// The object that a handle stands for.
  ///
  /// - Throws: `.invalidArgument` for NULL, `.closed` for one that was removed or never was, `.forked`.
  public func find(_ handle: OpaquePointer?) throws(StoreError) -> Object {
    guard let handle else { throw StoreError(.invalidArgument, "\(noun) is NULL") }
    return try lock.withLock { () throws(StoreError) in try slots[place(of: handle)].object.orClosed(noun) }
  }

  /// Ends a handle. It may have ended before.
  public func remove(_ handle: OpaquePointer?) {
    // What is let go of may run code of others: outside the lock.
    let former = lock.withLock { () -> Object? in
      guard let handle, let place = try? place(of: handle) else { return nil }
      let former = slots[place].object
      slots[place].object = nil
      free.append(place)
      return former
    }
    withExtendedLifetime(former) {}
  }

  /// Call it with the lock held.
  private func place(of handle: OpaquePointer) throws(StoreError) -> Int {
    let number = UInt64(UInt(bitPattern: handle))
    let place = Int(number & Self.mask)
    guard number >> (2 * Self.bits) == kind, place < slots.count, slots[place].object != nil,
      slots[place].generation == (number >> Self.bits) & Self.mask
    else { throw StoreError(.closed, "\(noun) has ended, or never was one") }
    guard slots[place].process == lvc_process() else {
      throw StoreError(.forked, "\(noun) belongs to the parent process")
    }
    return place
  }
}

extension Optional {
  fileprivate func orClosed(_ noun: String) throws(StoreError) -> Wrapped {
    guard let self else { throw StoreError(.closed, "\(noun) has ended") }
    return self
  }
}
