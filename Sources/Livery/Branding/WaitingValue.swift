/// A value of branding that is there and does not count, since its source is switched off or waits for another.
struct WaitingValue {
  let source: BrandSource
  let value: Value
  /// Whether the source is switched off; else it waits for the console's brand.
  let isOff: Bool

  /// Why it does not count, as a sentence goes on.
  var reason: String {
    switch (source, isOff) {
    case (.console, _): "the console's branding is switched off"
    case (.bundle, true): "the active brand is switched off"
    case (.bundle, false): "the console's brand counts as a whole"
    }
  }

  var owner: String { source == .console ? "the console's" : "the active brand's" }

  /// A sentence on it.
  func sentence(hidesValue: Bool = false) -> String {
    let whose = source == .console ? "The console's" : "The active brand's"
    return "\(whose) \(hidesValue ? "value" : value.brief) waits: \(reason)."
  }

  var item: Value {
    .object([
      .init("source", .string(source == .console ? "console" : "bundle")),
      .init("layer", .string(source.layer.description)), .init("value", value), .init("reason", .string(reason)),
    ])
  }
}

extension View {
  /// What of a setting's values waits, the stronger source first.
  func waiting(_ name: String) throws(StoreError) -> [WaitingValue] {
    guard Branding.has(Branding.prefix, name) else { return [] }
    let part = String(decoding: name.utf8.dropFirst(Branding.prefix.utf8.count), as: UTF8.self)
    var found: [WaitingValue] = []
    for source in [BrandSource.console, .bundle] {
      let isOff = try record(LayerKey(source.layer, BrandNames.enabled(source)))?.value == .bool(false)
      var waits = isOff
      if !waits, source == .bundle { waits = try record(LayerKey(.bundle, BrandNames.waits))?.value == .bool(true) }
      guard waits else { continue }
      var brand = BrandNames.defaultBrand
      if source == .bundle, case .string(let id)? = try record(LayerKey(.bundle, BrandNames.active))?.value {
        brand = id
      }
      let kept = try record(LayerKey(source.layer, BrandNames.place(source, brand)))?.value
      if let kept, let value = Brand(stored: kept)?[part] {
        found.append(WaitingValue(source: source, value: value, isOff: isOff))
      }
    }
    return found
  }

  /// The end of a message about a setting without a value: "; the console's value waits: …", or nothing.
  func whatWaits(_ name: String) -> String {
    guard let waiting = try? waiting(name), let first = waiting.first else { return "" }
    return "; \(first.owner) value waits: \(first.reason)"
  }
}
