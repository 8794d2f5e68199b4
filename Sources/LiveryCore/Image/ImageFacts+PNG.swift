extension ImageFacts {
  /// PNG (ISO/IEC 15948): the signature, and IHDR, which has to come first.
  static func png(_ header: HeaderBytes) throws(StoreError) -> ImageFacts {
    let type = MediaType.png
    guard header.count >= 33 else { throw type.cutShort("its header of 33 bytes", header) }
    guard header.bigEndian(4, 4) == 0x0D0A_1A0A else {
      throw type.broken("its signature has been converted, as a transfer in text mode does")
    }
    guard !header.begins(with: "CgBI", at: 12) else {
      throw StoreError(
        .parse,
        "the PNG image is in Apple's CgBI form, which nothing but its platforms reads: take the original, which Xcode made it of"
      )
    }
    guard header.bigEndian(8, 4) == 13, header.begins(with: "IHDR", at: 12) else {
      throw type.broken("it does not begin with an IHDR of 13 bytes")
    }
    guard checksum(header, 12..<29) == UInt32(truncatingIfNeeded: header.bigEndian(29, 4)) else {
      throw type.broken("the checksum of IHDR does not match")
    }
    let width = header.bigEndian(16, 4)
    let height = header.bigEndian(20, 4)
    guard width < 1 << 31, height < 1 << 31 else { throw type.broken("it claims a width or height beyond 2³¹ − 1") }
    let depth = header.byte(24)
    // By color type: the bit depths that go with it, as a set of bits.
    let depths: UInt32 =
      switch header.byte(25) {
      case 0: 1 << 1 | 1 << 2 | 1 << 4 | 1 << 8 | 1 << 16
      case 3: 1 << 1 | 1 << 2 | 1 << 4 | 1 << 8
      case 2, 4, 6: 1 << 8 | 1 << 16
      default: 0
      }
    guard depth <= 16, depths & 1 << UInt32(depth) != 0 else {
      throw type.broken("there is no color type \(header.byte(25)) of \(depth) bits")
    }
    guard header.byte(26) == 0, header.byte(27) == 0, header.byte(28) <= 1 else {
      throw type.broken("it claims an unknown compression, filter or interlace method")
    }
    return ImageFacts(type, width: width, height: height, orientation: orientation(png: header))
  }

  /// The orientation that the chunk eXIf tells, before or behind the pixels. What is wrong with chunks is the decoder's affair.
  private static func orientation(png header: HeaderBytes) -> UInt8 {
    var offset = 33
    while header.count - offset >= 12 {
      let length = header.bigEndian(offset, 4)
      guard length <= header.count - offset - 12 else { break }
      let end = offset + 8 + length
      if header.begins(with: "eXIf", at: offset + 4),
        checksum(header, (offset + 4)..<end) == UInt32(truncatingIfNeeded: header.bigEndian(end, 4))
      {
        return orientation(header, offset + 8, end: end) ?? 1
      }
      offset = end + 4
    }
    return 1
  }

  private static func checksum(_ header: HeaderBytes, _ range: Range<Int>) -> UInt32 {
    var sum = PNGChecksum()
    for offset in range { sum.add(header.byte(offset)) }
    return sum.value
  }

  /// GIF87a and GIF89a: the logical screen, which frames cannot reach beyond.
  static func gif(_ header: HeaderBytes) throws(StoreError) -> ImageFacts {
    let type = MediaType.gif
    guard header.count >= 13 else { throw type.cutShort("its header of 13 bytes", header) }
    guard header.begins(with: "7a", at: 4) || header.begins(with: "9a", at: 4) else {
      throw type.broken("it is neither GIF87a nor GIF89a")
    }
    let flags = header.byte(10)
    guard flags & 0x80 == 0 || header.count >= 13 + 3 << (Int(flags & 7) + 1) else {
      throw type.cutShort("its color table", header)
    }
    return ImageFacts(type, width: header.littleEndian(6, 2), height: header.littleEndian(8, 2))
  }
}
