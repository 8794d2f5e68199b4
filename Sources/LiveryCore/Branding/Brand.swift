/// The six colors that every brand has, and how settings of a brand are named.
public enum Branding {
  /// Toolbar, ToolbarText, PrimaryHighlight, PrimaryText, SecondaryHighlight, SecondaryText.
  public static let roles = [
    "Toolbar", "ToolbarText", "PrimaryHighlight", "PrimaryText", "SecondaryHighlight", "SecondaryText",
  ]

  /// What is in effect: `branding.color.Toolbar`, `branding.image.logo`, …
  public static let prefix = "branding."
  /// What is kept for another time, and which brand is active.
  public static let shelf = "brands."

  public static let color = "color."
  public static let image = "image."
  public static let url = "url."
  public static let file = "file."
  public static let option = "option."

  /// Whether a setting belongs to branding: it may be set whatever a schema declares.
  public static func reserves(_ name: String) -> Bool {
    has(prefix, name) || has(shelf, name)
  }

  /// Whether a name begins with another; what it is good for.
  public static func has(_ prefix: String, _ name: String) -> Bool {
    name.utf8.count > prefix.utf8.count && name.utf8.starts(with: prefix.utf8)
  }

  /// What such a setting holds if no schema declares it: a color, a URL; nil for anything.
  public static func type(of name: String) -> ValueType? {
    if has(prefix + color, name) { return .color }
    if has(prefix + url, name) { return .url }
    return nil
  }

  /// A role as it is spelled, by its name in any letter case; nil if it is none.
  static func role(_ key: String) -> String? {
    let wanted = DeviceNames.folded(key)
    for role in roles where DeviceNames.folded(role) == wanted { return role }
    return nil
  }
}

/// A whole brand: what a property list, a console's payload or a store holds of it.
public struct Brand: Sendable {
  /// Whether its values count.
  public var isEnabled = true
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

  /// A color by its name.
  public func color(_ name: String) -> Color? {
    guard case .color(let color)? = self[Branding.color + name]?.coerced(to: .color) else { return nil }
    return color
  }

  /// The names of what begins with a prefix, such as all colors.
  public func names(_ prefix: String) -> [String] {
    var names: [String] = []
    for member in values.sortedByKey() where Branding.has(prefix, member.key) {
      names.append(String(decoding: member.key.utf8.dropFirst(prefix.utf8.count), as: UTF8.self))
    }
    return names
  }

  /// As it is shown: `name`, `identifier`, `enabled`, and the objects `colors`, `images`, `urls`, `files` and `options`.
  public var description: [Value.Member] {
    var members: [Value.Member] = []
    for name in ["name", "identifier"] {
      if let value = self[name] { members.append(.init(name, value)) }
    }
    members.append(.init("enabled", .bool(isEnabled)))
    let kinds = [
      ("colors", Branding.color), ("images", Branding.image), ("urls", Branding.url), ("files", Branding.file),
      ("options", Branding.option),
    ]
    for (key, prefix) in kinds {
      var found: [Value.Member] = []
      for name in names(prefix) {
        if let value = self[prefix + name] { found.append(.init(name, value)) }
      }
      members.append(.init(key, .object(found)))
    }
    return members
  }

  /// As it is kept on the shelf.
  public var stored: Value {
    .object([.init("enabled", .bool(isEnabled)), .init("values", .object(values))])
  }

  public init?(stored: Value) {
    guard case .object(let members)? = stored["values"] else { return nil }
    values = members
    isEnabled = stored["enabled"] != .bool(false)
  }
}
