/// Distinct names in the order they were first met, compared byte by byte.
struct NameSet {
  private(set) var names: [String] = []
  private var known = ByteIndex()

  var isEmpty: Bool { names.isEmpty }

  func contains(_ name: String) -> Bool { number(of: name) != nil }

  func number(of name: String) -> Int? { known.number(of: name) }

  @discardableResult
  mutating func insert(_ name: String) -> (number: Int, isNew: Bool) {
    let found = known.insert(name)
    if found.isNew { names.append(name) }
    return found
  }
}
