extension Color {
  /// Reads `#RGB`, `#RRGGBB` or `#RRGGBBAA` in either letter case; nil for anything else.
  ///
  /// What values convert from; `init(css:)` reads more.
  public init?(hex text: String) {
    var characters = text.utf8[...]
    guard characters.popFirst() == UInt8(ascii: "#") else { return nil }
    var digits: [UInt8] = []
    for character in characters.prefix(9) {
      guard let digit = Hexadecimal.digit(character) else { return nil }
      digits.append(digit)
    }
    guard digits.count != 4 else { return nil }
    self.init(digits: digits)
  }

  /// From 3, 4, 6 or 8 digits of base 16.
  init?(digits: [UInt8]) {
    let isShort = digits.count == 3 || digits.count == 4
    guard isShort || digits.count == 6 || digits.count == 8 else { return nil }
    func byte(_ index: Int) -> UInt8 {
      isShort ? digits[index] &* 17 : digits[index * 2] << 4 | digits[index * 2 + 1]
    }
    let hasAlpha = digits.count == 4 || digits.count == 8
    self.init(red8: byte(0), green8: byte(1), blue8: byte(2), alpha8: hasAlpha ? byte(3) : 255)
  }

  /// The color as `#RRGGBBAA`, rounded to 8 bits a component.
  public var hex: String {
    let (red, green, blue, alpha) = bytes
    return "#" + Hexadecimal.encode([red, green, blue, alpha], isUppercase: true)
  }
}
