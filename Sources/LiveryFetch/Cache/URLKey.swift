/// A URL in few bytes: the name of its setting, and its place in the file of leases.
///
/// Two URLs with the same key would take each other's place; the entry says whose it is.
struct URLKey: Hashable, Sendable {
  static let prefix = "fetch."

  let high: UInt64
  let low: UInt64

  /// FNV-1a of 64 bits, from two beginnings.
  init(_ url: [UInt8]) {
    var high: UInt64 = 0xCBF2_9CE4_8422_2325
    var low: UInt64 = 0x6C62_272E_07BB_0142
    for byte in url {
      high = (high ^ UInt64(byte)) &* 0x100_0000_01B3
      low = (low ^ UInt64(byte ^ 0x5A)) &* 0x100_0000_01B3
    }
    self.high = high
    self.low = low
  }

  var setting: String {
    var digits = Array(Self.prefix.utf8)
    for number in [high, low] {
      for shift in stride(from: 60, through: 0, by: -4) {
        let digit = UInt8(truncatingIfNeeded: number >> UInt64(shift)) & 15
        digits.append(digit < 10 ? 48 + digit : 87 + digit)
      }
    }
    return String(decoding: digits, as: UTF8.self)
  }
}
