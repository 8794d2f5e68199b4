/// What a request asks for: `/path?query`.
package struct Target: Sendable {
  package var path: String
  package var query: Fields

  /// nil for what no browser sends: what is not a path, climbs, hides a separator or is not UTF-8.
  package init?(_ bytes: [UInt8]) {
    let (encoded, asked) = bytes[...].cut(at: .questionMark)
    guard let path = Target.path(encoded), let query = Fields(urlEncoded: asked ?? []) else { return nil }
    self.path = path
    self.query = query
  }

  private static func path(_ encoded: ArraySlice<UInt8>) -> String? {
    guard encoded.first == .slash, let decoded = Percent.decode(encoded, isForm: false) else { return nil }
    // Separators are to be seen as such: one that is encoded would be another path for whoever looks at it next.
    guard slashes(decoded[...]) == slashes(encoded) else { return nil }
    for byte in decoded where byte.isControl || byte == .backslash { return nil }
    // The first and the last segment may be empty; others would make it the name of a host for whoever is sent there.
    let segments = decoded.dropFirst().split(separator: .slash, omittingEmptySubsequences: false)
    for segment in segments where segment.isSame(".") || segment.isSame("..") { return nil }
    for segment in segments.dropLast() where segment.isEmpty { return nil }
    return decoded[...].text
  }

  private static func slashes(_ bytes: ArraySlice<UInt8>) -> Int {
    var count = 0
    for byte in bytes where byte == .slash { count += 1 }
    return count
  }
}
