import CSystem

/// SHA-256 of FIPS 180-4.
public enum SHA256 {
  public static let size = 32

  /// The digest: 32 bytes.
  ///
  /// - Parameter isPortable: do without the processor's own instructions.
  public static func digest(_ bytes: [UInt8], isPortable: Bool = false) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: size)
    bytes.withUnsafeBufferPointer { bytes in
      digest.withUnsafeMutableBufferPointer { lvs_sha256(bytes.baseAddress, bytes.count, isPortable, $0.baseAddress) }
    }
    return digest
  }
}
