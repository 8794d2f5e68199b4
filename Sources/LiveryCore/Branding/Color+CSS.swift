extension Color {
  /// Reads a color as CSS Color 4 writes it: `#RGB` `#RGBA` `#RRGGBB` `#RRGGBBAA`, `rgb()` `rgba()` `hsl()` `hsla()` with
  /// commas or spaces, the named colors and `transparent`, in any letter case; nil for anything else.
  ///
  /// Components out of range are brought into it, as CSS does; `none` is 0. Space around the color and comments are
  /// skipped. Corresponds to `livery_color_parse` in C.
  public init?(css text: String) {
    var parser = CSSColorParser(text.bytes)
    guard let color = parser.color() else { return nil }
    self = color
  }
}

private struct CSSColorParser {
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
        if spells(name, "rgb") || spells(name, "rgba") {
          found = function(isHSL: false)
        } else if spells(name, "hsl") || spells(name, "hsla") {
          found = function(isHSL: true)
        }
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

  private mutating func function(isHSL: Bool) -> Color? {
    var components: [Component] = []
    var alpha: Component?
    skipSpace()
    guard let first = component() else { return nil }
    components.append(first)
    skipSpace()
    let hasCommas = next == UInt8(ascii: ",")
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
    return isHSL ? hsl(components, opacity, hasCommas) : rgb(components, opacity, hasCommas)
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
