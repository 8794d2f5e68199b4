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

  /// What makes the brand hard to read or incomplete. Corresponds to `livery_branding_check` in C.
  ///
  /// - Parameter brand: nil for what is in effect.
  public func check(_ brand: String? = nil) throws(StoreError) -> Value {
    var value: OpaquePointer?
    try passing(brand) { livery_branding_check(store.handle, $0, nil, &value) }
    return try Value(taking: value)
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
