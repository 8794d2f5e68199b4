import CHTTP

/// The headers of a request, as far as they mean something here.
package struct Head: Sendable {
  package enum Method: Sendable {
    case get
    case head
    case post
    case put
    case patch
    case delete
    case other
  }

  package var method = Method.other
  package private(set) var host: [UInt8]?
  package private(set) var origin: [UInt8]?
  package private(set) var referrer: [UInt8]?
  package private(set) var fetchSite: [UInt8]?
  package private(set) var contentType: [UInt8]?
  /// nil if there is none.
  package private(set) var length: Int?
  /// Whoever asks by a program: `Bearer …`.
  package private(set) var authorization: [UInt8]?
  package private(set) var csrf: [UInt8] = []
  package private(set) var cookies: [[UInt8]] = []
  package private(set) var languages: [UInt8] = []
  package private(set) var knownTag: [UInt8]?
  /// What a change is made for, if that is what is there.
  package private(set) var ifMatch: [UInt8]?
  package private(set) var acceptsGzip = false
  package private(set) var isFromScript = false
  /// Somebody looks ahead; no person has asked for it yet.
  package private(set) var isPrefetch = false
  /// The body comes in pieces of unknown number.
  package private(set) var isChunked = false
  /// Who asks: an address without a port, "" for somebody on this device by a socket without one.
  package var address = ""
  private var forwarded: [UInt8] = []
  /// A header that may come once has come twice, or makes no sense.
  package private(set) var isMalformed = false

  package init() {}

  init(of exchange: OpaquePointer) {
    let asked = String(cString: lvh_exchange_method(exchange))
    // Methods are told apart by case.
    if asked.utf8.elementsEqual("GET".utf8) { method = .get }
    if asked.utf8.elementsEqual("HEAD".utf8) { method = .head }
    if asked.utf8.elementsEqual("POST".utf8) { method = .post }
    if asked.utf8.elementsEqual("PUT".utf8) { method = .put }
    if asked.utf8.elementsEqual("PATCH".utf8) { method = .patch }
    if asked.utf8.elementsEqual("DELETE".utf8) { method = .delete }
    withUnsafeMutablePointer(to: &self) {
      lvh_exchange_headers(
        exchange,
        { head, name, nameSize, value, valueSize in
          head?.assumingMemoryBound(to: Head.self).pointee.take(
            UnsafeBufferPointer(start: name, count: nameSize), UnsafeBufferPointer(start: value, count: valueSize))
        }, $0)
    }
  }

  private mutating func take(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
    // What stands before the colon is a name to the last byte, or others would read another header there.
    for byte in name where byte.isControl || byte >= 0x7F || byte == .space || byte == .colon { isMalformed = true }
    if name.isEmpty { isMalformed = true }
    let content = Array(value)
    var isRepeated = false
    if name.isSame("host") {
      isRepeated = Head.once(&host, content)
    } else if name.isSame("origin") {
      isRepeated = Head.once(&origin, content)
    } else if name.isSame("referer") {
      isRepeated = Head.once(&referrer, content)
    } else if name.isSame("sec-fetch-site") {
      isRepeated = Head.once(&fetchSite, content)
    } else if name.isSame("authorization") {
      isRepeated = Head.once(&authorization, content)
    } else if name.isSame("content-type") {
      isRepeated = Head.once(&contentType, content)
    } else if name.isSame("content-length") {
      guard length == nil, let number = content[...].decimal else {
        isMalformed = true
        return
      }
      length = number
    } else if name.isSame("transfer-encoding") {
      isChunked = true
    } else if name.isSame("cookie") {
      cookies.append(content)
    } else if name.isSame("x-livery-csrf") {
      csrf = content
    } else if name.isSame("accept-language") {
      languages = content
    } else if name.isSame("if-none-match") {
      knownTag = content
    } else if name.isSame("if-match") {
      isRepeated = Head.once(&ifMatch, content)
    } else if name.isSame("x-forwarded-for") {
      // One that comes twice is one list.
      forwarded = forwarded.isEmpty ? content : forwarded + [.comma] + content
    } else if name.isSame("accept-encoding") {
      acceptsGzip = Head.accepts(gzip: content)
    } else if name.isSame("x-livery-script") {
      isFromScript = true
    } else if name.isSame("sec-purpose") || name.isSame("purpose") || name.isSame("x-moz") || name.isSame("x-purpose") {
      if content.begins(with: "prefetch") || content.begins(with: "preview") { isPrefetch = true }
    }
    if isRepeated { isMalformed = true }
  }

  /// Takes the address that the web server in front has added. Whatever stands before it may be anybody's invention.
  ///
  /// - Returns: false if there is none.
  mutating func takeForwarded() -> Bool {
    guard let last = forwarded.split(separator: .comma).last?.trimmed, !last.isEmpty, last.count < 64 else {
      return false
    }
    address = String(decoding: Array(last), as: UTF8.self)
    return true
  }

  /// What comes with a request that changes something, or asks for it to be changed.
  package var changes: Bool {
    switch method {
    case .get, .head, .other: false
    case .post, .put, .patch, .delete: true
    }
  }

  /// Whether it had come before.
  private static func once(_ place: inout [UInt8]?, _ content: [UInt8]) -> Bool {
    defer { place = content }
    return place != nil
  }

  /// `gzip, br;q=0.5`: whether gzip is among them, and not with a weight of 0.
  package static func accepts(gzip bytes: [UInt8]) -> Bool {
    for part in bytes.split(separator: .comma) {
      let (name, weight) = part.cut(at: .semicolon)
      guard name.trimmed.isSame("gzip") else { continue }
      guard let weight = weight?.trimmed, weight.begins(with: "q=0") else { return true }
      for digit in weight.dropFirst(3) where digit.isDigit && digit != 0x30 { return true }
      return false
    }
    return false
  }

  /// What the cookies of a name hold.
  package func cookies(named name: String) -> [ArraySlice<UInt8>] { Head.cookies(named: name, in: cookies) }

  package static func cookies(named name: String, in headers: [[UInt8]]) -> [ArraySlice<UInt8>] {
    var found: [ArraySlice<UInt8>] = []
    for header in headers {
      for pair in header.split(separator: .semicolon) {
        let (key, value) = pair.trimmed.cut(at: .equals)
        if let value, key.elementsEqual(name.utf8) { found.append(value) }
      }
    }
    return found
  }
}
