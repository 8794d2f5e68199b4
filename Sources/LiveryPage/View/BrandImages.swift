import LiveryClient
import LiveryHTTP

/// Where the images of a brand are.
struct BrandSource {
  let store: Store
  /// With what the addresses of a form begin that is a part of another site.
  var root = ""
  /// With images that are not in the store yet.
  var draft: BrandDraft?
  /// Whether the bytes go into the document.
  var isEmbedding = false

  /// What is there by a reference; nil if there is nothing.
  func load(_ reference: String) -> BrandImages.Stored? {
    if let image = draft?.image(id: reference) {
      return .init(address: root + "/draft/image?id=" + reference, info: image.info)
    }
    guard let info = store.image(reference) else { return nil }
    guard isEmbedding else { return .init(address: root + "/asset?id=" + reference, info: info) }
    guard let bytes = try? store.assets.bytes(reference) else { return nil }
    return .init(address: "data:" + (info["type"]?.text ?? "") + ";base64," + Value.data(bytes).plain, info: info)
  }
}

/// The images of a brand, each of them in the document once however often it is shown.
struct BrandImages {
  /// An image whose bytes can be shown.
  struct Stored {
    /// An address, or the bytes themselves (`data:`).
    var address: String
    /// As `livery_asset_info` in C tells.
    var info: Value
  }

  struct Variant {
    var name: String
    var reference: String
    var value: Value
    /// That of its symbol; nil if there is nothing to show.
    var number: Int?
    var info: Value?
  }

  /// More are not looked at.
  private static let limit = 500

  private(set) var variants: [Variant] = []
  private var images: [Value.Member]
  private var stored: [Stored] = []
  private let options: Value?

  init(_ brand: Value, _ source: BrandSource) {
    images = brand.members("images")
    options = brand["options"]
    var known: [(reference: String, number: Int?, info: Value?)] = []
    for image in images {
      for value in (image.value.items ?? [image.value]) where variants.count < BrandImages.limit {
        let own = (value["image"] ?? value).text ?? ""
        // Until it is there the one before is shown.
        let former = isRemote(own) ? value["former"]?["image"]?.text : nil
        let reference = former ?? own
        var variant = Variant(name: image.key, reference: own, value: value)
        if let found = known.first(where: { $0.reference.sameBytes(as: reference) }) {
          (variant.number, variant.info) = (found.number, found.info)
        } else {
          if let found = source.load(reference) {
            variant.info = found.info
            if found.info["type"]?.text?.utf8.starts(with: "image/".utf8) ?? false {
              variant.number = stored.count
              stored.append(found)
            }
          }
          known.append((reference, variant.number, variant.info))
        }
        variants.append(variant)
      }
    }
  }

  /// What is shown on a device; nil if there is nothing.
  func shown(_ name: String, on device: BrandDevice) -> Int? {
    for (image, option) in [("background", "UsePrimaryImage"), ("logo", "UseSecondaryImage")]
    where image.sameBytes(as: name) && options?[option] == .bool(false) {
      return nil
    }
    guard let image = images.first(where: { $0.key.sameBytes(as: name) })?.value,
      let place = try? Branding.match(image, for: device.traits)
    else { return nil }
    let own = variants.filter { $0.name.sameBytes(as: name) }
    guard place < own.count else { return nil }
    if let number = own[place].number { return number }
    // What stands in for it.
    return own[place].state == nil || name.sameBytes(as: "placeholder") ? nil : shown("placeholder", on: device)
  }

  func looksAlike(on one: BrandDevice, and other: BrandDevice) -> Bool {
    images.allSatisfy { shown($0.key, on: one) == shown($0.key, on: other) }
  }

  /// What `use` refers to.
  var symbols: HTML {
    var html: HTML = "<svg class=\"unseen\" aria-hidden=\"true\"><defs>"
    for (number, image) in stored.enumerated() {
      let width = max(image.info["width"]?.whole ?? 0, 0)
      let height = max(image.info["height"]?.whole ?? 0, 0)
      let (w, h) = width > 0 && height > 0 ? (width, height) : (100, 100)
      html += """
        <symbol id="a\(number)" viewBox="0 0 \(w) \(h)"><image href="\(image.address)" width="\(w)" height="\(h)"/></symbol>
        """
    }
    html += "</defs></svg>\n"
    return html
  }

  /// An image, whole and as large as it can be.
  static func use(_ number: Int, _ x: Int, _ y: Int, _ width: Int, _ height: Int) -> HTML {
    "<use href=\"#a\(number)\" x=\"\(x)\" y=\"\(y)\" width=\"\(width)\" height=\"\(height)\"/>"
  }
}

extension BrandImages.Variant {
  /// How it stands, if it is not simply there.
  var state: Word? {
    func tells(_ word: String) -> Bool { value["state"]?.text?.sameBytes(as: word) ?? false }
    if isRemote(reference) { return tells("failed") ? .imageFailed : .imageLoading }
    return reference.isEmpty || tells("placeholder") ? .imagePlaceholder : nil
  }

  /// The devices that it is for.
  var qualifiers: [String] {
    var found: [String] = []
    for key in [
      "locale", "idiom", "appearance", "contrast", "orientation", "width", "height", "longest", "aspect", "scale",
    ] {
      guard let value = value[key] else { continue }
      switch key {
      case "scale": found.append("\(value.plain)×")
      case "width", "height", "longest": found.append("\(key) ≥ \(value.plain)")
      default: found.append(value.plain)
      }
    }
    return found
  }

  var facts: HTML {
    guard let info else { return "\(Parts.cut(reference))" }
    let size = info["bytes"]?.whole ?? 0
    var html: HTML = ""
    if let width = info["width"]?.whole, let height = info["height"]?.whole { html += "\(width) × \(height) · " }
    html += "\(info["type"]?.text ?? "") · "
    html += size < 2048 ? "\(size) bytes" : "\((size + 512) / 1024) KiB"
    return html
  }

  var isElsewhere: Bool {
    var scheme = reference.utf8.prefix { $0 != UInt8(ascii: ":") }
    let rest = reference.utf8.dropFirst(scheme.count)
    guard rest.starts(with: "://".utf8), let first = scheme.popFirst() else { return false }
    return (97...122).contains(first | 0x20)
  }
}

/// Whether it is a URL that is fetched.
private func isRemote(_ reference: String) -> Bool {
  reference.utf8.starts(with: "http://".utf8) || reference.utf8.starts(with: "https://".utf8)
}

extension Value {
  /// Of an object within an object; none if there is none.
  @inline(never)
  func members(_ key: String) -> [Member] {
    guard case .object(let members)? = self[key] else { return [] }
    return members
  }
}
