import CSystem

extension Color {
  /// Reads a color as CSS Color 4 writes it: `#RGB` `#RGBA` `#RRGGBB` `#RRGGBBAA`, `rgb()` `rgba()` `hsl()` `hsla()` with
  /// commas or spaces, `hwb()` `lab()` `lch()` `oklab()` `oklch()`, `color()` with the predefined spaces, the named colors and
  /// `transparent`, in any letter case; nil for anything else.
  ///
  /// Components out of range are brought into it, as CSS does; `none` is 0. What sRGB does not have is cut to it, component
  /// by component. Space around the color and comments are skipped. Corresponds to `livery_color_parse` in C.
  public init?(css text: String) {
    guard let found = Color.read(css: text) else { return nil }
    self = found.color
  }

  /// The same, with what cutting to sRGB has lost: by how much a component was below 0 or above 1 at most; 0 for nothing.
  public static func read(css text: String) -> (color: Color, loss: Double)? {
    var parser = CSSColorParser(text.bytes)
    guard let color = parser.color() else { return nil }
    return (color, parser.loss)
  }

  /// What people are told of a loss: nothing if there is none.
  public static func note(ofLoss loss: Double) -> String {
    guard loss > 0 else { return "" }
    return "; it lies outside of sRGB, and is cut by up to \(decimal(min(loss, 10) * 100, places: 1)) % of a component"
  }
}

private struct CSSColorParser {
  /// What stands before the parenthesis.
  private enum Kind {
    case rgb, hsl, hwb, lab, lch, oklab, oklch, color
  }

  private enum Unit {
    case number, percent, angle, none
  }

  private struct Component {
    /// A fraction for a percentage, degrees for an angle.
    var amount: Double
    var unit: Unit
  }

  private let text: [UInt8]
  private var place = 0
  /// What cutting to sRGB has lost.
  private(set) var loss = 0.0

  init(_ text: [UInt8]) {
    self.text = text
  }

  private var next: UInt8? { place < text.count ? text[place] : nil }

  private mutating func take(_ character: UInt8) -> Bool {
    guard next == character else { return false }
    place += 1
    return true
  }

  private mutating func skipSpace() {
    while let character = next {
      if PropertyListXML.isSpace(character) || character == 0x0c {
        place += 1
      } else if character == UInt8(ascii: "/"), place + 1 < text.count, text[place + 1] == UInt8(ascii: "*") {
        var end = place + 2
        while end + 1 < text.count, text[end] != UInt8(ascii: "*") || text[end + 1] != UInt8(ascii: "/") { end += 1 }
        // A comment without an end reaches to the end of the text.
        place = min(text.count, end + 2)
      } else {
        return
      }
    }
  }

  mutating func color() -> Color? {
    skipSpace()
    let start = place
    var found: Color?
    if take(UInt8(ascii: "#")) {
      found = hexadecimal()
    } else {
      let name = word()
      if take(UInt8(ascii: "(")) {
        let kinds: [(StaticString, Kind)] = [
          ("rgb", .rgb), ("rgba", .rgb), ("hsl", .hsl), ("hsla", .hsl), ("hwb", .hwb), ("lab", .lab), ("lch", .lch),
          ("oklab", .oklab), ("oklch", .oklch), ("color", .color),
        ]
        for (word, kind) in kinds where spells(name, word) { found = function(kind) }
      } else if place > start {
        found = spells(name, "transparent") ? Color(red: 0, green: 0, blue: 0, alpha: 0) : ColorNames.color(name[...])
      }
    }
    skipSpace()
    return place == text.count ? found : nil
  }

  private mutating func hexadecimal() -> Color? {
    var digits: [UInt8] = []
    while let character = next, let digit = Hexadecimal.digit(character), digits.count <= 8 {
      digits.append(digit)
      place += 1
    }
    return Color(digits: digits)
  }

  /// Letters, in lower case.
  private mutating func word() -> [UInt8] {
    var name: [UInt8] = []
    while let character = next, character | 0x20 >= UInt8(ascii: "a"), character | 0x20 <= UInt8(ascii: "z") {
      name.append(character | 0x20)
      place += 1
    }
    return name
  }

  private func spells(_ name: [UInt8], _ expected: StaticString) -> Bool {
    expected.withUTF8Buffer { $0.elementsEqual(name) }
  }

  private mutating func function(_ kind: Kind) -> Color? {
    var components: [Component] = []
    var alpha: Component?
    skipSpace()
    var space: ColorSpace?
    if kind == .color {
      space = ColorSpace(identifier()[...])
      guard space != nil else { return nil }
      skipSpace()
    }
    guard let first = component() else { return nil }
    components.append(first)
    skipSpace()
    let hasCommas = next == UInt8(ascii: ",")
    guard !hasCommas || kind == .rgb || kind == .hsl else { return nil }
    while components.count < 3 {
      if hasCommas, !take(UInt8(ascii: ",")) { return nil }
      skipSpace()
      guard let component = component() else { return nil }
      components.append(component)
      skipSpace()
    }
    if take(UInt8(ascii: hasCommas ? "," : "/")) {
      skipSpace()
      guard let component = component() else { return nil }
      alpha = component
      skipSpace()
    }
    guard take(UInt8(ascii: ")")) else { return nil }
    guard let opacity = opacity(alpha, hasCommas) else { return nil }
    switch kind {
    case .rgb: return rgb(components, opacity, hasCommas)
    case .hsl: return hsl(components, opacity, hasCommas)
    case .hwb: return hwb(components, opacity)
    case .lab: return lab(components, opacity, .lab, lightest: 100, reach: 125)
    case .lch: return lch(components, opacity, .lab, lightest: 100, reach: 150)
    case .oklab: return lab(components, opacity, .oklab, lightest: 1, reach: 0.4)
    case .oklch: return lch(components, opacity, .oklab, lightest: 1, reach: 0.4)
    case .color:
      var amounts = SIMD3<Double>()
      for (index, component) in components.enumerated() {
        guard component.unit != .angle else { return nil }
        amounts[index] = component.amount
      }
      return cut(amounts, space ?? .srgb, opacity)
    }
  }

  private func hwb(_ components: [Component], _ alpha: Float) -> Color? {
    guard components[0].unit != .percent, let white = amount(components[1], of: 100),
      let black = amount(components[2], of: 100)
    else { return nil }
    let (least, most) = (max(0, white / 100), max(0, black / 100))
    let whole = least + most
    guard whole < 1 else {
      let gray = Float(least / whole)
      return Color(red: gray, green: gray, blue: gray, alpha: alpha)
    }
    let pure = HSL(hue: components[0].amount, saturation: 1, lightness: 0.5).color()
    func mixed(_ component: Float) -> Float { Self.clamped(Double(component) * (1 - whole) + least) }
    return Color(red: mixed(pure.red), green: mixed(pure.green), blue: mixed(pure.blue), alpha: alpha)
  }

  private mutating func lab(
    _ components: [Component], _ alpha: Float, _ space: ColorSpace, lightest: Double, reach: Double
  ) -> Color? {
    guard let light = amount(components[0], of: lightest), let first = amount(components[1], of: reach),
      let second = amount(components[2], of: reach)
    else { return nil }
    return cut([min(lightest, max(0, light)), first, second], space, alpha)
  }

  private mutating func lch(
    _ components: [Component], _ alpha: Float, _ space: ColorSpace, lightest: Double, reach: Double
  ) -> Color? {
    guard let light = amount(components[0], of: lightest), let chroma = amount(components[1], of: reach),
      components[2].unit != .percent
    else { return nil }
    let angle = components[2].amount.remainder(dividingBy: 360) * Double.pi / 180
    let radius = max(0, chroma)
    return cut([min(lightest, max(0, light)), radius * cos(angle), radius * sin(angle)], space, alpha)
  }

  /// A number, or a percentage of `whole`; nil for an angle.
  private func amount(_ component: Component, of whole: Double) -> Double? {
    switch component.unit {
    case .angle: nil
    case .percent: component.amount * whole
    case .number, .none: component.amount
    }
  }

  /// A color of any space as one of sRGB.
  private mutating func cut(_ color: SIMD3<Double>, _ space: ColorSpace, _ alpha: Float) -> Color? {
    // Far beyond all colors, and far from where numbers end.
    let limit = SIMD3<Double>(repeating: 1e6)
    let found = space.sRGB(color.clamped(lowerBound: -limit, upperBound: limit))
    for index in 0..<3 { loss = max(loss, -found[index], found[index] - 1) }
    // Less than what rounding takes.
    if loss < 0.001 { loss = 0 }
    return Color(
      red: Self.clamped(found.x), green: Self.clamped(found.y), blue: Self.clamped(found.z), alpha: alpha)
  }

  /// Letters in lower case, digits and hyphens.
  private mutating func identifier() -> [UInt8] {
    var name: [UInt8] = []
    while let character = next {
      let isLetter = character | 0x20 >= UInt8(ascii: "a") && character | 0x20 <= UInt8(ascii: "z")
      guard isLetter || Self.isDigit(character) || character == UInt8(ascii: "-") else { break }
      name.append(isLetter ? character | 0x20 : character)
      place += 1
    }
    return name
  }

  private func opacity(_ alpha: Component?, _ hasCommas: Bool) -> Float? {
    guard let alpha else { return 1 }
    guard alpha.unit != .angle, !hasCommas || alpha.unit != .none else { return nil }
    return Self.clamped(alpha.amount)
  }

  private func rgb(_ components: [Component], _ alpha: Float, _ hasCommas: Bool) -> Color? {
    var amounts: [Float] = []
    for component in components {
      // With commas all are numbers, or all percentages.
      if hasCommas, component.unit == .none || component.unit != components[0].unit { return nil }
      switch component.unit {
      case .angle: return nil
      case .number: amounts.append(Float(min(255, max(0, component.amount))) / 255)
      case .percent, .none: amounts.append(Self.clamped(component.amount))
      }
    }
    return Color(red: amounts[0], green: amounts[1], blue: amounts[2], alpha: alpha)
  }

  private func hsl(_ components: [Component], _ alpha: Float, _ hasCommas: Bool) -> Color? {
    guard components[0].unit != .percent, !hasCommas || components[0].unit != .none else { return nil }
    var amounts: [Double] = []
    for component in components[1...] {
      if hasCommas, component.unit != .percent { return nil }
      switch component.unit {
      case .angle: return nil
      case .number: amounts.append(component.amount / 100)
      case .percent, .none: amounts.append(component.amount)
      }
    }
    let tone = HSL(
      hue: components[0].amount, saturation: Double(Self.clamped(amounts[0])),
      lightness: Double(Self.clamped(amounts[1])))
    return tone.color(alpha: alpha)
  }

  private static func clamped(_ amount: Double) -> Float { Float(min(1, max(0, amount))) }

  /// A number, a percentage, an angle or `none`.
  private mutating func component() -> Component? {
    guard let number = number() else {
      return spells(word(), "none") ? Component(amount: 0, unit: .none) : nil
    }
    if take(UInt8(ascii: "%")) { return Component(amount: number / 100, unit: .percent) }
    let start = place
    let unit = word()
    guard place > start else { return Component(amount: number, unit: .number) }
    if spells(unit, "deg") { return Component(amount: number, unit: .angle) }
    if spells(unit, "grad") { return Component(amount: number * 0.9, unit: .angle) }
    if spells(unit, "rad") { return Component(amount: number * 180 / Double.pi, unit: .angle) }
    if spells(unit, "turn") { return Component(amount: number * 360, unit: .angle) }
    return nil
  }

  /// A number of CSS: digits on both sides of the point if there is one, save that none need stand before it.
  private mutating func number() -> Double? {
    let start = place
    if !take(UInt8(ascii: "-")) { _ = take(UInt8(ascii: "+")) }
    let whole = digits()
    if next == UInt8(ascii: "."), place + 1 < text.count, Self.isDigit(text[place + 1]) {
      place += 1
      _ = digits()
    } else if whole == 0 {
      place = start
      return nil
    }
    let end = place
    if let mark = next, mark | 0x20 == UInt8(ascii: "e") {
      place += 1
      if !take(UInt8(ascii: "-")) { _ = take(UInt8(ascii: "+")) }
      if digits() == 0 { place = end }
    }
    if let number = Numbers.parseDouble(String(decoding: text[start..<place], as: UTF8.self)) { return number }
    if Numbers.underflows(text[start..<place]) { return 0 }
    // Beyond what a double holds: as far as it reaches.
    return text[start] == UInt8(ascii: "-") ? -1e9 : 1e9
  }

  private mutating func digits() -> Int {
    let start = place
    while let character = next, Self.isDigit(character) { place += 1 }
    return place - start
  }

  private static func isDigit(_ character: UInt8) -> Bool {
    character >= UInt8(ascii: "0") && character <= UInt8(ascii: "9")
  }
}
