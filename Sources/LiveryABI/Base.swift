import CLivery
import CSystem
import Livery

@_cdecl("livery_version") @implementation
public func livery_version() -> UInt32 {
  UInt32(LIVERY_VERSION_MAJOR) &* 1_000_000 &+ UInt32(LIVERY_VERSION_MINOR) &* 1000 &+ UInt32(LIVERY_VERSION_PATCH)
}

@_cdecl("livery_version_string") @implementation
public func livery_version_string() -> UnsafePointer<CChar>? {
  constant("0.1.0")
}

@_cdecl("livery_features") @implementation
public func livery_features() -> UInt64 {
  var features: UInt64 = 0
  #if hasFeature(Embedded)
    features |= UInt64(LIVERY_FEATURE_STANDALONE)
  #endif
  #if LIVERY_CORE_ONLY
    features |= UInt64(LIVERY_FEATURE_CORE_ONLY)
  #endif
  return features
}

@_cdecl("livery_free") @implementation
public func livery_free(_ memory: UnsafeMutableRawPointer?) {
  free(memory)
}

@_cdecl("livery_status_name") @implementation
public func livery_status_name(_ status: livery_status) -> UnsafePointer<CChar>? {
  switch Int(status) {
  case LIVERY_OK: constant("LIVERY_OK")
  case LIVERY_ERROR_INVALID_ARGUMENT: constant("LIVERY_ERROR_INVALID_ARGUMENT")
  case LIVERY_ERROR_CLOSED: constant("LIVERY_ERROR_CLOSED")
  case LIVERY_ERROR_NOT_FOUND: constant("LIVERY_ERROR_NOT_FOUND")
  case LIVERY_ERROR_NO_VALUE: constant("LIVERY_ERROR_NO_VALUE")
  case LIVERY_ERROR_TYPE_MISMATCH: constant("LIVERY_ERROR_TYPE_MISMATCH")
  case LIVERY_ERROR_INVALID_VALUE: constant("LIVERY_ERROR_INVALID_VALUE")
  case LIVERY_ERROR_LOCKED: constant("LIVERY_ERROR_LOCKED")
  case LIVERY_ERROR_READ_ONLY: constant("LIVERY_ERROR_READ_ONLY")
  case LIVERY_ERROR_CONFLICT: constant("LIVERY_ERROR_CONFLICT")
  case LIVERY_ERROR_BUSY: constant("LIVERY_ERROR_BUSY")
  case LIVERY_ERROR_PARSE: constant("LIVERY_ERROR_PARSE")
  case LIVERY_ERROR_SCHEMA_INVALID: constant("LIVERY_ERROR_SCHEMA_INVALID")
  case LIVERY_ERROR_SCHEMA_NEWER: constant("LIVERY_ERROR_SCHEMA_NEWER")
  case LIVERY_ERROR_CORRUPT: constant("LIVERY_ERROR_CORRUPT")
  case LIVERY_ERROR_NOT_A_STORE: constant("LIVERY_ERROR_NOT_A_STORE")
  case LIVERY_ERROR_FORMAT_NEWER: constant("LIVERY_ERROR_FORMAT_NEWER")
  case LIVERY_ERROR_PERMISSION: constant("LIVERY_ERROR_PERMISSION")
  case LIVERY_ERROR_NO_SPACE: constant("LIVERY_ERROR_NO_SPACE")
  case LIVERY_ERROR_IO: constant("LIVERY_ERROR_IO")
  case LIVERY_ERROR_FORKED: constant("LIVERY_ERROR_FORKED")
  case LIVERY_ERROR_BUFFER_TOO_SMALL: constant("LIVERY_ERROR_BUFFER_TOO_SMALL")
  case LIVERY_ERROR_MIGRATION: constant("LIVERY_ERROR_MIGRATION")
  case LIVERY_ERROR_NETWORK: constant("LIVERY_ERROR_NETWORK")
  case LIVERY_ERROR_TIMEOUT: constant("LIVERY_ERROR_TIMEOUT")
  case LIVERY_ERROR_CANCELLED: constant("LIVERY_ERROR_CANCELLED")
  case LIVERY_ERROR_REFUSED: constant("LIVERY_ERROR_REFUSED")
  case LIVERY_ERROR_UNAVAILABLE: constant("LIVERY_ERROR_UNAVAILABLE")
  case LIVERY_ERROR_GONE: constant("LIVERY_ERROR_GONE")
  case LIVERY_ERROR_NO_MEMORY: constant("LIVERY_ERROR_NO_MEMORY")
  case LIVERY_ERROR_DUPLICATE: constant("LIVERY_ERROR_DUPLICATE")
  default: constant("LIVERY_ERROR_UNKNOWN")
  }
}

/// Literals are stored with a NUL behind and stay for ever.
private func constant(_ text: StaticString) -> UnsafePointer<CChar> {
  UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
}

@_cdecl("livery_last_error") @implementation
public func livery_last_error() -> UnsafePointer<livery_error>? {
  // lvs_error_view has the layout of livery_error.
  UnsafeRawPointer(lvs_thread_error_view()).map { $0.assumingMemoryBound(to: livery_error.self) }
}

@_cdecl("livery_error_leave") @implementation
public func livery_error_leave(_ status: livery_status, _ message: UnsafePointer<CChar>?) {
  guard let text = message ?? livery_status_name(status) else { return }
  lvs_thread_error_set(status, 0, 0, 0, text, strlen(text), false, nil, 0)
}

/// A C log handler; `destroy` runs when the last call and the registration have let go.
private final class LogHandler: @unchecked Sendable {
  private let function: livery_log_fn?
  private let userData: UnsafeMutableRawPointer?
  private let destroy: livery_destroy_fn?

  init(_ function: livery_log_fn?, _ userData: UnsafeMutableRawPointer?, _ destroy: livery_destroy_fn?) {
    self.function = function
    self.userData = userData
    self.destroy = destroy
  }

  deinit { destroy?(userData) }

  func callAsFunction(_ level: Int32, _ message: String) {
    guard let function else { return }
    message.withCString { function(level, $0, userData) }
  }
}

@_cdecl("livery_set_log_handler") @implementation
public func livery_set_log_handler(
  _ handler: livery_log_fn?, _ user_data: UnsafeMutableRawPointer?, _ destroy: livery_destroy_fn?
) -> livery_status {
  if handler == nil && destroy == nil {
    Log.setHandler(nil)
  } else {
    let handler = LogHandler(handler, user_data, destroy)
    Log.setHandler { (level, message) in handler(level.rawValue, message) }
  }
  return livery_status(LIVERY_OK)
}
