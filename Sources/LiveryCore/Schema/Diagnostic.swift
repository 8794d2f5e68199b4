/// Something a schema's author should know: what, where, and how to put it right.
public struct Diagnostic: Sendable {
  public enum Severity: UInt8, Sendable {
    /// The schema cannot be used.
    case error
    /// Something is ignored, or will surprise people.
    case warning
  }

  public var severity: Severity
  /// The kind of problem, in kebab case; stable, for programs.
  public var code: String
  /// One line for people.
  public var message: String
  /// Where in the document (RFC 6901).
  public var pointer: String
  /// Where in the text: of the value, or of the key for a member that should not be there.
  public var location: StoreError.Location?
  public var hint: String?
  /// The setting's key.
  public var setting: String?

  public init(
    severity: Severity, code: String, message: String, pointer: String, location: StoreError.Location? = nil,
    hint: String? = nil, setting: String? = nil
  ) {
    self.severity = severity
    self.code = code
    self.message = message
    self.pointer = pointer
    self.location = location
    self.hint = hint
    self.setting = setting
  }

  /// The diagnostic as an object for reports: `severity`, `code`, `message`, `pointer`, `line`, `column` and, where
  /// they apply, `hint` and `setting`.
  public var value: Value {
    var members: [Value.Member] = [
      .init("severity", .string(severity.description)),
      .init("code", .string(code)),
      .init("message", .string(message)),
      .init("pointer", .string(pointer)),
    ]
    if let location {
      members.append(.init("line", .int(Int64(location.line))))
      members.append(.init("column", .int(Int64(location.column))))
    }
    if let hint { members.append(.init("hint", .string(hint))) }
    if let setting { members.append(.init("setting", .string(setting))) }
    return .object(members)
  }
}

extension Diagnostic.Severity: CustomStringConvertible {
  public var description: String {
    switch self {
    case .error: "error"
    case .warning: "warning"
    }
  }
}
