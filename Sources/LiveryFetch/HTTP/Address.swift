import CLivery
import CLiveryFetch
import LiveryClient

/// A URL that may be fetched: http or https, without user, password and fragment (RFC 3986).
struct Address: Sendable, Equatable {
  let bytes: [UInt8]
  let isSecure: Bool
  /// Where the path begins.
  private let pathStart: Int

  /// - Throws: `.invalidArgument`, which says what is wrong.
  init(_ text: [UInt8]) throws(StoreError) {
    var text = text
    if let hash = text.firstIndex(of: UInt8(ascii: "#")) { text.removeSubrange(hash...) }
    guard text.count <= Int(LIVERY_FETCH_URL_MAX) else {
      throw StoreError(.invalidArgument, "the URL is longer than \(Int(LIVERY_FETCH_URL_MAX)) bytes")
    }
    guard text.allSatisfy({ $0 > 32 && $0 < 127 }) else {
      throw StoreError(.invalidArgument, "the URL has a character that URLs write as %XX")
    }
    var scanner = Scanner(text)
    let scheme = scanner.take { $0 != UInt8(ascii: ":") }
    guard scanner.skip("://"), scheme.isText("https") || scheme.isText("http") else {
      let name = text.contains(UInt8(ascii: "@")) ? "the URL" : "`\(text.text)`"
      throw StoreError(.invalidArgument, "\(name) does not begin with http:// or https://")
    }
    let authority = scanner.take { $0 != 47 && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "\\") }
    guard !authority.contains(UInt8(ascii: "@")) else {
      throw StoreError(.invalidArgument, "the URL has a user or a password, which would be stored")
    }
    guard Self.isServer(authority), scanner.next != UInt8(ascii: "\\") else {
      throw StoreError(.invalidArgument, "`\(text.text)` names no server")
    }
    isSecure = scheme.isText("https")
    bytes = text
    pathStart = scanner.place
  }

  /// A name, an address of IPv4, or one of IPv6 in brackets; and a port behind a colon, which may be missing.
  private static func isServer(_ authority: [UInt8]) -> Bool {
    var scanner = Scanner(authority)
    if scanner.skip("[") {
      let address = scanner.take { $0 != UInt8(ascii: "]") }
      guard address.contains(UInt8(ascii: ":")), !address.contains(UInt8(ascii: "[")), scanner.skip("]") else {
        return false
      }
    } else {
      let name = scanner.take { $0 != UInt8(ascii: ":") }
      guard !name.isEmpty, !name.contains(where: { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "]") }) else {
        return false
      }
    }
    guard !scanner.isAtEnd else { return true }
    guard scanner.skip(":") else { return false }
    if scanner.isAtEnd { return true }
    guard let port = scanner.takeNumber(1...5) else { return false }
    return scanner.isAtEnd && (1...65535).contains(port)
  }

  var text: String { bytes.text }

  /// Whether the server of this one is trusted to lead there (RFC 9110 §15.4): to the same or better protection.
  func mayLead(to other: Address) -> Bool { !isSecure || other.isSecure }

  /// Where a Location leads (RFC 3986 §5.2).
  ///
  /// - Throws: `.invalidArgument` where it leads to what is not fetched.
  func following(_ location: [UInt8]) throws(StoreError) -> Address {
    // Servers send bytes that are no part of URLs: as browsers do, these are written as %XX.
    let reference = Self.escaped(location)
    if Self.hasScheme(reference) { return try Address(reference) }
    let schemeEnd = isSecure ? 6 : 5
    if reference.starts(with: "//".utf8) { return try Address(bytes[..<schemeEnd] + reference) }
    let server = bytes[..<pathStart]
    let path = bytes[pathStart...].prefix { $0 != UInt8(ascii: "?") }
    switch reference.first {
    case nil, UInt8(ascii: "#"): return self
    case UInt8(ascii: "?"): return try Address(server + (path.isEmpty ? [47] : Array(path)) + reference)
    case 47: return try Address(server + Self.withoutDots(reference))
    default:
      let folder = path.lastIndex(of: 47).map { path[...$0] } ?? [47]
      return try Address(server + Self.withoutDots(Array(folder) + reference))
    }
  }

  private static func hasScheme(_ reference: [UInt8]) -> Bool {
    guard let colon = reference.firstIndex(where: { $0 == 58 || $0 == 47 || $0 == 63 || $0 == 35 }) else {
      return false
    }
    return colon > 0 && reference[colon] == 58
  }

  private static func escaped(_ bytes: [UInt8]) -> [UInt8] {
    let digits = Array("0123456789ABCDEF".utf8)
    var escaped: [UInt8] = []
    for byte in bytes {
      if byte > 32, byte < 127 {
        escaped.append(byte)
      } else {
        escaped += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return escaped
  }

  /// RFC 3986 §5.2.4, for the path of a reference that begins with a slash; what follows the path stays.
  private static func withoutDots(_ reference: [UInt8]) -> [UInt8] {
    let end = reference.firstIndex { $0 == 63 || $0 == 35 } ?? reference.count
    var kept: [ArraySlice<UInt8>] = []
    let segments = reference[1..<end].split(separator: 47, omittingEmptySubsequences: false)
    for (index, segment) in segments.enumerated() {
      let isLast = index == segments.count - 1
      if segment.elementsEqual(".".utf8) {
        if isLast { kept.append([]) }
      } else if segment.elementsEqual("..".utf8) {
        if !kept.isEmpty { kept.removeLast() }
        if isLast { kept.append([]) }
      } else {
        kept.append(segment)
      }
    }
    var result: [UInt8] = []
    for segment in kept {
      result.append(47)
      result += segment
    }
    return (result.isEmpty ? [47] : result) + reference[end...]
  }
}
