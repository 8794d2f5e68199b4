extension Claim {
  /// The namespaces of the library's own, in every store.
  static let builtIn = Branding.claims
}
