/// Where a brand's values come from; each source has a layer, and the resolver decides between them as between any.
public enum BrandSource: Sendable, CaseIterable {
  /// What the app ships, in the layer `bundle`.
  case bundle
  /// What the console sends, in the layer `recommended`.
  case console

  public var layer: Layer { self == .bundle ? .bundle : .recommended }

  /// The source whose layer it is, if there is one.
  public init?(_ layer: Layer) {
    switch layer {
    case .bundle: self = .bundle
    case .recommended: self = .console
    default: return nil
    }
  }
}

/// The names of the settings that say what is kept for another time.
///
/// What counts is in `branding.…` of the source's layer. A brand that is not active, or a source that is switched off, has
/// its values in one setting here instead: `brands.kept.ID` or `brands.console.kept`. So every value is in one place.
package enum BrandNames {
  package static let active = Branding.keptPrefix + "active"
  package static let kept = Branding.keptPrefix + "kept."
  package static let console = Branding.keptPrefix + "console."
  package static let defaultBrand = "default"
  /// The dialect of the active brand's property list.
  package static let dialect = Branding.keptPrefix + "bundle.dialect"
  /// Whether the active brand waits, since what the console sends counts as a whole.
  package static let waits = Branding.keptPrefix + "bundle.waits"
  /// Whether what the console sends counts as a whole.
  package static let whole = console + "whole"

  package static func enabled(_ source: BrandSource) -> String {
    source == .bundle ? Branding.keptPrefix + "bundle.enabled" : console + "enabled"
  }

  /// Where the values of a brand are while they do not count.
  package static func place(_ source: BrandSource, _ brand: String) -> String {
    source == .bundle ? kept + brand : console + "kept"
  }
}
