import Livery

extension Store {
  /// The effective settings, of one moment, as a type whose members are named as they are.
  ///
  ///     struct Settings: Decodable {
  ///       var idleResetSeconds: Int
  ///       var media: Media?
  ///     }
  ///
  /// A member whose name no setting has takes the settings whose names begin with it and a dot: `media` here takes `media.url`
  /// and `media.folder` as members of its own. Settings without a value are absent.
  ///
  /// - Throws: `DecodingError`; `StoreError`, as `Store.settings()`.
  public func decode<T: Decodable>(_ type: T.Type, with decoder: ValueDecoder = ValueDecoder()) throws -> T {
    var byName: [String: Value] = [:]
    if case .object(let members)? = try settings()["Values"] {
      for member in members { byName[member.key] = member.value }
    }
    return try decoder.decode(type, from: .settings(byName), at: [])
  }

  /// A setting's effective value as a type that decodes, for lists and objects above all. An optional type is nil where the
  /// setting has no value.
  ///
  /// - Throws: `DecodingError`, whose coding path begins with the setting's name; `StoreError`, as `Store.value(_:)`.
  public func value<T: Decodable>(
    forKey name: String, as type: T.Type = T.self, with decoder: ValueDecoder = ValueDecoder()
  ) throws -> T {
    let value: Value
    do { value = try self.value(name) } catch {
      guard error.code == .noValue, let none = absent(type) else { throw error }
      return none
    }
    return try decoder.decode(type, from: .value(value), at: [AnyKey(name)])
  }
}

extension ChangeSet {
  /// Adds an edit: set a setting to what a type encodes as. With nil it removes the layer's value, as `reset(_:)` does.
  ///
  /// - Throws: `EncodingError`, whose coding path begins with the setting's name; `StoreError`, as `ChangeSet.set(_:to:)`.
  public func encode<T: Encodable>(_ content: T, forKey name: String, with encoder: ValueEncoder = ValueEncoder())
    throws
  {
    if let value = try encoder.encodeIfAny(content, at: [AnyKey(name)]) {
      try set(name, to: value)
    } else {
      try reset(name)
    }
  }

  /// Adds an edit for each member of what a type encodes as: the setting of its name. Members that are nil are left as they
  /// are. A member that is a structure becomes an object; `encode(_:forKey:)` takes each of several settings apart.
  ///
  /// - Throws: `EncodingError`, also if it encodes as anything but an object; `StoreError`, as `ChangeSet.set(_:to:)`.
  public func encode<T: Encodable>(_ settings: T, with encoder: ValueEncoder = ValueEncoder()) throws {
    guard case .object(let members) = try encoder.encode(settings) else {
      let context = EncodingError.Context(codingPath: [], debugDescription: "settings have names: encode an object")
      throw EncodingError.invalidValue(settings, context)
    }
    for member in members { try set(member.key, to: member.value) }
  }
}
