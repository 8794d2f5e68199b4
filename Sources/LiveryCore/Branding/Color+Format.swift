/// How to write a color. Raw values are those of `LIVERY_COLOR_*` in C.
public enum ColorFormat: Int32, Sendable, CaseIterable {
  /// `#RRGGBB`, or `#RRGGBBAA` if it is not opaque.
  case hex = 0
  /// `#RRGGBBAA` always.
  case hexAlpha
  /// `rgb(12, 38, 64)`, or `rgba(12, 38, 64, 0.5)`.
  case rgb
  /// `hsl(210, 68.42%, 14.9%)`, or `hsla(210, 68.42%, 14.9%, 0.5)`.
  case hsl
  /// The name in CSS, such as `navy`; as `hex` for a color without one.
  case name
}

extension Color {
  /// The color as text that `init(css:)` reads back to the same 8 bits a component, to which it is rounded.
  ///
  /// Corresponds to `livery_color_format` in C.
  public func formatted(_ format: ColorFormat = .hex) -> String {
    let (red, green, blue, alpha) = bytes
    switch format {
    case .hex:
      let parts = alpha == 255 ? [red, green, blue] : [red, green, blue, alpha]
      return "#" + Hexadecimal.encode(parts, isUppercase: true)
    case .hexAlpha: return hex
    case .rgb: return function("rgb", "\(red), \(green), \(blue)", alpha)
    case .hsl:
      let tone = HSL(Color(red8: red, green8: green, blue8: blue))
      let hue = Self.decimal(tone.hue)
      let saturation = Self.decimal(tone.saturation * 100)
      return function("hsl", "\(hue), \(saturation)%, \(Self.decimal(tone.lightness * 100))%", alpha)
    case .name: return self.name ?? formatted(.hex)
    }
  }

  /// The name that CSS has for the color, if it has one.
  public var name: String? {
    if bytes == (0, 0, 0, 0) { return "transparent" }
    return ColorNames.name(of: self)
  }

  private func function(_ name: String, _ content: String, _ alpha: UInt8) -> String {
    if alpha == 255 { return "\(name)(\(content))" }
    // Two places if they say the same 8 bits, else three.
    let share = Double(alpha) / 255
    let short = (share * 100).rounded() / 100
    let isEnough = (short * 255).rounded() == Double(alpha)
    return "\(name)a(\(content), \(Self.decimal(isEnough ? short : share, places: isEnough ? 2 : 3)))"
  }

  /// A number from 0 to 1,000 with so many places at most.
  static func decimal(_ number: Double, places: Int = 2) -> String {
    var scale = 1
    for _ in 0..<places { scale *= 10 }
    let scaled = Int((number * Double(scale)).rounded())
    var text = "\(scaled / scale)"
    var rest = scaled % scale
    guard rest > 0 else { return text }
    text += "."
    while rest > 0 {
      scale /= 10
      text += "\(rest / scale)"
      rest %= scale
    }
    return text
  }
}
