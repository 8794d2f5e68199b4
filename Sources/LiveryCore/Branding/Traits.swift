/// What is known of a device and its settings; an image is chosen by it. What is zero, nil or empty is not known.
///
/// Corresponds to `livery_traits` in C.
public struct Traits: Sendable {
  /// Raw values are those of `LIVERY_IDIOM_*` in C.
  public enum Idiom: Int32, Sendable, CaseIterable {
    case phone = 1
    case tablet, tv, desktop, watch
  }

  /// Raw values are those of `LIVERY_APPEARANCE_*` in C.
  public enum Appearance: Int32, Sendable, CaseIterable {
    case light = 1
    case dark
  }

  /// Raw values are those of `LIVERY_ORIENTATION_*` in C.
  public enum Orientation: Int32, Sendable, CaseIterable {
    case portrait = 1
    case landscape
  }

  /// Raw values are those of `LIVERY_CONTRAST_*` in C.
  public enum Contrast: Int32, Sendable, CaseIterable {
    case normal = 1
    case high
  }

  public var idiom: Idiom?
  public var appearance: Appearance?
  /// As width and height say, if it is nil.
  public var orientation: Orientation?
  public var contrast: Contrast?
  /// Pixels a point; 0 counts as 1.
  public var scale = 0.0
  /// The screen, in points.
  public var width = 0.0
  public var height = 0.0
  /// A language tag such as `de-AT`.
  public var locale = ""

  public init() {}

  /// Checks that the numbers can be those of a device.
  ///
  /// Errors: `.invalidArgument`.
  public func check() throws(StoreError) {
    guard scale >= 0, scale <= 100 else { throw StoreError(.invalidArgument, "the scale is not from 0 to 100") }
    guard width >= 0, width <= 1_000_000, height >= 0, height <= 1_000_000 else {
      throw StoreError(.invalidArgument, "width or height is not from 0 to 1000000 points")
    }
    try checkText(locale, what: "the locale", limit: 63)
  }

  var hasSize: Bool { width > 0 && height > 0 }

  var shownOrientation: Orientation? {
    if let orientation { return orientation }
    guard hasSize, width != height else { return nil }
    return width > height ? .landscape : .portrait
  }

  /// The longer side by the shorter: of the screen, else what is usual for the idiom.
  var aspect: Double? {
    if hasSize { return max(width, height) / min(width, height) }
    guard let idiom else { return nil }
    switch idiom {
    case .tablet: return 4.0 / 3
    case .watch: return 1
    case .phone, .tv, .desktop: return 16.0 / 9
    }
  }
}

extension Traits {
  /// A device of those that a variant is for.
  init(of variant: ImageVariant) {
    self.init()
    idiom = Idiom(rawValue: Int32(variant[.idiom]))
    appearance = Appearance(rawValue: Int32(variant[.appearance]))
    contrast = Contrast(rawValue: Int32(variant[.contrast]))
    orientation = Orientation(rawValue: Int32(variant[.orientation]))
    scale = variant[.scale]
    width = max(variant[.width], variant[.longest])
    height = max(variant[.height], variant[.longest])
    locale = variant.locale
  }
}

extension Traits.Idiom: CustomStringConvertible {
  public var description: String {
    switch self {
    case .phone: "phone"
    case .tablet: "tablet"
    case .tv: "tv"
    case .desktop: "desktop"
    case .watch: "watch"
    }
  }
}

extension Traits.Appearance: CustomStringConvertible {
  public var description: String { self == .light ? "light" : "dark" }
}

extension Traits.Orientation: CustomStringConvertible {
  public var description: String { self == .portrait ? "portrait" : "landscape" }
}

extension Traits.Contrast: CustomStringConvertible {
  public var description: String { self == .normal ? "normal" : "high" }
}

/// A quality of a device that a variant of an image can ask for, in the order in which they decide.
public enum Qualifier: Int, Sendable, CaseIterable {
  case locale, idiom, appearance, contrast, orientation, width, height, longest, aspect, scale
}

extension Qualifier: CustomStringConvertible {
  /// The member's name in a variant.
  public var description: String {
    switch self {
    case .locale: "locale"
    case .idiom: "idiom"
    case .appearance: "appearance"
    case .contrast: "contrast"
    case .orientation: "orientation"
    case .width: "width"
    case .height: "height"
    case .longest: "longest"
    case .aspect: "aspect"
    case .scale: "scale"
    }
  }

  /// The qualifier of a member's name: told by its first letter and its length which one it can be.
  public init?(member name: String) {
    let long = name.utf8.count > 6
    let one: Qualifier
    switch name.utf8.first {
    case UInt8(ascii: "l"): one = long ? .longest : .locale
    case UInt8(ascii: "i"): one = .idiom
    case UInt8(ascii: "a"): one = long ? .appearance : .aspect
    case UInt8(ascii: "c"): one = .contrast
    case UInt8(ascii: "o"): one = .orientation
    case UInt8(ascii: "w"): one = .width
    case UInt8(ascii: "h"): one = .height
    case UInt8(ascii: "s"): one = .scale
    default: return nil
    }
    guard one.description.sameBytes(as: name) else { return nil }
    self = one
  }

  /// What a qualifier of words can be; the place in the list is the raw value less one.
  var words: [String]? {
    switch self {
    case .idiom: Traits.Idiom.allCases.map { $0.description }
    case .appearance: ["light", "dark"]
    case .orientation: ["portrait", "landscape"]
    case .contrast: ["normal", "high"]
    default: nil
    }
  }

  /// The number of a word of this qualifier, from 1.
  public func number(of word: String) -> Int32? {
    guard let words else { return nil }
    for (index, known) in words.enumerated() where known.sameBytes(as: word) { return Int32(index + 1) }
    return nil
  }
}
