// The three dialects of branding property lists.

extension BrandReader {
  private static func member(_ members: [Value.Member], _ folded: String) -> Value.Member? {
    for member in members where folded.utf8.elementsEqual(DeviceNames.folded(member.key)) { return member }
    return nil
  }

  mutating func readPropertyList(_ root: [Value.Member]) {
    if let found = Self.member(root, "branding") {
      dialect = .sdkDefaults
      readRoot(root, besides: found)
    } else if let found = Self.member(root, "charactervariantsconfiguration") {
      dialect = .characterVariants
      readRoot(root, besides: found)
    } else if Self.member(root, "colorsrgb255") != nil {
      dialect = .characterVariants
      for member in root { within(member.key) { $0.readVariantMember(member) } }
    } else if Self.member(root, "colors")?.value.type == .object {
      dialect = .sdkDefaults
      for member in root { within(member.key) { $0.readDefaultsMember(member) } }
    } else {
      guard root.contains(where: { Self.isOfSkin($0) }) else {
        report.problem("", "no-branding", "the property list says nothing about branding", status: .parse)
        return
      }
      dialect = .skin
      for member in root { within(member.key) { $0.readSkinMember(member) } }
    }
  }

  /// A document that is about branding in one part: the rest of it may tell what the bundle is called.
  private mutating func readRoot(_ root: [Value.Member], besides part: Value.Member) {
    let isVariant = dialect == .characterVariants
    let hasDisplayName = Self.member(root, "cfbundledisplayname") != nil
    for member in root {
      within(member.key) { reader in
        if member.key.sameBytes(as: part.key) {
          for inner in reader.object(member.value) {
            reader.within(inner.key) { isVariant ? $0.readVariantMember(inner) : $0.readDefaultsMember(inner) }
          }
          return
        }
        let key = String(decoding: DeviceNames.folded(member.key), as: UTF8.self)
        if key.sameBytes(as: "cfbundleidentifier") {
          reader.text(member.value, as: "identifier")
        } else if key.sameBytes(as: hasDisplayName ? "cfbundledisplayname" : "cfbundlename") {
          reader.text(member.value, as: "name")
        } else {
          reader.report.ignored(reader.pointer, "not about branding")
        }
      }
    }
  }

  private mutating func text(_ value: Value, as name: String) {
    guard case .string = value else { return expect(value, "text") }
    keep("", name, value)
  }

  // MARK: skin.plist

  /// Whether a member is one that a skin has.
  private static func isOfSkin(_ member: Value.Member) -> Bool {
    Branding.role(member.key) != nil || DeviceNames.image(member.key) != nil || option(member.key) != nil
      || isColor(member.value)
  }

  private static func option(_ key: String) -> String? {
    let folded = DeviceNames.folded(key)
    for name in ["UsePrimaryImage", "UseSecondaryImage", "AnimateLoadingImage"]
    where DeviceNames.folded(name) == folded {
      return name
    }
    return nil
  }

  private mutating func readSkinMember(_ member: Value.Member) {
    if let role = Branding.role(member.key) {
      keepColor(role, member.value, .found)
    } else if Self.isColor(member.value) {
      keepColor(member.key, member.value, .found)
    } else {
      readCommonMember(member)
    }
  }

  /// What all dialects have.
  private mutating func readCommonMember(_ member: Value.Member) {
    if let image = DeviceNames.image(member.key) {
      keepImage(image.name, image.qualifiers, member.value)
    } else if let name = Self.option(member.key) {
      if let truth = truth(member.value) { keep(Branding.option, name, .bool(truth)) }
    } else if DeviceNames.folded(member.key) == "enablebranding".bytes {
      guard let truth = truth(member.value) else { return }
      brand.isEnabled = truth
      report.read(pointer, "\(Branding.shelf)bundle.enabled")
    } else {
      report.ignored(pointer, "no part of a brand has this name")
    }
  }

  mutating func keepColor(_ name: String, _ value: Value, _ scale: Scale) {
    if let color = color(value, scale) { keep(Branding.color, name, .color(color)) }
  }

  /// An image by its file's name in the bundle, or by its URL.
  mutating func keepImage(_ name: String, _ qualifiers: [Value.Member], _ value: Value) {
    let text: String
    switch value {
    case .string(let found), .url(let found), .image(let found): text = found
    default: return expect(value, "the name of a file")
    }
    if text.isEmpty { return report.ignored(pointer, "no image is named") }
    guard isImageReference(text) else {
      return problem("bad-name", "the name of an image has 1 to 1024 bytes and no control characters")
    }
    if isWebURL(text) || !escapes(text) {
      images.append(Image(name: name, qualifiers: qualifiers, reference: text, path: pointer))
    } else {
      problem("outside-bundle", "`\(truncated(text, to: 80))` is not inside the bundle")
    }
  }

  private func isWebURL(_ text: String) -> Bool {
    (text.utf8.starts(with: "https://".utf8) || text.utf8.starts(with: "http://".utf8)) && isAbsoluteURL(text)
  }

  /// Whether a file's name leads out of the directory that it is in.
  private func escapes(_ name: String) -> Bool {
    let bytes = name.bytes
    guard bytes.first != UInt8(ascii: "/"), bytes.first != UInt8(ascii: "~") else { return true }
    var start = 0
    for index in 0...bytes.count
    where index == bytes.count || bytes[index] == UInt8(ascii: "/") || bytes[index] == UInt8(ascii: "\\") {
      if bytes[start..<index].elementsEqual("..".utf8) { return true }
      start = index + 1
    }
    // A drive, or a scheme such as `file:`.
    return bytes.contains(UInt8(ascii: ":"))
  }

  // MARK: AWSDKDefaultSettings.plist

  private mutating func readDefaultsMember(_ member: Value.Member) {
    guard DeviceNames.folded(member.key) == "colors".bytes else { return readCommonMember(member) }
    for color in object(member.value) {
      within(color.key) { $0.keepColor(Branding.role(color.key) ?? color.key, color.value, .bytes) }
    }
  }

  // MARK: CharacterVariantsConfiguration

  private mutating func readVariantMember(_ member: Value.Member) {
    let key = DeviceNames.folded(member.key)
    if key == "colorsrgb255".bytes {
      for color in object(member.value) {
        within(color.key) { $0.keepColor(Branding.role(color.key) ?? color.key, color.value, .bytes) }
      }
    } else if key == "filesystem".bytes {
      for file in object(member.value) {
        within(file.key) { reader in
          guard case .string = file.value else { return reader.expect(file.value, "text") }
          reader.keep(Branding.file, file.key, file.value)
        }
      }
    } else if key == "url".bytes {
      for url in object(member.value) { within(url.key) { $0.keepURL(url.key, url.value) } }
    } else {
      readCommonMember(member)
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
