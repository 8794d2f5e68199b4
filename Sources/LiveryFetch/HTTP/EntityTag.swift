/// An ETag (RFC 9110 §8.8.3).
struct EntityTag: Sendable, Equatable {
  /// As the server sent it, with quotes and `W/`.
  let bytes: [UInt8]
  let isWeak: Bool

  /// The longest that is kept.
  static let limit = 512

  /// Nil for what is none, and for what is no ASCII: it would not be sent back as it came.
  init?(_ field: [UInt8]) {
    var scanner = Scanner(field)
    isWeak = scanner.skip("W/")
    guard field.count <= Self.limit, scanner.skip(UInt8(ascii: "\"")) else { return nil }
    _ = scanner.take { $0 == 0x21 || ($0 >= 0x23 && $0 < 0x7F) }
    guard scanner.skip(UInt8(ascii: "\"")), scanner.isAtEnd else { return nil }
    bytes = field
  }

  /// Whether both stand for the same bytes (RFC 9110 §8.8.3.2).
  func isStronglySame(as other: EntityTag) -> Bool { !isWeak && !other.isWeak && bytes == other.bytes }
}
