/// A host and a port: what Host says, and what an origin is of.
package struct Authority: Sendable {
  /// In lower case; an IPv6 address in brackets.
  package var host: String
  package var port: Int?

  /// nil if it is malformed.
  package init?(_ bytes: ArraySlice<UInt8>) {
    var rest = bytes
    var name: [UInt8] = []
    if rest.first == 0x5B {
      guard let end = rest.firstIndex(of: 0x5D) else { return nil }
      for byte in rest[rest.startIndex...end] { name.append(byte.lowercased) }
      for byte in name.dropFirst().dropLast() where byte.hexadecimal == nil && byte != .colon && byte != 0x2E {
        return nil
      }
      rest = rest[(end + 1)...]
    } else {
      while let byte = rest.first, byte != .colon {
        guard byte.isDigit || (0x61...0x7A).contains(byte.lowercased) || byte == 0x2E || byte == .hyphen || byte == 0x5F
        else { return nil }
        name.append(byte.lowercased)
        rest = rest.dropFirst()
      }
    }
    guard !name.isEmpty, let host = name[...].text else { return nil }
    self.host = host
    guard rest.first == .colon else {
      guard rest.isEmpty else { return nil }
      return
    }
    guard let port = rest.dropFirst().decimal, port <= 65535 else { return nil }
    self.port = port
  }

  /// Of `http://host:port`, with what may follow; nil for anything else, such as `null`.
  package init?(ofURL bytes: ArraySlice<UInt8>) {
    let standard: Int
    if bytes.begins(with: "http://") {
      standard = 80
    } else if bytes.begins(with: "https://") {
      standard = 443
    } else {
      return nil
    }
    let rest = bytes.dropFirst(standard == 80 ? 7 : 8)
    self.init(rest[..<(rest.firstIndex { $0 == .slash || $0 == .questionMark || $0 == 0x23 } ?? rest.endIndex)])
    port = port ?? standard
  }

  package func isSame(_ other: Authority) -> Bool { port == other.port && host.utf8.elementsEqual(other.host.utf8) }
}

/// Under which names browsers may ask. What is not among them comes of a foreign page whose name leads here, too.
package struct Hosts: Sendable {
  private let named: [Authority]

  /// - Parameter port: the one that is listened at, for names without any; nil for a socket that has none.
  /// - Returns: nil if a name is malformed.
  package init?(_ names: [String], port: Int?) {
    var named: [Authority] = []
    for name in names {
      guard var authority = Authority(Array(name.utf8)[...]) else { return nil }
      authority.port = authority.port ?? port
      named.append(authority)
    }
    // A web server in front has to ask for something.
    if named.isEmpty, port == nil, let local = Authority(Array("localhost".utf8)[...]) { named.append(local) }
    self.named = named
  }

  /// Whether a request that came in at an address of this device may ask for a host.
  ///
  /// - Parameter local: nil for a socket without address.
  package func allows(_ asked: Authority, local: Authority?, isLoopback: Bool) -> Bool {
    for port in asked.port.map({ [$0] }) ?? [80, 443] {
      var wanted = asked
      wanted.port = port
      if let local, wanted.isSame(local) { return true }
      if let local, isLoopback, port == local.port, wanted.host.utf8.elementsEqual("localhost".utf8) { return true }
      for name in named where wanted.isSame(name) || (name.port == nil && name.host.utf8.elementsEqual(asked.host.utf8))
      {
        return true
      }
    }
    return false
  }
}
