import CLivery
import Livery

/// Hands out a report where there is one and it is wanted, then says what went wrong.
func deliver(
  _ report: Value, when hasReport: Bool, _ error: StoreError?, to pointer: UnsafeMutablePointer<OpaquePointer?>?
) throws(StoreError) {
  if hasReport, let pointer { try publish(report, to: pointer) }
  if let error { throw error }
}

@_cdecl("livery_schema_apply") @implementation
public func livery_schema_apply(
  _ store: OpaquePointer?, _ json: UnsafePointer<CChar>?, _ length: Int,
  _ options: UnsafePointer<livery_schema_options>?, _ report: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  onStore(store, .schemas) { (object) throws(StoreError) in
    var origin = "schema"
    var consents: [String] = []
    if let options {
      let options = try structure(options, none: livery_schema_options())
      if let text = options.origin { origin = try argument(text, limit: LIVERY_ORIGIN_MAX, "origin") }
      if options.declassify_count > 0 {
        let names = try required(options.declassify, "declassify")
        guard options.declassify_count <= 100_000 else {
          throw StoreError(.invalidArgument, "declassify_count is \(options.declassify_count)")
        }
        for index in 0..<options.declassify_count {
          consents.append(try argument(names[index], limit: LIVERY_NAME_MAX, "declassify"))
        }
      }
    }
    let json = try document(json, length, zeroTerminated: true, "json")
    let outcome = object.store.applySchema(json, origin: origin, declassifying: consents)
    try deliver(outcome.report, when: outcome.hasReport, outcome.error, to: report)
  }
}

@_cdecl("livery_schema_check") @implementation
public func livery_schema_check(
  _ store: OpaquePointer?, _ json: UnsafePointer<CChar>?, _ length: Int,
  _ report: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  func check(_ run: ([UInt8]) -> SchemaOutcome) throws(StoreError) {
    let report = try required(report, "report")
    let outcome = run(try document(json, length, zeroTerminated: true, "json"))
    try deliver(outcome.report, when: outcome.hasReport, outcome.error, to: report)
  }
  if store == nil {
    return boundary(.schemas) { () throws(StoreError) in try check { Store.checkSchema($0) } }
  }
  return onStore(store, .schemas) { (object) throws(StoreError) in try check { object.store.checkSchema($0) } }
}

@_cdecl("livery_schema_compare") @implementation
public func livery_schema_compare(
  _ old: UnsafePointer<CChar>?, _ oldLength: Int, _ new: UnsafePointer<CChar>?, _ newLength: Int,
  _ report: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  boundary(.schemas) { () throws(StoreError) in
    let report = try required(report, "report")
    let old = try document(old, oldLength, zeroTerminated: true, "old_json")
    let outcome = Store.compareSchemas(old, try document(new, newLength, zeroTerminated: true, "json"))
    try deliver(outcome.report, when: outcome.hasReport, outcome.error, to: report)
  }
}

@_cdecl("livery_schema_version") @implementation
public func livery_schema_version(_ store: OpaquePointer?, _ version: UnsafeMutablePointer<UInt64>?)
  -> livery_status
{
  onStore(store) { (object) throws(StoreError) in
    try required(version, "version").pointee = object.store.schemaVersion()
  }
}

@_cdecl("livery_schema_copy_json") @implementation
public func livery_schema_copy_json(
  _ store: OpaquePointer?, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ length: UnsafeMutablePointer<Int>?
) -> livery_status {
  onStore(store) { (object) throws(StoreError) in
    let json = try required(json, "json")
    let text = try object.store.schemaText()
    let memory = try withBytes(of: text) { (bytes) throws(StoreError) in try copy(bytes) }
    json.pointee = memory.assumingMemoryBound(to: CChar.self)
    length?.pointee = text.count
  }
}

@_cdecl("livery_schema_copy_digest") @implementation
public func livery_schema_copy_digest(
  _ store: OpaquePointer?, _ digest: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ length: UnsafeMutablePointer<Int>?
) -> livery_status {
  onStore(store) { (object) throws(StoreError) in
    let digest = try required(digest, "digest")
    let text = Array(try object.store.schemaDigest().utf8)
    let memory = try withBytes(of: text) { (bytes) throws(StoreError) in try copy(bytes) }
    digest.pointee = memory.assumingMemoryBound(to: CChar.self)
    length?.pointee = text.count
  }
}

@_cdecl("livery_settings") @implementation
public func livery_settings(_ store: OpaquePointer?, _ value: UnsafeMutablePointer<OpaquePointer?>?)
  -> livery_status
{
  onStore(store) { (object) throws(StoreError) in
    let value = try required(value, "value")
    try publish(object.store.settings(), to: value)
  }
}
