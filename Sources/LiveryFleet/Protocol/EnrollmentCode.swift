/// What a device needs to join a fleet, as a line of text that fits into a QR code or a link:
///
///     livery:1?u=<URL>&f=<fleet>&t=<token>&k=<fingerprint>&e=<seconds>&c=<check>
///
/// There is one way to write it. The check makes a mistyped or misread one known before anybody is asked.
public struct EnrollmentCode: Sendable, Equatable {
  /// Where the fleet's documents lie, without a slash at the end.
  public var url: String
  public var fleet: String
  /// 16 bytes, of use once.
  public var token: [UInt8]
  /// `KeyDocument.Roots.fingerprint`.
  public var fingerprint: [UInt8]
  /// Until when it may be used, in seconds since 1970.
  public var expires: Int64

  public static let tokenSize = 16
  /// The most characters of the URL.
  public static let urlLimit = 100

  public init(url: String, fleet: String, token: [UInt8], fingerprint: [UInt8], expires: Int64) {
    self.url = url
    self.fleet = fleet
    self.token = token
    self.fingerprint = fingerprint
    self.expires = expires
  }

  public static func == (left: Self, right: Self) -> Bool {
    left.url.sameBytes(as: right.url) && left.fleet.sameBytes(as: right.fleet) && left.token == right.token
      && left.fingerprint == right.fingerprint && left.expires == right.expires
  }
}

extension EnrollmentCode {
  private static var prefix: [UInt8] { Array("livery:1?u=".utf8) }
  private static let checkSize = 6

  /// The text.
  ///
  /// - Throws: `.malformed` for a URL that is none, or has a user, a query or a fragment, and for parts of a wrong size;
  ///   `.tooLarge`.
  public func encoded() throws(FleetError) -> String {
    try check()
    var text = Self.prefix
    text += Self.escaped(Array(url.utf8))
    text += Array("&f=".utf8) + Array(fleet.utf8)
    text += Array("&t=".utf8) + Base64URL.encode(token)
    text += Array("&k=".utf8) + Base64URL.encode(fingerprint)
    text += Array("&e=".utf8) + Array(expires.description.utf8)
    text += Array("&c=".utf8) + Self.checksum(text)
    guard text.count <= Limit.code else {
      throw FleetError(.tooLarge, "the code has \(text.count) characters; a shorter URL makes it shorter")
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Reads the text. Space around it, as from typing or a scanner, is passed over.
  ///
  /// - Throws: `.unsupported` for a later kind of code, `.malformed` with what is wrong, `.tooLarge`.
  public static func decode(_ text: String) throws(FleetError) -> EnrollmentCode {
    guard text.utf8.count <= 2 * Limit.code else {
      throw FleetError(.tooLarge, "it is too long for an enrollment code")
    }
    var bytes = Array<UInt8>(text.utf8)[...]
    while let first = bytes.first, isSpace(first) { bytes.removeFirst() }
    while let last = bytes.last, isSpace(last) { bytes.removeLast() }
    guard bytes.count <= Limit.code else { throw FleetError(.tooLarge, "it is too long for an enrollment code") }
    guard bytes.starts(with: Array("livery:".utf8)) else {
      throw FleetError(.malformed, "it is no enrollment code, which begins with livery:1?")
    }
    guard bytes.starts(with: prefix) else {
      throw FleetError(.unsupported, "it is an enrollment code of a kind that this software does not know")
    }
    let checked = Array(bytes.dropLast(checkSize + 3))
    guard bytes.count > prefix.count + checkSize + 3,
      Array(bytes.suffix(checkSize + 3)) == Array("&c=".utf8) + checksum(checked)
    else { throw FleetError(.malformed, "the code was not read or typed as it is: its check does not fit") }
    let fields = checked[prefix.count...].split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
    guard fields.count == 5, let url = unescaped(Array(fields[0])), let fleet = field(fields[1], "f"),
      let token = field(fields[2], "t").flatMap({ Base64URL.decode($0) }),
      let fingerprint = field(fields[3], "k").flatMap({ Base64URL.decode($0) }),
      let expires = field(fields[4], "e").flatMap({ WallTime.number($0) }), fields[4].count <= 14,
      let address = String(validating: url, as: UTF8.self)
    else { throw FleetError(.malformed, "a part of the code is not what it should be") }
    let code = EnrollmentCode(
      url: address, fleet: String(decoding: fleet, as: UTF8.self), token: token, fingerprint: fingerprint,
      expires: expires)
    try code.check()
    // Escapes and numbers have one form each.
    guard Array(try code.encoded().utf8) == Array(bytes) else {
      throw FleetError(.malformed, "a part of the code is not written as it should be")
    }
    return code
  }

  private func check() throws(FleetError) {
    guard Self.isBase(Array(url.utf8)) else {
      throw FleetError(.malformed, "\(url) is no http or https URL without user, query, fragment and slash at the end")
    }
    guard Name.isValid(fleet) else { throw FleetError(.malformed, "the name of the fleet is none") }
    guard token.count == Self.tokenSize, fingerprint.count == Crypto.hashSize, (0...Limit.time).contains(expires) else {
      throw FleetError(.malformed, "token, fingerprint or time of the code are not what they should be")
    }
  }

  /// Whether a URL can have paths behind it.
  private static func isBase(_ url: [UInt8]) -> Bool {
    let rest: ArraySlice<UInt8>
    if url.starts(with: Array("https://".utf8)) {
      rest = url.dropFirst(8)
    } else if url.starts(with: Array("http://".utf8)) {
      rest = url.dropFirst(7)
    } else {
      return false
    }
    guard url.count <= urlLimit, let first = rest.first, first != UInt8(ascii: "/"), rest.last != UInt8(ascii: "/")
    else { return false }
    return rest.allSatisfy { isUnreserved($0) || Array(":/[]%".utf8).contains($0) }
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      true
    default: false
    }
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }

  /// What a query may hold as it is (RFC 3986 §3.4) stays; `%`, `[` and `]` are escaped.
  private static func escaped(_ url: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    for byte in url {
      if isUnreserved(byte) || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "/") {
        text.append(byte)
      } else {
        text.append(UInt8(ascii: "%"))
        for digit in [byte >> 4, byte & 15] {
          text.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10)
        }
      }
    }
    return text
  }

  private static func unescaped(_ text: [UInt8]) -> [UInt8]? {
    var bytes: [UInt8] = []
    var index = 0
    while index < text.count {
      if text[index] == UInt8(ascii: "%") {
        guard index + 2 < text.count, let high = digit(text[index + 1]), let low = digit(text[index + 2]) else {
          return nil
        }
        bytes.append(high << 4 | low)
        index += 3
      } else {
        bytes.append(text[index])
        index += 1
      }
    }
    return bytes
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  private static func field(_ bytes: ArraySlice<UInt8>, _ letter: Unicode.Scalar) -> ArraySlice<UInt8>? {
    guard bytes.count > 2, bytes.first == UInt8(ascii: letter), bytes.dropFirst().first == UInt8(ascii: "=") else {
      return nil
    }
    return bytes.dropFirst(2)
  }

  private static func checksum(_ text: [UInt8]) -> [UInt8] {
    // 36 bits are six characters.
    Array(Base64URL.encode(Crypto.hash(text).prefix(5)).prefix(checkSize))
  }
}
