import CLivery

/// What applying or checking a schema has given: the report is there on failure too, where there was something to tell.
public struct SchemaOutcome: Sendable {
  /// As `livery_schema_apply` in C describes it; an empty object if there is none.
  public var report: Value
  /// nil on success.
  public var error: StoreError?

  public var hasReport: Bool { report.count > 0 }

  /// Runs a function that stores a report with some failures too.
  fileprivate init(_ body: (inout OpaquePointer?) throws(StoreError) -> Void) {
    var handle: OpaquePointer?
    report = .object([])
    do throws(StoreError) { try body(&handle) } catch { self.error = error }
    guard handle != nil else { return }
    do throws(StoreError) { report = try Value(taking: handle) } catch { self.error = self.error ?? error }
  }
}

extension Store {
  /// Applies a schema. Corresponds to `livery_schema_apply` in C.
  ///
  /// - Parameter declassifying: the settings that may show what was a secret before.
  public func applySchema(
    _ json: [UInt8], origin: String? = nil, declassifying: [String] = []
  ) -> SchemaOutcome {
    SchemaOutcome { (report) throws(StoreError) in
      var options = livery_schema_options()
      options.struct_size = MemoryLayout<livery_schema_options>.size
      options.declassify_count = declassifying.count
      try origin?.checkHasNoNUL()
      try passing(all: declassifying) { (names) in
        options.declassify = names
        return origin.withCString { (origin) in
          options.origin = origin
          return json.withUnsafeCharacters { livery_schema_apply(handle, $0, $1, &options, &report) }
        }
      }
    }
  }

  /// Tells what applying a schema would do. Corresponds to `livery_schema_check` in C.
  public func checkSchema(_ json: [UInt8]) -> SchemaOutcome { Self.checkSchema(json, handle) }

  /// Looks at a schema alone.
  public static func checkSchema(_ json: [UInt8]) -> SchemaOutcome { checkSchema(json, nil) }

  private static func checkSchema(_ json: [UInt8], _ handle: OpaquePointer?) -> SchemaOutcome {
    SchemaOutcome { (report) throws(StoreError) in
      try check(json.withUnsafeCharacters { livery_schema_check(handle, $0, $1, &report) })
    }
  }

  /// Compares a schema with the version that it is to follow. Corresponds to `livery_schema_compare` in C.
  public static func compareSchemas(_ old: [UInt8], _ new: [UInt8]) -> SchemaOutcome {
    SchemaOutcome { (report) throws(StoreError) in
      let status = old.withUnsafeCharacters { (old, oldCount) in
        new.withUnsafeCharacters { livery_schema_compare(old, oldCount, $0, $1, &report) }
      }
      try check(status)
    }
  }

  /// The stored schema's version, 0 if none was applied. Corresponds to `livery_schema_version` in C.
  public func schemaVersion() throws(StoreError) -> UInt64 {
    var version: UInt64 = 0
    try check(livery_schema_version(handle, &version))
    return version
  }

  /// The stored schema's text, as it was applied. Corresponds to `livery_schema_copy_json` in C.
  ///
  /// - Throws: `.noValue` if none was applied.
  public func schemaText() throws(StoreError) -> [UInt8] {
    var start: UnsafeMutablePointer<CChar>?
    var length = 0
    try check(livery_schema_copy_json(handle, &start, &length))
    return taken(UnsafeMutableRawPointer(start), length)
  }

  /// What tells the stored schema from others. Corresponds to `livery_schema_copy_digest` in C.
  ///
  /// - Throws: `.noValue` if none was applied.
  public func schemaDigest() throws(StoreError) -> String {
    var start: UnsafeMutablePointer<CChar>?
    var length = 0
    try check(livery_schema_copy_digest(handle, &start, &length))
    return taken(start, length)
  }
}

extension [UInt8] {
  /// Calls a C function with the bytes as characters, never with NULL.
  func withUnsafeCharacters<R>(_ body: (UnsafePointer<CChar>, Int) -> R) -> R {
    withUnsafeBufferPointer { (bytes) in
      guard let start = UnsafeRawPointer(bytes.baseAddress) else { return "".withCString { body($0, 0) } }
      return body(start.assumingMemoryBound(to: CChar.self), bytes.count)
    }
  }
}
