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
enum Shelf {
  static let active = Branding.shelf + "active"
  static let kept = Branding.shelf + "kept."
  static let console = Branding.shelf + "console."
  static let defaultBrand = "default"

  static func enabled(_ source: BrandSource) -> String {
    source == .bundle ? Branding.shelf + "bundle.enabled" : console + "enabled"
  }

  /// Where the values of a brand are while they do not count.
  static func place(_ source: BrandSource, _ brand: String) -> String {
    source == .bundle ? kept + brand : console + "kept"
  }
}

/// One source as it is inside a transaction, and the edits to be made to it.
struct SourceEditor {
  let view: View
  let source: BrandSource
  var request = CommitRequest()
  /// The brand whose values the layer holds; for the console always the same.
  let active: String?
  let isEnabled: Bool

  @inline(never)
  init(_ view: View, _ source: BrandSource, origin: String) throws(StoreError) {
    self.view = view
    self.source = source
    request.origin = origin
    request.layer = source.layer
    // What lies beneath an enforced value may change: the resolver still prefers that one.
    request.ignoresLocks = true
    active = source == .bundle ? try Self.text(view, Shelf.active) : Shelf.defaultBrand
    isEnabled = try view.record(LayerKey(source.layer, Shelf.enabled(source)))?.value != .bool(false)
  }

  private static func text(_ view: View, _ name: String) throws(StoreError) -> String? {
    guard case .string(let text)? = try view.record(LayerKey(.bundle, name))?.value else { return nil }
    return text
  }

  @inline(never)
  mutating func set(_ name: String, _ value: Value) {
    request.edits.append(Edit(name: name, layer: source.layer, action: .set(value)))
  }

  @inline(never)
  mutating func reset(_ name: String) {
    request.edits.append(Edit(name: name, layer: source.layer, action: .reset))
  }

  /// A brand that is on the shelf.
  @inline(never)
  func kept(_ brand: String) throws(StoreError) -> Brand? {
    try view.record(LayerKey(source.layer, Shelf.place(source, brand)))?.value.flatMap { Brand(stored: $0) }
  }

  /// The active brand, wherever its values are.
  @inline(never)
  func current() throws(StoreError) -> Brand {
    if !isEnabled {
      var brand = try kept(active ?? Shelf.defaultBrand) ?? Brand()
      brand.isEnabled = false
      return brand
    }
    var brand = Brand()
    let skipped = Branding.prefix.utf8.count
    for member in try view.values(source.layer, prefix: Branding.prefix) {
      brand.values.append(.init(String(decoding: member.key.utf8.dropFirst(skipped), as: UTF8.self), member.value))
    }
    return brand
  }

  /// Puts the active brand on the shelf, to make room for another.
  mutating func shelve() throws(StoreError) {
    guard isEnabled else { return }
    let brand = try current()
    guard active != nil || !brand.values.isEmpty else { return }
    set(Shelf.place(source, active ?? Shelf.defaultBrand), brand.stored)
  }

  /// Makes a brand the active one, in the place of what the layer holds.
  @inline(never)
  mutating func install(_ brand: Brand, as id: String) throws(StoreError) {
    let place = Shelf.place(source, id)
    var names = NameSet()
    if brand.isEnabled {
      for member in brand.values {
        names.insert(Branding.prefix + member.key)
        set(Branding.prefix + member.key, member.value)
      }
      if try view.record(LayerKey(source.layer, place)) != nil { reset(place) }
    } else {
      set(place, brand.stored)
    }
    for name in try view.names(source.layer, prefix: Branding.prefix) where !names.contains(name) { reset(name) }
    if source == .bundle { set(Shelf.active, .string(id)) }
    set(Shelf.enabled(source), .bool(brand.isEnabled))
  }
}
