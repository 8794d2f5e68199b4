import CLivery
import CSystem
import Livery

@_cdecl("livery_set_sealer") @implementation
public func livery_set_sealer(
  _ store: OpaquePointer?, _ sealer: UnsafePointer<livery_sealer>?, _ user_data: UnsafeMutableRawPointer?,
  _ destroy: livery_destroy_fn?
) -> livery_status {
  ending { () throws(StoreError) in try setSealer(store, sealer, user_data, destroy) }
}

/// If it fails another thread may just be calling what is not to count: `destroy` runs with the last of those who hold it. Mostly
/// that is before the thread's error is set, for `destroy` may leave one of its own.
@inline(never)
private func setSealer(
  _ store: OpaquePointer?, _ sealer: UnsafePointer<livery_sealer>?, _ pointer: UnsafeMutableRawPointer?,
  _ destroy: livery_destroy_fn?
) throws(StoreError) {
  let userData = UserData(pointer, destroy)
  try Memory.check()
  try pinned(store, .store, "store", as: StoreObject.self) { (object) throws(StoreError) in
    guard let sealer else { return try object.store.setSealer(nil) }
    let functions = try structure(sealer, none: livery_sealer())
    let seal = try required(functions.seal, "seal")
    let open = try required(functions.open, "open")
    try object.store.setSealer(
      Sealer(
        seal: { (bytes, place) throws(StoreError) in
          try call(seal, bytes, place, bytes.count &+ Int(LIVERY_SEAL_OVERHEAD), userData)
        },
        open: { (bytes, place) throws(StoreError) in try call(open, bytes, place, bytes.count, userData) }))
  }
}

@_cdecl("livery_reseal") @implementation
public func livery_reseal(
  _ store: OpaquePointer?, _ flags: UInt32, _ report: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  onStore(store, .maintenance) { (object) throws(StoreError) in
    try checkFlags(flags, known: LIVERY_RESEAL_COPIES)
    let done = try object.store.reseal(copies: flags != 0)
    if let report { try publish(done, to: report) }
  }
}

@_cdecl("livery_sealing") @implementation
public func livery_sealing(
  _ store: OpaquePointer?, _ report: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  onStore(store) { (object) throws(StoreError) in
    let report = try required(report, "report")
    try publish(object.store.sealing(), to: report)
  }
}

private func call(
  _ function: livery_seal_fn, _ bytes: [UInt8], _ place: SealPlace, _ capacity: Int, _ userData: UserData
) throws(StoreError) -> [UInt8] {
  try Memory.require(capacity &* 2)
  var status = livery_status(LIVERY_OK)
  var written = 0
  let result = [UInt8](unsafeUninitializedCapacity: max(capacity, 1)) { buffer, count in
    status = place.name.withCString { name in
      bytes.withUnsafeBytes { bytes in
        place.context.withUnsafeBytes { context in
          var outgoing = livery_seal_place()
          outgoing.name = name
          outgoing.layer = livery_layer(place.layer.rawValue)
          outgoing.context = context.baseAddress
          outgoing.context_length = context.count
          return function(
            &outgoing, bytes.baseAddress, bytes.count, buffer.baseAddress, capacity, &written, userData.pointer)
        }
      }
    }
    let isSound = status == livery_status(LIVERY_OK) && written >= 0 && written <= capacity
    if !isSound { lvs_wipe(buffer.baseAddress, capacity) }
    count = isSound ? written : 0
  }
  guard status == livery_status(LIVERY_OK) else { throw StoreError(returned: status) }
  guard written >= 0, written <= capacity else {
    throw StoreError(
      .unavailable, "the sealer claims to have written \(written) bytes where there is room for \(capacity)")
  }
  return result
}
