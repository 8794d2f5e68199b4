extension CBOR {
  /// Reads what `encode` made piece by piece: what is not wanted costs nothing but its length.
  ///
  /// Each function returns nil, or false, if something else comes next; the reader is of no use afterwards.
  public struct Reader {
    private var decoder: Decoder

    /// - Parameter start: where to begin.
    public init(_ bytes: [UInt8], from start: Int = 0) {
      decoder = Decoder(bytes: bytes)
      decoder.offset = start
    }

    public var isAtEnd: Bool { decoder.offset == decoder.bytes.count }

    /// The number of items of the list that begins here.
    public mutating func list() -> Int? { count(.array, bytesEach: 1) }

    /// The number of members of the object that begins here.
    public mutating func object() -> Int? { count(.map, bytesEach: 2) }

    /// Whether this key of one letter comes next; it is passed over.
    public mutating func key(_ letter: UInt8) -> Bool {
      guard next == .text, let run = try? decoder.run() else { return false }
      return run.count == 1 && decoder.bytes[run.lowerBound] == letter
    }

    public mutating func int() -> Int64? {
      guard next == .unsigned || next == .negative, case .int(let number)? = value() else { return nil }
      return number
    }

    public mutating func text() -> String? {
      guard next == .text else { return nil }
      return try? decoder.text()
    }

    public mutating func bool() -> Bool? {
      guard case .bool(let truth)? = value() else { return nil }
      return truth
    }

    public mutating func value() -> Value? { try? decoder.value(depth: 0) }

    /// Passes over whatever comes next.
    public mutating func skip() -> Bool {
      var left = 1
      while left > 0 {
        guard let major = next else { return false }
        left -= 1
        do throws(Misfit) {
          switch major {
          case .unsigned, .negative: _ = try decoder.argument()
          case .bytes, .text: _ = try decoder.run()
          case .array: left += try decoder.length(atLeast: 1, depth: 0)
          case .map: left += 2 * (try decoder.length(atLeast: 2, depth: 0))
          case .tag:
            _ = try decoder.argument()
            left += 1
          case .simple: _ = try decoder.value(depth: 0)
          }
        } catch {
          return false
        }
      }
      return true
    }

    private var next: Major? {
      decoder.offset < decoder.bytes.count ? Major(rawValue: decoder.bytes[decoder.offset] >> 5) : nil
    }

    private mutating func count(_ major: Major, bytesEach: UInt64) -> Int? {
      guard next == major else { return nil }
      return try? decoder.length(atLeast: bytesEach, depth: 0)
    }
  }
}
