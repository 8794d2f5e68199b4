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
  /// Finds settings by words, the best first: an object, described at `livery_search` in C.
  ///
  /// - Throws: `.invalidArgument` if the query is too long or the locale is no tag of a language, `.corrupt`.
  public func search(_ query: String, _ options: SearchOptions = SearchOptions()) throws(StoreError) -> Value {
    let words = try SearchWords(query)
    return try read { (view) throws(StoreError) in
      let now = Timestamp.now
      let index = try shared.schemaMemory.index(view, options.locale)
      var run = try SearchRun(index, words, includesHidden: options.includesHidden)
      let claims = try view.claims()
      if words.count > 0 { try view.lookAtValues(&run, claims, at: now) }
      let isOpen = try view.schemaFacts().isOpen
      let found = try run.found { (name) throws(StoreError) in try view.isKnown(name, isOpen, at: now) }
      var results: [Value] = []
      for one in found.prefix(options.limit > 0 ? options.limit : found.count) {
        let name = run.name(one)
        let value = try view.effective(name).map { (record) throws(StoreError) in
          try view.current(record, name, at: now).value
        }
        let shown = value.flatMap { $0?.isSealed == true ? nil : $0 }
        results.append(try run.result(one, shown, isClaimedSecret: claims.isSecret(name)))
      }
      return .object([
        .init("revision", .int(Int64(clamping: try view.revision()))), .init("total", .int(Int64(found.count))),
        .init("results", .list(results)),
      ])
    }
  }
}

extension View {
  /// Shows a search the values in effect.
  fileprivate func lookAtValues(_ run: inout SearchRun, _ claims: Claims, at now: Timestamp) throws(StoreError) {
    try walkStored { (name, place, bytes) throws(StoreError) in
      guard case .value(let number) = run.interest(in: name) else { return }
      // A secret is found by its name alone.
      if number == nil, !claims.secrets.isEmpty, name.text.map({ claims.isSecret($0) }) == true {
        return run.meet(name, nil, nil)
      }
      let isCurrent = place.map { $0.counts(at: now.microseconds, trialMoment) }
      if let place, isCurrent == true { return run.meet(name, number, place, bytes) }
      let shown = name.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
      guard isCurrent != nil else { throw .damaged("the record of `\(shown)`", setting: shown) }
      if let stored = try effective(shown) { run.meet(name, number, try current(stored, shown, at: now).value) }
    }
  }

  /// Whether reads know a setting that the schema does not declare, and people do.
  fileprivate func isKnown(_ name: String, _ isOpen: Bool, at now: Timestamp) throws(StoreError) -> Bool {
    guard Claim.builtIn(of: name)?.isInternal != true, let stored = try effective(name) else { return false }
    var isAdmitted = isOpen
    if !isAdmitted { isAdmitted = try admission(name).counts }
    let admission = admission(name, try schemaRow(name), isAdmitted: isAdmitted)
    return admission.isKnown(with: try current(stored, name, at: now))
  }
}
