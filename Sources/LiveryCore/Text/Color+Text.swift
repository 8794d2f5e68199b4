extension Color {
  /// Reads `#RGB`, `#RRGGBB` or `#RRGGBBAA` in either letter case; nil for anything else.
  public init?(hex text: String) {
    var characters = text.utf8[...]
    guard characters.popFirst() == UInt8(ascii: "#") else { return nil }
    var digits: [UInt8] = []
    for character in characters.prefix(9) {
      guard let digit = Hexadecimal.digit(character) else { return nil }
      digits.append(digit)
    }
    switch digits.count {
    case 3: self.init(red8: digits[0] * 17, green8: digits[1] * 17, blue8: digits[2] * 17)
    case 6, 8:
      func byte(_ index: Int) -> UInt8 { digits[index] << 4 | digits[index + 1] }
      self.init(red8: byte(0), green8: byte(2), blue8: byte(4), alpha8: digits.count == 8 ? byte(6) : 255)
    default: return nil
    }
  }

  /// The color as `#RRGGBBAA`, rounded to 8 bits a component.
  public var hex: String {
    let (red, green, blue, alpha) = bytes
    return "#" + Hexadecimal.encode([red, green, blue, alpha], isUppercase: true)
  }
}
