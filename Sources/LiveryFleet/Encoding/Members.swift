import LiveryClient

/// The members of an object, taken one after another: each that is known, and none besides.
struct Members {
  private let noun: StaticString
  private var rest: [Value.Member]

  init(_ value: Value, of noun: StaticString) throws(FleetError) {
    guard case .object(let members) = value else { throw FleetError(.malformed, "\(noun) is no object") }
    self.noun = noun
    rest = members
  }

  /// Whether all of them were taken.
  func end() throws(FleetError) {
    guard let first = rest.first else { return }
    throw FleetError(.unsupported, "\(noun) has a member that is not known: \(first.key)")
  }

  mutating func valueIfAny(_ key: StaticString) -> Value? {
    guard let index = rest.firstIndex(where: { $0.key.isSpelled(key) }) else { return nil }
    return rest.remove(at: index).value
  }

  mutating func value(_ key: StaticString) throws(FleetError) -> Value {
    guard let value = valueIfAny(key) else { throw FleetError(.malformed, "\(noun) has no \(key)") }
    return value
  }

  mutating func intIfAny(_ key: StaticString, _ range: ClosedRange<Int64>) throws(FleetError) -> Int64? {
    guard let value = valueIfAny(key) else { return nil }
    guard case .int(let number) = value, range.contains(number) else { throw wrong(key) }
    return number
  }

  mutating func int(_ key: StaticString, _ range: ClosedRange<Int64>) throws(FleetError) -> Int64 {
    guard let number = try intIfAny(key, range) else { throw missing(key) }
    return number
  }

  mutating func textIfAny(_ key: StaticString, limit: Int) throws(FleetError) -> String? {
    guard let value = valueIfAny(key) else { return nil }
    guard case .string(let text) = value, !text.utf8.isEmpty, text.utf8.count <= limit else { throw wrong(key) }
    return text
  }

  mutating func text(_ key: StaticString, limit: Int) throws(FleetError) -> String {
    guard let text = try textIfAny(key, limit: limit) else { throw missing(key) }
    return text
  }

  /// Text that is shown as it is.
  mutating func lineIfAny(_ key: StaticString, limit: Int) throws(FleetError) -> String? {
    guard let text = try textIfAny(key, limit: limit) else { return nil }
    guard Line.isValid(text) else { throw wrong(key) }
    return text
  }

  mutating func name(_ key: StaticString) throws(FleetError) -> String {
    let text = try text(key, limit: Limit.name)
    guard Name.isValid(text) else { throw wrong(key) }
    return text
  }

  mutating func dataIfAny(_ key: StaticString, _ sizes: ClosedRange<Int>) throws(FleetError) -> [UInt8]? {
    guard let value = valueIfAny(key) else { return nil }
    guard case .data(let bytes) = value, sizes.contains(bytes.count) else { throw wrong(key) }
    return bytes
  }

  mutating func data(_ key: StaticString, _ size: Int) throws(FleetError) -> [UInt8] {
    guard let bytes = try dataIfAny(key, size...size) else { throw missing(key) }
    return bytes
  }

  /// A list that is left out where it is empty.
  mutating func list(_ key: StaticString, limit: Int) throws(FleetError) -> [Value] {
    guard let value = valueIfAny(key) else { return [] }
    guard case .list(let items) = value, !items.isEmpty else { throw wrong(key) }
    guard items.count <= limit else { throw FleetError(.tooLarge, "\(noun) has more \(key) than \(limit)") }
    return items
  }

  /// Only ever true: left out where it does not hold.
  mutating func flag(_ key: StaticString) throws(FleetError) -> Bool {
    guard let value = valueIfAny(key) else { return false }
    guard case .bool(true) = value else { throw wrong(key) }
    return true
  }

  private func wrong(_ key: StaticString) -> FleetError {
    FleetError(.malformed, "\(key) of \(noun) is not what it should be")
  }

  private func missing(_ key: StaticString) -> FleetError { FleetError(.malformed, "\(noun) has no \(key)") }
}

extension String {
  func isSpelled(_ literal: StaticString) -> Bool {
    guard utf8.count == literal.utf8CodeUnitCount else { return false }
    let spelled = UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount)
    return utf8.withContiguousStorageIfAvailable { $0.elementsEqual(spelled) } ?? utf8.elementsEqual(spelled)
  }
}

/// Names of fleets, groups, documents and apps: they are parts of paths and topics as they are.
public enum Name {
  /// Whether a text is 1 to 32 of the letters a to z, digits, `-` and `_`, and begins with a letter or digit.
  public static func isValid(_ text: String) -> Bool {
    guard (1...Limit.name).contains(text.utf8.count) else { return false }
    for (index, byte) in text.utf8.enumerated() {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): continue
      case UInt8(ascii: "-"), UInt8(ascii: "_"):
        if index == 0 { return false }
      default: return false
      }
    }
    return true
  }
}

/// What objects are made of: members that are left out where there is nothing to say.
struct Making {
  private(set) var members: [Value.Member] = []

  mutating func add(_ key: String, _ value: Value) { members.append(Value.Member(key, value)) }
  mutating func add(_ key: String, _ number: Int64) { add(key, .int(number)) }
  mutating func add(_ key: String, ifAny number: Int64?) {
    if let number { add(key, .int(number)) }
  }
  mutating func add(_ key: String, _ text: String) { add(key, .string(text)) }
  mutating func add(_ key: String, ifAny text: String?) {
    if let text { add(key, .string(text)) }
  }
  mutating func add(_ key: String, _ bytes: [UInt8]) { add(key, .data(bytes)) }
  mutating func add(_ key: String, ifAny items: [Value]) {
    if !items.isEmpty { add(key, .list(items)) }
  }
  mutating func add(_ key: String, ifSo holds: Bool) {
    if holds { add(key, .bool(true)) }
  }

  var value: Value { .object(members) }
}
