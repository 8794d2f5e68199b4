extension BrandReader {
  /// Reads what a console sends: an object of `enabled`, `whole` and `replace` (truth values), `name`, `identifier`,
  /// `colors` (name → color), `images` (name → URL, or device class → URL, or a list of variants), `urls` (name → URL) and
  /// `options` (name → truth value), each of which may be missing. As consoles spell it, there may also be the six roles,
  /// `EnableBranding`, and images such as `CompanyLogo` and `PrimaryiPad2X`, by themselves or in `Branding`.
  ///
  /// A device class is an idiom, with a scale if need be: `phone`, `tablet@2x`, `iPad2X`; `any` stands for all.
  public init(console payload: Value) {
    walk(payload, .console)
    settleSwitches(of: "console")
  }

  mutating func readConsoleMember(_ member: Value.Member) {
    switch Self.place(of: member.key, in: "enabled name identifier colors images urls options whole replace branding") {
    case 0?: if let truth = truth(member.value) { brand.isEnabled = truth }
    case 1?: keepText("", "name", member.value)
    case 2?: keepText("", "identifier", member.value)
    case 3?: walk(member.value, .colors)
    case 4?: walk(member.value, .consoleImages)
    case 5?: walk(member.value, .urls)
    case 6?: walk(member.value, .options)
    case 7?: if let truth = truth(member.value) { isWhole = truth }
    case 8?: if let truth = truth(member.value) { replaces = truth }
    case 9?: walk(member.value, .console)
    default: readSpelledAsConsolesDo(member)
    }
  }

  private mutating func readSpelledAsConsolesDo(_ member: Value.Member) {
    if let role = Branding.role(member.key) {
      keepColor(role, member.value, .found)
    } else if DeviceNames.consoleImage(member.key) != nil {
      readConsoleImage(member)
    } else if let option = Self.option(member.key) {
      if let truth = truth(member.value) { keep(Branding.option, option, .bool(truth)) }
    } else if !isSwitch(member) {
      let known = ["enabled", "colors", "images", "urls", "options", "CompanyLogo", "Background"] + Branding.roles
      report.ignored(
        pointer, "no part of a brand has this name" + didYouMean(nearestNames(to: member.key, among: known)))
    }
  }

  mutating func readConsoleImage(_ member: Value.Member) {
    let known = DeviceNames.consoleImage(member.key)
    if let known, !known.qualifiers.isEmpty { return keepRemoteImage(known.name, known.qualifiers, member.value) }
    let image = Value.Member(known?.name ?? member.key, member.value)
    imageName = image.key
    switch image.value {
    case .object where image.value["image"] == nil: walk(image.value, .deviceClasses)
    case .list, .object:
      do throws(StoreError) {
        _ = try ImageVariant.all(image.value)
        keep(Branding.image, image.key, image.value)
      } catch { problem("wrong-type", error.message) }
    default: keepRemoteImage(image.key, [], image.value)
    }
  }

  mutating func readDeviceClass(_ member: Value.Member) {
    guard let qualifiers = deviceClass(member.key) else {
      return problem(
        "wrong-type", "`\(truncated(member.key, to: 40))` is no device class such as `phone` or `tablet@2x`")
    }
    keepRemoteImage(imageName, qualifiers, member.value)
  }

  private mutating func keepRemoteImage(_ name: String, _ qualifiers: [Value.Member], _ value: Value) {
    switch value {
    case .image(let text), .string(let text), .url(let text):
      // A blank one is a placeholder.
      guard text.isEmpty || BrandCheck.isAsset(text) || isAbsoluteURL(text) else {
        return problem("invalid-url", "`\(truncated(text, to: 80))` is neither an absolute URL nor an asset's SHA-256")
      }
      images.append(Image(name: name, qualifiers: qualifiers, reference: text, path: pointer))
    default: expect(value, "a URL")
    }
  }

  /// `phone`, `tablet@2x`, `any`
  private func deviceClass(_ key: String) -> [Value.Member]? {
    if let device = DeviceNames.deviceClass(key) { return device }
    let folded = DeviceNames.folded(key)
    let at = folded.firstIndex(of: UInt8(ascii: "@")) ?? folded.endIndex
    let word = String(decoding: folded[..<at], as: UTF8.self)
    var qualifiers: [Value.Member] = []
    if Qualifier.idiom.number(of: word) != nil {
      qualifiers.append(.init("idiom", .string(word)))
    } else if !word.sameBytes(as: "any") {
      return nil
    }
    guard at < folded.endIndex else { return qualifiers }
    guard folded.last == UInt8(ascii: "x"),
      let scale = Numbers.parseInt(String(decoding: folded[(at + 1)...].dropLast(), as: UTF8.self)), scale > 0,
      scale <= 9
    else { return nil }
    return qualifiers + [.init("scale", .int(scale))]
  }
}
