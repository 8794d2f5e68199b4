/// The CRC-32 of PNG's annex D; a table would be more than the few bytes deserve.
struct PNGChecksum {
  private var sum = UInt32.max

  var value: UInt32 { ~sum }

  mutating func add(_ byte: UInt8) {
    sum ^= UInt32(byte)
    for _ in 0..<8 { sum = sum >> 1 ^ (sum & 1 == 0 ? 0 : 0xEDB8_8320) }
  }
}

extension Color {
  /// A PNG of one pixel in this color: what fills its place until there is an image. The same bytes for the same color.
  public var plainImage: [UInt8] {
    let (red, green, blue, alpha) = bytes
    // A head for one pixel of four times eight bits; the row without a filter, in one block that is stored as it is, with its
    // Adler-32 and the chunk's CRC left out; the end.
    var image: [UInt8] = [
      0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A,
      0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 1, 0, 0, 0, 1, 8, 6, 0, 0, 0, 0x1F, 0x15, 0xC4, 0x89,
      0, 0, 0, 16, 0x49, 0x44, 0x41, 0x54, 0x78, 0x01, 0x01, 5, 0, 0xFA, 0xFF, 0, red, green, blue, alpha,
      0, 0, 0, 0, 0, 0, 0, 0,
      0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82,
    ]
    var (low, high): (UInt32, UInt32) = (1, 0)
    for byte in image[48..<53] {
      low += UInt32(byte)
      high += low
    }
    Self.put(high << 16 | low, at: 53, &image)
    var sum = PNGChecksum()
    for byte in image[37..<57] { sum.add(byte) }
    Self.put(sum.value, at: 57, &image)
    return image
  }

  /// Big-endian.
  private static func put(_ number: UInt32, at offset: Int, _ image: inout [UInt8]) {
    for place in 0..<4 { image[offset + place] = UInt8(truncatingIfNeeded: number >> (24 - 8 * UInt32(place))) }
  }
}
