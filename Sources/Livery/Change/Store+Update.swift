extension Store {
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
