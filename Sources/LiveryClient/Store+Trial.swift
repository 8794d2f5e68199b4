import CLivery

extension Store {
  /// Lets stay what is on trial. Corresponds to `livery_trial_confirm` in C.
  ///
  /// - Parameter revision: that of the commit that began the trial.
  /// - Throws: `.notFound` if nothing is on trial, `.conflict` if it is another revision; as `ChangeSet.commit()`.
  public func confirmTrial(_ revision: UInt64, origin: String = "") throws(StoreError) {
    try passing(origin) { livery_trial_confirm(handle, revision, $0) }
  }

  /// Takes back what is on trial. Corresponds to `livery_trial_revert` in C.
  ///
  /// - Parameter revision: that of the commit that began the trial; 0 for whichever is pending.
  /// - Throws: as `confirmTrial`.
  public func revertTrial(_ revision: UInt64 = 0, origin: String = "") throws(StoreError) {
    try passing(origin) { livery_trial_revert(handle, revision, $0) }
  }

  /// What is on trial, or what became of the last one: an object, described at `livery_trial_status` in C.
  public func trialStatus() throws(StoreError) -> Value {
    var value: OpaquePointer?
    try check(livery_trial_status(handle, &value))
    return try Value(taking: value)
  }
}

extension Value {
  /// Of the status of a trial that is pending: what it has changed.
  package var placesOnTrial: [(name: String, layer: Layer)] {
    var places: [(name: String, layer: Layer)] = []
    for item in self["settings"]?.items ?? [] {
      guard let name = item["name"]?.text, let layer = item["layer"]?.text.flatMap(Layer.named) else { continue }
      places.append((name, layer))
    }
    return places
  }
}

extension Layer {
  package static func named(_ name: String) -> Layer? {
    allCases.first { $0.description.utf8.elementsEqual(name.utf8) }
  }
}

extension Duration {
  /// In microseconds; -1 for what is none, or too much to be one.
  var microsecondsOfTrial: Int64 {
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0, seconds <= 366 * 86_400 else { return -1 }
    let whole = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    return whole > 0 ? whole : -1
  }
}
