import LiveryClient
import LiveryFleet

// What a device keeps and changes: commits, and what is told of the store.

extension Driver {
  /// False if they could not be kept: the machine is told.
  func save(_ records: [Device.Record]) -> Bool {
    guard !records.isEmpty else { return true }
    do throws(StoreError) {
      try store.keep { (change) throws(StoreError) in try self.put(records, into: change) }
      hasPut(records)
      return true
    } catch {
      later(.notSaved(records))
      return false
    }
  }

  /// Has records written. In a fleet that the device has left nothing is.
  func put(_ records: [Device.Record], into change: ChangeSet) throws(StoreError) {
    guard let present = try change.value(Membership.setting, in: .bundle).flatMap({ Membership($0) }),
      present.device == membership?.device
    else { throw StoreError(.conflict, "the device has left the fleet") }
    for record in records {
      let name = Membership.records + record.name
      if let value = record.value { try change.set(name, to: value) } else { try change.reset(name) }
    }
    if hasEndedTrial, Self.tellOfItsEnd(records) { try change.reset(Membership.trial) }
  }

  /// What `put` has written is on the disk.
  private func hasPut(_ records: [Device.Record]) {
    if Self.tellOfItsEnd(records) { hasEndedTrial = false }
  }

  /// Whether it is in these records what counts as refused, or as replaced, since it went back.
  private static func tellOfItsEnd(_ records: [Device.Record]) -> Bool {
    records.contains { $0.name.sameBytes(as: "state") || $0.name.sameBytes(as: ownedRecord) }
  }

  /// Whether an asset is on the disk.
  func keep(_ bytes: [UInt8], _ hash: [UInt8]) -> Bool {
    do throws(StoreError) { return try store.assets.put(bytes, allowsAny: true).sameBytes(as: hash.hexadecimal) } catch
    {
      storingError = error
      return false
    }
  }

  /// Makes a change in one commit, with what is kept of it.
  func apply(_ change: Change, _ records: [Device.Record]) {
    if let trial {
      // What is wanted instead of it begins with what was there before.
      later(.postponed)
      return takeBack(trial, for: change)
    }
    guard machine != nil else { return }
    if let wanted = change.trial { return begin(wanted, change, records) }
    switch commit(change, records, nil) {
    case .success: later(.applied)
    case .failure(let failure): later(failure.event)
    }
  }

  /// What a commit that was not made is told as.
  struct CommitFailure: Error {
    var event: Device.Event
  }

  func commit(
    _ change: Change, _ records: [Device.Record], _ trial: Duration?
  ) -> Result<UInt64, CommitFailure> {
    let own = change.edits.map { $0.name }.filter { $0.utf8.starts(with: Membership.prefix.utf8) }
    guard own.isEmpty else {
      let message = "the namespace sync. is kept by the library that syncs"
      return .failure(CommitFailure(event: .refused(own.map { Report.Violation(name: $0, message: message) })))
    }
    var set: ChangeSet?
    do throws(StoreError) {
      let revision = try store.edit(.bundle) { (edit) throws(StoreError) in
        set = edit
        try edit.setOrigin(change.origin)
        // Values beneath those that are enforced are the console's, too.
        try edit.ignoreLocks()
        try self.put(records, into: edit)
        for layer in [Layer.recommended, .enforced] {
          try edit.use(layer)
          if change.followsUpgrade {
            // First what goes: what is wanted may be an alias of it.
            try edit.attribute(to: "sync")
            for name in try self.store.namesOfConsole(in: layer, of: edit) where !change.wants(name, in: layer) {
              try edit.takeBack(name, in: layer)
            }
          }
          for (one, origin) in zip(change.edits, change.origins) {
            try edit.attribute(to: origin)
            try one.make(in: edit, layer)
          }
        }
        try edit.setTrial(trial)
      }
      (lastCommitError, lastRevision) = (nil, revision)
      hasPut(records)
      return .success(revision)
    } catch {
      switch error.code {
      case .notFound, .typeMismatch, .invalidValue, .locked, .readOnly, .invalidArgument, .parse, .noValue:
        return .failure(CommitFailure(event: .refused(Self.violations(set, error))))
      default:
        lastCommitError = error
        return .failure(CommitFailure(event: .postponed))
      }
    }
  }

  private static func violations(_ change: ChangeSet?, _ error: StoreError) -> [Report.Violation] {
    var violations: [Report.Violation] = []
    for item in change?.violations().items ?? [] {
      guard let name = item["name"]?.text, let message = item["message"]?.text else { continue }
      violations.append(Report.Violation(name: name, message: message))
    }
    if violations.isEmpty { violations.append(Report.Violation(name: error.setting ?? "?", message: error.message)) }
    return violations
  }

  /// What is in effect, but for secrets and for what libraries keep for themselves.
  func collect() {
    // What has gone back by itself just now is not told as on trial.
    if trial != nil { lookAtTrial() }
    var values: [Report.Effective] = []
    let items = (try? store.list()).flatMap { $0.items } ?? []
    for item in items {
      guard let name = item["name"]?.text, let value = item["value"],
        let layer = item["layer"]?.text.flatMap(Layer.named),
        item["secret"] == nil, !name.utf8.starts(with: Membership.prefix.utf8), !name.utf8.starts(with: "fetch.".utf8)
      else { continue }
      values.append(Report.Effective(name, layer, value))
    }
    let health = (try? store.kept(Membership.health)).flatMap { $0?.text }
    later(.collected(values, health: health.flatMap { $0.utf8.isEmpty ? nil : $0 }))
  }
}

extension Store {
  /// What the console has set in a layer, whatever name an upgrade has given it since: its values keep who has set them.
  ///
  /// - Parameter edit: one that is being made, and has not changed the layer.
  func namesOfConsole(in layer: Layer, of edit: ChangeSet) throws(StoreError) -> [String] {
    var names: [String] = []
    for name in try edit.names(in: layer) {
      // What cannot be read is left to those who set it.
      guard let layers = (try? inspect(name))?["layers"]?.items else { continue }
      let isOfConsole = layers.contains { (item) in
        item["layer"]?.text.flatMap(Layer.named) == layer && item["origin"]?.text.map { Change.hasSet($0) } ?? false
      }
      if isOfConsole { names.append(name) }
    }
    return names
  }
}

extension Change.Edit {
  fileprivate var name: String {
    switch self {
    case .set(let name, _, _), .replace(let name, _), .reset(let name, _): name
    }
  }

  /// Makes the edit, if it is one of a layer.
  fileprivate func make(in change: ChangeSet, _ layer: Layer) throws(StoreError) {
    switch self {
    case .set(let name, let value, layer): try change.set(name, to: value)
    case .replace(let name, let value) where layer == .recommended: try change.replace(name, with: value)
    case .reset(let name, layer): try change.takeBack(name, in: layer)
    default: break
    }
  }
}

extension ChangeSet {
  /// Removes what the layer that edits go to holds. An upgrade may have left neither the setting nor a value of it: then there is
  /// nothing to do.
  func takeBack(_ name: String, in layer: Layer) throws(StoreError) {
    if isUnknown(name), !holds(name, in: layer) { return }
    try reset(name)
  }

  private func isUnknown(_ name: String) -> Bool {
    do throws(StoreError) { _ = try value(name) } catch { return error.code == .notFound }
    return false
  }

  /// What cannot be read is there.
  private func holds(_ name: String, in layer: Layer) -> Bool {
    do throws(StoreError) { return try value(name, in: layer) != nil } catch { return true }
  }
}
