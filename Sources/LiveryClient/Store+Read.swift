import CLivery

// Reads give the effective value, and convert only where nothing is lost.
//
// They throw `.notFound` if there is no such setting, `.noValue` if no layer has a value for it, `.typeMismatch` if it does
// not convert, `.corrupt`.

extension Store {
  public func bool(_ name: String) throws(StoreError) -> Bool {
    var value = false
    try passing(name) { livery_get_bool(handle, $0, &value) }
    return value
  }

  public func int(_ name: String) throws(StoreError) -> Int64 {
    var value: Int64 = 0
    try passing(name) { livery_get_int(handle, $0, &value) }
    return value
  }

  public func float(_ name: String) throws(StoreError) -> Float {
    var value: Float = 0
    try passing(name) { livery_get_float(handle, $0, &value) }
    return value
  }

  public func double(_ name: String) throws(StoreError) -> Double {
    var value = 0.0
    try passing(name) { livery_get_double(handle, $0, &value) }
    return value
  }

  /// The text of a string, URL or image setting.
  public func string(_ name: String) throws(StoreError) -> String {
    var start: UnsafeMutablePointer<CChar>?
    var length = 0
    try passing(name) { livery_copy_string(handle, $0, &start, &length) }
    return taken(start, length)
  }

  public func data(_ name: String) throws(StoreError) -> [UInt8] {
    var start: UnsafeMutableRawPointer?
    var length = 0
    try passing(name) { livery_copy_data(handle, $0, &start, &length) }
    return taken(start, length)
  }

  public func url(_ name: String) throws(StoreError) -> String {
    try name.checkHasNoNUL()
    var buffer = [CChar](repeating: 0, count: 512)
    while true {
      var length = 0
      let status = buffer.withUnsafeMutableBufferPointer { (buffer) in
        name.withCString { livery_get_url(handle, $0, buffer.baseAddress, buffer.count, &length) }
      }
      guard status == livery_status(LIVERY_ERROR_BUFFER_TOO_SMALL) else {
        try check(status)
        return buffer.withUnsafeBufferPointer { text($0.baseAddress, length) }
      }
      buffer = [CChar](repeating: 0, count: length + 1)
    }
  }

  public func date(_ name: String) throws(StoreError) -> Timestamp {
    var value: Int64 = 0
    try passing(name) { livery_get_date(handle, $0, &value) }
    return Timestamp(microseconds: value)
  }

  public func color(_ name: String) throws(StoreError) -> Color {
    var value = livery_color()
    try passing(name) { livery_get_color(handle, $0, &value) }
    return Color(value)
  }

  public func list(of name: String) throws(StoreError) -> [Value] {
    var value: OpaquePointer?
    try passing(name) { livery_get_list(handle, $0, &value) }
    guard case .list(let items) = try Value(taking: value) else { return [] }
    return items
  }

  public func object(_ name: String) throws(StoreError) -> [Value.Member] {
    var value: OpaquePointer?
    try passing(name) { livery_get_object(handle, $0, &value) }
    guard case .object(let members) = try Value(taking: value) else { return [] }
    return members
  }

  /// A setting of any type. Corresponds to `livery_get_value` in C.
  public func value(_ name: String) throws(StoreError) -> Value {
    var value: OpaquePointer?
    try passing(name) { livery_get_value(handle, $0, &value) }
    return try Value(taking: value)
  }

  /// A setting of any type, nil where no layer has a value for it or it is not declared.
  public func valueIfAny(_ name: String) throws(StoreError) -> Value? {
    try ifAny { () throws(StoreError) in try value(name) }
  }
}

/// What a read gives, nil where there is nothing to read.
func ifAny(_ read: () throws(StoreError) -> Value) throws(StoreError) -> Value? {
  do throws(StoreError) { return try read() } catch {
    guard error.code == .notFound || error.code == .noValue else { throw error }
    return nil
  }
}

/// What a function of C tells as a value.
func report(_ body: (inout OpaquePointer?) -> livery_status) throws(StoreError) -> Value {
  var value: OpaquePointer?
  try check(body(&value))
  return try Value(taking: value)
}

extension Store {
  /// Settings by pattern, in the order of their names: a list of objects. Corresponds to `livery_list` in C.
  ///
  /// - Parameters:
  ///   - after: only those whose name comes after this one.
  ///   - limit: the most items; 0 for no limit.
  public func list(_ pattern: String? = nil, after: String? = nil, limit: Int = 0) throws(StoreError) -> Value {
    var value: OpaquePointer?
    var options = livery_list_options()
    options.struct_size = MemoryLayout<livery_list_options>.size
    options.limit = max(0, limit)
    try pattern?.checkHasNoNUL()
    try passing(after) { (after) in
      options.after = after
      return pattern.withCString { livery_list(handle, $0, &options, &value) }
    }
    return try Value(taking: value)
  }

  /// Everything about a setting: every layer's value, which one wins and why. Corresponds to `livery_inspect` in C.
  public func inspect(_ name: String) throws(StoreError) -> Value {
    var value: OpaquePointer?
    try passing(name) { livery_inspect(handle, $0, &value) }
    return try Value(taking: value)
  }

  /// All settings that have a value: `{"Version", "Values"}`. Corresponds to `livery_settings` in C.
  public func settings() throws(StoreError) -> Value {
    try report { livery_settings(handle, &$0) }
  }

  /// Figures about the store. Corresponds to `livery_stats` in C.
  public func statistics() throws(StoreError) -> Value {
    try report { livery_stats(handle, &$0) }
  }
}
