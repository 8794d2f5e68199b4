/// Numbers that are as good as chance for what is spread over time: SplitMix64. The same seed gives the same numbers.
struct Random: Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return mixed ^ mixed >> 31
  }

  /// A number of a range, which is not empty.
  mutating func number(in range: ClosedRange<Int64>) -> Int64 {
    let width = UInt64(bitPattern: range.upperBound &- range.lowerBound)
    guard width < .max else { return Int64(bitPattern: next()) }
    return range.lowerBound &+ Int64(bitPattern: next() % (width + 1))
  }
}

/// How long is waited after failures: twice as long after each, up to a bound, and never two devices alike.
struct Backoff: Sendable {
  /// In milliseconds.
  let least: Int64
  let most: Int64
  private(set) var failures = 0

  init(least: Int64, most: Int64) {
    self.least = least
    self.most = most
  }

  mutating func succeed() { failures = 0 }

  /// How long to wait after one more failure, in milliseconds: a number between half and all of the step.
  ///
  /// - Parameter wanted: what the other side asks for; never less than that, as long as it is no more than a day.
  mutating func fail(_ random: inout Random, wanted: Int64?) -> Int64 {
    let step = min(most, least << Int64(min(failures, 24)))
    failures = min(failures + 1, 1000)
    let wait = random.number(in: (step / 2)...step)
    guard let wanted, wanted > 0 else { return wait }
    return max(wait, min(wanted, 86_400_000) + random.number(in: 0...(least * 2)))
  }
}
