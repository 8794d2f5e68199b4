/// What went wrong: a code to act on, and for people a message, the setting and the place.
///
/// Corresponds to `livery_error` in C.
public struct StoreError: Error, Sendable {
  /// The kind of failure. Raw values are the statuses of the C interface; later versions may add some.
  public struct Code: RawRepresentable, Hashable, Sendable {
    public let rawValue: Int32

    public init(rawValue: Int32) {
      self.rawValue = rawValue
    }

    public static let invalidArgument = Code(rawValue: -1)
    public static let closed = Code(rawValue: -2)
    public static let notFound = Code(rawValue: -3)
    public static let noValue = Code(rawValue: -4)
    public static let typeMismatch = Code(rawValue: -5)
    public static let invalidValue = Code(rawValue: -6)
    public static let locked = Code(rawValue: -7)
    public static let readOnly = Code(rawValue: -8)
    public static let conflict = Code(rawValue: -9)
    public static let busy = Code(rawValue: -10)
    public static let parse = Code(rawValue: -11)
    public static let schemaInvalid = Code(rawValue: -12)
    public static let schemaNewer = Code(rawValue: -13)
    public static let corrupt = Code(rawValue: -14)
    public static let notAStore = Code(rawValue: -15)
    public static let formatNewer = Code(rawValue: -16)
    public static let permission = Code(rawValue: -17)
    public static let noSpace = Code(rawValue: -18)
    public static let io = Code(rawValue: -19)
    public static let forked = Code(rawValue: -20)
    public static let bufferTooSmall = Code(rawValue: -21)
    public static let migration = Code(rawValue: -22)
    public static let network = Code(rawValue: -23)
    public static let timeout = Code(rawValue: -24)
    public static let cancelled = Code(rawValue: -25)
    public static let refused = Code(rawValue: -26)
    public static let unavailable = Code(rawValue: -27)
    public static let gone = Code(rawValue: -28)
    public static let noMemory = Code(rawValue: -29)
    public static let duplicate = Code(rawValue: -30)
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

  public var code: Code { content.code }
  /// One line for people; values of secret settings are masked.
  public var message: String { content.message }
  /// The setting concerned.
  public var setting: String? { content.setting }
  /// Where in a text the error is.
  public var location: Location? { content.location }
  /// errno of the system call that failed, or 0.
  public var systemError: Int32 { content.systemError }

  /// The same error with `prefix` before its message.
  public func prefixed(_ prefix: String) -> StoreError {
    StoreError(code, prefix + message, setting: setting, location: location, systemError: systemError)
  }
}

extension StoreError.Code: CustomStringConvertible {
  /// The status's name in C, such as "LIVERY_ERROR_NOT_FOUND".
  public var description: String {
    let names = [
      "LIVERY_OK", "LIVERY_ERROR_INVALID_ARGUMENT", "LIVERY_ERROR_CLOSED", "LIVERY_ERROR_NOT_FOUND",
      "LIVERY_ERROR_NO_VALUE", "LIVERY_ERROR_TYPE_MISMATCH", "LIVERY_ERROR_INVALID_VALUE", "LIVERY_ERROR_LOCKED",
      "LIVERY_ERROR_READ_ONLY", "LIVERY_ERROR_CONFLICT", "LIVERY_ERROR_BUSY", "LIVERY_ERROR_PARSE",
      "LIVERY_ERROR_SCHEMA_INVALID", "LIVERY_ERROR_SCHEMA_NEWER", "LIVERY_ERROR_CORRUPT", "LIVERY_ERROR_NOT_A_STORE",
      "LIVERY_ERROR_FORMAT_NEWER", "LIVERY_ERROR_PERMISSION", "LIVERY_ERROR_NO_SPACE", "LIVERY_ERROR_IO",
      "LIVERY_ERROR_FORKED", "LIVERY_ERROR_BUFFER_TOO_SMALL",
      "LIVERY_ERROR_MIGRATION", "LIVERY_ERROR_NETWORK", "LIVERY_ERROR_TIMEOUT", "LIVERY_ERROR_CANCELLED",
      "LIVERY_ERROR_REFUSED", "LIVERY_ERROR_UNAVAILABLE", "LIVERY_ERROR_GONE", "LIVERY_ERROR_NO_MEMORY",
      "LIVERY_ERROR_DUPLICATE",
    ]
    guard rawValue <= 0, rawValue > -Int32(names.count) else { return "LIVERY_ERROR_UNKNOWN" }
    return names[Int(-rawValue)]
  }
}

extension StoreError: CustomStringConvertible {
  public var description: String { message }
}
