/// An image, or other bytes, that the store keeps under their SHA-256.
public struct Asset: Sendable, Equatable {
  /// The SHA-256 of the bytes: 64 hexadecimal digits in lower case.
  public let id: String
  /// What the header of the bytes says. The type is `.data` for what is no image that is known.
  public let facts: ImageFacts
  /// In bytes.
  public let size: Int
  /// When it was stored.
  public let time: Timestamp

  /// The largest asset, in bytes.
  public static let maximumSize = 1 << 26

  /// The value of settings that show it.
  public var reference: Value { .image(id) }

  /// As reports tell it: an object `id`, `type`, `bytes`, `width`, `height`, `orientation`, `time`. The sizes are missing
  /// where there are none.
  public var value: Value {
    var members: [Value.Member] = [.init("id", .string(id))]
    members += facts.members
    members += [.init("bytes", .int(Int64(size))), .init("time", .date(time))]
    return .object(members)
  }

  /// What some bytes would be as an asset, without storing them. Corresponds to `livery_asset_describe` in C.
  ///
  /// - Throws: as `Assets.put`.
  public init(describing bytes: [UInt8], allowsAny: Bool = false) throws(StoreError) {
    self = try NewAsset(bytes, allowsAny: allowsAny).asset(at: .now)
  }

  init(key: [UInt8], _ facts: ImageFacts, size: Int, time: Timestamp) {
    id = Hexadecimal.encode(key)
    self.facts = facts
    self.size = size
    self.time = time
  }

  /// The key of an asset by its id, in either letter case; nil if the text is no id.
  static func key(_ id: String) -> [UInt8]? {
    guard id.utf8.count == 2 * SHA256.size else { return nil }
    return Hexadecimal.decode(id)
  }

  /// The same for an id that a caller gave.
  static func requiredKey(of id: String) throws(StoreError) -> [UInt8] {
    guard let key = key(id) else {
      throw StoreError(
        .invalidArgument, "`\(truncated(id, to: 80))` is no asset's id, which has 64 hexadecimal digits")
    }
    return key
  }

  public static func == (left: Asset, right: Asset) -> Bool {
    left.id.sameBytes(as: right.id) && left.facts == right.facts && left.size == right.size && left.time == right.time
  }
}

extension ImageFacts {
  fileprivate var members: [Value.Member] {
    var members: [Value.Member] = [.init("type", .string(type.description))]
    if width > 0 { members += [.init("width", .int(Int64(width))), .init("height", .int(Int64(height)))] }
    if orientation > 1 { members.append(.init("orientation", .int(Int64(orientation)))) }
    return members
  }
}

/// Bytes that are to become an asset, looked at: what they would be is known before a change set takes them.
public struct NewAsset: Sendable {
  let key: [UInt8]
  let facts: ImageFacts
  let bytes: [UInt8]

  /// The value of settings that are to show it.
  public var reference: Value { asset(at: .now).reference }

  /// - Parameter allowsAny: take bytes that are no image that is known, too.
  /// - Throws: as `Assets.put`.
  public init(_ bytes: [UInt8], allowsAny: Bool = false) throws(StoreError) {
    guard !bytes.isEmpty, bytes.count <= Asset.maximumSize else {
      throw StoreError(.invalidValue, "an asset has 1 to 67,108,864 bytes, and not \(bytes.count)")
    }
    let found = try ImageFacts(bytes)
    guard found != nil || allowsAny else {
      throw StoreError(.parse, "the \(bytes.count) bytes are no image: neither PNG, JPEG, GIF, WebP nor SVG")
    }
    facts = found ?? ImageFacts(.data, width: 0, height: 0)
    key = SHA256.digest(bytes)
    self.bytes = bytes
  }

  func asset(at time: Timestamp) -> Asset {
    Asset(key: key, facts, size: bytes.count, time: time)
  }
}

extension StoreError {
  static func missingAsset(_ id: String) -> StoreError { StoreError(.notFound, "there is no asset \(id)") }
}
