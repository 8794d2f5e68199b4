// Text on images: judged by what is kept with each image, which is not decoded here.

extension BrandCheck {
  /// The share of an image on which text may be illegible: the rest of a photograph makes up for it.
  private static let tolerated = 0.1
  /// From here on most of a text is lost.
  private static let most = 0.5

  /// The texts that are shown on the background image, which lies on the background of all screens.
  mutating func checkLegibility() {
    guard !brand.isOff("UsePrimaryImage"), let value = brand[Branding.image + "background"],
      let variants = try? ImageVariant.all(value)
    else { return }
    var shown = variants
    if let device {
      guard let winner = VariantMatch(variants, device).winner else { return }
      shown = [variants[winner]]
    }
    var known = ByteIndex()
    var unjudged: [Value] = []
    for variant in shown {
      guard let image = stored(variant.reference), known.insert(variant.reference.bytes).isNew else { continue }
      guard let legibility = image.legibility else {
        unjudged.append(.image(image.id))
        continue
      }
      checkText(on: variant, legibility)
    }
    guard !unjudged.isEmpty else { return }
    note(
      "unjudged-image",
      "whether text is legible on \(unjudged.count == 1 ? "an image" : "\(unjudged.count) images") of `background` is not "
        + "known: run `livery images judge`", [.init("image", .string("background")), .init("images", .list(unjudged))])
  }

  private mutating func checkText(on variant: ImageVariant, _ legibility: Legibility) {
    if let reason = legibility.refusal {
      return note(
        "unjudged-image",
        "whether text is legible on \(Value.image(variant.reference).brief) of `background` cannot be known: \(reason)",
        [.init("image", .string("background")), .init("images", .list([.image(variant.reference)]))])
    }
    let beneath = brand.color("PrimaryHighlight") ?? .white
    for text in ["PrimaryText", "SecondaryText", "white"] {
      let isLogin = text.sameBytes(as: "white")
      guard let color = isLogin ? .white : brand.color(text),
        let share = legibility.illegibleShare(of: color, on: beneath, required: Contrast.text), share > Self.tolerated
      else { continue }
      let percent = Color.decimal((share * 1000).rounded(.down) / 10)
      report(
        "illegible-image", share >= Self.most,
        "\(isLogin ? "login text, which is always white," : "\(text) \(color.formatted())") has a contrast of less than 4.5 on "
          + "\(percent) % of \(Value.image(variant.reference).brief), an image of `background`",
        [
          .init("text", .string(text)), .init("textColor", .color(color)), .init("share", .double(share)),
          .init("required", .double(Contrast.text)), .init("image", .string("background")),
          .init("variant", variant.value),
        ])
    }
  }

  private mutating func note(_ code: String, _ message: String, _ rest: [Value.Member]) {
    notes.append(.object([.init("code", .string(code)), .init("message", .string(message))] + rest))
  }
}
