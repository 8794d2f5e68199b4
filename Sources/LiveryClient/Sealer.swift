import CLivery

/// The place of a value that is sealed; valid during a call.
public struct SealPlace {
  public let name: String
  public let layer: Layer?
  /// What to bind the value to.
  public let context: UnsafeRawBufferPointer
}

/// Seals and opens the values of secrets. Corresponds to `livery_sealer` in C, where it is told what the functions may do.
public struct Sealer: Sendable {
  /// Writes into the buffer, and gives how many bytes.
  public typealias Function =
    @Sendable (
      _ place: SealPlace, _ bytes: UnsafeRawBufferPointer, _ buffer: UnsafeMutableRawBufferPointer
    ) throws(StoreError) -> Int

  let seal: Function
  let open: Function

  public init(seal: @escaping Function, open: @escaping Function) {
    self.seal = seal
    self.open = open
  }
}

extension Store {
  /// Has secrets sealed and opened; nil for none. Corresponds to `livery_set_sealer` in C.
  ///
  /// - Throws: `.unavailable` if a secret cannot be sealed, and what `livery_set_sealer` lists.
  public func setSealer(_ sealer: Sealer?) throws(StoreError) {
    guard let sealer else { return try check(livery_set_sealer(handle, nil, nil, nil)) }
    let box = SealerBox(sealer)
    var functions = livery_sealer()
    functions.struct_size = MemoryLayout<livery_sealer>.size
    functions.seal = { place, bytes, length, buffer, capacity, written, userData in
      let sealer = Box.of(userData, as: SealerBox.self).sealer
      return SealerBox.run(sealer.seal, place, bytes, length, buffer, capacity, written)
    }
    functions.open = { place, bytes, length, buffer, capacity, written, userData in
      let sealer = Box.of(userData, as: SealerBox.self).sealer
      return SealerBox.run(sealer.open, place, bytes, length, buffer, capacity, written)
    }
    try check(livery_set_sealer(handle, &functions, box.handed, Box.letGo))
  }

  /// Seals all secrets anew. Corresponds to `livery_reseal` in C, where the report is described.
  ///
  /// - Parameter copies: also the store's own backups; damaged files that were kept are removed.
  /// - Throws: `.unavailable` if there is no sealer, or it does not seal; and what `livery_reseal` lists.
  @discardableResult
  public func reseal(copies: Bool = false) throws(StoreError) -> Value {
    var report: OpaquePointer?
    try check(livery_reseal(handle, copies ? UInt32(LIVERY_RESEAL_COPIES) : 0, &report))
    return try Value(taking: report)
  }

  /// How the secrets lie in the store. Corresponds to `livery_sealing` in C, where the report is described.
  public func sealing() throws(StoreError) -> Value {
    var report: OpaquePointer?
    try check(livery_sealing(handle, &report))
    return try Value(taking: report)
  }
}

private final class SealerBox: Box {
  let sealer: Sealer

  init(_ sealer: Sealer) { self.sealer = sealer }

  static func run(
    _ function: Sealer.Function, _ place: UnsafePointer<livery_seal_place>?, _ bytes: UnsafeRawPointer?, _ length: Int,
    _ buffer: UnsafeMutableRawPointer?, _ capacity: Int, _ written: UnsafeMutablePointer<Int>?
  ) -> livery_status {
    do throws(StoreError) {
      let place = try required(place, "place").pointee
      let content = SealPlace(
        name: place.name.map { String(cString: $0) } ?? "",
        layer: Layer(rawValue: UInt8(truncatingIfNeeded: place.layer)),
        context: UnsafeRawBufferPointer(start: place.context, count: place.context_length))
      let count = try function(
        content, UnsafeRawBufferPointer(start: bytes, count: length),
        UnsafeMutableRawBufferPointer(start: buffer, count: capacity))
      written?.pointee = count
      return livery_status(LIVERY_OK)
    } catch {
      return error.leaving()
    }
  }
}
