import CSystem

/// The words of a query, as texts are searched for them.
public struct SearchWords: Sendable {
  /// The longest query, in bytes.
  public static let maximumLength = 1024
  /// The most words: what was found of a setting is told by the bits of a number.
  public static let maximumCount = 64

  /// The words' folded bytes, one after the other.
  private var bytes: [UInt8] = []
  private var ends: [Int] = []

  /// - Throws: `.invalidArgument` if it is too long.
  public init(_ query: String) throws(StoreError) {
    guard query.utf8.count <= Self.maximumLength else {
      throw StoreError(.invalidArgument, "the query is longer than \(Self.maximumLength) bytes")
    }
    var known = ByteIndex()
    var buffer = FoldBuffer()
    for word in query.unicodeScalars.split(whereSeparator: { $0.isSpace }) {
      buffer.clear()
      String(word).withSpan { buffer.append($0) }
      let folded = buffer.withSpan { $0.array }
      guard !folded.isEmpty, known.insert(folded).isNew else { continue }
      guard ends.count < Self.maximumCount else {
        throw StoreError(.invalidArgument, "the query has more than \(Self.maximumCount) words")
      }
      bytes += folded
      ends.append(bytes.count)
    }
  }

  public var count: Int { ends.count }

  /// All of them as bits.
  var all: UInt64 { count == 64 ? .max : 1 << UInt64(count) - 1 }

  /// Where a word begins in folded text; nil if it is not there.
  func place(of word: Int, in text: RawSpan) -> Int? {
    guard !text.isEmpty else { return nil }
    let from = word == 0 ? 0 : ends[word - 1]
    let found = bytes.withUnsafeBufferPointer { bytes in
      text.withBytes { lvs_find($0, $1, bytes.baseAddress.map { $0 + from }, ends[word] - from) }
    }
    return found == Int(bitPattern: UInt.max) ? nil : found
  }

  func length(of word: Int) -> Int { ends[word] - (word == 0 ? 0 : ends[word - 1]) }

  /// Which words of some are in folded text.
  func found(_ words: UInt64, in text: RawSpan) -> UInt64 {
    var found: UInt64 = 0
    for word in 0..<count where words & 1 << UInt64(word) != 0 && place(of: word, in: text) != nil {
      found |= 1 << UInt64(word)
    }
    return found
  }

  /// Where each word is in a text, in bytes of the text itself.
  func places(in text: RawSpan) -> [(offset: Int, length: Int)] {
    var buffer = FoldBuffer()
    buffer.append(text)
    var places: [(offset: Int, length: Int)] = []
    for word in 0..<count {
      guard let place = buffer.withSpan({ self.place(of: word, in: $0) }) else { continue }
      var start = place
      var end = place + length(of: word)
      text.withBytes { lvs_fold_place($0, $1, &start, &end) }
      places.append((start, end - start))
    }
    return places
  }
}

/// Folded texts, one after the other, in memory that is used again.
struct FoldBuffer {
  /// Between two texts: no byte of UTF-8.
  static let separator: UInt8 = 0xFF

  private var bytes: [UInt8] = []
  private(set) var count = 0

  mutating func clear() { count = 0 }

  mutating func append(_ text: RawSpan) {
    guard !text.isEmpty else { return }
    makeRoom(text.byteCount * LVS_FOLD_MOST)
    let count = count
    self.count += bytes.withUnsafeMutableBufferPointer { bytes in
      text.withBytes { lvs_fold($0, $1, bytes.baseAddress.map { $0 + count }) }
    }
  }

  mutating func appendSeparator() {
    makeRoom(1)
    bytes[count] = Self.separator
    count += 1
  }

  private mutating func makeRoom(_ more: Int) {
    guard bytes.count - count < more else { return }
    bytes += [UInt8](repeating: 0, count: max(more, bytes.count, 256))
  }

  func withSpan<R>(_ body: (RawSpan) -> R) -> R { body(bytes.span.bytes.extracting(0..<count)) }
}

extension RawSpan {
  /// Hands C the bytes of a text.
  fileprivate func withBytes<R>(_ body: (UnsafePointer<UInt8>?, Int) -> R) -> R {
    withUnsafeBytes { body($0.baseAddress?.assumingMemoryBound(to: UInt8.self), $0.count) }
  }
}

extension Unicode.Scalar {
  /// Whether it is white space.
  fileprivate var isSpace: Bool {
    switch value {
    case 0x09...0x0D, 0x20, 0x85, 0xA0, 0x1680, 0x2000...0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000: true
    default: false
    }
  }
}
