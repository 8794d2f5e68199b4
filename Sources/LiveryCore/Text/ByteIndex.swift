/// Numbers distinct texts or byte strings in the order they are first met; equal are those with the same bytes, which
/// String's own equality is not.
///
/// The one hash table of the library: what belongs to an entry is kept in an array beside it, since each further
/// specialisation of Dictionary costs some 8 KB of code.
public struct ByteIndex: Sendable {
  private var numbers: [[UInt8]: Int] = [:]

  public init() {}

  public var count: Int { numbers.count }

  @inline(never)
  public mutating func insert(_ bytes: [UInt8]) -> (number: Int, isNew: Bool) {
    if let known = numbers[bytes] { return (known, false) }
    let number = numbers.count
    numbers[bytes] = number
    return (number, true)
  }

  @inline(never)
  public func number(of bytes: [UInt8]) -> Int? {
    numbers[bytes]
  }

  public mutating func insert(_ text: String) -> (number: Int, isNew: Bool) {
    insert(Array(text.utf8))
  }

  public func number(of text: String) -> Int? {
    number(of: Array(text.utf8))
  }
}

/// The order in which `count` things come, by a comparison of two of them; things that are alike stay as they were.
///
/// The one sort of the library, for the same reason.
@inline(never)
public func sortedOrder(of count: Int, _ precedes: (Int, Int) -> Bool) -> [Int] {
  Array(0..<count).sorted(by: precedes)
}
