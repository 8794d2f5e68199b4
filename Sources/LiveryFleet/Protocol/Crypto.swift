import CFleet

/// What is called upon before anything is signed or verified.
public enum Crypto {
  /// Whether libsodium works; may be asked at any time.
  public static var isReady: Bool { lvd_begin() }

  /// SHA-256.
  public static func hash(_ bytes: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: Int(LVD_HASH)) { buffer, count in
      bytes.withUnsafeBufferPointer { lvd_hash($0.baseAddress, $0.count, buffer.baseAddress) }
      count = Int(LVD_HASH)
    }
  }

  /// Bytes by chance.
  public static func random(_ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, made in
      if lvd_begin() { lvd_random(buffer.baseAddress, count) } else { buffer.initialize(repeating: 0) }
      made = count
    }
  }

  /// Whether a key's signature of some bytes is right.
  static func isSigned(_ bytes: [UInt8], by key: [UInt8], _ signature: [UInt8]) -> Bool {
    guard key.count == Int(LVD_PUBLIC), signature.count == Int(LVD_SIGNATURE), lvd_begin() else { return false }
    return bytes.withUnsafeBufferPointer { (bytes) in
      key.withUnsafeBufferPointer { (key) in
        signature.withUnsafeBufferPointer {
          lvd_verify(key.baseAddress, bytes.baseAddress, bytes.count, $0.baseAddress)
        }
      }
    }
  }

  static let hashSize = Int(LVD_HASH)
  static let keySize = Int(LVD_PUBLIC)
  static let signatureSize = Int(LVD_SIGNATURE)
}

/// An Ed25519 key that signs; wiped at the end.
public final class SigningKey: @unchecked Sendable {
  /// The bytes of a seed, of which the key is made: what is kept.
  public static let seedSize = Int(LVD_SEED)

  private let secret: UnsafeMutablePointer<UInt8>
  /// The half that everybody may know.
  public let publicKey: [UInt8]

  private init(_ secret: UnsafeMutablePointer<UInt8>, _ publicKey: [UInt8]) {
    self.secret = secret
    self.publicKey = publicKey
  }

  deinit {
    lvd_wipe(secret, Int(LVD_SECRET))
    secret.deallocate()
  }

  /// The key of a seed; nil if the seed has another size than 32 bytes, or libsodium does not work.
  public static func make(seed: [UInt8]) -> SigningKey? {
    guard seed.count == seedSize, lvd_begin() else { return nil }
    let secret = UnsafeMutablePointer<UInt8>.allocate(capacity: Int(LVD_SECRET))
    let publicKey = [UInt8](unsafeUninitializedCapacity: Int(LVD_PUBLIC)) { buffer, count in
      seed.withUnsafeBufferPointer { lvd_key_pair($0.baseAddress, buffer.baseAddress, secret) }
      count = Int(LVD_PUBLIC)
    }
    return SigningKey(secret, publicKey)
  }

  func signature(of bytes: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: Int(LVD_SIGNATURE)) { buffer, count in
      bytes.withUnsafeBufferPointer { _ = lvd_sign(secret, $0.baseAddress, $0.count, buffer.baseAddress) }
      count = Int(LVD_SIGNATURE)
    }
  }
}
