extension View {
  /// What of a setting's values is there and does not count for now, as the owner of its namespace tells.
  func waiting(_ name: String) throws(StoreError) -> [WaitingValue] {
    guard let waiting = Claim.builtIn(of: name)?.waiting else { return [] }
    return try waiting(name) { (layer, name) throws(StoreError) in try record(LayerKey(layer, name))?.value }
  }

  /// The end of a message about a setting without a value: "; the console's value waits: …", or nothing.
  func whatWaits(_ name: String) -> String {
    guard let waiting = try? waiting(name), let first = waiting.first else { return "" }
    return "; \(first.owner) value waits: \(first.reason)"
  }
}
