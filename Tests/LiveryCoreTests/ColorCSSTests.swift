import LiveryCore
import Testing

@Suite struct ColorCSSTests {
  @Test func readsWhatCSSColor4SaysAndRefusesTheRest() throws {
    var count = 0
    for line in String(decoding: try fixture("branding/css-colors.txt"), as: UTF8.self).split(separator: "\n")
    where line.first != "#" || line.contains("|") {
      let bar = try #require(line.lastIndex(of: "|"))
      var text = ""
      var isEscaped = false
      for character in line[..<bar] {
        if isEscaped {
          text.append(character == "t" ? "\t" : "\n")
        } else if character != "\\" {
          text.append(character)
        }
        isEscaped = character == "\\"
      }
      let expected = String(line[line.index(after: bar)...])
      #expect((Color(css: text)?.hex ?? "-") == expected, "\(text)")
      count += 1
    }
    #expect(count > 300)
  }

  @Test func everyFormatComesBackToTheSame8Bits() throws {
    var generator = Seeded(state: 20_261)
    for round in 0..<3_000 {
      let bits = generator.next()
      let byte = { (shift: UInt64) in UInt8(truncatingIfNeeded: bits >> shift) }
      let color = Color(
        red8: byte(0), green8: byte(8), blue8: byte(16), alpha8: round % 2 == 0 ? 255 : byte(24))
      for format in ColorFormat.allCases {
        let text = color.formatted(format)
        #expect(Color(css: text)?.hex == color.hex, "\(text)")
      }
      // What is written in whole numbers comes back to the last bit.
      for format in [ColorFormat.hex, .hexAlpha] { #expect(Color(css: color.formatted(format)) == color) }
      #expect(Color(css: Color(red8: byte(0), green8: byte(8), blue8: byte(16)).formatted(.rgb))?.red == color.red)
    }
  }

  @Test func grayHasNoHueAndEveryChannelComesBack() {
    for byte in stride(from: UInt8(0), through: 255, by: 3) {
      for color in [
        Color(red8: byte, green8: byte, blue8: byte), Color(red8: byte, green8: 0, blue8: 255),
        Color(red8: 1, green8: byte, blue8: 2, alpha8: byte),
      ] {
        #expect(Color(css: color.formatted(.hsl))?.hex == color.hex)
        #expect(Color(css: color.formatted(.rgb))?.hex == color.hex)
      }
    }
  }

  @Test func formatsReadAsPeopleWriteThem() {
    let navy = Color(red8: 12, green8: 38, blue8: 64)
    #expect(navy.formatted() == "#0C2640")
    #expect(navy.formatted(.hexAlpha) == "#0C2640FF")
    #expect(navy.formatted(.rgb) == "rgb(12, 38, 64)")
    #expect(navy.formatted(.hsl) == "hsl(210, 68.42%, 14.9%)")
    #expect(navy.formatted(.name) == "#0C2640")
    let half = Color(red8: 0, green8: 0, blue8: 128, alpha8: 128)
    #expect(half.formatted() == "#00008080")
    #expect(half.formatted(.rgb) == "rgba(0, 0, 128, 0.5)")
    #expect(Color(red8: 0, green8: 0, blue8: 128).formatted(.name) == "navy")
    #expect(Color(red8: 0, green8: 0, blue8: 0, alpha8: 0).formatted(.name) == "transparent")
    #expect(Color(red8: 0, green8: 255, blue8: 255).formatted(.name) == "aqua")
  }

  @Test func noTextCrashesTheParser() {
    var generator = Seeded(state: 7)
    let pieces = [
      "rgb", "hsl", "a", "(", ")", ",", "/", " ", "%", "deg", "turn", "none", "1", "255", "-", "+", ".", "e", "#", "f",
      "/*", "*/", "\u{0}", "é", "99999999999999999999", "1e308",
    ]
    for _ in 0..<8_000 {
      var text = ""
      for _ in 0..<Int(generator.next() % 14) { text += pieces[Int(generator.next() % UInt64(pieces.count))] }
      if let color = Color(css: text) { #expect(color.isValid, "\(text)") }
    }
  }
}
