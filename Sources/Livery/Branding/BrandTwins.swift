/// What brands of a store have in common that tells brands apart: their names, their bundles' identifiers and their URLs.
struct BrandTwins {
  /// Of each brand no more are told: it is said by then.
  private static let most = 100

  /// The brands that have the same of something, in the order of their identifiers.
  private struct Group {
    let part: String
    let value: String
    var brands: [String]
  }

  private var groups: [Group] = []
  /// The groups that a brand is in, by its number.
  private var numbers = ByteIndex()
  private var places: [[Int]] = []

  init(_ state: SourceState) throws(StoreError) {
    var known = ByteIndex()
    for id in try state.ids() {
      guard let brand = state.isActive(id) ? try state.current() : try state.kept(id) else { continue }
      _ = numbers.insert(id)
      places.append([])
      let values = brand.values.filter { Self.tells($0.key) }
      for place in sortedOrder(of: values.count, { values[$0].key.precedesInBytes(values[$1].key) }) {
        let member = values[place]
        guard case .string(let text)? = member.value.coerced(to: .string), !text.isEmpty else { continue }
        let (number, isNew) = known.insert(member.key + "\n" + text)
        if isNew { groups.append(Group(part: member.key, value: text, brands: [])) }
        groups[number].brands.append(id)
        places[places.count - 1].append(number)
      }
    }
  }

  private static func tells(_ name: String) -> Bool {
    name.sameBytes(as: "name") || name.sameBytes(as: "identifier") || Branding.has(Branding.url, name)
  }

  /// Each brand that has something of an earlier one, with the first that has it.
  var all: [BrandTwin] {
    var found: [BrandTwin] = []
    for group in groups {
      for brand in group.brands.dropFirst() {
        found.append(BrandTwin(brand: brand, other: group.brands[0], part: group.part, value: group.value))
      }
    }
    return found
  }

  /// Those of one brand, which is then the first of the two.
  func all(of brand: String) -> [BrandTwin] {
    var found: [BrandTwin] = []
    guard let number = numbers.number(of: brand) else { return found }
    for place in places[number] {
      let group = groups[place]
      for other in group.brands.prefix(Self.most + 1) where !other.sameBytes(as: brand) && found.count < Self.most {
        found.append(BrandTwin(brand: brand, other: other, part: group.part, value: group.value))
      }
    }
    return found
  }
}
