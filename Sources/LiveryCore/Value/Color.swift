/// An sRGB color with alpha that is not premultiplied; components from 0 to 1.
///
/// Corresponds to `livery_color` in C.
public struct Color: Sendable, Hashable {
  public var red, green, blue, alpha: Float

  public init(red: Float, green: Float, blue: Float, alpha: Float = 1) {
    self.red = red
    self.green = green
    self.blue = blue
    self.alpha = alpha
  }

  /// From components of 8 bits; `bytes` gives them back exactly.
  public init(red8 red: UInt8, green8 green: UInt8, blue8 blue: UInt8, alpha8 alpha: UInt8 = 255) {
    self.init(red: Float(red) / 255, green: Float(green) / 255, blue: Float(blue) / 255, alpha: Float(alpha) / 255)
  }

  /// Whether every component is a number from 0 to 1.
  public var isValid: Bool {
    [red, green, blue, alpha].allSatisfy { $0 >= 0 && $0 <= 1 }
  }

  /// The components rounded to 8 bits: red, green, blue, alpha.
  public var bytes: (UInt8, UInt8, UInt8, UInt8) {
    func byte(_ component: Float) -> UInt8 {
      UInt8(max(0, min(255, (component * 255).rounded())))
    }
    return (byte(red), byte(green), byte(blue), byte(alpha))
  }
}
