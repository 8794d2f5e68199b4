extension BrandReader {
  /// Reads what a console sends: an object of `enabled` (a truth value), `name`, `identifier`, `colors` (name → color),
  /// `images` (name → URL, or device class → URL, or a list of variants), `urls` (name → URL) and `options`
  /// (name → truth value), each of which may be missing.
  ///
  /// A device class is an idiom, with a scale if need be: `phone`, `tablet@2x`; `any` stands for all.
  public init(console payload: Value) {
    guard case .object(let members) = payload else {
      report.problem("", "wrong-type", "the payload is no object but a \(payload.type)")
      return
    }
    for member in members { within(member.key) { $0.readConsoleMember(member) } }
  }

  private mutating func readConsoleMember(_ member: Value.Member) {
    let key = DeviceNames.folded(member.key)
    if key == "enabled".bytes {
      if let truth = truth(member.value) { brand.isEnabled = truth }
    } else if key == "name".bytes || key == "identifier".bytes {
      guard case .string = member.value else { return expect(member.value, "text") }
      keep("", String(decoding: key, as: UTF8.self), member.value)
    } else if key == "colors".bytes {
      for color in object(member.value) {
        within(color.key) { $0.keepColor(Branding.role(color.key) ?? color.key, color.value, .found) }
      }
    } else if key == "images".bytes {
      for image in object(member.value) { within(image.key) { $0.readConsoleImage(image) } }
    } else if key == "urls".bytes {
      for url in object(member.value) { within(url.key) { $0.keepURL(url.key, url.value) } }
    } else if key == "options".bytes {
      for option in object(member.value) {
        within(option.key) { reader in
          if let truth = reader.truth(option.value) { reader.keep(Branding.option, option.key, .bool(truth)) }
        }
      }
    } else {
      report.ignored(pointer, "no part of a brand has this name")
    }
  }

  private mutating func readConsoleImage(_ image: Value.Member) {
    switch image.value {
    case .object(let classes) where image.value["image"] == nil:
      for item in classes {
        within(item.key) { reader in
          guard let qualifiers = reader.deviceClass(item.key) else {
            return reader.problem(
              "wrong-type", "`\(truncated(item.key, to: 40))` is no device class such as `phone` or `tablet@2x`")
          }
          reader.keepRemoteImage(image.key, qualifiers, item.value)
        }
      }
    case .list, .object:
      do throws(StoreError) {
        _ = try ImageVariant.all(image.value)
        keep(Branding.image, image.key, image.value)
      } catch { problem("wrong-type", error.message) }
    default: keepRemoteImage(image.key, [], image.value)
    }
  }

  private mutating func keepRemoteImage(_ name: String, _ qualifiers: [Value.Member], _ value: Value) {
    switch value {
    case .image(let text), .string(let text), .url(let text):
      let isAsset = text.utf8.count == 64 && Hexadecimal.decode(text) != nil
      guard isAsset || isAbsoluteURL(text) else {
        return problem("invalid-url", "`\(truncated(text, to: 80))` is neither an absolute URL nor an asset's SHA-256")
      }
      images.append(Image(name: name, qualifiers: qualifiers, reference: text, path: pointer))
    default: expect(value, "a URL")
    }
  }

  /// `phone`, `tablet@2x`, `any`
  private func deviceClass(_ key: String) -> [Value.Member]? {
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
