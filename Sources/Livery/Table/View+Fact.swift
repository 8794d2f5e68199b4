import LMDB

/// What somebody has found out about an asset and keeps with it, under a name: it goes when the asset goes. The store does not
/// look into it.
struct AssetFact: Sendable {
  /// The most bytes of one.
  static let maximumSize = 4096
  /// The longest name, in bytes.
  static let maximumNameLength = 32

  /// Of the asset.
  let key: [UInt8]
  let name: String
  /// Without bytes it is removed.
  let bytes: [UInt8]

  /// - Throws: `.invalidArgument` unless the text is an asset's id, and the name consists of a–z, 0–9, `.` and `-`;
  ///   `.invalidValue` for too many bytes.
  init(_ id: String, _ name: String, _ bytes: [UInt8]) throws(StoreError) {
    guard bytes.count <= Self.maximumSize else {
      throw StoreError(.invalidValue, "a fact has at most \(Self.maximumSize) bytes, and not \(bytes.count)")
    }
    key = try Asset.requiredKey(of: id)
    try Self.check(name)
    self.name = name
    self.bytes = bytes
  }

  static func check(_ name: String) throws(StoreError) {
    let count = name.utf8.count
    let isPlain = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."),
        UInt8(ascii: "-"):
        true
      default: false
      }
    }
    guard count > 0, count <= maximumNameLength, isPlain else {
      throw StoreError(
        .invalidArgument, "`\(truncated(name, to: 40))` is no name of a fact: 1 to 32 of a–z, 0–9, `.` and `-`")
    }
  }

  /// Facts lie behind their asset.
  static func place(_ key: [UInt8], _ name: String) -> [UInt8] { key + name.bytes }
}

extension View {
  /// Stores a fact, or removes it; false if nothing changes.
  func put(_ fact: AssetFact) throws(StoreError) -> Bool {
    guard try hasAsset(fact.key) else { throw .missingAsset(Hexadecimal.encode(fact.key)) }
    let place = AssetFact.place(fact.key, fact.name)
    let known = try self.fact(fact.key, fact.name)
    if known == nil ? fact.bytes.isEmpty : known == fact.bytes { return false }
    if fact.bytes.isEmpty {
      try delete(place, databases.assets)
    } else {
      try put(Checksum.sealed(fact.bytes, key: place, tag: Tag.assets), place, databases.assets)
    }
    return true
  }

  /// What is known of an asset under a name; nil if nothing is. What is damaged counts as not known: it can be found out again.
  func fact(_ key: [UInt8], _ name: String) throws(StoreError) -> [UInt8]? {
    let place = AssetFact.place(key, name)
    do {
      return try transaction.withValue(for: place, in: databases.assets) { (stored) -> [UInt8]? in
        guard let stored else { return nil }
        return Checksum.content(of: stored, key: place, tag: Tag.assets)
      }
    } catch { throw StoreError(error) }
  }

  /// Removes an asset and what is known of it.
  func deleteAsset(_ key: [UInt8]) throws(StoreError) {
    var places: [[UInt8]] = []
    try walk(databases.assets, from: key) { (place, _) throws(StoreError) in
      let place = place.array
      guard place.starts(with: key) else { return false }
      places.append(place)
      return true
    }
    for place in places { try delete(place, databases.assets) }
  }
}
