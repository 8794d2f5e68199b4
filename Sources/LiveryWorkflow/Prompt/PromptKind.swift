import LiveryClient

/// A kind of prompt that every program knows by the same name.
struct PromptKind: Sendable {
  let name: String
  let title: String
  /// The elements of the form of an answer, in the dialect of App Settings Management.
  private let settings: String
  /// What a request is answered where nobody provides it; nil where a workflow cannot go on without.
  let fallback: Value?
  /// Whether an answer is a fact that the store keeps.
  let isFact: Bool

  /// All of them: those that are required first.
  static let all = [
    PromptKind("login", "Log in", text("user", "User", more: required), secret("password", "Password")),
    PromptKind("device-provisioning", "Set up this device", text("code", "Code or link", more: required)),
    PromptKind(
      "location-consent", "Use of the location", toggle("granted", "Allow"),
      options("precision", "Precision", "precise", "approximate"), isFact: true),
    PromptKind("passcode", "Passcode", secret("passcode", "Passcode")),
    PromptKind("geofence", "Outside of the permitted area", options("action", "Go on", "retry", "leave")),
    PromptKind("bluetooth-consent", "Use of Bluetooth", toggle("granted", "Allow"), isFact: true),
    PromptKind("photo-upload", "Upload a photo", element("Image", "photo", "Photo", more: required)),
    PromptKind(
      "user-agreement", "User agreement", toggle("accepted", "Accept"), text("version", "Version"), isFact: true),
    PromptKind("time-restriction", "Outside of the permitted hours", options("action", "Go on", "retry", "leave")),
    PromptKind(
      "server-switch", "Switch the server", toggle("switch", "Switch"), element("URL", "server", "Server"),
      or: ["switch": .bool(false)]),
    PromptKind(
      "email-recovery", "Recover access by e-mail", toggle("recover", "Send an e-mail"),
      text("email", "E-mail address"),
      or: ["recover": .bool(false)]),
    PromptKind("badge-picker", "Choose a badge", text("badge", "Badge"), or: [:]),
    PromptKind(
      "sso-confirmation", "Go on as this user", toggle("confirmed", "Go on"), or: ["confirmed": .bool(true)]),
    PromptKind(
      "revoked", "Access was revoked", toggle("acknowledged", "Understood"), or: ["acknowledged": .bool(true)]),
  ]

  static func named(_ name: String) -> PromptKind? { all.first { $0.name.sameBytes(as: name) } }

  /// Stands for all of them at who shows prompts.
  static let any = "*"

  /// The longest name of a kind, in bytes.
  static let nameLimit = 32

  /// Whether a kind may have this name: letters from a to z, digits and hyphens, a letter first.
  static func isName(_ name: String) -> Bool {
    let bytes = name.utf8
    guard let first = bytes.first, bytes.count <= nameLimit else { return false }
    let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    return letters.contains(first)
      && bytes.allSatisfy {
        letters.contains($0) || $0 == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
      }
  }

  /// - Throws: `.invalidArgument` if it is none.
  static func checkName(_ name: String, orAny: Bool = false) throws(StoreError) {
    guard isName(name) || orAny && name.sameBytes(as: any) else {
      throw StoreError(
        .invalidArgument, "a kind is 1 to \(nameLimit) letters from a to z, digits and hyphens, a letter first")
    }
  }

  private init(
    _ name: String, _ title: String, _ settings: String..., or fallback: KeyValuePairs<String, Value>? = nil,
    isFact: Bool = false
  ) {
    self.name = name
    self.title = title
    self.settings = settings.joined(separator: ",")
    self.fallback = fallback.map { (members) in .object(members.map { .init($0.key, $0.value) }) }
    self.isFact = isFact
  }

  var form: PromptForm {
    PromptForm(
      schema: "{\"Version\":1,\"Title\":\"\(title)\",\"Groups\":[{\"Title\":\"\(title)\",\"Settings\":[\(settings)]}]}")
  }

  /// What people and programs are told of it.
  var value: Value {
    var members: [Value.Member] = [
      .init("kind", .string(name)), .init("title", .string(title)), .init("required", .bool(fallback == nil)),
    ]
    if let fallback { members.append(.init("default", fallback)) }
    return .object(members)
  }

  private static var required: String { ",\"Required\":true" }

  private static func element(_ type: String, _ key: String, _ title: String, more: String = "") -> String {
    "{\"Type\":\"\(type)\",\"Key\":\"\(key)\",\"Title\":\"\(title)\"\(more)}"
  }

  private static func text(_ key: String, _ title: String, more: String = "") -> String {
    element("TextField", key, title, more: ",\"MaxLength\":2048" + more)
  }

  private static func secret(_ key: String, _ title: String) -> String {
    element("TextField", key, title, more: ",\"MaxLength\":2048,\"Class\":[\"Password\"],\"Required\":true")
  }

  private static func toggle(_ key: String, _ title: String) -> String {
    element("ToggleSwitch", key, title, more: required)
  }

  private static func options(_ key: String, _ title: String, _ values: String...) -> String {
    var listed = ""
    for value in values {
      if !listed.isEmpty { listed += "," }
      listed += "{\"Title\":\"\(value)\",\"Value\":\"\(value)\"}"
    }
    let first = values.first ?? ""
    return element("ComboBox", key, title, more: ",\"Options\":[\(listed)],\"Value\":\"\(first)\"")
  }
}
