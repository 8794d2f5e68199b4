import CLegibility

/// The contrast of WCAG 2.x, from 1 to 21.
public enum Contrast {
  /// Text of ordinary size.
  public static let text = 4.5
  /// Text from 24 pixels on, or from 18.66 pixels in bold.
  public static let largeText = 3.0
  /// Less than this is not seen as a difference.
  static let visible = 1.1
}

extension Color {
  public static let black = Color(red: 0, green: 0, blue: 0)
  public static let white = Color(red: 1, green: 1, blue: 1)

  /// The relative luminance of WCAG 2.x: 0 for black, 1 for white. Alpha does not count.
  public var luminance: Double {
    lvl_luminance(lvl_color(red: Double(red), green: Double(green), blue: Double(blue), alpha: 1))
  }

  /// What is seen of the color over an opaque one.
  public func over(_ backdrop: Color) -> Color {
    func mixed(_ above: Float, _ beneath: Float) -> Float { above * alpha + beneath * (1 - alpha) }
    return Color(
      red: mixed(red, backdrop.red), green: mixed(green, backdrop.green), blue: mixed(blue, backdrop.blue))
  }

  /// The contrast of WCAG 2.x of text in this color on a background: 1 for none to 21 for black on white.
  ///
  /// Text that is not opaque is seen over the background, and a background that is not opaque over white. Corresponds to
  /// `livery_color_contrast` in C.
  public func contrast(on background: Color) -> Double {
    let beneath = background.over(.white)
    return lvl_contrast(over(beneath).luminance, beneath.luminance)
  }

  /// Black or white, whichever is more legible on the color.
  ///
  /// Corresponds to `livery_color_legible_on` in C.
  public var legibleText: Color {
    Color.black.contrast(on: self) >= Color.white.contrast(on: self) ? .black : .white
  }

  /// The color nearest to this one that has a contrast with another: hue and saturation stay, lightness moves by the least
  /// that is enough, in steps of 1/1024, darker if both ways are as far. The result is opaque and of 8 bits a component, so
  /// that it has the contrast also as it is written.
  ///
  /// - Returns: nil if not even black or white has it.
  ///
  /// Corresponds to `livery_color_nearest_passing` in C.
  public func nearest(withContrast ratio: Double, to other: Color) -> Color? {
    let opaque = Color(red: red, green: green, blue: blue)
    func passes(_ candidate: Color) -> Color? {
      let (red, green, blue, _) = candidate.bytes
      let rounded = Color(red8: red, green8: green, blue8: blue)
      return rounded.contrast(on: other) >= ratio ? rounded : nil
    }
    if let same = passes(opaque) { return same }
    var tone = HSL(opaque)
    let start = tone.lightness
    let steps = 1024
    for step in 1...steps {
      let distance = Double(step) / Double(steps)
      for lightness in [start - distance, start + distance] {
        // The step that would go past black or white ends there.
        guard lightness > -1 / Double(steps), lightness < 1 + 1 / Double(steps) else { continue }
        tone.lightness = min(1, max(0, lightness))
        if let found = passes(tone.color()) { return found }
      }
    }
    return nil
  }
}
