import LiveryClient

/// Whom a manifest is for: all devices, those of a group, or one.
public enum Channel: Sendable, Equatable {
  case fleet
  case group(String)
  /// By the device's id.
  case device(String)

  /// The part of paths and topics: `fleet`, `group.<name>`, `device.<id>`.
  public var name: String {
    switch self {
    case .fleet: "fleet"
    case .group(let name): "group." + name
    case .device(let id): "device." + id
    }
  }

  /// nil for what is no channel's name.
  public init?(name: String) {
    let bytes = Array<UInt8>(name.utf8)
    if name.isSpelled("fleet") {
      self = .fleet
    } else if bytes.starts(with: Array("group.".utf8)) {
      let group = String(decoding: bytes.dropFirst(6), as: UTF8.self)
      guard Name.isValid(group) else { return nil }
      self = .group(group)
    } else if bytes.starts(with: Array("device.".utf8)) {
      let id = String(decoding: bytes.dropFirst(7), as: UTF8.self)
      guard DeviceID.isValid(id) else { return nil }
      self = .device(id)
    } else {
      return nil
    }
  }

  public static func == (left: Channel, right: Channel) -> Bool {
    switch (left, right) {
    case (.fleet, .fleet): true
    case (.group(let left), .group(let right)), (.device(let left), .device(let right)): left.sameBytes(as: right)
    default: false
    }
  }
}

/// A device is known by its key: 32 hexadecimal digits, the first half of the SHA-256 of the public half.
public enum DeviceID {
  public static func of(_ publicKey: [UInt8]) -> String { [UInt8](Crypto.hash(publicKey).prefix(16)).hexadecimal }

  public static func isValid(_ text: String) -> Bool {
    text.utf8.count == 32
      && text.utf8.allSatisfy {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
      }
  }
}
