extension Branding {
  /// The namespaces of brands: what counts, and what is kept for another time.
  static let claims = [
    Claim(prefix: prefix) { (value, name) throws(StoreError) in try checked(value, for: name) },
    Claim(prefix: shelf) { (value, _) throws(StoreError) in value },
  ]
}
