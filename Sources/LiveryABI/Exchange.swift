import CLivery
import Livery

@_cdecl("livery_import_json") @implementation
public func livery_import_json(
  _ store: OpaquePointer?, _ number: livery_layer, _ json: UnsafePointer<CChar>?, _ length: Int, _ flags: UInt32,
  _ report: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  onStore(store, .exchange) { (object) throws(StoreError) in
    let layer = try layer(number)
    try checkFlags(flags, known: LIVERY_IMPORT_PARTIAL, LIVERY_IMPORT_REPLACE)
    let json = try document(json, length, zeroTerminated: true, "json")
    let outcome = object.store.importJSON(
      json, into: layer, partial: flags & UInt32(LIVERY_IMPORT_PARTIAL) != 0,
      replacing: flags & UInt32(LIVERY_IMPORT_REPLACE) != 0)
    try deliver(outcome.report, when: outcome.hasReport, outcome.error, to: report)
  }
}

@_cdecl("livery_import_plist") @implementation
public func livery_import_plist(
  _ store: OpaquePointer?, _ number: livery_layer, _ bytes: UnsafeRawPointer?, _ length: Int, _ flags: UInt32,
  _ report: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  onStore(store, .exchange) { (object) throws(StoreError) in
    let layer = try layer(number)
    try checkFlags(flags, known: LIVERY_IMPORT_PARTIAL, LIVERY_IMPORT_REPLACE)
    let bytes = try document(bytes, length, zeroTerminated: false, "bytes")
    let outcome = object.store.importPropertyList(
      bytes, into: layer, partial: flags & UInt32(LIVERY_IMPORT_PARTIAL) != 0,
      replacing: flags & UInt32(LIVERY_IMPORT_REPLACE) != 0)
    try deliver(outcome.report, when: outcome.hasReport, outcome.error, to: report)
  }
}

@_cdecl("livery_export_json") @implementation
public func livery_export_json(
  _ store: OpaquePointer?, _ flags: UInt32, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ length: UnsafeMutablePointer<Int>?
) -> livery_status {
  onStore(store, .exchange) { (object) throws(StoreError) in
    let json = try required(json, "json")
    try checkFlags(flags, known: LIVERY_EXPORT_LAYERS, LIVERY_EXPORT_REVEAL, LIVERY_JSON_PRETTY)
    let text = try object.store.exportJSON(
      layers: flags & UInt32(LIVERY_EXPORT_LAYERS) != 0, pretty: flags & UInt32(LIVERY_JSON_PRETTY) != 0,
      reveal: flags & UInt32(LIVERY_EXPORT_REVEAL) != 0)
    try give(text, to: json, length)
  }
}
