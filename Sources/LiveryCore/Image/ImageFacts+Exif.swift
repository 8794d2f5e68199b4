extension ImageFacts {
  /// Exif's Orientation, of the block from `tiff` to `end`; nil if it is not there. What is wrong with Exif does not make the
  /// image unreadable.
  static func orientation(_ header: HeaderBytes, _ tiff: Int, end: Int) -> UInt8? {
    let isLittle = header.begins(with: "II*\0", at: tiff)
    guard isLittle || header.begins(with: "MM\0*", at: tiff) else { return nil }
    func number(_ offset: Int, _ size: Int) -> Int {
      guard offset >= tiff, offset + size <= end else { return 0 }
      return isLittle ? header.littleEndian(offset, size) : header.bigEndian(offset, size)
    }
    let directory = tiff + number(tiff + 4, 4)
    for index in 0..<number(directory, 2) {
      let entry = directory + 2 + 12 * index
      guard entry < end else { break }
      // One SHORT.
      guard number(entry, 2) == 0x0112, number(entry + 2, 2) == 3, number(entry + 4, 4) == 1 else { continue }
      let found = number(entry + 8, 2)
      return found >= 1 && found <= 8 ? UInt8(truncatingIfNeeded: found) : nil
    }
    return nil
  }
}
