extension ImageFacts {
  /// JPEG (ITU-T T.81): the markers up to the frame header, with Exif's orientation on the way.
  static func jpeg(_ header: HeaderBytes) throws(StoreError) -> ImageFacts {
    let type = MediaType.jpeg
    var orientation: UInt8 = 1
    var offset = 2
    while true {
      let marker = try marker(header, &offset)
      switch marker {
      case 0x01, 0xD0...0xD8: continue
      case 0xD9, 0xDA: throw type.broken("there is no frame header before its \(marker == 0xD9 ? "end" : "first scan")")
      default: break
      }
      let length = header.bigEndian(offset, 2)
      guard header.count - offset >= 2 else { throw type.cutShort("a segment", header) }
      guard length >= 2 else { throw type.broken("a segment claims a length of \(length) bytes, at \(offset)") }
      guard header.count - offset >= length else { throw type.cutShort("a segment of \(length) bytes", header) }
      if marker == 0xE1, header.begins(with: "Exif\0\0", at: offset + 2) {
        orientation = self.orientation(header, offset + 8, end: offset + length) ?? orientation
      }
      // SOF0 to SOF15; C4, C8 and CC among them are no frames.
      if marker >= 0xC0, marker <= 0xCF, marker != 0xC4, marker != 0xC8, marker != 0xCC {
        guard length > 8, length == 8 + 3 * Int(header.byte(offset + 7)) else {
          throw type.broken("the frame header claims \(header.byte(offset + 7)) components in \(length) bytes")
        }
        var height = header.bigEndian(offset + 3, 2)
        if height == 0 { height = try lines(header, offset + length) }
        return ImageFacts(type, width: header.bigEndian(offset + 5, 2), height: height, orientation: orientation)
      }
      offset += length
    }
  }

  /// The code of the next marker from `offset` on, which moves behind it; as decoders do, it passes over what is none.
  private static func marker(_ header: HeaderBytes, _ offset: inout Int) throws(StoreError) -> UInt8 {
    while offset < header.count {
      guard header.byte(offset) == 0xFF else {
        offset += 1
        continue
      }
      // Any number of fill bytes may come first.
      while header.byte(offset) == 0xFF { offset += 1 }
      offset += 1
      if header.byte(offset - 1) != 0 { return header.byte(offset - 1) }
    }
    throw MediaType.jpeg.cutShort("its header, before the frame header", header)
  }

  /// The height where the frame header leaves it to a DNL segment, behind the first scan.
  private static func lines(_ header: HeaderBytes, _ start: Int) throws(StoreError) -> Int {
    var offset = start
    while offset < header.count {
      // Entropy-coded data escapes its FF with 00, and holds no marker but RST0 to RST7.
      guard header.byte(offset) == 0xFF else {
        offset += 1
        continue
      }
      let code = header.byte(offset + 1)
      if code == 0xDC, header.bigEndian(offset + 2, 2) == 4 { return header.bigEndian(offset + 4, 2) }
      switch code {
      case 0xFF: offset += 1
      case 0x00, 0x01, 0xD0...0xD8: offset += 2
      default: offset += max(2, 2 + header.bigEndian(offset + 2, 2))
      }
    }
    throw MediaType.jpeg.broken("its height is missing: the frame header leaves it to a DNL segment, and there is none")
  }
}
