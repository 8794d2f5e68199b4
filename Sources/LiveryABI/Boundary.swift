import CLivery
import CSystem
import Livery

/// Runs what a C function does; an error becomes the status and the thread's last error. Nothing begins without memory.
func boundary(_ body: () throws(StoreError) -> Void) -> livery_status {
  ending { () throws(StoreError) in
    try Memory.check()
    try body()
  }
}

/// The same for what gives back, which is never refused for want of memory, and for what looks at a value.
func ending(_ body: () throws(StoreError) -> Void) -> livery_status {
  do {
    try body()
    return livery_status(LIVERY_OK)
  } catch {
    record(error)
    return error.code.rawValue
  }
}

private func record(_ error: StoreError) {
  // Cannot fail: the body throws nothing.
  try? withBytes(of: error.message) { (message) throws(StoreError) in
    try withBytes(of: error.setting ?? "") { (setting) throws(StoreError) in
      lvs_thread_error_set(
        error.code.rawValue, error.systemError, UInt32(clamping: error.location?.line ?? 0),
        UInt32(clamping: error.location?.column ?? 0), message.baseAddress, message.count, error.setting != nil,
        setting.baseAddress, setting.count)
    }
  }
}

/// What a caller gave with a function; `destroy` is called once, when nobody holds it any more.
final class UserData: @unchecked Sendable {
  let pointer: UnsafeMutableRawPointer?
  private var destroy: livery_destroy_fn?

  init(_ pointer: UnsafeMutableRawPointer?, _ destroy: livery_destroy_fn?) {
    self.pointer = pointer
    self.destroy = destroy
  }

  deinit { end() }

  /// To be called by the only one who knows of it.
  func end() {
    let destroy = destroy
    self.destroy = nil
    destroy?(pointer)
  }
}
