/// A value that is there and does not count for now, since its source is switched off or waits for another.
package struct WaitingValue: Sendable {
  package let source: BrandSource
  package let value: Value
  /// Whether the source is switched off; else it waits for the console's brand.
  package let isOff: Bool

  /// Why it does not count, as a sentence goes on.
  package var reason: String {
    switch (source, isOff) {
    case (.console, _): "the console's branding is switched off"
    case (.bundle, true): "the active brand is switched off"
    case (.bundle, false): "the console's brand counts as a whole"
    }
  }

  package var owner: String { source == .console ? "the console's" : "the active brand's" }

  /// A sentence on it.
  package func sentence(hidesValue: Bool = false) -> String {
    let whose = source == .console ? "The console's" : "The active brand's"
    return "\(whose) \(hidesValue ? "value" : value.brief) waits: \(reason)."
  }

  package var item: Value {
    .object([
      .init("source", .string(source == .console ? "console" : "bundle")),
      .init("layer", .string(source.layer.description)), .init("value", value), .init("reason", .string(reason)),
    ])
  }
}

extension Branding {
  /// What of a setting's values waits, the stronger source first.
  ///
  /// - Parameter read: what a layer holds for a setting.
  package static func waiting(
    _ name: String, _ read: (Layer, String) throws(StoreError) -> Value?
  ) throws(StoreError) -> [WaitingValue] {
    guard has(prefix, name) else { return [] }
    let part = String(decoding: name.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
    var found: [WaitingValue] = []
    for source in [BrandSource.console, .bundle] {
      let state = try BrandState(source, read)
      guard !state.counts else { continue }
      if let kept = try read(source.layer, BrandNames.place(source, state.brand)),
        let value = Brand(stored: kept)?[part]
      {
        found.append(WaitingValue(source: source, value: value, isOff: !state.isEnabled))
      }
    }
    return found
  }
}
