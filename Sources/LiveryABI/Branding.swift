import CLivery
import Livery

// Brands of a store.

extension Traits {
  init(_ pointer: UnsafePointer<livery_traits>?) throws(StoreError) {
    self.init()
    guard let pointer else { return }
    let given = try structure(pointer, none: livery_traits())
    idiom = Idiom(rawValue: given.idiom)
    appearance = Appearance(rawValue: given.appearance)
    orientation = Orientation(rawValue: given.orientation)
    contrast = Contrast(rawValue: given.contrast)
    for (raw, isKnown) in [
      (given.idiom, idiom != nil), (given.appearance, appearance != nil), (given.orientation, orientation != nil),
      (given.contrast, contrast != nil),
    ] where raw != 0 && !isKnown {
      throw StoreError(.invalidArgument, "\(raw) is no such trait")
    }
    scale = given.scale
    width = given.width
    height = given.height
    if let text = given.locale { locale = try argument(text, limit: 63, "locale") }
    try check()
  }
}

/// A name within branding, which has to leave room for what stands before it.
private func partName(_ name: UnsafePointer<CChar>?) throws(StoreError) -> String {
  let name = try settingName(name)
  guard !name.isEmpty else { throw StoreError(.invalidArgument, "the name is empty") }
  return name
}

private func brandName(_ brand: UnsafePointer<CChar>?) throws(StoreError) -> String {
  try argument(brand, limit: 200, "brand")
}

private func source(_ number: livery_layer) throws(StoreError) -> BrandSource {
  let layer = try layer(number)
  guard let source = BrandSource(layer) else {
    throw StoreError(.invalidArgument, "the layer \(layer) is no source of brands")
  }
  return source
}

@_cdecl("livery_branding_match") @implementation
public func livery_branding_match(
  _ variants: OpaquePointer?, _ traits: UnsafePointer<livery_traits>?, _ match: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  onValue(variants, .branding) { (object) throws(StoreError) in
    let match = try required(match, "match")
    let traits = try Traits(traits)
    try publish(.object(VariantMatch(ImageVariant.all(object.value), traits).members), to: match)
  }
}

@_cdecl("livery_branding_color") @implementation
public func livery_branding_color(
  _ store: OpaquePointer?, _ role: UnsafePointer<CChar>?, _ color: UnsafeMutablePointer<livery_color>?
) -> livery_status {
  onStore(store, .branding) { (object) throws(StoreError) in
    let color = try required(color, "color")
    color.pointee = livery_color(try object.store.branding.color(partName(role)))
  }
}

@_cdecl("livery_branding_set_color") @implementation
public func livery_branding_set_color(
  _ store: OpaquePointer?, _ number: livery_layer, _ role: UnsafePointer<CChar>?, _ color: livery_color
) -> livery_status {
  onStore(store, .branding) { (object) throws(StoreError) in
    let layer = try layer(number)
    try object.store.branding.setColor(partName(role), to: Color(color), in: layer)
  }
}

@_cdecl("livery_branding_set_image") @implementation
public func livery_branding_set_image(
  _ store: OpaquePointer?, _ number: livery_layer, _ name: UnsafePointer<CChar>?, _ variants: OpaquePointer?
) -> livery_status {
  onStore(store, .branding) { (object) throws(StoreError) in
    let layer = try layer(number)
    let variants = try content(variants, "variants")
    try object.store.branding.setImage(partName(name), to: variants, in: layer)
  }
}

@_cdecl("livery_branding_image") @implementation
public func livery_branding_image(
  _ store: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ traits: UnsafePointer<livery_traits>?,
  _ image: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  onStore(store, .branding) { (object) throws(StoreError) in
    let image = try required(image, "image")
    let traits = try Traits(traits)
    try publish(object.store.branding.image(partName(name), for: traits), to: image)
  }
}

@_cdecl("livery_branding_explain") @implementation
public func livery_branding_explain(
  _ store: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ traits: UnsafePointer<livery_traits>?,
  _ explanation: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  onStore(store, .branding) { (object) throws(StoreError) in
    let explanation = try required(explanation, "explanation")
    let traits = try Traits(traits)
    try publish(object.store.branding.explain(partName(name), for: traits), to: explanation)
  }
}

@_cdecl("livery_branding_shown_color") @implementation
public func livery_branding_shown_color(
  _ store: OpaquePointer?, _ role: UnsafePointer<CChar>?, _ color: UnsafeMutablePointer<livery_color>?,
  _ isBuiltIn: UnsafeMutablePointer<Bool>?
) -> livery_status {
  onStore(store, .branding) { (object) throws(StoreError) in
    let color = try required(color, "color")
    let shown = try object.store.branding.shownColor(partName(role))
    color.pointee = livery_color(shown.color)
    isBuiltIn?.pointee = shown.isBuiltIn
  }
}

@_cdecl("livery_branding_gradient") @implementation
public func livery_branding_gradient(
  _ store: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ dark: UnsafeMutablePointer<livery_color>?,
  _ light: UnsafeMutablePointer<livery_color>?
) -> livery_status {
  onStore(store, .branding) { (object) throws(StoreError) in
    let dark = try required(dark, "dark")
    let light = try required(light, "light")
    let ends = try object.store.branding.gradient(partName(name))
    dark.pointee = livery_color(ends.dark)
    light.pointee = livery_color(ends.light)
  }
}

private func propertyListOptions(
  _ options: UnsafePointer<livery_branding_options>?
) throws(StoreError) -> StoreBranding.PropertyListOptions {
  var wanted = StoreBranding.PropertyListOptions()
  guard let options else { return wanted }
  let given = try structure(options, none: livery_branding_options())
  try checkFlags(given.flags, known: LIVERY_BRANDING_KEEP)
  guard given.reserved == 0 else { throw StoreError(.invalidArgument, "reserved is not 0") }
  if let text = given.brand { wanted.brand = try brandName(text) }
  if let text = given.bundle { wanted.bundle = try argument(text, limit: 4096, "bundle") }
  if let text = given.origin { wanted.origin = try argument(text, limit: LIVERY_ORIGIN_MAX, "origin") }
  wanted.keepsForLater = given.flags & UInt32(LIVERY_BRANDING_KEEP) != 0
  return wanted
}

@_cdecl("livery_branding_apply_directory") @implementation
public func livery_branding_apply_directory(
  _ store: OpaquePointer?, _ directory: UnsafePointer<CChar>?, _ options: UnsafePointer<livery_branding_options>?,
  _ report: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  onStore(store, .branding) { (object) throws(StoreError) in
    let wanted = try propertyListOptions(options)
    let directory = try argument(directory, limit: 4096, "directory")
    let outcome = object.store.branding.applyDirectory(directory, options: wanted)
    try deliver(outcome.report, when: outcome.hasReport, outcome.error, to: report)
  }
}

@_cdecl("livery_branding_apply_plist") @implementation
public func livery_branding_apply_plist(
  _ store: OpaquePointer?, _ bytes: UnsafeRawPointer?, _ length: Int,
  _ options: UnsafePointer<livery_branding_options>?, _ report: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  onStore(store, .branding) { (object) throws(StoreError) in
    let wanted = try propertyListOptions(options)
    let bytes = try document(bytes, length, zeroTerminated: false, "bytes")
    let outcome = object.store.branding.applyPropertyList(bytes, options: wanted)
    try deliver(outcome.report, when: outcome.hasReport, outcome.error, to: report)
  }
}

@_cdecl("livery_branding_apply_console") @implementation
public func livery_branding_apply_console(
  _ store: OpaquePointer?, _ payload: OpaquePointer?, _ origin: UnsafePointer<CChar>?,
  _ report: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  onStore(store, .branding) { (object) throws(StoreError) in
    let payload = try content(payload, "payload")
    var name = "console"
    if let origin { name = try argument(origin, limit: LIVERY_ORIGIN_MAX, "origin") }
    let outcome = object.store.branding.applyConsole(payload, origin: name)
    try deliver(outcome.report, when: outcome.hasReport, outcome.error, to: report)
  }
}

@_cdecl("livery_branding_enabled") @implementation
public func livery_branding_enabled(
  _ store: OpaquePointer?, _ layer: livery_layer, _ enabled: UnsafeMutablePointer<Bool>?
) -> livery_status {
  onStore(store, .branding) { (object) throws(StoreError) in
    let enabled = try required(enabled, "enabled")
    enabled.pointee = try object.store.branding.isEnabled(source(layer))
  }
}

@_cdecl("livery_branding_set_enabled") @implementation
public func livery_branding_set_enabled(_ store: OpaquePointer?, _ layer: livery_layer, _ enabled: Bool)
  -> livery_status
{
  onStore(store, .branding) { (object) throws(StoreError) in
    try object.store.branding.setEnabled(enabled, source(layer))
  }
}

@_cdecl("livery_branding_wipe") @implementation
public func livery_branding_wipe(_ store: OpaquePointer?) -> livery_status {
  onStore(store, .branding) { (object) throws(StoreError) in try object.store.branding.wipe() }
}

@_cdecl("livery_branding_use") @implementation
public func livery_branding_use(_ store: OpaquePointer?, _ brand: UnsafePointer<CChar>?) -> livery_status {
  onStore(store, .branding) { (object) throws(StoreError) in try object.store.branding.use(brandName(brand)) }
}

@_cdecl("livery_branding_remove") @implementation
public func livery_branding_remove(_ store: OpaquePointer?, _ brand: UnsafePointer<CChar>?) -> livery_status {
  onStore(store, .branding) { (object) throws(StoreError) in try object.store.branding.remove(brandName(brand)) }
}

@_cdecl("livery_branding_list") @implementation
public func livery_branding_list(_ store: OpaquePointer?, _ brands: UnsafeMutablePointer<OpaquePointer?>?)
  -> livery_status
{
  onStore(store, .branding) { (object) throws(StoreError) in
    let brands = try required(brands, "brands")
    try publish(object.store.branding.list(), to: brands)
  }
}

@_cdecl("livery_branding_get") @implementation
public func livery_branding_get(
  _ store: OpaquePointer?, _ brand: UnsafePointer<CChar>?, _ value: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  onStore(store, .branding) { (object) throws(StoreError) in
    let value = try required(value, "value")
    let name = try brand.map { (brand) throws(StoreError) in try brandName(brand) }
    try publish(object.store.branding.show(name), to: value)
  }
}

@_cdecl("livery_branding_check") @implementation
public func livery_branding_check(
  _ store: OpaquePointer?, _ brand: UnsafePointer<CChar>?, _ traits: UnsafePointer<livery_traits>?,
  _ report: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  onStore(store, .branding) { (object) throws(StoreError) in
    let report = try required(report, "report")
    let name = try brand.map { (brand) throws(StoreError) in try brandName(brand) }
    let device = try traits.map { (traits) throws(StoreError) in try Traits(traits) }
    try publish(object.store.branding.check(name, for: device), to: report)
  }
}

@_cdecl("livery_branding_preview") @implementation
public func livery_branding_preview(
  _ change: OpaquePointer?, _ traits: UnsafePointer<livery_traits>?, _ brand: UnsafeMutablePointer<OpaquePointer?>?,
  _ report: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  onChange(change, .branding) { (change) throws(StoreError) in
    let brand = try required(brand, "brand")
    let report = try required(report, "report")
    let found = try change.brand(for: traits.map { (traits) throws(StoreError) in try Traits(traits) })
    var shown: OpaquePointer?
    try publish(found.brand, to: &shown)
    do throws(StoreError) { try publish(found.report, to: report) } catch {
      livery_value_release(shown)
      throw error
    }
    brand.pointee = shown
  }
}
