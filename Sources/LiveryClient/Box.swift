import CLivery

/// The home of a closure that C code calls. It is held by C from `handed` until `letGo`, which is the `destroy` of callbacks.
class Box {
  /// Handed to C, which lets it go.
  final var handed: UnsafeMutableRawPointer { Unmanaged.passRetained(self).toOpaque() }

  /// Lent to C for a call.
  final var borrowed: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  /// Runs once, when C lets go.
  func end() {}

  @inline(__always)
  static func of<T: Box>(_ pointer: UnsafeMutableRawPointer?, as type: T.Type) -> T {
    // Only what `handed` and `borrowed` have given comes back.
    Unmanaged<T>.fromOpaque(pointer.unsafelyUnwrapped).takeUnretainedValue()
  }

  static var letGo: livery_destroy_fn {
    { pointer in Unmanaged<Box>.fromOpaque(pointer.unsafelyUnwrapped).takeRetainedValue().end() }
  }
}
