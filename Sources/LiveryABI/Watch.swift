import CLivery
import CSystem
import Livery
import Synchronization

@_cdecl("livery_watch_start") @implementation
public func livery_watch_start(
  _ store: OpaquePointer?, _ pattern: UnsafePointer<CChar>?, _ options: UnsafePointer<livery_watch_options>?,
  _ function: livery_watch_fn?, _ user_data: UnsafeMutableRawPointer?, _ destroy: livery_destroy_fn?,
  _ watch: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  let callback = WatchCallback(function, user_data, destroy)
  return ending { () throws(StoreError) in
    do throws(StoreError) {
      try Memory.check()
      try pinned(store, .store, "store", as: StoreObject.self) { (object) throws(StoreError) in
        _ = try required(function, "function")
        let watch = try required(watch, "watch")
        let pattern = try optionalPattern(pattern)
        let options = try WatchOptions(options)
        try callback.starting { () throws(StoreError) in
          let observation = try object.store.observe(pattern, options: options, onEnd: { callback.end() }) {
            callback.call($0)
          }
          try publish(WatchObject(observation, owner: object), .watch, to: watch)
        }
      }
    } catch {
      callback.end()
      throw error
    }
  }
}

extension WatchOptions {
  init(_ pointer: UnsafePointer<livery_watch_options>?) throws(StoreError) {
    self.init()
    guard let pointer else { return }
    let options = try structure(pointer, none: livery_watch_options())
    try checkFlags(options.flags, known: LIVERY_WATCH_INITIAL, LIVERY_WATCH_DISPATCH)
    initial = options.flags & UInt32(LIVERY_WATCH_INITIAL) != 0
    dispatched = options.flags & UInt32(LIVERY_WATCH_DISPATCH) != 0
    minimumInterval = .milliseconds(Int64(options.min_interval_ms))
  }
}

@_cdecl("livery_watch_stop") @implementation
public func livery_watch_stop(_ watch: OpaquePointer?) -> livery_status {
  closing(watch, .watch, as: WatchObject.self) { $0.observation.cancel() }
}

@_cdecl("livery_watch_pause") @implementation
public func livery_watch_pause(_ watch: OpaquePointer?, _ paused: Bool) -> livery_status {
  ending { () throws(StoreError) in
    try pinned(watch, .watch, "watch", as: WatchObject.self) { (object) throws(StoreError) in
      try object.observation.setPaused(paused)
    }
  }
}

@_cdecl("livery_event_fd") @implementation
public func livery_event_fd(_ store: OpaquePointer?, _ descriptor: UnsafeMutablePointer<Int32>?) -> livery_status {
  onStore(store) { (object) throws(StoreError) in
    try required(descriptor, "descriptor").pointee = object.store.eventDescriptor()
  }
}

@_cdecl("livery_dispatch") @implementation
public func livery_dispatch(_ store: OpaquePointer?, _ count: UnsafeMutablePointer<Int>?) -> livery_status {
  onStore(store) { (object) throws(StoreError) in
    let calls = try object.store.dispatch()
    count?.pointee = calls
  }
}

@_cdecl("livery_post") @implementation
public func livery_post(
  _ store: OpaquePointer?, _ flags: UInt32, _ function: livery_post_fn?, _ user_data: UnsafeMutableRawPointer?,
  _ destroy: livery_destroy_fn?
) -> livery_status {
  let userData = UserData(user_data, destroy)
  return onStore(store, handing: userData) { (object) throws(StoreError) in
    let function = try required(function, "function")
    try checkFlags(flags, known: LIVERY_POST_DISPATCH)
    let isDispatched = flags & UInt32(LIVERY_POST_DISPATCH) != 0
    try object.store.post(dispatched: isDispatched, onEnd: { userData.end() }) { function(userData.pointer) }
  }
}

/// A C function that is told of changes, and what belongs to it.
private final class WatchCallback: @unchecked Sendable {
  private let function: livery_watch_fn?
  private let userData: UnsafeMutableRawPointer?
  private let destroy: livery_destroy_fn?
  private let hasEnded = Atomic<Bool>(false)
  /// What the function is being told. A call that ends its thread leaves it to the next one, or to the end.
  private var outgoing: OutgoingEvents?
  /// Held while the watch starts: its handle is stored before the first call.
  private let start = lvs_mutex_make()

  init(_ function: livery_watch_fn?, _ userData: UnsafeMutableRawPointer?, _ destroy: livery_destroy_fn?) {
    self.function = function
    self.userData = userData
    self.destroy = destroy
  }

  deinit { lvs_mutex_free(start) }

  /// If `body` fails no call is made, also not when the watch had begun.
  func starting(_ body: () throws(StoreError) -> Void) throws(StoreError) {
    lvs_mutex_lock(start)
    defer { lvs_mutex_unlock(start) }
    do throws(StoreError) { try body() } catch {
      end()
      throw error
    }
  }

  /// Nothing is called from now on; the first time, `destroy` is.
  func end() {
    guard !hasEnded.exchange(true, ordering: .acquiringAndReleasing) else { return }
    release()
    destroy?(userData)
  }

  private func release() {
    outgoing?.release()
    outgoing = nil
  }

  func call(_ events: [Event]) {
    lvs_mutex_lock(start)
    lvs_mutex_unlock(start)
    guard let function, !hasEnded.load(ordering: .acquiring), !events.isEmpty else { return }
    do throws(StoreError) {
      release()
      let outgoing = try OutgoingEvents(events)
      self.outgoing = outgoing
      function(outgoing.events, outgoing.count, userData)
      release()
    } catch {
      // There is no memory, or no handle is left: what cannot be told has to be read.
      var event = livery_event()
      event.revision = events.last?.revision ?? 0
      event.time = Timestamp.now.microseconds
      event.kind = livery_event_kind(LIVERY_EVENT_RESYNC)
      event.layer = livery_layer(LIVERY_LAYER_USER)
      event.writable = true
      "".withCString {
        event.origin = $0
        function(&event, 1, userData)
      }
    }
  }
}

/// Events as C sees them, with their texts in one block behind them.
private struct OutgoingEvents {
  let events: UnsafeMutablePointer<livery_event>
  private(set) var count = 0

  init(_ source: [Event]) throws(StoreError) {
    let table = source.count &* MemoryLayout<livery_event>.stride
    var size = table
    for event in source { size &+= (event.name?.utf8.count ?? 0) &+ event.origin.utf8.count &+ 2 }
    let memory = try allocate(size)
    events = memory.bindMemory(to: livery_event.self, capacity: source.count)
    var end = table
    func text(_ content: String) -> UnsafePointer<CChar> {
      let start = memory + end
      for byte in content.utf8 {
        memory.storeBytes(of: byte, toByteOffset: end, as: UInt8.self)
        end &+= 1
      }
      memory.storeBytes(of: 0, toByteOffset: end, as: UInt8.self)
      end &+= 1
      return UnsafePointer(start.assumingMemoryBound(to: CChar.self))
    }
    for event in source {
      var outgoing = livery_event()
      outgoing.revision = event.revision
      outgoing.time = event.time.microseconds
      outgoing.kind = event.kind.rawValue
      outgoing.layer = livery_layer(event.layer.rawValue)
      if let name = event.name { outgoing.name = text(name) }
      outgoing.origin = text(event.origin)
      outgoing.writable = event.isWritable
      outgoing.secret = event.isSecret
      outgoing.unavailable = event.isUnavailable
      (events + count).initialize(to: outgoing)
      count &+= 1
      do throws(StoreError) {
        if let value = event.oldValue { events[count &- 1].old_value = try Self.handle(value) }
        if let value = event.newValue { events[count &- 1].new_value = try Self.handle(value) }
      } catch {
        release()
        throw error
      }
    }
  }

  private static func handle(_ value: Value) throws(StoreError) -> OpaquePointer? {
    var pointer: OpaquePointer?
    try publish(value, to: &pointer)
    return pointer
  }

  /// Values that the callee retained stay.
  func release() {
    for index in 0..<count {
      for value in [events[index].old_value, events[index].new_value] {
        if let value { try? releaseValue(value) }
      }
    }
    free(events)
  }
}
