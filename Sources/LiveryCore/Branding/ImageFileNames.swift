extension BrandReader.Image {
  /// The files of a bundle that a name without an extension stands for, in the way that Apple's platforms find images by name:
  /// `Splash` for `Splash.png`, `Splash@2x.png`, `Splash@3x.png`, and those with `~ipad` or `~iphone` before the extension.
  ///
  /// Each with the devices that it is for. Of the alternatives of one part the first that is there counts. None for a name
  /// with an extension.
  public var alternatives: [[BrandReader.Image]] {
    var start = reference.utf8.startIndex
    if let slash = reference.utf8.lastIndex(of: UInt8(ascii: "/")) { start = reference.utf8.index(after: slash) }
    let file = reference.utf8[start...]
    guard !file.isEmpty, !file.contains(UInt8(ascii: ".")) else { return [] }
    // A name that tells scale or device itself lacks nothing but the extension.
    if file.contains(UInt8(ascii: "@")) || file.contains(UInt8(ascii: "~")) { return [[named(".png")]] }
    var found: [[BrandReader.Image]] = []
    for (idiom, endings) in idioms {
      if let scale = known("scale") {
        // What a key is for is known; a file of another scale is better than none.
        var options: [BrandReader.Image] = []
        for number in [scale, .int(1), .int(2), .int(3)] {
          for ending in endings { options.append(named(Self.mark(number) + ending + ".png", idiom)) }
        }
        found.append(options)
      } else {
        for number: Int64 in 1...3 {
          let scale = number > 1 ? Value.int(number) : nil
          found.append(endings.map { named(Self.mark(.int(number)) + $0 + ".png", idiom, scale) })
        }
      }
    }
    return found
  }

  /// For which kinds of devices to look, and the endings of their files, the best first.
  private var idioms: [(Value?, [String])] {
    guard case .string(let idiom)? = known("idiom") else {
      return [(nil, [""]), (.string("tablet"), ["~ipad"]), (.string("phone"), ["~iphone"])]
    }
    if idiom.sameBytes(as: "tablet") { return [(nil, ["~ipad", ""])] }
    return [(nil, idiom.sameBytes(as: "phone") ? ["~iphone", ""] : [""])]
  }

  private func known(_ qualifier: String) -> Value? {
    for member in qualifiers where member.key.sameBytes(as: qualifier) { return member.value }
    return nil
  }

  private static func mark(_ scale: Value) -> String {
    guard case .int(let number) = scale, number > 1 else { return "" }
    return "@\(number)x"
  }

  private func named(_ ending: String, _ idiom: Value? = nil, _ scale: Value? = nil) -> BrandReader.Image {
    var image = self
    image.reference += ending
    if let idiom { image.qualifiers.append(.init("idiom", idiom)) }
    if let scale { image.qualifiers.append(.init("scale", scale)) }
    return image
  }
}
