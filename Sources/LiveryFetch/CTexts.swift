/// Several texts that end with NUL, for a struct of C.
struct CTexts {
  private var bytes: [UInt8] = []

  /// Adds a text; its number. What comes after a NUL within is not seen.
  mutating func add(_ text: some Sequence<UInt8>) -> Int {
    let start = bytes.count
    bytes += text
    bytes.append(0)
    return start
  }

  /// Calls `body` with a function that gives the text of a number, which is valid meanwhile.
  func withPointers<R>(_ body: ((Int) -> UnsafePointer<CChar>?) -> R) -> R {
    bytes.withUnsafeBytes { (bytes) -> R in
      body { (start) in bytes.baseAddress.map { ($0 + start).assumingMemoryBound(to: CChar.self) } }
    }
  }
}
