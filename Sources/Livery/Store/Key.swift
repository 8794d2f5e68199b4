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

  /// Changes several settings of a layer as one commit; what `body` throws discards them:
  ///
  ///     try store.update(.user) { $0[volume] = 7; $0[language] = nil }
  ///
  /// - Returns: the revision of the commit.
  /// - Throws: as `ChangeSet.commit`, and what `body` throws.
  @discardableResult
  public func update(
    _ layer: Layer, origin: String = "", _ body: (inout Update) throws(StoreError) -> Void
  ) throws(StoreError) -> UInt64 {
    let change = try change(layer)
    try change.setOrigin(origin)
    var update = Update()
    try body(&update)
    for edit in update.edits {
      if let value = edit.value { try change.set(edit.name, to: value) } else { try change.reset(edit.name) }
    }
    return try change.commit()
  }
}

/// The edits of one `Store.update`.
public struct Update {
  fileprivate var edits: [(name: String, value: Value?)] = []

  /// Sets a setting, or with nil removes the layer's value. Reads back what this update sets; nil if it does not.
  public subscript<T>(key: Key<T>) -> T? {
    get {
      let edit = edits.last { $0.name.sameBytes(as: key.name) }
      return edit?.value.flatMap { T($0) }
    }
    set { edits.append((key.name, newValue?.settingValue)) }
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
