import CSystem

/// What became of the variants of an image for a device.
///
/// The rule, which docs/branding.md tells at length: variants that contradict the device drop out. Then the qualifiers
/// decide one after another, in the order of `Qualifier`: of the variants that are left those stay that fit best. A variant
/// that asks for what the device is known to have fits better than one that asks for nothing, and that one fits better
/// than one that asks for what is not known of the device. If several are left, the one whose bytes come first is taken,
/// so that the order in which they were given means nothing.
///
/// Corresponds to `livery_branding_match` in C.
public struct VariantMatch: Sendable {
  /// One stage of the elimination, in which variants dropped out.
  public struct Step: Sendable {
    /// nil for the last, in which the bytes decide.
    public var qualifier: Qualifier?
    public var isContradiction: Bool
    /// The variants that dropped out, by their places.
    public var dropped: [Int]
  }

  /// The place of the one that matches best; nil if all contradict the device, or there are none.
  public let winner: Int?
  public let steps: [Step]

  public init(_ variants: [ImageVariant], _ traits: Traits) {
    var steps: [Step] = []
    var left = Array(variants.indices)
    /// Keeps the variants of the highest rank, or with a bound those above it.
    func keep(_ ranks: [Double], above bound: Double?, _ qualifier: Qualifier) {
      var best = bound ?? -Double.infinity
      if bound == nil { for rank in ranks { best = max(best, rank) } }
      var kept: [Int] = []
      var dropped: [Int] = []
      for (place, rank) in zip(left, ranks) {
        if bound == nil ? rank >= best : rank > best { kept.append(place) } else { dropped.append(place) }
      }
      left = kept
      if !dropped.isEmpty {
        steps.append(Step(qualifier: qualifier, isContradiction: bound != nil, dropped: dropped))
      }
    }
    for isContradiction in [true, false] where isContradiction || left.count > 1 {
      for qualifier in Qualifier.allCases {
        var ranks: [Double] = []
        for place in left { ranks.append(variants[place].rank(qualifier, traits)) }
        keep(ranks, above: isContradiction ? -Double.infinity : nil, qualifier)
      }
    }
    if left.count > 1 {
      var first = left[0]
      for place in left.dropFirst() where variants[place].precedes(variants[first]) { first = place }
      var dropped: [Int] = []
      for place in left where place != first { dropped.append(place) }
      steps.append(Step(qualifier: nil, isContradiction: false, dropped: dropped))
      left = [first]
    }
    winner = left.first
    self.steps = steps
  }
}

extension ImageVariant {
  /// How well the variant fits a device: infinitely badly if it contradicts it, 0 if it asks for nothing.
  fileprivate func rank(_ qualifier: Qualifier, _ traits: Traits) -> Double {
    switch qualifier {
    case .idiom: return rank(qualifier, equals: traits.idiom?.rawValue)
    case .appearance: return rank(qualifier, equals: traits.appearance?.rawValue)
    case .contrast: return rank(qualifier, equals: traits.contrast?.rawValue)
    case .orientation: return rank(qualifier, equals: traits.shownOrientation?.rawValue)
    case .width: return rank(qualifier, atMost: traits.width)
    case .height: return rank(qualifier, atMost: traits.height)
    case .longest: return rank(qualifier, atMost: traits.hasSize ? max(traits.width, traits.height) : 0)
    case .locale: return localeRank(traits.locale)
    case .aspect: return aspectRank(traits)
    case .scale:
      let wanted = traits.scale > 0 ? traits.scale : 1
      let scale = has(.scale) ? self[.scale] : 1
      // The nearest that is large enough, else the largest.
      return scale >= wanted ? 1 / (1 + scale - wanted) : scale - wanted
    }
  }

  /// Of what is not known the first word is the likeliest: phone, light, normal, portrait.
  private func rank(_ qualifier: Qualifier, equals known: Int32?) -> Double {
    guard has(qualifier) else { return 0 }
    guard let known else { return -self[qualifier] }
    return self[qualifier] == Double(known) ? 1 : -Double.infinity
  }

  /// Of screens that are large enough the largest; of those of unknown size the smallest.
  private func rank(_ qualifier: Qualifier, atMost known: Double) -> Double {
    guard has(qualifier) else { return 0 }
    guard known > 0 else { return -self[qualifier] }
    return self[qualifier] <= known ? self[qualifier] : -Double.infinity
  }

  /// The longest tag that the device's begins with.
  private func localeRank(_ known: String) -> Double {
    guard has(.locale) else { return 0 }
    guard !known.isEmpty else { return -1 }
    let own = Self.folded(locale)
    let whole = Self.folded(known)
    guard whole.starts(with: own), whole.count == own.count || whole[own.count] == UInt8(ascii: "-") else {
      return -Double.infinity
    }
    return Double(own.count)
  }

  /// Letter case means nothing in language tags, and some write `_` for `-`.
  private static func folded(_ tag: String) -> [UInt8] {
    var bytes = tag.bytes
    for index in bytes.indices {
      if bytes[index] >= 0x41, bytes[index] <= 0x5a { bytes[index] |= 0x20 }
      if bytes[index] == UInt8(ascii: "_") { bytes[index] = UInt8(ascii: "-") }
    }
    return bytes
  }

  /// The nearest ratio of the longer side to the shorter; of those that are as near, the one that lies like the screen.
  private func aspectRank(_ traits: Traits) -> Double {
    guard has(.aspect) else { return 0 }
    guard let known = traits.aspect else { return -1 }
    // A ratio is from 1 to 10^6, so that its logarithm is less than 14.
    let nearness = 20 - (log(self[.aspect]) - log(known)).magnitude
    let isPortrait = traits.shownOrientation.map { $0 == .portrait } ?? (traits.idiom == .phone)
    return (nearness * 1_000_000).rounded() + (isPortrait == aspectIsPortrait ? 0.5 : 0)
  }

  fileprivate func precedes(_ other: ImageVariant) -> Bool {
    CBOR.encode(value).lexicographicallyPrecedes(CBOR.encode(other.value))
  }
}
