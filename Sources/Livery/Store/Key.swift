/// A setting's name with the type that a program reads it as:
///
///     static let timeout = Key<Int>("idleResetSeconds")
///     let seconds = try store[timeout]
public struct Key<T: SettingValue>: Sendable {
  public let name: String

  public init(_ name: String) {
    self.name = name
  }
}

extension Store {
  /// A setting's effective value.
  ///
  /// - Throws: `.notFound`, `.noValue`, `.corrupt`; `.typeMismatch` if it does not convert without loss.
  public subscript<T>(key: Key<T>) -> T {
    get throws(StoreError) {
      let value = try value(key.name)
      guard let content = T(value) else { throw mismatch(key.name, value, T.settingType) }
      return content
    }
  }

}

// The typed reads of clients of App Settings Management, by name.
extension Store {
  public func bool(_ name: String) throws(StoreError) -> Bool { try self[Key<Bool>(name)] }
  public func int(_ name: String) throws(StoreError) -> Int64 { try self[Key<Int64>(name)] }
  public func float(_ name: String) throws(StoreError) -> Float { try self[Key<Float>(name)] }
  public func double(_ name: String) throws(StoreError) -> Double { try self[Key<Double>(name)] }
  public func string(_ name: String) throws(StoreError) -> String { try self[Key<String>(name)] }
  public func date(_ name: String) throws(StoreError) -> Timestamp { try self[Key<Timestamp>(name)] }
  public func color(_ name: String) throws(StoreError) -> Color { try self[Key<Color>(name)] }

  /// Bytes; a string converts if it is base64.
  public func data(_ name: String) throws(StoreError) -> [UInt8] {
    guard case .data(let bytes) = try value(name, as: .data) else { return [] }
    return bytes
  }

  /// Empty, or an absolute URL.
  public func url(_ name: String) throws(StoreError) -> String {
    guard case .url(let text) = try value(name, as: .url) else { return "" }
    return text
  }

  public func list(of name: String) throws(StoreError) -> [Value] {
    guard case .list(let items) = try value(name, as: .list) else { return [] }
    return items
  }

  public func object(_ name: String) throws(StoreError) -> [Value.Member] {
    guard case .object(let members) = try value(name, as: .object) else { return [] }
    return members
  }
}
