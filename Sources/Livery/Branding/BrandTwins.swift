/// What brands of a store have in common that tells brands apart: their names, their bundles' identifiers and their URLs.
struct BrandTwins {
  /// Each pair once.
  private(set) var all: [BrandTwin] = []

  init(_ state: SourceState) throws(StoreError) {
    var known = ByteIndex()
    var first: [String] = []
    for id in try state.ids() {
      guard let brand = state.isActive(id) ? try state.current() : try state.kept(id) else { continue }
      for member in brand.values where Self.tells(member.key) {
        guard case .string(let text)? = member.value.coerced(to: .string), !text.isEmpty else { continue }
        let (number, isNew) = known.insert(member.key + "\n" + text)
        if isNew {
          first.append(id)
        } else {
          all.append(BrandTwin(brand: id, other: first[number], part: member.key, value: text))
        }
      }
    }
  }

  private static func tells(_ name: String) -> Bool {
    name.sameBytes(as: "name") || name.sameBytes(as: "identifier") || Branding.has(Branding.url, name)
  }

  /// Those of one brand, which is then the first of the two.
  func all(of brand: String) -> [BrandTwin] {
    var found: [BrandTwin] = []
    for twin in all {
      if twin.brand.sameBytes(as: brand) {
        found.append(twin)
      } else if twin.other.sameBytes(as: brand) {
        found.append(BrandTwin(brand: brand, other: twin.brand, part: twin.part, value: twin.value))
      }
    }
    return found
  }
}
