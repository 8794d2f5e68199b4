import LiveryClient

/// A kind of prompt that every program knows by the same name.
struct PromptKind: Sendable {
  let name: String
  let title: String
  /// What a request is answered where nobody provides it; nil where a workflow cannot go on without.
  let fallback: Value?

  /// All of them: those that are required first.
  static let all = [
    PromptKind("login", "Log in"),
    PromptKind("device-provisioning", "Set up this device"),
    PromptKind("location-consent", "Use of the location"),
    PromptKind("passcode", "Passcode"),
    PromptKind("geofence", "Outside of the permitted area"),
    PromptKind("bluetooth-consent", "Use of Bluetooth"),
    PromptKind("photo-upload", "Upload a photo"),
    PromptKind("user-agreement", "User agreement"),
    PromptKind("time-restriction", "Outside of the permitted hours"),
    PromptKind("server-switch", "Switch the server", or: .object([.init("switch", .bool(false))])),
    PromptKind("email-recovery", "Recover access by e-mail", or: .object([.init("recover", .bool(false))])),
    PromptKind("badge-picker", "Choose a badge", or: .object([])),
    PromptKind("sso-confirmation", "Go on as this user", or: .object([.init("confirmed", .bool(true))])),
    PromptKind("revoked", "Access was revoked", or: .object([.init("acknowledged", .bool(true))])),
  ]

  private init(_ name: String, _ title: String, or fallback: Value? = nil) {
    self.name = name
    self.title = title
    self.fallback = fallback
  }

  /// What people and programs are told of it.
  var value: Value {
    var members: [Value.Member] = [
      .init("kind", .string(name)), .init("title", .string(title)), .init("required", .bool(fallback == nil)),
    ]
    if let fallback { members.append(.init("default", fallback)) }
    return .object(members)
  }
}
