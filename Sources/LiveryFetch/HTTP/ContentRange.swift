/// The Content-Range of an answer 206 or 416 (RFC 9110 §14.4).
struct ContentRange: Sendable, Equatable {
  /// The first and the last byte; nil where a range was not satisfiable.
  let range: ClosedRange<Int64>?
  /// The size of the whole; nil where the server does not know it.
  let total: Int64?

  /// Nil for what is malformed or contradicts itself.
  init?(_ field: [UInt8]) {
    var scanner = Scanner(field)
    guard scanner.takeToken().isText("bytes"), scanner.skip(32) else { return nil }
    if scanner.skip(UInt8(ascii: "*")) {
      range = nil
    } else {
      guard let first = scanner.takeNumber(1...18), scanner.skip(UInt8(ascii: "-")),
        let last = scanner.takeNumber(1...18), first <= last
      else { return nil }
      range = first...last
    }
    guard scanner.skip(UInt8(ascii: "/")) else { return nil }
    if scanner.skip(UInt8(ascii: "*")) {
      guard range != nil else { return nil }
      total = nil
    } else {
      guard let size = scanner.takeNumber(1...18) else { return nil }
      if let range, range.upperBound >= size { return nil }
      total = size
    }
    guard scanner.isAtEnd else { return nil }
  }
}
