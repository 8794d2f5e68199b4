import LiveryCore
import Testing

@Suite struct ContrastTests {
  private func color(_ text: String) throws -> Color { try #require(Color(css: text)) }

  @Test func contrastIsThatOfWCAG() throws {
    let reference: [(String, String, Double)] = [
      ("black", "white", 21), ("white", "white", 1), ("#777", "#fff", 4.48), ("#767676", "#fff", 4.54),
      ("#949494", "#fff", 3.03), ("#595959", "#fff", 7.00), ("red", "white", 4.00), ("lime", "white", 1.37),
      ("blue", "white", 8.59), ("red", "black", 5.25), ("lime", "black", 15.30), ("blue", "black", 2.44),
      ("yellow", "white", 1.07), ("yellow", "black", 19.56), ("navy", "white", 16.01), ("teal", "white", 4.77),
      ("gray", "white", 3.95), ("gray", "black", 5.32), ("purple", "white", 9.42), ("maroon", "white", 10.95),
      ("red", "blue", 2.15), ("#333", "#fff", 12.63), ("#0064A0", "#fff", 6.31), ("#46AFD2", "#333", 5.01),
    ]
    for (text, background, ratio) in reference {
      let found = try color(text).contrast(on: color(background))
      #expect((found - ratio).magnitude <= 0.01, "\(text) on \(background): \(found)")
      #expect(try color(background).contrast(on: color(text)) == found)
    }
  }

  @Test func luminanceIsThatOfWCAG() throws {
    for (text, luminance) in [
      ("black", 0.0), ("white", 1.0), ("red", 0.2126), ("lime", 0.7152), ("blue", 0.0722), ("gray", 0.2159),
    ] {
      #expect((try color(text).luminance - luminance).magnitude < 0.0001)
    }
  }

  @Test func whatIsNotOpaqueIsSeenOverWhatIsBeneath() throws {
    // Half-transparent black on white is the gray #808080, or nearly so.
    #expect((try color("rgb(0 0 0 / 0.5)").contrast(on: .white) - 3.98).magnitude < 0.03)
    #expect(try color("transparent").contrast(on: color("#123")) == 1)
    #expect(try color("black").contrast(on: color("transparent")) == 21)
  }

  @Test func blackOrWhiteIsTheMoreLegible() throws {
    for (background, text) in [
      ("white", Color.black), ("black", .white), ("#767676", .black), ("#757575", .white), ("yellow", .black),
      ("navy", .white), ("red", .black), ("blue", .white),
    ] {
      #expect(try color(background).legibleText == text, "\(background)")
    }
    var generator = Seeded(state: 3)
    for _ in 0..<5_000 {
      let color = Color(bits: generator.next())
      let chosen = color.legibleText.contrast(on: color)
      #expect(chosen >= max(Color.black.contrast(on: color), Color.white.contrast(on: color)))
      // One of the two is always enough for text.
      #expect(chosen >= Contrast.text)
    }
  }

  @Test func theNearestPassingColorPassesKeepsItsHueAndIsTheNearest() throws {
    #expect(try color("#777").nearest(withContrast: 4.5, to: .white)?.formatted() == "#767676")
    #expect(try color("#333").nearest(withContrast: 4.5, to: .white)?.formatted() == "#333333")
    #expect(try color("#777").nearest(withContrast: 21, to: color("#888")) == nil)
    var generator = Seeded(state: 11)
    for _ in 0..<300 {
      let color = Color(bits: generator.next())
      let background = Color(bits: generator.next())
      let ratio = [3.0, 4.5][Int(generator.next() % 2)]
      let nearest = try #require(color.nearest(withContrast: ratio, to: background))
      #expect(nearest.contrast(on: background) >= ratio)
      #expect(Color(css: nearest.formatted()) == nearest)
      if color.contrast(on: background) >= ratio { #expect(nearest == color) }
    }
  }
}

extension Color {
  /// An opaque color of 24 bits.
  init(bits: UInt64) {
    self.init(
      red8: UInt8(truncatingIfNeeded: bits), green8: UInt8(truncatingIfNeeded: bits >> 8),
      blue8: UInt8(truncatingIfNeeded: bits >> 16))
  }
}
