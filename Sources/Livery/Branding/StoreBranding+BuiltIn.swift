// The colors of a store in which nobody has set any.

extension ColorRole {
  /// What is shown where no source has the color. Text is black or white, whichever is legible on what is beneath it.
  var builtIn: Color {
    switch self {
    case .toolbar: Color(red8: 0x1B, green8: 0x2A, blue8: 0x3A)
    case .primaryHighlight: Color(red8: 0x2A, green8: 0x4D, blue8: 0x69)
    case .secondaryHighlight: Color(red8: 0xE6, green8: 0xEB, blue8: 0xF0)
    case .toolbarText: Self.toolbar.builtIn.legibleText
    case .primaryText: Self.primaryHighlight.builtIn.legibleText
    case .secondaryText: Self.secondaryHighlight.builtIn.legibleText
    }
  }

  /// What text in the color is written on; nil if it is no color of text.
  var background: ColorRole? {
    switch self {
    case .toolbarText: .toolbar
    case .primaryText: .primaryHighlight
    case .secondaryText: .secondaryHighlight
    default: nil
    }
  }
}

extension StoreBranding {
  /// The color that a role is shown in: the one in effect, or for want of one the built-in, which no source has set. Built-in
  /// text is legible on the background that is in effect.
  ///
  /// Corresponds to `livery_branding_shown_color` in C.
  ///
  /// - Throws: `.typeMismatch`, `.corrupt`.
  public func shownColor(_ role: ColorRole) throws(StoreError) -> (color: Color, isBuiltIn: Bool) {
    let names = [role, role.background ?? role].map { Branding.prefix + Branding.color + $0.rawValue }
    let (own, beneath) = try store.reading { (snapshot) throws(StoreError) -> (Value?, Value?) in
      if let own = try snapshot.valueIfAny(names[0]) { return (own, nil) }
      return (nil, try snapshot.valueIfAny(names[1]))
    }
    if let own { return (try color(own, of: names[0]), false) }
    guard role.background != nil, let beneath else { return (role.builtIn, true) }
    return (try color(beneath, of: names[1]).legibleText, true)
  }

  /// As `shownColor(_:)`, of any name; only the six roles are built in.
  ///
  /// - Throws: `.noValue` if no source has the color and it is none of the six; and as `shownColor(_:)`.
  public func shownColor(_ name: String) throws(StoreError) -> (color: Color, isBuiltIn: Bool) {
    for role in ColorRole.allCases where role.rawValue.sameBytes(as: name) { return try shownColor(role) }
    return (try color(name), false)
  }

  func color(_ value: Value, of setting: String) throws(StoreError) -> Color {
    guard case .color(let color) = try store.coerce(value, of: setting, to: .color) else {
      throw store.mismatch(setting, value, ValueType.color.description)
    }
    return color
  }
}

extension Snapshot {
  /// As `value(_:)`; nil if there is none.
  func valueIfAny(_ name: String) throws(StoreError) -> Value? {
    do throws(StoreError) { return try value(name) } catch {
      guard error.code == .notFound || error.code == .noValue else { throw error }
      return nil
    }
  }
}
