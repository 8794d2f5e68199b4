/// The images that are shown until what the URLs of variants lead to is there.
///
/// A variant whose URL nobody has fetched yet keeps in its member `former` the image that a device like those that it is for
/// was shown before: `image`, and `source`, `etag` and `fetched` if there are such. It is part of the value, so that it comes
/// with the same commit, outlives every process, and goes with the variant.
public enum FormerImages {
  public static let member = "former"
  /// What is told of an image, and goes with it.
  public static let facts = ["image", "source", "etag", "fetched"]

  /// Whether there may be something to do for a value.
  public static func concern(_ value: Value) -> Bool {
    guard case .list(let items) = value else { return concernsVariant(value) }
    for item in items where concernsVariant(item) { return true }
    return false
  }

  private static func concernsVariant(_ value: Value) -> Bool {
    value[member] != nil || value["source"] != nil || isRemote(value["image"] ?? value)
  }

  /// A setting's value with the former images that it needs, and no others.
  ///
  /// - Parameters:
  ///   - before: what was in effect.
  ///   - isHeld: whether the store holds an asset.
  @inline(never)
  public static func kept(in value: Value, after before: Value?, isHeld: (_ reference: String) -> Bool) -> Value {
    guard let variants = try? ImageVariant.all(value) else { return value }
    var shown: [ImageVariant] = []
    for variant in before.flatMap({ try? ImageVariant.all($0) }) ?? [] {
      if variant.shownImage(isHeld) != nil { shown.append(variant) }
    }
    var items: [Value] = []
    for variant in variants {
      let source = isRemote(variant.value["source"]) ? variant.value["source"] : nil
      let isGone = source != nil && BrandCheck.isAsset(variant.reference) && !isHeld(variant.reference)
      guard isGone || isRemote(.string(variant.reference)), let former = shown.former(of: variant)?.shownImage(isHeld)
      else {
        items.append(variant.value[member] == nil ? variant.value : .object(variant.value.variant(without: [member])))
        continue
      }
      var members = variant.value.variant(without: isGone ? facts + ["state", member] : [member])
      // What nobody holds any more is as if it had never been fetched.
      if isGone, let source { members.append(.init("image", source)) }
      members.append(.init(member, former))
      items.append(.object(members))
    }
    if case .list = value { return .list(items) }
    return items[0]
  }
}

extension [ImageVariant] {
  /// What was shown to the devices that a variant is for.
  fileprivate func former(of variant: ImageVariant) -> ImageVariant? {
    for other in self where other.isForTheSame(as: variant) { return other }
    return VariantMatch(self, Traits(of: variant)).winner.map { self[$0] }
  }
}

/// Whether a value is a URL that can be fetched.
func isRemote(_ value: Value?) -> Bool {
  switch value {
  case .string(let text)?, .url(let text)?, .image(let text)?:
    return text.utf8.starts(with: "http://".utf8) || text.utf8.starts(with: "https://".utf8)
  default: return false
  }
}

extension ImageVariant {
  /// The image that it shows: its own, if the store holds it and it stands in for no other, or the one before; an object of it
  /// and what is told of it.
  fileprivate func shownImage(_ isHeld: (String) -> Bool) -> Value? {
    if BrandCheck.isAsset(reference), isHeld(reference) {
      if value["state"] == .string("placeholder") { return nil }
      guard case .object = value else { return .object([.init("image", value)]) }
      var members: [Value.Member] = []
      for name in FormerImages.facts { if let fact = value[name] { members.append(.init(name, fact)) } }
      return .object(members)
    }
    guard let former = value[FormerImages.member], case .image(let id)? = former["image"]?.coerced(to: .image),
      isHeld(id)
    else { return nil }
    return former
  }
}

extension Value {
  /// What a variant says, also one that is its image alone, but for some members.
  @inline(never)
  public func variant(without names: [String]) -> [Member] {
    let members: [Member]
    if case .object(let own) = self { members = own } else { members = [.init("image", self)] }
    var kept: [Member] = []
    next: for member in members {
      let count = member.key.utf8.count
      for name in names where name.utf8.count == count && name.sameBytes(as: member.key) { continue next }
      kept.append(member)
    }
    return kept
  }
}
