/// Numbers by chance that are the same in every run: SplitMix64, begun with whatever tells one use from another.
struct Dice: Sendable {
  private var state: UInt64

  init(_ parts: UInt64...) {
    state = 0x5eed
    for part in parts {
      state ^= part
      state = next()
    }
  }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return mixed ^ mixed >> 31
  }

  /// From 0 to below a bound.
  mutating func below(_ bound: Int) -> Int { bound > 0 ? Int(next() % UInt64(bound)) : 0 }

  mutating func number(in range: ClosedRange<Int64>) -> Int64 {
    range.lowerBound + Int64(next() % UInt64(range.upperBound - range.lowerBound + 1))
  }

  /// Whether something of a probability comes true.
  mutating func chance(_ probability: Double) -> Bool { Double(next() >> 11) < probability * 0x1p53 }

  mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next() >> 32) } }
}
