import CPlist
import CSystem

/// Property lists, XML and binary.
public enum PropertyList {
  /// The largest property list, in bytes.
  public static let maximumSize = 64 << 20
  /// The deepest nesting of elements of XML that is looked at; the value itself has `Value.maximumDepth`.
  static let maximumNesting = 200
  /// The largest number of values in one property list, those that a binary one uses several times counted each time.
  static let maximumCount = 1_000_000
  /// What a value takes in libplist's tree and in ours, in bytes. libplist does not look whether it was given memory.
  private static let perValue = 400

  /// Reads a property list; whether it is XML or binary shows in its first bytes.
  ///
  /// A key twice in a dictionary counts once, with its last value.
  ///
  /// Errors: `.parse`, with the place: line and column for XML, else the JSON pointer of the value.
  public static func parse(_ bytes: [UInt8]) throws(StoreError) -> Value {
    guard bytes.count <= maximumSize else {
      throw StoreError(.parse, "the property list has \(bytes.count) bytes; at most \(maximumSize) are allowed")
    }
    // libplist takes much that is broken for something else, and much work over some input: each form is checked first.
    var root: plist_t?
    if bytes.starts(with: Array("bplist".utf8)) {
      let cost = try PropertyListBinary.check(bytes)
      try Memory.require(cost.values * perValue + cost.bytes * 3)
      bytes.withUnsafeBytes { buffer in
        plist_from_bin(buffer.baseAddress?.assumingMemoryBound(to: CChar.self), UInt32(buffer.count), &root)
      }
    } else {
      var text = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? Array(bytes[3...]) : bytes
      try PropertyListXML.check(text)
      var elements = 0
      for byte in text where byte == UInt8(ascii: "<") { elements += 1 }
      try Memory.require(elements * perValue + text.count * 3)
      text.append(0)
      root = text.withUnsafeBytes { buffer in
        lvs_plist_from_xml(buffer.baseAddress?.assumingMemoryBound(to: CChar.self), UInt32(buffer.count - 1))
      }
    }
    guard let root else { throw StoreError(.parse, "the property list is malformed") }
    defer { plist_free(root) }
    do throws(Misfit) {
      return try value(of: root, depth: 0)
    } catch {
      throw StoreError(.parse, "property list: \(error.message)")
    }
  }

  private static func value(of node: plist_t, depth: Int) throws(Misfit) -> Value {
    switch plist_get_node_type(node) {
    case PLIST_BOOLEAN:
      var truth: UInt8 = 0
      plist_get_bool_val(node, &truth)
      return .bool(truth != 0)
    case PLIST_UINT:
      // Negative numbers come in two's complement; larger ones than Int64 holds were refused before.
      var bits: UInt64 = 0
      plist_get_uint_val(node, &bits)
      return .int(Int64(bitPattern: bits))
    case PLIST_REAL:
      var number = 0.0
      plist_get_real_val(node, &number)
      guard number.isFinite else { throw Misfit("the number is not finite") }
      return .double(number)
    case PLIST_STRING:
      var count: UInt64 = 0
      guard let text = plist_get_string_ptr(node, &count) else { return .string("") }
      let bytes = UnsafeBufferPointer(start: text, count: Int(count)).map {
        UInt8(bitPattern: Int8(truncatingIfNeeded: $0))
      }
      guard let string = String(validating: bytes, as: UTF8.self) else { throw Misfit("the text is not UTF-8") }
      return .string(string)
    case PLIST_DATA:
      var count: UInt64 = 0
      guard let bytes = plist_get_data_ptr(node, &count) else { return .data([]) }
      return .data([UInt8](UnsafeRawBufferPointer(start: bytes, count: Int(count))))
    case PLIST_DATE: return .date(try date(of: node))
    case PLIST_ARRAY: return .list(try items(of: node, depth: depth))
    case PLIST_DICT: return .object(try members(of: node, depth: depth))
    case PLIST_UID: throw Misfit("a UID of a keyed archive is no value")
    default: throw Misfit("a null or an unknown type is no value")
    }
  }

  private static func items(of node: plist_t, depth: Int) throws(Misfit) -> [Value] {
    guard depth < Value.maximumDepth else { throw Misfit("nested deeper than \(Value.maximumDepth) levels") }
    var iterator: plist_array_iter?
    plist_array_new_iter(node, &iterator)
    defer { free(iterator) }
    var items: [Value] = []
    while true {
      var child: plist_t?
      plist_array_next_item(node, iterator, &child)
      guard let child else { return items }
      do {
        items.append(try value(of: child, depth: depth + 1))
      } catch {
        throw error.within(String(items.count))
      }
    }
  }

  private static func members(of node: plist_t, depth: Int) throws(Misfit) -> [Value.Member] {
    guard depth < Value.maximumDepth else { throw Misfit("nested deeper than \(Value.maximumDepth) levels") }
    var iterator: plist_dict_iter?
    plist_dict_new_iter(node, &iterator)
    defer { free(iterator) }
    var members: [Value.Member] = []
    while true {
      var name: UnsafeMutablePointer<CChar>?
      var child: plist_t?
      plist_dict_next_item(node, iterator, &name, &child)
      defer { free(name) }
      guard let child, let name else { break }
      guard let key = String(validatingCString: name) else { throw Misfit("a key is not UTF-8") }
      do {
        members.append(Value.Member(key, try value(of: child, depth: depth + 1)))
      } catch {
        throw error.within(key)
      }
    }
    if members.count == 1, members[0].key.sameBytes(as: "CF$UID") {
      throw Misfit("a UID of a keyed archive is no value")
    }
    return withoutRepeats(members)
  }

  /// The members with distinct keys: of those with the same, the last.
  static func withoutRepeats(_ members: [Value.Member]) -> [Value.Member] {
    let order = sortedOrder(of: members.count) { left, right in
      if members[left].key.sameBytes(as: members[right].key) { return left < right }
      return members[left].key.precedesInBytes(members[right].key)
    }
    var kept = [Bool](repeating: true, count: members.count)
    var repeats = false
    for (index, next) in zip(order, order.dropFirst()) where members[index].key.sameBytes(as: members[next].key) {
      kept[index] = false
      repeats = true
    }
    return repeats ? members.indices.filter { kept[$0] }.map { members[$0] } : members
  }

  /// The moment from libplist's binary form: its reader cuts seconds to 32 bits.
  private static func date(of node: plist_t) throws(Misfit) -> Timestamp {
    var form: UnsafeMutablePointer<CChar>?
    var count: UInt32 = 0
    plist_to_bin(node, &form, &count)
    defer { plist_to_bin_free(form) }
    let start = 9
    guard let form, Int(count) >= start + 8 else { throw Misfit("the date cannot be read") }
    var bits: UInt64 = 0
    for index in start..<(start + 8) { bits = bits << 8 | UInt64(UInt8(truncatingIfNeeded: form[index])) }
    guard let date = date(secondsSince2001: Double(bitPattern: bits)) else {
      throw Misfit("the date is outside the years 1 to 9999")
    }
    return date
  }

  static func date(secondsSince2001 seconds: Double) -> Timestamp? {
    guard seconds.magnitude < 1e12 else { return nil }
    let whole = seconds.rounded(.down)
    let fraction = ((seconds - whole) * 1_000_000).rounded()
    let date = Timestamp(microseconds: (Int64(whole) + 978_307_200) * 1_000_000 + Int64(fraction))
    return date.isValid ? date : nil
  }
}
