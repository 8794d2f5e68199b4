import CPlist
import CSystem

/// Makes a value of libplist's tree.
struct PropertyListTree {
  private let skipsUnfit: Bool
  private let depthLimit: Int
  private(set) var unfit: [PropertyList.Unfit]
  /// What leads to the part that is looked at.
  private var path: [String] = []

  init(skipsUnfit: Bool, depthLimit: Int, unfit: [PropertyList.Unfit]) {
    self.skipsUnfit = skipsUnfit
    self.depthLimit = depthLimit
    self.unfit = unfit
  }

  /// Errors: `.parse` with the JSON pointer.
  mutating func value(of root: plist_t) throws(StoreError) -> Value {
    do throws(Misfit) {
      return try read(root)
    } catch {
      let place = path.isEmpty ? "" : "at \(truncated(jsonPointer(path), to: 200)): "
      throw StoreError(.parse, "property list: \(place)\(error.reason)")
    }
  }

  /// Stands in the place of a part that is no value.
  private mutating func placeholder(_ reason: String) throws(Misfit) -> Value {
    guard skipsUnfit, unfit.count < PropertyList.maximumUnfit else { throw Misfit(reason) }
    unfit.append(PropertyList.Unfit(path: path, reason: reason))
    return .string("")
  }

  private mutating func read(_ node: plist_t) throws(Misfit) -> Value {
    switch lvs_plist_get_node_type(node) {
    case PLIST_BOOLEAN:
      var truth: UInt8 = 0
      lvs_plist_get_bool_val(node, &truth)
      return .bool(truth != 0)
    case PLIST_UINT:
      // Negative numbers come in two's complement; larger ones than Int64 holds were refused before.
      var bits: UInt64 = 0
      lvs_plist_get_uint_val(node, &bits)
      return .int(Int64(bitPattern: bits))
    case PLIST_REAL:
      var number = 0.0
      lvs_plist_get_real_val(node, &number)
      return number.isFinite ? .double(number) : try placeholder("the number is not finite")
    case PLIST_STRING:
      var count: UInt64 = 0
      guard let text = lvs_plist_get_string_ptr(node, &count) else { return .string("") }
      let bytes = UnsafeBufferPointer(start: text, count: Int(count)).map {
        UInt8(bitPattern: Int8(truncatingIfNeeded: $0))
      }
      guard let string = String(validating: bytes, as: UTF8.self) else {
        return try placeholder("the text is not UTF-8")
      }
      return .string(string)
    case PLIST_DATA:
      var count: UInt64 = 0
      guard let bytes = lvs_plist_get_data_ptr(node, &count) else { return .data([]) }
      return .data([UInt8](UnsafeRawBufferPointer(start: bytes, count: Int(count))))
    case PLIST_DATE:
      guard let date = Self.date(of: node) else { return try placeholder("the date is outside the years 1 to 9999") }
      return .date(date)
    case PLIST_ARRAY: return try items(of: node)
    case PLIST_DICT: return try members(of: node)
    case PLIST_UID:
      var number: UInt64 = 0
      lvs_plist_get_uid_val(node, &number)
      return try placeholder(PropertyListBinary.reason(number))
    default: throw Misfit("a null or an unknown type is no value")
    }
  }

  private mutating func items(of node: plist_t) throws(Misfit) -> Value {
    guard path.count < depthLimit else { return try placeholder(Value.tooDeep) }
    var iterator: plist_array_iter?
    lvs_plist_array_new_iter(node, &iterator)
    defer { free(iterator) }
    var items: [Value] = []
    while true {
      var child: plist_t?
      lvs_plist_array_next_item(node, iterator, &child)
      guard let child else { return .list(items) }
      path.append(String(items.count))
      items.append(try read(child))
      path.removeLast()
    }
  }

  private mutating func members(of node: plist_t) throws(Misfit) -> Value {
    guard path.count < depthLimit else { return try placeholder(Value.tooDeep) }
    var iterator: plist_dict_iter?
    lvs_plist_dict_new_iter(node, &iterator)
    defer { free(iterator) }
    var members: [Value.Member] = []
    var keys = ByteIndex()
    while true {
      var name: UnsafeMutablePointer<CChar>?
      var child: plist_t?
      lvs_plist_dict_next_item(node, iterator, &name, &child)
      defer { free(name) }
      guard let child, let name else { break }
      guard let key = String(validatingCString: name) else { throw Misfit("a key is not UTF-8") }
      path.append(key)
      guard keys.insert(key).isNew else { throw Misfit("the key is there twice") }
      members.append(Value.Member(key, try read(child)))
      path.removeLast()
    }
    if members.count == 1, members[0].key.sameBytes(as: "CF$UID") {
      return try placeholder(PropertyListBinary.reason(0))
    }
    return .object(members)
  }

  /// The moment from libplist's binary form: its reader cuts seconds to 32 bits. nil for one that a store cannot hold.
  private static func date(of node: plist_t) -> Timestamp? {
    var form: UnsafeMutablePointer<CChar>?
    var count: UInt32 = 0
    lvs_plist_to_bin(node, &form, &count)
    defer { lvs_plist_to_bin_free(form) }
    let start = 9
    guard let form, Int(count) >= start + 8 else { return nil }
    var bits: UInt64 = 0
    for index in start..<(start + 8) { bits = bits << 8 | UInt64(UInt8(truncatingIfNeeded: form[index])) }
    let seconds = Double(bitPattern: bits)
    guard seconds.magnitude < 1e12 else { return nil }
    let whole = seconds.rounded(.down)
    let fraction = ((seconds - whole) * 1_000_000).rounded()
    let date = Timestamp(microseconds: (Int64(whole) + 978_307_200) * 1_000_000 + Int64(fraction))
    return date.isValid ? date : nil
  }
}
