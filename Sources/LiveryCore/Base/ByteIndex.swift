import CXXHash

/// Numbers distinct texts or byte strings in the order they are first met; equal are those with the same bytes, which
/// String's own equality is not.
///
/// The one hash table of the library: what belongs to an entry is kept in an array beside it.
public struct ByteIndex: Sendable {
  /// The bytes of all entries, one after the other.
  private var bytes: [UInt8] = []
  private var entries: [(hash: UInt64, end: Int)] = []
  /// Entries by their hashes, with linear probing; -1 where there is none. Their number is a power of two.
  private var slots: [Int] = []

  /// Unknown to whoever makes up texts, so that nobody can make up many of the same hash.
  private static let seed: UInt64 = {
    var generator = SystemRandomNumberGenerator()
    return generator.next()
  }()

  public init() {}

  public var count: Int { entries.count }

  public mutating func insert(_ bytes: [UInt8]) -> (number: Int, isNew: Bool) {
    insert(bytes.span.bytes)
  }

  public func number(of bytes: [UInt8]) -> Int? {
    number(of: bytes.span.bytes)
  }

  public mutating func insert(_ text: String) -> (number: Int, isNew: Bool) {
    text.withSpan { insert($0) }
  }

  public func number(of text: String) -> Int? {
    text.withSpan { number(of: $0) }
  }

  @inline(never)
  @_optimize(speed)
  private mutating func insert(_ key: RawSpan) -> (number: Int, isNew: Bool) {
    if entries.count * 4 >= slots.count * 3 { grow() }
    let hash = Self.hash(key)
    let slot = slot(of: key, hash)
    if slots[slot] >= 0 { return (slots[slot], false) }
    let number = entries.count
    slots[slot] = number
    key.withUnsafeBytes { bytes.append(contentsOf: $0) }
    entries.append((hash, bytes.count))
    return (number, true)
  }

  @inline(never)
  private func number(of key: RawSpan) -> Int? {
    guard !slots.isEmpty else { return nil }
    let number = slots[slot(of: key, Self.hash(key))]
    return number < 0 ? nil : number
  }

  private static func hash(_ key: RawSpan) -> UInt64 {
    key.withUnsafeBytes { lvs_xxh3($0.baseAddress, $0.count, seed) }
  }

  /// Where a key is, or is to be put.
  @_optimize(speed)
  private func slot(of key: RawSpan, _ hash: UInt64) -> Int {
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: hash) & mask
    while slots[slot] >= 0, !isEntry(slots[slot], key, hash) { slot = (slot + 1) & mask }
    return slot
  }

  private func isEntry(_ number: Int, _ key: RawSpan, _ hash: UInt64) -> Bool {
    let entry = entries[number]
    let start = number == 0 ? 0 : entries[number - 1].end
    guard entry.hash == hash, entry.end - start == key.byteCount else { return false }
    return bytes.withUnsafeBytes { all in
      key.withUnsafeBytes { UnsafeRawBufferPointer(rebasing: all[start..<entry.end]).hasSameBytes(as: $0) }
    }
  }

  private mutating func grow() {
    if slots.isEmpty {
      entries.reserveCapacity(8)
      bytes.reserveCapacity(128)
    }
    slots = [Int](repeating: -1, count: max(16, slots.count * 2))
    let mask = slots.count - 1
    for (number, entry) in entries.enumerated() {
      var slot = Int(truncatingIfNeeded: entry.hash) & mask
      while slots[slot] >= 0 { slot = (slot + 1) & mask }
      slots[slot] = number
    }
  }
}

/// The order in which `count` things come, by a comparison of two of them; things that are alike stay as they were.
///
/// The one sort of the library, for the same reason.
@inline(never)
public func sortedOrder(of count: Int, _ precedes: (Int, Int) -> Bool) -> [Int] {
  let order = Array(0..<count)
  return isInOrder(count, precedes) ? order : order.sorted(by: precedes)
}

/// Whether `count` things are in their order already, as they mostly are.
@inline(never)
func isInOrder(_ count: Int, _ precedes: (Int, Int) -> Bool) -> Bool {
  var index = 1
  while index < count {
    if precedes(index, index - 1) { return false }
    index += 1
  }
  return true
}
