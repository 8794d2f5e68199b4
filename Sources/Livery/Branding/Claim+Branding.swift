// The namespaces of the library's own, in every store.
extension Claim {
  static let builtInPrefixes = [Branding.prefix, Branding.shelf]

  private static let branding = Claim(prefix: Branding.prefix) { (value, name) throws(StoreError) in
    try Branding.checked(value, for: name)
  }
  private static let shelf = Claim(prefix: Branding.shelf) { (value, _) throws(StoreError) in value }

  static func isBuiltIn(_ name: String) -> Bool { covers(Branding.prefix, name) || covers(Branding.shelf, name) }

  static func builtIn(of name: String) -> Claim? {
    if covers(Branding.prefix, name) { return branding }
    return covers(Branding.shelf, name) ? shelf : nil
  }
}
