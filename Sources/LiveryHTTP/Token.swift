import CHTTP

/// 32 random bytes as base64url.
package enum Token {
  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  package static func make() -> [UInt8] {
    var random = [UInt8](repeating: 0, count: 32)
    lvh_random(&random, random.count)
    return encoded(random)
  }

  /// Bytes as base64url, without padding.
  package static func encoded(_ bytes: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    var bits = 0
    var held = 0
    for byte in bytes {
      bits = bits << 8 | Int(byte)
      held += 8
      while held >= 6 {
        held -= 6
        text.append(digits[bits >> held & 63])
      }
      bits &= (1 << held) - 1
    }
    if held > 0 { text.append(digits[bits << (6 - held) & 63]) }
    return text
  }

  /// In a time that does not depend on where they differ.
  package static func isSame(_ token: [UInt8], _ other: some Collection<UInt8>) -> Bool {
    guard token.count == other.count else { return false }
    return lvh_same(token, Array(other), token.count)
  }
}
