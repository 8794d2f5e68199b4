import CLivery

/// What went wrong: a code to act on, and for people a message, the setting and the place.
///
/// Corresponds to `livery_error` in C.
public struct StoreError: Error, Sendable {
  /// The kind of failure: one of the statuses of the C interface, or a negative number that a library of its own has
  /// added.
  public struct Code: RawRepresentable, Hashable, Sendable {
    public let rawValue: Int32

    public init(rawValue: Int32) {
      self.rawValue = rawValue
    }

    private init(_ constant: Int) {
      rawValue = Int32(truncatingIfNeeded: constant)
    }

    public static var invalidArgument: Code { Code(LIVERY_ERROR_INVALID_ARGUMENT) }
    public static var closed: Code { Code(LIVERY_ERROR_CLOSED) }
    public static var notFound: Code { Code(LIVERY_ERROR_NOT_FOUND) }
    public static var noValue: Code { Code(LIVERY_ERROR_NO_VALUE) }
    public static var typeMismatch: Code { Code(LIVERY_ERROR_TYPE_MISMATCH) }
    public static var invalidValue: Code { Code(LIVERY_ERROR_INVALID_VALUE) }
    public static var locked: Code { Code(LIVERY_ERROR_LOCKED) }
    public static var readOnly: Code { Code(LIVERY_ERROR_READ_ONLY) }
    public static var conflict: Code { Code(LIVERY_ERROR_CONFLICT) }
    public static var busy: Code { Code(LIVERY_ERROR_BUSY) }
    public static var parse: Code { Code(LIVERY_ERROR_PARSE) }
    public static var schemaInvalid: Code { Code(LIVERY_ERROR_SCHEMA_INVALID) }
    public static var schemaNewer: Code { Code(LIVERY_ERROR_SCHEMA_NEWER) }
    public static var corrupt: Code { Code(LIVERY_ERROR_CORRUPT) }
    public static var notAStore: Code { Code(LIVERY_ERROR_NOT_A_STORE) }
    public static var formatNewer: Code { Code(LIVERY_ERROR_FORMAT_NEWER) }
    public static var permission: Code { Code(LIVERY_ERROR_PERMISSION) }
    public static var noSpace: Code { Code(LIVERY_ERROR_NO_SPACE) }
    public static var io: Code { Code(LIVERY_ERROR_IO) }
    public static var forked: Code { Code(LIVERY_ERROR_FORKED) }
    public static var bufferTooSmall: Code { Code(LIVERY_ERROR_BUFFER_TOO_SMALL) }
    public static var migration: Code { Code(LIVERY_ERROR_MIGRATION) }
    public static var network: Code { Code(LIVERY_ERROR_NETWORK) }
    public static var timeout: Code { Code(LIVERY_ERROR_TIMEOUT) }
    public static var cancelled: Code { Code(LIVERY_ERROR_CANCELLED) }
    public static var refused: Code { Code(LIVERY_ERROR_REFUSED) }
    public static var unavailable: Code { Code(LIVERY_ERROR_UNAVAILABLE) }
    public static var gone: Code { Code(LIVERY_ERROR_GONE) }
    public static var noMemory: Code { Code(LIVERY_ERROR_NO_MEMORY) }
    public static var duplicate: Code { Code(LIVERY_ERROR_DUPLICATE) }
  }

  /// A place in a text, counted from 1; the column in characters.
  public struct Location: Hashable, Sendable {
    public var line: Int
    public var column: Int

    public init(line: Int, column: Int) {
      self.line = line
      self.column = column
    }
  }

  /// One pointer, so that the paths on which errors travel stay small in code and quick.
  private final class Content: Sendable {
    let code: Code
    let message: String
    let setting: String?
    let location: Location?
    let systemError: Int32

    init(_ code: Code, _ message: String, _ setting: String?, _ location: Location?, _ systemError: Int32) {
      self.code = code
      self.message = message
      self.setting = setting
      self.location = location
      self.systemError = systemError
    }
  }

  private let content: Content

  @inline(never)
  public init(
    _ code: Code, _ message: String, setting: String? = nil, location: Location? = nil, systemError: Int32 = 0
  ) {
    content = Content(code, message, setting, location, systemError)
  }

  /// The usual one, which is called and not inlined: there are many.
  @inline(never)
  public init(_ code: Code, _ message: String) {
    content = Content(code, message, nil, nil, 0)
  }

  public var code: Code { content.code }
  /// One line for people; values of secret settings are masked.
  public var message: String { content.message }
  /// The setting concerned.
  public var setting: String? { content.setting }
  /// Where in a text the error is.
  public var location: Location? { content.location }
  /// errno of the system call that failed, or 0.
  public var systemError: Int32 { content.systemError }
}

extension StoreError.Code: CustomStringConvertible {
  /// The status's name in C, such as "LIVERY_ERROR_NOT_FOUND"; "LIVERY_ERROR_UNKNOWN" for those of other libraries.
  public var description: String { String(cString: livery_status_name(rawValue)) }
}

extension StoreError: CustomStringConvertible {
  public var description: String { message }
}

extension StoreError {
  /// What the thread's most recent failing call has left, which returned this status.
  @inline(never)
  init(last status: livery_status) {
    let code = Code(rawValue: status)
    guard let last = livery_last_error(), last.pointee.status == status, let message = last.pointee.message else {
      self.init(code, code.description)
      return
    }
    var location: Location?
    if last.pointee.line > 0 {
      location = Location(line: Int(last.pointee.line), column: Int(last.pointee.column))
    }
    self.init(
      code, String(cString: message), setting: last.pointee.setting.map { String(cString: $0) }, location: location,
      systemError: last.pointee.system_error)
  }

  /// Leaves the error for `livery_last_error`, for a function that then returns its status. The setting and the place of one
  /// that came of the store on this thread stay with it.
  ///
  /// Corresponds to `livery_error_leave` in C.
  public func leave() {
    if let last = livery_last_error(), last.pointee.status == code.rawValue, let left = last.pointee.message,
      String(cString: left).sameBytes(as: message)
    {
      return
    }
    message.withCString { livery_error_leave(code.rawValue, $0) }
  }
}

/// Throws what a call has left that did not succeed.
@inline(__always)
public func check(_ status: livery_status) throws(StoreError) {
  if status != livery_status(LIVERY_OK) { throw StoreError(last: status) }
}
