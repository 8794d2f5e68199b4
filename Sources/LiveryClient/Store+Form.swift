import CLivery

/// Of which form `Store.form` tells. Corresponds to `livery_form_options` in C.
public struct FormOptions: Sendable {
  /// The layer that the form is to change.
  public var layer = Layer.user
  /// The language of texts, as a tag of BCP 47 such as `de-AT`; nil for them as the schema has them.
  public var locale: String?
  /// Whether to tell of what the schema hides, too.
  public var includesHidden = false

  public init(layer: Layer = .user, locale: String? = nil, includesHidden: Bool = false) {
    self.layer = layer
    self.locale = locale
    self.includesHidden = includesHidden
  }
}

/// What `Store.search` tells. Corresponds to `livery_search_options` in C.
public struct SearchOptions: Sendable {
  /// The most results; 0 for no limit.
  public var limit = 0
  /// The language of texts that are searched, as of `FormOptions`.
  public var locale: String?
  /// Whether to find what the schema hides, too.
  public var includesHidden = false

  public init(limit: Int = 0, locale: String? = nil, includesHidden: Bool = false) {
    self.limit = limit
    self.locale = locale
    self.includesHidden = includesHidden
  }
}

extension Store {
  /// What a person may set, in the schema's order, ready to be drawn. Corresponds to `livery_form` in C.
  public func form(_ options: FormOptions = FormOptions()) throws(StoreError) -> Value {
    var value: OpaquePointer?
    var given = livery_form_options()
    given.struct_size = MemoryLayout<livery_form_options>.size
    given.has_layer = true
    given.layer = options.layer.number
    given.hidden = options.includesHidden
    try passing(options.locale) {
      given.locale = $0
      return livery_form(handle, &given, &value)
    }
    return try Value(taking: value)
  }

  /// Finds settings by words, the best first. Corresponds to `livery_search` in C.
  ///
  /// - Throws: `.invalidArgument` if the query is too long.
  public func search(_ query: String, _ options: SearchOptions = SearchOptions()) throws(StoreError) -> Value {
    var value: OpaquePointer?
    var given = livery_search_options()
    given.struct_size = MemoryLayout<livery_search_options>.size
    given.limit = max(0, options.limit)
    given.hidden = options.includesHidden
    try query.checkHasNoNUL()
    try passing(options.locale) {
      given.locale = $0
      return query.withCString { livery_search(handle, $0, &given, &value) }
    }
    return try Value(taking: value)
  }
}
