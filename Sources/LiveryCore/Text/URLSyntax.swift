/// Whether the text is an absolute URL: the syntax of RFC 3986 with the characters of RFC 3987.
///
/// A scheme comes first. `http`, `https`, `ws`, `wss` and `ftp` need a host; ports are numbers up to 65535.
public func isAbsoluteURL(_ text: String) -> Bool {
  if text.withBytes({ isOrdinary($0) }) { return true }
  let bytes = Array(text.utf8)
  guard hasURLCharactersOnly(text), hasWellFormedEscapes(bytes) else { return false }
  guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), isScheme(bytes[..<colon]) else { return false }
  let needsHost = schemesWithHost.contains { $0.elementsEqual(bytes[..<colon].lazy.map { $0 | 0x20 }) }
  let rest = bytes[(colon + 1)...]
  var fragments = 0
  for byte in rest where byte == UInt8(ascii: "#") { fragments += 1 }
  guard fragments <= 1 else { return false }
  guard rest.starts(with: [UInt8(ascii: "/"), UInt8(ascii: "/")]) else {
    return !needsHost && !hasBrackets(rest)
  }
  let end = rest.dropFirst(2).firstIndex {
    $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#")
  }
  let authority = rest[(rest.startIndex + 2)..<(end ?? rest.endIndex)]
  guard !hasBrackets(rest[authority.endIndex...]) else { return false }
  return isAuthority(authority, needsHost: needsHost)
}

private let schemesWithHost: [[UInt8]] = [
  Array("http".utf8), Array("https".utf8), Array("ws".utf8), Array("wss".utf8), Array("ftp".utf8),
]

private func isScheme(_ scheme: ArraySlice<UInt8>) -> Bool {
  guard let first = scheme.first, isLetter(first) else { return false }
  return scheme.allSatisfy { isLetter($0) || isDigit($0) || $0 == 0x2b || $0 == 0x2d || $0 == 0x2e }
}

private func isLetter(_ byte: UInt8) -> Bool {
  (byte | 0x20) >= UInt8(ascii: "a") && (byte | 0x20) <= UInt8(ascii: "z")
}
private func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
private func hasBrackets(_ bytes: ArraySlice<UInt8>) -> Bool {
  bytes.contains { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "]") }
}

/// Whether it is what nearly all are, so that one look at each byte is enough: "http://" or "https://", a name or number of
/// a host, a port if need be, and a path and query of characters that may stand anywhere in them.
private func isOrdinary(_ bytes: UnsafeRawBufferPointer) -> Bool {
  guard bytes.count > 8, bytes.loadUnaligned(as: UInt32.self).littleEndian == 0x7074_7468 else { return false }
  var index = bytes[4] == UInt8(ascii: "s") ? 5 : 4
  guard bytes[index] == UInt8(ascii: ":"), bytes[index + 1] == UInt8(ascii: "/"), bytes[index + 2] == UInt8(ascii: "/")
  else {
    return false
  }
  index += 3
  let host = index
  while index < bytes.count,
    isLetter(bytes[index]) || isDigit(bytes[index]) || bytes[index] == 0x2d || bytes[index] == 0x2e
  {
    index += 1
  }
  guard index > host else { return false }
  if index < bytes.count, bytes[index] == UInt8(ascii: ":") {
    var port = 0
    index += 1
    while index < bytes.count, isDigit(bytes[index]), port <= 65535 {
      port = port * 10 + Int(bytes[index] - UInt8(ascii: "0"))
      index += 1
    }
    guard port <= 65535 else { return false }
  }
  guard index < bytes.count else { return true }
  guard bytes[index] == UInt8(ascii: "/") else { return false }
  return bytes[index...].allSatisfy {
    isLetter($0) || $0 >= UInt8(ascii: "&") && $0 <= UInt8(ascii: ";") || $0 == UInt8(ascii: "=")
      || $0 == UInt8(ascii: "?")
      || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "~")
  }
}

private func hasURLCharactersOnly(_ text: String) -> Bool {
  var inQuery = false
  for scalar in text.unicodeScalars {
    switch scalar {
    case "<", ">", "\"", "{", "}", "|", "\\", "^", "`": return false
    case "?": inQuery = true
    case "#": inQuery = false
    default: break
    }
    switch scalar.value {
    case 0x21...0x7e, 0xa0...0xd7ff, 0xf900...0xfdcf, 0xfdf0...0xffef: break
    case 0xe000...0xf8ff: if !inQuery { return false }
    case 0x10000...0x10ffff:
      if scalar.value & 0xffff >= 0xfffe { return false }
      if scalar.value >= 0xe0000 && scalar.value < 0xe1000 { return false }
      if scalar.value >= 0xf0000 && !inQuery { return false }
    default: return false
    }
  }
  return true
}

private func hasWellFormedEscapes(_ bytes: [UInt8]) -> Bool {
  var index = 0
  while index < bytes.count {
    if bytes[index] == UInt8(ascii: "%") {
      guard index + 2 < bytes.count, Hexadecimal.digit(bytes[index + 1]) != nil,
        Hexadecimal.digit(bytes[index + 2]) != nil
      else { return false }
      index += 2
    }
    index += 1
  }
  return true
}

private func isAuthority(_ authority: ArraySlice<UInt8>, needsHost: Bool) -> Bool {
  var hostAndPort = authority
  if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
    let user = authority[..<at]
    guard !user.contains(UInt8(ascii: "@")), !hasBrackets(user) else { return false }
    hostAndPort = authority[(at + 1)...]
  }
  var host = hostAndPort
  var port = hostAndPort[hostAndPort.endIndex...]
  if hostAndPort.first == UInt8(ascii: "[") {
    guard let close = hostAndPort.firstIndex(of: UInt8(ascii: "]")),
      isIPLiteral(hostAndPort[(hostAndPort.startIndex + 1)..<close])
    else { return false }
    host = hostAndPort[...close]
    port = hostAndPort[(close + 1)...]
    guard port.isEmpty || port.first == UInt8(ascii: ":") else { return false }
    port = port.dropFirst()
  } else {
    if let colon = hostAndPort.firstIndex(of: UInt8(ascii: ":")) {
      host = hostAndPort[..<colon]
      port = hostAndPort[(colon + 1)...]
    }
    guard !hasBrackets(host) else { return false }
  }
  guard !needsHost || !host.isEmpty else { return false }
  return isPort(port)
}

private func isPort(_ digits: ArraySlice<UInt8>) -> Bool {
  var port = 0
  for digit in digits {
    guard isDigit(digit) else { return false }
    port = port * 10 + Int(digit - UInt8(ascii: "0"))
    guard port <= 65535 else { return false }
  }
  return true
}

/// What stands between the brackets: an IPv6 address, with a zone as in RFC 6874 if need be, or an address of the future.
private func isIPLiteral(_ text: ArraySlice<UInt8>) -> Bool {
  guard let first = text.first else { return false }
  if first | 0x20 == UInt8(ascii: "v") {
    let parts = text.dropFirst().split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    return parts.count == 2 && !parts[0].isEmpty && !parts[1].isEmpty
      && parts[0].allSatisfy { Hexadecimal.digit($0) != nil }
      && parts[1].allSatisfy { $0 < 0x80 && !notInFutureAddresses.contains($0) }
  }
  guard let percent = text.firstIndex(of: UInt8(ascii: "%")) else { return isIPv6(text) }
  let zone = text[percent...]
  return zone.count > 3 && zone.starts(with: Array("%25".utf8)) && isIPv6(text[..<percent])
    && zone.dropFirst(3).allSatisfy { isLetter($0) || isDigit($0) || Array("-._~%".utf8).contains($0) }
}

private let notInFutureAddresses = Array("/?#[]@%".utf8)

private func isIPv6(_ text: ArraySlice<UInt8>) -> Bool {
  let colon = UInt8(ascii: ":")
  var groups = 0
  var compressed = false
  var index = text.startIndex
  if text.first == colon {
    guard text.starts(with: [colon, colon]) else { return false }
    compressed = true
    index += 2
  }
  while index < text.endIndex {
    let end = text[index...].firstIndex(of: colon) ?? text.endIndex
    let group = text[index..<end]
    if end == text.endIndex, group.contains(UInt8(ascii: ".")) {
      guard isIPv4(group) else { return false }
      groups += 2
      break
    }
    guard group.count >= 1, group.count <= 4, group.allSatisfy({ Hexadecimal.digit($0) != nil }) else { return false }
    groups += 1
    guard end < text.endIndex else { break }
    index = end + 1
    guard index < text.endIndex else { return false }
    if text[index] == colon {
      guard !compressed else { return false }
      compressed = true
      index += 1
    }
  }
  return compressed ? groups <= 7 : groups == 8
}

private func isIPv4(_ text: ArraySlice<UInt8>) -> Bool {
  let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
  return parts.count == 4
    && parts.allSatisfy { part in
      guard part.count >= 1, part.count <= 3, part.allSatisfy(isDigit), part.count == 1 || part.first != 0x30 else {
        return false
      }
      return part.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } <= 255
    }
}
