// The three dialects of branding property lists.

extension BrandReader {
  mutating func readPropertyList(_ root: Value) {
    guard case .object(let members) = root else {
      return report.problem(
        "", "wrong-type", "the property list is no dictionary but \(withArticle(root.type.description))")
    }
    // What tells the dialects apart, the surest first.
    var found: [Section?] = [nil, nil, nil, nil, nil]
    for member in members {
      switch Self.place(of: member.key, in: "branding charactervariantsconfiguration colorsrgb255 colors") {
      case 0?: found[0] = .sdkDefaults
      case 1?: found[1] = .characterVariants
      case 2?: found[2] = .characterVariants
      case 3? where member.value.type == .object: found[3] = .sdkDefaults
      default: if Self.isOfSkin(member) { found[4] = .skin }
      }
    }
    for (place, section) in found.enumerated() {
      guard let section else { continue }
      dialect = section == .skin ? .skin : section == .sdkDefaults ? .sdkDefaults : .characterVariants
      // The first two are about branding in one part; the rest of the document tells what the bundle is called.
      return walk(root, place < 2 ? .bundle : section)
    }
    report.problem("", "no-branding", "the property list says nothing about branding", status: .parse)
  }

  mutating func readBundleMember(_ member: Value.Member) {
    switch Self.place(
      of: member.key, in: "branding charactervariantsconfiguration cfbundleidentifier cfbundledisplayname cfbundlename")
    {
    case 0? where dialect == .sdkDefaults: walk(member.value, .sdkDefaults)
    case 1? where dialect == .characterVariants: walk(member.value, .characterVariants)
    case 2?: keepExpanded("identifier", member.value)
    case 3?:
      brand.set("name", nil)
      keepExpanded("name", member.value)
    // The display name is the one that people see.
    case 4? where brand["name"] == nil: keepExpanded("name", member.value)
    default: if dialect != .sdkDefaults || !isSwitch(member) { report.ignored(pointer, "not about branding") }
    }
  }

  /// Keeps a text of the bundle, unless the build was to put something else in its place.
  private mutating func keepExpanded(_ name: String, _ value: Value) {
    if case .string(let text) = value, Self.hasVariable(text) {
      return report.ignored(pointer, "`\(truncated(text, to: 80))` has a variable of the build, which was not expanded")
    }
    keepText("", name, value)
  }

  /// Whether a text has a `$(NAME)` or `${NAME}`.
  private static func hasVariable(_ text: String) -> Bool {
    let bytes = text.bytes
    for (mark, next) in zip(bytes, bytes.dropFirst()) where mark == UInt8(ascii: "$") {
      if next == UInt8(ascii: "(") || next == UInt8(ascii: "{") { return true }
    }
    return false
  }

  mutating func keepText(_ kind: String, _ name: String, _ value: Value) {
    guard case .string = value else { return expect(value, "text") }
    keep(kind, name, value)
  }

  // MARK: skin.plist

  /// Whether a member is one that a skin has.
  private static func isOfSkin(_ member: Value.Member) -> Bool {
    Branding.role(member.key) != nil || DeviceNames.image(member.key) != nil || option(member.key) != nil
      || isColor(member.value)
  }

  static func option(_ key: String) -> String? {
    let names = ["UsePrimaryImage", "UseSecondaryImage", "AnimateLoadingImage"]
    return place(of: key, in: "useprimaryimage usesecondaryimage animateloadingimage").map { names[$0] }
  }

  mutating func readSkinMember(_ member: Value.Member) {
    let role = Branding.role(member.key)
    guard role != nil || Self.isColor(member.value) else { return readCommonMember(member) }
    keepColor(role ?? member.key, member.value, .found)
  }

  /// What all dialects have.
  private mutating func readCommonMember(_ member: Value.Member) {
    if let image = DeviceNames.image(member.key) {
      keepImage(image.name, image.qualifiers, member.value)
    } else if let name = Self.option(member.key) {
      if let truth = truth(member.value) { keep(Branding.option, name, .bool(truth)) }
    } else if !isSwitch(member) {
      report.ignored(pointer, "no part of a brand has this name")
    }
  }

  /// Whether a member is `EnableBranding`, which is then noted.
  mutating func isSwitch(_ member: Value.Member) -> Bool {
    guard Self.place(of: member.key, in: "enablebranding") != nil else { return false }
    if let truth = truth(member.value) { switches.append((path, truth)) }
    return true
  }

  /// Documents have `EnableBranding` at the root, in `Branding` or in `Colors`.
  mutating func settleSwitches(of source: StaticString = "bundle") {
    var innermost = 0
    for found in switches { innermost = max(innermost, found.path.count) }
    for found in switches {
      let path = jsonPointer(found.path)
      if found.path.count == innermost {
        brand.isEnabled = found.isOn
        report.read(path, "\(Branding.keptPrefix)\(source).enabled")
      } else {
        report.ignored(path, "there is an EnableBranding further inside, which counts")
      }
    }
  }

  mutating func keepColor(_ name: String, _ value: Value, _ scale: Scale) {
    guard let color = color(value, scale) else { return }
    if let role = ColorRole.meant(by: name) {
      report.problem(
        pointer, "misspelled-role",
        "`\(truncated(name, to: 80))` is none of the six roles, and kept as a color of its own; did you mean `\(role)`?",
        isFatal: false)
    }
    keep(Branding.color, name, .color(color))
  }

  /// An image by its file's name in the bundle, or by its URL.
  private mutating func keepImage(_ name: String, _ qualifiers: [Value.Member], _ value: Value) {
    let text: String
    switch value {
    case .string(let found), .url(let found), .image(let found): text = found
    default: return expect(value, "the name of a file")
    }
    if text.isEmpty { return report.ignored(pointer, "no image is named") }
    guard isImageReference(text) else {
      return problem("bad-name", "the name of an image has 1 to 1024 bytes and no control characters")
    }
    guard images.count < 1000 else { return problem("too-many", "a brand has at most 1000 images") }
    if isWebURL(text) || !leadsOut(text, at: pointer) {
      images.append(Image(name: name, qualifiers: qualifiers, reference: text, path: pointer))
    }
  }

  /// Whether a file's name leads out of the bundle, which is then told.
  mutating func leadsOut(_ name: String, at pointer: String) -> Bool {
    guard escapes(name) else { return false }
    report.problem(pointer, "outside-bundle", "`\(truncated(name, to: 80))` is not inside the bundle")
    return true
  }

  private func isWebURL(_ text: String) -> Bool {
    (text.utf8.starts(with: "https://".utf8) || text.utf8.starts(with: "http://".utf8)) && isAbsoluteURL(text)
  }

  /// Whether a file's name leads out of the directory that it is in.
  private func escapes(_ name: String) -> Bool {
    let bytes = name.bytes
    let dot = UInt8(ascii: ".")
    guard bytes.first != UInt8(ascii: "/"), bytes.first != UInt8(ascii: "~") else { return true }
    var start = 0
    for index in 0...bytes.count {
      let isEnd = index == bytes.count || bytes[index] == UInt8(ascii: "/") || bytes[index] == UInt8(ascii: "\\")
      guard isEnd else {
        // A drive, or a scheme such as `file:`.
        if bytes[index] == UInt8(ascii: ":") { return true }
        continue
      }
      if index == start + 2, bytes[start] == dot, bytes[start + 1] == dot { return true }
      start = index + 1
    }
    return false
  }

  // MARK: AWSDKDefaultSettings.plist and CharacterVariantsConfiguration

  mutating func readDefaultsMember(_ member: Value.Member) {
    guard Self.place(of: member.key, in: "colors") != nil else { return readCommonMember(member) }
    walk(member.value, .colorsOf255)
  }

  mutating func readVariantMember(_ member: Value.Member) {
    switch Self.place(of: member.key, in: "colorsrgb255 filesystem url") {
    case 0?: walk(member.value, .colorsOf255)
    case 1?: walk(member.value, .files)
    case 2?: walk(member.value, .urls)
    default: readCommonMember(member)
    }
  }

  mutating func keepURL(_ name: String, _ value: Value) {
    switch value {
    case .string(let text), .url(let text):
      guard text.isEmpty || isAbsoluteURL(text) else {
        return problem("invalid-url", "`\(truncated(text, to: 80))` is not an absolute URL")
      }
      keep(Branding.url, name, .url(text))
    default: expect(value, "a URL")
    }
  }
}
