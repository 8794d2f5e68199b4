import CSystem

/// Text in less space: its size as 8 bytes, little-endian, and a block in the format of LZ4.
public enum Squeezed {
  private static let headSize = 8
  /// No block makes more of a byte than this.
  private static let most = 255

  public static func encode(_ text: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: headSize + lvs_squeeze_bound(text.count)) { place, count in
      UnsafeMutableRawBufferPointer(place).storeBytes(of: UInt64(text.count).littleEndian, as: UInt64.self)
      count = headSize
      if let start = place.baseAddress { count += lvs_squeeze(text, text.count, start + headSize) }
    }
  }

  /// nil if the bytes are none of a text.
  ///
  /// Errors: `.noMemory`.
  public static func decode(_ bytes: [UInt8]) throws(StoreError) -> [UInt8]? {
    guard bytes.count > headSize else { return nil }
    let size = bytes.withUnsafeBytes { $0.bytes.word(at: 0) }
    let block = bytes.count - headSize
    guard size <= UInt64(block) * UInt64(most) else { return nil }
    try Memory.require(Int(size))
    var isWhole = false
    let text = [UInt8](unsafeUninitializedCapacity: Int(size) + 1) { place, count in
      isWhole = bytes.withUnsafeBufferPointer { bytes in
        guard let start = bytes.baseAddress, let out = place.baseAddress else { return false }
        return lvs_unsqueeze(start + headSize, block, out, Int(size))
      }
      count = isWhole ? Int(size) : 0
    }
    return isWhole ? text : nil
  }
}
