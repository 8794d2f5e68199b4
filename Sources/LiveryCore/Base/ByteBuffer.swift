/// Bytes that are written one behind the other, and belong to nobody else until they are done: to add one costs no look at
/// whether somebody shares them.
public struct ByteBuffer: ~Copyable {
  private var start: UnsafeMutableRawPointer
  private var capacity: Int
  public private(set) var count = 0

  /// - Parameter capacity: how many bytes are likely to be written.
  public init(capacity: Int = 64) {
    self.capacity = max(capacity, 16)
    start = .allocate(byteCount: self.capacity, alignment: 8)
  }

  deinit { start.deallocate() }

  /// What was written.
  public var array: [UInt8] { Array(UnsafeRawBufferPointer(start: start, count: count)) }

  /// The place of so many bytes more, which the caller fills.
  @inline(__always)
  private mutating func add(_ more: Int) -> UnsafeMutableRawPointer {
    if more > capacity - count { grow(by: more) }
    defer { count += more }
    return start + count
  }

  @inline(never)
  private mutating func grow(by more: Int) {
    capacity = max(capacity * 2, count + more)
    let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
    larger.copyMemory(from: start, byteCount: count)
    start.deallocate()
    start = larger
  }

  @inline(__always)
  public mutating func append(_ byte: UInt8) { add(1).storeBytes(of: byte, as: UInt8.self) }

  @inline(__always)
  public mutating func append<T: FixedWidthInteger & BitwiseCopyable>(littleEndian value: T) {
    add(MemoryLayout<T>.size).storeBytes(of: value.littleEndian, as: T.self)
  }

  @inline(__always)
  public mutating func append<T: FixedWidthInteger & BitwiseCopyable>(bigEndian value: T) {
    append(littleEndian: value.byteSwapped)
  }

  /// A number in as many groups of 7 bits as it needs, the lowest first; all but the last with 128 added (LEB128).
  public mutating func append(varint value: UInt64) {
    var rest = value
    while rest >= 128 {
      append(UInt8(truncatingIfNeeded: rest) | 128)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }

  /// The text's bytes.
  public mutating func append(_ text: String) {
    text.withBytes { append($0) }
  }

  public mutating func append(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { append($0) }
  }

  @inline(never)
  @_optimize(speed)
  private mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let from = bytes.baseAddress else { return }
    add(bytes.count).copyMemory(from: from, byteCount: bytes.count)
  }

  /// Hands `body` what was written, in its place, to be read.
  @inline(__always)
  public func withSpan<R, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
    try body(UnsafeRawBufferPointer(start: start, count: count).bytes)
  }

  /// The same, to be changed.
  @inline(__always)
  mutating func withBytes<R>(_ body: (UnsafeMutableRawBufferPointer) -> R) -> R {
    body(UnsafeMutableRawBufferPointer(start: start, count: count))
  }
}
