// What a document of each dialect has when it is complete.

extension BrandReader.Dialect {
  public init?(named name: String) {
    for dialect in [Self.skin, .sdkDefaults, .characterVariants] where dialect.description.sameBytes(as: name) {
      self = dialect
      return
    }
    return nil
  }

  /// How a document of the dialect is called.
  var document: String {
    switch self {
    case .skin: "skin.plist"
    case .sdkDefaults: "AWSDKDefaultSettings.plist"
    case .characterVariants: "the variant"
    }
  }

  /// Whether it has the six roles.
  var hasRoles: Bool { self != .characterVariants }

  /// The keys of images that it has.
  var images: [String] {
    switch self {
    case .skin:
      [
        "PrimaryiPad", "PrimaryiPad2X", "PrimaryiPhone", "PrimaryiPhone2X", "PrimaryiPhone5", "SecondaryiPad",
        "SecondaryiPad2X", "SecondaryiPhone", "SecondaryiPhone2X",
      ]
    case .sdkDefaults:
      [
        "AppLogo_1x", "AppLogo_2x", "SplashLogo_1x", "SplashLogo_2x", "BackgroundImage_3_2", "BackgroundImage_4_3",
        "BackgroundImage_3_4", "BackgroundImage_16_9",
      ]
    case .characterVariants: []
    }
  }

  /// Whether a key of it stands for an image.
  func names(_ image: String) -> Bool {
    for key in images where DeviceNames.image(key)?.name.sameBytes(as: image) == true { return true }
    return false
  }

  /// What else it has: the section that it stands in, "" for none, its key, and what it is kept as.
  var parts: [(section: String, key: String, kept: String)] {
    switch self {
    case .skin:
      var parts: [(section: String, key: String, kept: String)] = []
      for key in ["UsePrimaryImage", "UseSecondaryImage"] { parts.append(("", key, Branding.option + key)) }
      return parts
    case .sdkDefaults: return []
    case .characterVariants:
      var parts: [(section: String, key: String, kept: String)] = [
        ("", "CFBundleIdentifier", "identifier"), ("", "CFBundleDisplayName", "name"),
        ("", "AnimateLoadingImage", Branding.option + "AnimateLoadingImage"),
      ]
      for key in ["font", "detailBackgroundDark", "detailBackgroundLight", "listBackgroundDark", "listBackgroundLight"]
      {
        parts.append(("ColorSRGB255", key, Branding.color + key))
      }
      for key in ["databaseName", "logoImageName", "managedObjectModelName"] {
        parts.append(("FileSystem", key, Branding.file + key))
      }
      for key in ["api", "loadingImage", "logoImage"] { parts.append(("URL", key, Branding.url + key)) }
      return parts
    }
  }
}

extension Brand {
  /// Whether it has a value of a name, in any letter case.
  func hasAny(_ name: String) -> Bool {
    let folded = DeviceNames.folded(name)
    for member in values where DeviceNames.folded(member.key) == folded { return true }
    return false
  }

  /// Whether it has a variant that a key stands for, or one that is for all devices.
  func covers(_ name: String, _ qualifiers: [Value.Member]) -> Bool {
    guard let image = self[Branding.image + name], let variants = try? ImageVariant.all(image) else { return false }
    for variant in variants {
      var isForAll = true
      var isSame = true
      for qualifier in Qualifier.allCases where variant.has(qualifier) { isForAll = false }
      for wanted in qualifiers where variant.value[wanted.key]?.isSame(as: wanted.value) != true { isSame = false }
      if isForAll || isSame { return true }
    }
    return false
  }
}

extension Value {
  /// Whether it is the same number or word.
  fileprivate func isSame(as other: Value) -> Bool {
    if self == other { return true }
    guard let number = coerced(to: .double), let wanted = other.coerced(to: .double) else { return false }
    return number == wanted
  }
}

// MARK: Gradients

extension Brand {
  /// The names of the gradients: of colors in pairs, such as `listBackgroundDark` and `listBackgroundLight`.
  public var gradients: [String] {
    var names: [String] = []
    for part in parts(Branding.color) {
      guard let name = Branding.gradient(of: part.key), part.key.bytes.ends(with: "Dark") else { continue }
      if color(part.key) != nil, color(name + "Light") != nil { names.append(name) }
    }
    return names
  }
}

extension Branding {
  /// The gradient that a color is an end of, by its name; nil if the name is no such.
  static func gradient(of color: String) -> String? {
    for ending in ["Dark", "Light"] where color.utf8.count > ending.utf8.count && color.bytes.ends(with: ending) {
      return String(decoding: color.utf8.dropLast(ending.utf8.count), as: UTF8.self)
    }
    return nil
  }
}
