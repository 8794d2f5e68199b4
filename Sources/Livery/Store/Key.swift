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
  @inlinable public subscript<T>(key: Key<T>) -> T {
    get throws(StoreError) { try read(key.name) }
  }

  @inlinable
  func read<T: SettingValue>(_ name: String) throws(StoreError) -> T {
    #if hasFeature(Embedded)
      let value = try value(name)
    #else
      var wasMissed = false
      if T._scalarType != 0, let content: T = warmScalar(name, &wasMissed) { return content }
      if T._readsText, let text = warmText(name, &wasMissed), let content = T(_text: text) { return content }
      let value = try value(name, wasMissed: wasMissed)
    #endif
    guard let content = T(value) else { throw mismatch(name, value, T.settingType) }
    return content
  }
}

// The typed reads of clients of App Settings Management, by name.
extension Store {
  @inlinable public func bool(_ name: String) throws(StoreError) -> Bool { try read(name) }
  @inlinable public func int(_ name: String) throws(StoreError) -> Int64 { try read(name) }
  @inlinable public func float(_ name: String) throws(StoreError) -> Float { try read(name) }
  @inlinable public func double(_ name: String) throws(StoreError) -> Double { try read(name) }
  @inlinable public func string(_ name: String) throws(StoreError) -> String { try read(name) }
  @inlinable public func date(_ name: String) throws(StoreError) -> Timestamp { try read(name) }
  @inlinable public func color(_ name: String) throws(StoreError) -> Color { try read(name) }

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
