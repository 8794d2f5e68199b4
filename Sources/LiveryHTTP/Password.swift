import CHTTP

/// What a password or a PIN is kept as: text of Argon2id with salt and parameters.
package enum Password {
  package static let longest = 128
  /// What is compared with where there is nothing else, so that it takes the same time.
  private static let nobodys = hash(String(decoding: Token.make(), as: UTF8.self)) ?? ""

  /// nil if there is no memory for it. It takes 8 MiB.
  package static func hash(_ password: String) -> String? {
    guard lvh_crypto_begin() else { return nil }
    var hash = [CChar](repeating: 0, count: Int(LVH_HASH_MAX))
    let count = password.utf8.count
    let isMade = password.withCString { lvh_password_hash($0, count, &hash) }
    return isMade ? hash.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } } : nil
  }

  /// - Parameter hash: nil where there is none, which nobody's password fits.
  package static func isRight(_ password: String, hash: String?) -> Bool {
    let count = password.utf8.count
    let known = hash.flatMap { isReasonable(Array($0.utf8)[...]) ? $0 : nil }
    let isSame = (known ?? nobodys).withCString { hash in
      password.withCString { lvh_password_verify(hash, $0, count) }
    }
    return isSame && known != nil && count <= longest
  }

  /// Whether a hash asks for no more memory and time than a device has: `$argon2id$v=19$m=8192,t=3,p=1$…`.
  package static func isReasonable(_ hash: ArraySlice<UInt8>) -> Bool {
    guard hash.count < Int(LVH_HASH_MAX), !hash.contains(0) else { return false }
    let parts = hash.split(separator: 0x24, omittingEmptySubsequences: false)
    guard parts.count == 6, parts[1].isSame("argon2id") else { return false }
    let costs = parts[3].split(separator: .comma)
    guard costs.count == 3, costs[0].begins(with: "m="), costs[1].begins(with: "t="),
      let memory = costs[0].dropFirst(2).decimal, let rounds = costs[1].dropFirst(2).decimal
    else { return false }
    return memory <= 65_536 && rounds <= 16
  }
}
