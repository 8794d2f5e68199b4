import CLivery

/// Colors and images of the brand in effect. Corresponds to `livery/branding.h` in C.
public struct Branding: Sendable {
  let store: Store

  /// The color of a role. Corresponds to `livery_branding_color` in C.
  ///
  /// - Throws: as `Store.color`.
  public func color(_ role: String) throws(StoreError) -> Color {
    var color = livery_color()
    try passing(role) { livery_branding_color(store.handle, $0, &color) }
    return Color(color)
  }

  /// What an image shows on a device without qualities of its own: an object. Corresponds to `livery_branding_image` in C.
  ///
  /// - Throws: `.notFound` if there is no such image, or none for the device.
  public func image(_ name: String) throws(StoreError) -> Value {
    var value: OpaquePointer?
    try passing(name) { livery_branding_image(store.handle, $0, nil, &value) }
    return try Value(taking: value)
  }

  /// Which variant of an image fits a device best, by its place; nil if none does. Corresponds to `livery_branding_match` in C.
  ///
  /// - Parameters:
  ///   - variants: a list, or one alone.
  ///   - traits: nil if nothing is known of the device.
  /// - Throws: `.invalidValue` if a variant is malformed, `.invalidArgument` if a trait is out of range.
  public static func match(_ variants: Value, traits: UnsafePointer<livery_traits>?) throws(StoreError) -> Int? {
    var match: OpaquePointer?
    try passing(variants) { livery_branding_match($0, traits, &match) }
    guard case .int(let index) = try Value(taking: match)["index"] else { return nil }
    return Int(index)
  }

  /// What makes the brand hard to read or incomplete. Corresponds to `livery_branding_check` in C.
  ///
  /// - Parameters:
  ///   - brand: nil for what is in effect.
  ///   - device: one that images have to be large enough for.
  public func check(_ brand: String? = nil, for device: Traits? = nil) throws(StoreError) -> Value {
    var value: OpaquePointer?
    try passing(brand) { (brand) in
      Traits.passing(device) { livery_branding_check(store.handle, brand, $0, &value) }
    }
    return try Value(taking: value)
  }

  /// Which variant of an image fits a device best: its place. nil if none does. Corresponds to `livery_branding_match` in C.
  ///
  /// - Throws: `.invalidValue` if a variant is malformed, `.invalidArgument` if a trait is out of range.
  public static func match(_ variants: Value, for device: Traits) throws(StoreError) -> Int? {
    var match: OpaquePointer?
    try passing(variants) { (variants) in Traits.passing(device) { livery_branding_match(variants, $0, &match) } }
    guard case .int(let place)? = try Value(taking: match)["index"] else { return nil }
    return Int(exactly: place)
  }

  /// Whether the values of a source count, by its layer: `bundle` or `recommended`. Corresponds to `livery_branding_enabled` in C.
  public func isEnabled(_ source: Layer) throws(StoreError) -> Bool {
    var isEnabled = false
    try LiveryClient.check(livery_branding_enabled(store.handle, source.number, &isEnabled))
    return isEnabled
  }

  /// A whole brand: an object. Corresponds to `livery_branding_get` in C.
  ///
  /// - Parameter brand: nil for what is in effect.
  public func get(_ brand: String? = nil) throws(StoreError) -> Value {
    var value: OpaquePointer?
    try passing(brand) { livery_branding_get(store.handle, $0, &value) }
    return try Value(taking: value)
  }

  /// All brands that the store keeps: a list. Corresponds to `livery_branding_list` in C.
  public func list() throws(StoreError) -> Value {
    try report { livery_branding_list(store.handle, &$0) }
  }

  /// Makes a brand the one in effect. Corresponds to `livery_branding_use` in C.
  public func use(_ brand: String) throws(StoreError) {
    try passing(brand) { livery_branding_use(store.handle, $0) }
  }
}

/// What is known of a device; 0 and nil for what is not. Corresponds to `livery_traits` in C.
public struct Traits: Sendable {
  public enum Idiom: Int32, Sendable { case phone = 1, tablet, tv, desktop, watch }

  public var idiom: Idiom?
  public var isDark: Bool?
  /// Pixels a point.
  public var scale = 0.0
  /// In points.
  public var width = 0.0
  public var height = 0.0

  public init() {}

  static func passing(_ traits: Traits?, _ body: (UnsafePointer<livery_traits>?) -> livery_status) -> livery_status {
    guard let traits else { return body(nil) }
    var content = livery_traits()
    content.struct_size = MemoryLayout<livery_traits>.size
    content.idiom = traits.idiom?.rawValue ?? 0
    content.appearance = Int32(traits.isDark.map { $0 ? LIVERY_APPEARANCE_DARK : LIVERY_APPEARANCE_LIGHT } ?? 0)
    content.scale = traits.scale
    content.width = traits.width
    content.height = traits.height
    return body(&content)
  }
}

extension ChangeSet {
  /// What the brand in effect would be if this were committed now, and what would be wrong with it: objects as of
  /// `Branding.get` and `Branding.check`. Corresponds to `livery_branding_preview` in C.
  ///
  /// - Throws: `.typeMismatch`, `.invalidValue`, `.readOnly` if what was set does not fit; `.corrupt`.
  public func brand() throws(StoreError) -> (brand: Value, report: Value) {
    var brand: OpaquePointer?
    var report: OpaquePointer?
    try check(livery_branding_preview(handle, nil, &brand, &report))
    defer {
      livery_value_release(brand)
      livery_value_release(report)
    }
    return (try Value(reading: brand), try Value(reading: report))
  }
}

extension Store {
  public var branding: Branding { Branding(store: self) }
}

extension Color {
  /// The contrast of text in this color on a background, from 1 to 21 (WCAG 2.x). Corresponds to `livery_color_contrast` in C.
  public func contrast(on background: Color) -> Double {
    var ratio = 1.0
    livery_color_contrast(content, background.content, &ratio)
    return ratio
  }

  /// As CSS writes it, `rgb(12, 38, 64)`. Corresponds to `livery_color_format` in C.
  public var rgb: String {
    var buffer = [CChar](repeating: 0, count: 64)
    var length = 0
    buffer.withUnsafeMutableBufferPointer {
      _ = livery_color_format(content, livery_color_style(LIVERY_COLOR_RGB), $0.baseAddress, $0.count, &length)
    }
    return buffer.withUnsafeBufferPointer { text($0.baseAddress, length) }
  }

  /// Black or white, whatever reads better on this. Corresponds to `livery_color_legible_on` in C.
  public var legibleText: Color {
    var text = livery_color()
    livery_color_legible_on(content, &text)
    return Color(text)
  }

  /// The color nearest to this one that has a contrast to another; nil if none has. Corresponds to
  /// `livery_color_nearest_passing` in C.
  public func nearest(withContrast ratio: Double, to other: Color) -> Color? {
    var nearest = livery_color()
    guard livery_color_nearest_passing(content, other.content, ratio, &nearest) == livery_status(LIVERY_OK) else {
      return nil
    }
    return Color(nearest)
  }
}
