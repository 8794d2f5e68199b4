/// The six colors that every brand has, and how settings of a brand are named.
public enum Branding {
  /// Toolbar, ToolbarText, PrimaryHighlight, PrimaryText, SecondaryHighlight, SecondaryText.
  public static let roles = ColorRole.allCases.map { $0.rawValue }

  /// What is in effect: `branding.color.Toolbar`, `branding.image.logo`, …
  public static let prefix = "branding."
  /// What is kept for another time, and which brand is active.
  public static let keptPrefix = "brands."

  public static let color = "color."
  public static let image = "image."
  public static let url = "url."
  public static let file = "file."
  public static let option = "option."

  /// Whether a name begins with another; what it is good for.
  public static func has(_ prefix: String, _ name: String) -> Bool {
    name.utf8.count > prefix.utf8.count && name.utf8.starts(with: prefix.utf8)
  }

  /// The value that a setting of branding takes if no schema declares it: colors, URLs, texts and truth values in their
  /// type, images with variants that can be matched. Other settings take anything.
  ///
  /// Errors: `.typeMismatch`, `.invalidValue`.
  public static func checked(_ value: Value, for name: String) throws(StoreError) -> Value {
    guard has(prefix, name) else { return value }
    if has(prefix + image, name) {
      _ = try ImageVariant.all(value)
      return value
    }
    if has(prefix + option, name) {
      guard let truth = truth(value) else {
        throw StoreError(
          .typeMismatch,
          "expected a truth value, found the \(value.type) \(value.brief): true and false are taken, also as text (yes, no, 1, 0)"
        )
      }
      return .bool(truth)
    }
    let type: ValueType
    if has(prefix + color, name) {
      type = .color
    } else if has(prefix + url, name) {
      type = .url
    } else if has(prefix + file, name) || name.sameBytes(as: prefix + "name")
      || name.sameBytes(as: prefix + "identifier")
    {
      type = .string
    } else {
      return value
    }
    guard let converted = value.coerced(to: type) else {
      throw StoreError(.typeMismatch, "expected \(type), found the \(value.type) \(value.brief)")
    }
    return converted
  }

  /// A truth value in any of its spellings: true, 1, "1", "YES"; nil if it is none.
  public static func truth(_ value: Value) -> Bool? {
    switch value {
    case .bool(let truth): return truth
    case .int(let number): return number == 0 ? false : number == 1 ? true : nil
    case .double(let number): return number == 0 ? false : number == 1 ? true : nil
    case .string:
      if case .bool(let truth)? = value.coerced(to: .bool) { return truth }
      return nil
    default: return nil
    }
  }

  /// Whether it is one of the six.
  public static func isRole(_ name: String) -> Bool {
    for role in roles where role.sameBytes(as: name) { return true }
    return false
  }

  /// The option that switches an image on and off; nil if none does.
  public static func switchOf(_ image: String) -> String? {
    if image.sameBytes(as: "background") { return "UsePrimaryImage" }
    return image.sameBytes(as: "logo") ? "UseSecondaryImage" : nil
  }

  /// A role as it is spelled, by its name in any letter case; nil if it is none.
  static func role(_ key: String) -> String? {
    BrandReader.place(
      of: key, in: "toolbar toolbartext primaryhighlight primarytext secondaryhighlight secondarytext"
    ).map { roles[$0] }
  }
}

/// Checks the identifier of a brand: 1 to 200 bytes without control characters.
///
/// Errors: `.invalidArgument`, saying what is wrong.
public func checkBrand(_ id: String) throws(StoreError) {
  guard !id.isEmpty else { throw StoreError(.invalidArgument, "the brand's identifier is empty") }
  try checkText(id, what: "the brand", limit: 200)
}

/// A whole brand: what a property list, a console's payload or a store holds of it.
public struct Brand: Sendable {
  /// Whether its values count.
  public var isEnabled = true
  /// That of the property list that it was read from, if it was.
  public var dialect: BrandReader.Dialect?
  /// Of a console's brand that is kept: whether what people have set goes once it counts.
  public var replaces = false
  /// Names without `branding.`, such as `color.Toolbar`; distinct.
  public var values: [Value.Member] = []

  public init() {}

  public subscript(name: String) -> Value? {
    for member in values where member.key.sameBytes(as: name) { return member.value }
    return nil
  }

  /// Sets a value, or removes it.
  public mutating func set(_ name: String, _ value: Value?) {
    var kept: [Value.Member] = []
    for member in values where !member.key.sameBytes(as: name) { kept.append(member) }
    if let value { kept.append(.init(name, value)) }
    values = kept
  }

  /// Whether an option is there and says no.
  public func isOff(_ option: String) -> Bool { self[Branding.option + option].flatMap { Branding.truth($0) } == false }

  /// A color by its name.
  public func color(_ name: String) -> Color? {
    guard case .color(let color)? = self[Branding.color + name]?.coerced(to: .color) else { return nil }
    return color
  }

  /// What begins with a prefix, such as all colors: without it, in order.
  public func parts(_ prefix: String) -> [Value.Member] {
    var parts: [Value.Member] = []
    for member in values where Branding.has(prefix, member.key) {
      parts.append(.init(String(decoding: member.key.utf8.dropFirst(prefix.utf8.count), as: UTF8.self), member.value))
    }
    return parts.sortedByKey()
  }

  /// As it is shown: `name`, `identifier`, `dialect`, `enabled`, and the objects `colors`, `gradients` (if there are any),
  /// `images`, `urls`, `files` and `options`.
  ///
  /// - Parameter withSwitch: whether `enabled` is among them.
  public func description(withSwitch: Bool) -> [Value.Member] {
    var members: [Value.Member] = []
    for name in ["name", "identifier"] {
      if let value = self[name] { members.append(.init(name, value)) }
    }
    if let dialect { members.append(.init("dialect", .string(dialect.description))) }
    if withSwitch { members.append(.init("enabled", .bool(isEnabled))) }
    let kinds = [
      ("colors", Branding.color), ("images", Branding.image), ("urls", Branding.url), ("files", Branding.file),
      ("options", Branding.option),
    ]
    for (key, prefix) in kinds { members.append(.init(key, .object(parts(prefix)))) }
    var pairs: [Value.Member] = []
    for name in gradients {
      guard let dark = color(name + "Dark"), let light = color(name + "Light") else { continue }
      pairs.append(.init(name, .object([.init("dark", .color(dark)), .init("light", .color(light))])))
    }
    if !pairs.isEmpty { members.append(.init("gradients", .object(pairs))) }
    return members
  }

  /// As it is kept.
  public var stored: Value {
    var members: [Value.Member] = [.init("enabled", .bool(isEnabled)), .init("values", .object(values))]
    if let dialect { members.append(.init("dialect", .string(dialect.description))) }
    if replaces { members.append(.init("replace", .bool(true))) }
    return .object(members)
  }

  public init?(stored: Value) {
    guard case .object(let members)? = stored["values"] else { return nil }
    values = members
    isEnabled = stored["enabled"] != .bool(false)
    replaces = stored["replace"] == .bool(true)
    if case .string(let name)? = stored["dialect"] { dialect = BrandReader.Dialect(named: name) }
  }
}
