import CLivery
import Livery

@_cdecl("livery_form") @implementation
public func livery_form(
  _ store: OpaquePointer?, _ options: UnsafePointer<livery_form_options>?,
  _ value: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  onStore(store, .forms) { (object) throws(StoreError) in
    let value = try required(value, "value")
    try publish(object.store.form(FormOptions(options)), to: value)
  }
}

@_cdecl("livery_search") @implementation
public func livery_search(
  _ store: OpaquePointer?, _ query: UnsafePointer<CChar>?, _ options: UnsafePointer<livery_search_options>?,
  _ value: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  onStore(store, .forms) { (object) throws(StoreError) in
    let value = try required(value, "value")
    let query = try argument(query, limit: LIVERY_QUERY_MAX, "query")
    try publish(object.store.search(query, SearchOptions(options)), to: value)
  }
}

extension FormOptions {
  init(_ pointer: UnsafePointer<livery_form_options>?) throws(StoreError) {
    self.init()
    guard let pointer else { return }
    let options = try structure(pointer, none: livery_form_options())
    if options.has_layer { layer = try LiveryABI.layer(options.layer) }
    locale = try optionalLocale(options.locale)
    includesHidden = options.hidden
  }
}

extension SearchOptions {
  init(_ pointer: UnsafePointer<livery_search_options>?) throws(StoreError) {
    self.init()
    guard let pointer else { return }
    let options = try structure(pointer, none: livery_search_options())
    // A limit beyond Int.max comes in as a negative number, and is none.
    limit = max(options.limit, 0)
    locale = try optionalLocale(options.locale)
    includesHidden = options.hidden
  }
}

/// A locale, or nil for the texts as the schema has them.
private func optionalLocale(_ pointer: UnsafePointer<CChar>?) throws(StoreError) -> String? {
  guard let pointer else { return nil }
  return try argument(pointer, limit: 255, "locale")
}
