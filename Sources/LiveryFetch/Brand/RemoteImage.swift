import CLivery
import LiveryClient

/// A variant of an image of the brand in effect that a URL leads to.
struct RemoteImage: Sendable {
  /// `branding.image.…`, and the layer whose value is in effect.
  let setting: String
  let layer: Layer
  /// Of the variant.
  let index: Int
  let variant: Value
  let url: String
  /// Of the URL without its fragment, which leads to the same.
  let key: URLKey

  /// Whether it shows the image that was there before.
  var showsFormer: Bool { variant["former"] != nil }

  /// Whether it shows an image of its own now, the placeholder included.
  var showsImage: Bool { !Self.isRemote(variant.text ?? variant["image"]?.text) }

  /// All that are in effect, or of each image the one that fits a device best.
  static func all(in store: Store, for traits: UnsafePointer<livery_traits>?) throws(StoreError) -> [RemoteImage] {
    let snapshot = try store.snapshot()
    let pattern = "branding.image.**"
    var found: [RemoteImage] = []
    var name = "branding.image."
    while let next = try snapshot.next(after: name, matching: pattern) {
      name = next.name
      let variants = next.value.items ?? [next.value]
      var wanted: Int?
      if let traits {
        guard let best = try? Branding.match(next.value, traits: traits) else { continue }
        wanted = best
      }
      guard let layer = try layer(of: name, in: snapshot) else { continue }
      for (index, variant) in variants.enumerated() where wanted == nil || wanted == index {
        guard let url = url(of: variant) else { continue }
        let key = URLKey(Array(url.utf8.prefix { $0 != UInt8(ascii: "#") }))
        found.append(
          RemoteImage(setting: name, layer: layer, index: index, variant: variant, url: url, key: key))
      }
    }
    return found
  }

  /// The strongest layer that has a value.
  private static func layer(of name: String, in snapshot: Snapshot) throws(StoreError) -> Layer? {
    let layers: [Layer] = [.override, .enforced, .session, .user, .recommended, .bundle, .defaults]
    for layer in layers where try snapshot.value(name, in: layer) != nil { return layer }
    return nil
  }

  private static func url(of variant: Value) -> String? {
    // A variant that asks for nothing may be its image alone.
    let image = variant.text ?? variant["image"]?.text
    return isRemote(image) ? image : variant["source"]?.text
  }

  private static func isRemote(_ text: String?) -> Bool {
    guard let text else { return false }
    var scanner = Scanner(Array(text.utf8.prefix(8)).map { $0.lowercased })
    return scanner.skip("http://") || scanner.skip("https://")
  }

  // MARK: The variant afterwards

  /// With the image that was fetched.
  func showing(_ entry: Entry) -> Value {
    let shown = variant.replacing([
      ("image", .image(entry.id)), ("source", .url(url)), ("etag", entry.tag.map { .string($0.text) }),
      ("fetched", .date(entry.fetched)), ("state", .string("ready")), ("former", nil),
    ])
    // When it was fetched is no reason to tell anybody.
    let former = variant.replacing([("fetched", .date(entry.fetched))])
    return former == shown ? variant : shown
  }

  /// Where it could not be had: what it shows stays.
  func failing(_ placeholder: String?) -> Value {
    if showsImage { return variant }
    guard !showsFormer, let placeholder else { return variant.replacing([("state", .string("failed"))]) }
    return variant.replacing([
      ("image", .image(placeholder)), ("source", .url(url)), ("etag", nil), ("fetched", nil),
      ("state", .string("placeholder")),
    ])
  }
}

extension Value {
  /// A variant with members exchanged or added, or left out where they are nil.
  fileprivate func replacing(_ changes: [(key: String, value: Value?)]) -> Value {
    let members: [Member]
    if case .object(let known) = self { members = known } else { members = [.init("image", self)] }
    var kept = members.filter { (member) in
      !changes.contains { $0.key.utf8.elementsEqual(member.key.utf8) }
    }
    for (key, value) in changes {
      if let value { kept.append(.init(key, value)) }
    }
    return .object(kept)
  }
}
