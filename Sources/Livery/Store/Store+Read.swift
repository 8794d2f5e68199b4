extension Store {
  /// A setting's effective value: that of the strongest layer that has one.
  ///
  /// Corresponds to `livery_get_value` in C.
  ///
  /// - Throws: `.notFound` if there is no such setting, `.noValue` if no layer has a value for it, `.corrupt`.
  public func value(_ name: String) throws(StoreError) -> Value {
    #if hasFeature(Embedded)
      try whileOpen { () throws(StoreError) in
        try name.withSpan { (name) throws(StoreError) in try shared.value(name) }
      }
    #else
      try value(name, wasMissed: false)
    #endif
  }

  /// A setting's effective value in another type, if nothing is lost by that.
  ///
  /// Corresponds to `livery_get_bool`, `livery_get_int` and so on in C.
  ///
  /// - Throws: `.typeMismatch` if it does not convert; and as `value(_:)`.
  public func value(_ name: String, as type: ValueType) throws(StoreError) -> Value {
    try coerce(value(name), of: name, to: type)
  }

  func coerce(_ value: Value, of name: String, to type: ValueType) throws(StoreError) -> Value {
    guard let coerced = value.coerced(to: type) else {
      throw mismatch(name, value, type.description)
    }
    return coerced
  }

  /// What to say of a value that does not convert.
  @usableFromInline
  func mismatch(_ name: String, _ value: Value, _ type: String) -> StoreError {
    let isSecret = try? whileOpen { () throws(StoreError) in try shared.isSecret(name, value) }
    return StoreError(mismatch: value, of: name, isSecret: isSecret, type)
  }

  /// All settings that have a value, as clients of App Settings Management know them: `{"Version", "Values"}`.
  ///
  /// Corresponds to `livery_settings` in C.
  public func settings() throws(StoreError) -> Value {
    try read { (view) throws(StoreError) in
      let now = Timestamp.now
      let claims = try view.claims()
      var values: [Value.Member] = []
      try view.walkEffective { (name, record) throws(StoreError) in
        if try claims.hides(name, view) { return true }
        if let value = try view.current(record, name, at: now).value, !value.isSealed {
          values.append(.init(name, value))
        }
        return true
      }
      let version = try view.schemaFacts().version
      return .object([.init("Version", .int(Int64(clamping: version))), .init("Values", .object(values))])
    }
  }
}
