/// How a source stands: which of its brands is active, and whether its values count.
package struct BrandState: Sendable {
  /// The brand whose values the layer holds; for the console always the same.
  package let active: String?
  package let isEnabled: Bool
  /// Of the bundle: whether its brand waits for the console's, which counts as a whole.
  package let waits: Bool
  /// Of the console: whether what it sends counts as a whole.
  package let isWhole: Bool
  /// Whether the values are in the layer's settings, and not kept for later.
  package var counts: Bool { isEnabled && !waits }
  /// The brand that values of the layer belong to.
  package var brand: String { active ?? BrandNames.defaultBrand }

  /// - Parameter read: what a layer holds for a setting.
  package init(
    _ source: BrandSource, _ read: (Layer, String) throws(StoreError) -> Value?
  ) throws(StoreError) {
    isEnabled = try read(source.layer, BrandNames.enabled(source)) != .bool(false)
    guard source == .bundle else {
      waits = false
      isWhole = try read(source.layer, BrandNames.whole) == .bool(true)
      active = BrandNames.defaultBrand
      return
    }
    waits = try read(source.layer, BrandNames.waits) == .bool(true)
    isWhole = false
    if case .string(let text)? = try read(source.layer, BrandNames.active) { active = text } else { active = nil }
  }
}
