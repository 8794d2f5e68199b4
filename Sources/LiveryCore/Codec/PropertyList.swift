import CPlist
import CSystem

/// Property lists, XML and binary.
public enum PropertyList {
  /// The largest property list, in bytes.
  public static let maximumSize = 64 << 20
  /// The deepest nesting of elements of XML that is looked at; the value itself has `Value.maximumDepth`.
  static let maximumNesting = 200
  /// The largest number of values in one property list, those that a binary one uses several times counted each time.
  static let maximumCount = 1_200_000
  /// What a value takes in libplist's tree and in ours, in bytes. libplist does not look whether it was given memory.
  private static let perValue = 400

  /// A part of a property list that is no value, such as a UID.
  public struct Unfit: Sendable {
    /// Keys and indices that lead to it.
    public var path: [String]
    public var reason: String
  }

  /// The most parts that are no values before the whole is refused.
  static let maximumUnfit = 1_000

  /// Reads a property list; whether it is XML or binary shows in its first bytes.
  ///
  /// Errors: `.parse`, with the place: line and column for XML, else the JSON pointer of the value.
  public static func parse(_ bytes: [UInt8]) throws(StoreError) -> Value {
    try read(bytes, skipsUnfit: false).value
  }

  /// Reads a property list of which parts may be no values: a UID, a number that is too large or not finite, text with a NUL,
  /// a date that is none or out of range, nesting that is too deep. An empty text stands in the place of each.
  ///
  /// Errors: as `parse`.
  ///
  /// - Parameters:
  ///   - skipsUnfit: false to refuse the whole for the first of them.
  ///   - depthLimit: higher only for documents that wrap values.
  public static func read(
    _ bytes: [UInt8], skipsUnfit: Bool, depthLimit: Int = Value.maximumDepth
  ) throws(StoreError) -> (value: Value, unfit: [Unfit]) {
    try Memory.requireLibrary(lvs_plist_load(), LVS_PLIST)
    guard bytes.count <= maximumSize else {
      throw StoreError(.parse, "the property list has \(bytes.count) bytes; at most \(maximumSize) are allowed")
    }
    // libplist takes much that is broken for something else, and much work over some input: each form is checked first.
    var root: plist_t?
    var unfit: [Unfit] = []
    if bytes.starts(with: Array("bplist".utf8)) {
      let checked = try PropertyListBinary.check(bytes)
      try Memory.require(checked.values * perValue + checked.contentSize * 3)
      root = checked.bytes.withUnsafeBytes { buffer in
        lvs_plist_from_bin(buffer.baseAddress?.assumingMemoryBound(to: CChar.self), UInt32(buffer.count))
      }
    } else {
      let checked = try PropertyListXML.check(
        bytes.starts(with: [0xef, 0xbb, 0xbf]) ? Array(bytes[3...]) : bytes, skipsUnfit: skipsUnfit)
      unfit = checked.unfit
      var text = checked.text
      var elements = 0
      for byte in text where byte == UInt8(ascii: "<") { elements += 1 }
      try Memory.require(elements * perValue + text.count * 3)
      text.append(0)
      root = text.withUnsafeBytes { buffer in
        lvs_plist_from_xml(buffer.baseAddress?.assumingMemoryBound(to: CChar.self), UInt32(buffer.count - 1))
      }
    }
    guard let root else { throw StoreError(.parse, "the property list is malformed") }
    defer { lvs_plist_free(root) }
    var tree = PropertyListTree(skipsUnfit: skipsUnfit, depthLimit: depthLimit, unfit: unfit)
    return (try tree.value(of: root), tree.unfit)
  }
}
