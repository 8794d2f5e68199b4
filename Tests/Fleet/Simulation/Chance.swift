/// Numbers by chance that come again with their seed.
public struct Chance: RandomNumberGenerator, Sendable {
  private var state: UInt64

  public init(_ seed: UInt64) { state = seed &* 0x9e37_79b9_7f4a_7c15 &+ 1 }

  public mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state &* 0x2545_f491_4f6c_dd1d
  }

  /// Whether something happens that happens so often in a thousand.
  public mutating func happens(_ perMille: UInt64) -> Bool { next() >> 33 % 1000 < perMille }

  public mutating func number(_ range: ClosedRange<Int64>) -> Int64 { Int64.random(in: range, using: &self) }
}
