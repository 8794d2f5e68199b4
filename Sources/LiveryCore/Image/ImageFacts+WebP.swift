extension ImageFacts {
  /// WebP (RFC 9649): the first chunk, which is VP8, VP8L or VP8X.
  static func webp(_ header: HeaderBytes) throws(StoreError) -> ImageFacts {
    let type = MediaType.webp
    guard header.count >= 20 else { throw type.cutShort("its header", header) }
    let size = header.littleEndian(4, 4)
    guard size <= header.count - 8 else { throw type.cutShort("the \(size) bytes that RIFF claims", header) }
    let chunk = header.littleEndian(16, 4)
    guard chunk <= size - 12 else { throw type.broken("its first chunk claims \(chunk) bytes, more than RIFF has") }
    func require(_ needed: Int) throws(StoreError) {
      guard chunk >= needed else { throw type.broken("its first chunk has \(chunk) bytes, and \(needed) are needed") }
    }
    if header.begins(with: "VP8X", at: 12) {
      try require(10)
      return ImageFacts(
        type, width: header.littleEndian(24, 3) + 1, height: header.littleEndian(27, 3) + 1,
        orientation: orientation(webp: header, end: size + 8))
    }
    if header.begins(with: "VP8L", at: 12) {
      try require(5)
      guard header.byte(20) == 0x2F else { throw type.broken("the signature of VP8L is missing") }
      let bits = header.littleEndian(21, 4)
      guard bits >> 29 == 0 else { throw type.broken("it claims the unknown version \(bits >> 29) of VP8L") }
      return ImageFacts(type, width: bits & 0x3FFF + 1, height: bits >> 14 & 0x3FFF + 1)
    }
    if header.begins(with: "VP8 ", at: 12) {
      try require(10)
      guard header.byte(20) & 1 == 0 else { throw type.broken("its first frame is no key frame") }
      guard header.bigEndian(23, 3) == 0x9D012A else { throw type.broken("the start code of VP8 is missing") }
      // The two bits above are a scale, which is for display alone.
      return ImageFacts(type, width: header.littleEndian(26, 2) & 0x3FFF, height: header.littleEndian(28, 2) & 0x3FFF)
    }
    throw type.broken("its first chunk is neither VP8, VP8L nor VP8X")
  }

  /// The orientation that the chunk EXIF tells.
  private static func orientation(webp header: HeaderBytes, end: Int) -> UInt8 {
    var offset = 12
    while end - offset >= 8 {
      let length = header.littleEndian(offset + 4, 4)
      guard length <= end - offset - 8 else { break }
      if header.begins(with: "EXIF", at: offset) {
        // Some writers put JPEG's mark before it.
        let start = offset + 8 + (header.begins(with: "Exif\0\0", at: offset + 8) ? 6 : 0)
        return orientation(header, start, end: offset + 8 + length) ?? 1
      }
      // Chunks are padded to an even size.
      offset += 8 + length + length % 2
    }
    return 1
  }
}
