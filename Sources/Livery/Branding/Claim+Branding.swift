extension Claim {
  /// The namespaces of the library's own, in every store.
  static let builtIn = [
    Claim(prefix: Branding.prefix) { (value, name) throws(StoreError) in try Branding.checked(value, for: name) },
    Claim(prefix: Branding.shelf) { (value, _) throws(StoreError) in value },
  ]
}
