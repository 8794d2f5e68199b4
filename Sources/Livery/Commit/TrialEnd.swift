import CSystem
import LMDB

/// How a trial is to end.
struct TrialEnd: Sendable {
  /// Whether what is on trial stays.
  var confirms: Bool
  /// The commit that began it; 0 for whichever is pending.
  var revision: UInt64
}

extension View {
  /// Ends a trial as a commit of its own: takes every setting out of it, with what was there before or as it is.
  ///
  /// - Parameter spares: whether the log is not to tell what was replaced.
  /// - Returns: what the store knows of it from then on.
  func end(
    _ trial: TrialState, confirms: Bool, origin: String, _ limits: LogLimits, spares: Bool = false
  ) throws(StoreError) -> TrialState {
    let begun = trial.term.revision
    var entry = LogEntry(revision: try revision() + 1, time: .now, layer: .user, origin: origin)
    entry.trial = confirms ? .confirmed(revision: begun) : .reverted(revision: begun)
    let found = try settingsOnTrial()
    var names = NameSet()
    var secrets = NameSet()
    for (name, setting, part) in found {
      do throws(StoreError) {
        _ = try admission(name)
        for record in setting.values + part.former where try isSecret(name, opened(record, name).value) {
          secrets.insert(name)
        }
      } catch {
        // What is damaged holds up nobody; reads see it go back all the same.
        guard error.code == .corrupt else { throw error }
        continue
      }
      names.insert(name)
      for layer in Layer.allCases where part.layers.contains(layer) { entry.layer = layer }
    }
    var edits: [LogEntry.Edit] = []
    try settle(names, &entry, limits, isSecret: { secrets.contains($0) }) { (setting) throws(StoreError) in
      edits += try setting.endTrial(confirms: confirms, self)
    }
    entry.edits = edits
    entry.tellEditedLayers()
    try forgetPlacesOnTrial()
    var state = trial
    state.phase = confirms ? .confirmed : .reverted
    state.end = TrialState.End(revision: entry.revision, time: entry.time, origin: origin)
    try putTrial(state)
    // Nothing is left of a secret that went back: nobody has confirmed that it is one.
    var gone = NameSet()
    for edit in edits where secrets.contains(edit.name) { gone.insert(edit.name) }
    if !gone.isEmpty {
      try forget(gone)
      _ = entry.forget(gone, keepingNew: true)
    }
    if spares { entry.spare() }
    try finish(entry, limits)
    return state
  }

  /// Takes back what is on trial if its time is over; nil if there is nothing of that.
  func revertIfOver(_ limits: LogLimits, spares: Bool = false) throws(StoreError) -> TrialState? {
    guard let trial = try pendingTrial(), isOver(trial) else { return nil }
    return try end(trial, confirms: false, origin: TrialState.ownOrigin, limits, spares: spares)
  }
}

extension View {
  /// How a trial before the last one ended, as far as the log tells.
  func end(ofTrial begun: UInt64) throws(StoreError) -> (confirms: Bool, revision: UInt64)? {
    var found: (Bool, UInt64)?
    try walkLog(after: begun, withEdits: false, opens: false) { (revision, entry, _) in
      switch entry?.trial {
      case .confirmed(begun)?: found = (true, revision)
      case .reverted(begun)?: found = (false, revision)
      default: break
      }
      return found == nil
    }
    return found
  }
}

extension TrialState {
  /// Of a trial that has ended by itself.
  static let ownOrigin = "trial"
}

extension KnownSetting {
  /// Takes the setting out of its trial; what was replaced by that.
  func endTrial(confirms: Bool, _ view: View) throws(StoreError) -> [LogEntry.Edit] {
    guard let whole = try view.wholeSetting(name).map({ view.opened($0, name) }), let part = whole.trial else {
      return []
    }
    var fresh = whole
    var edits: [LogEntry.Edit] = []
    if confirms {
      fresh.confirm()
    } else {
      fresh = whole.reverted
      for layer in Layer.allCases where part.layers.contains(layer) {
        let old = whole.value(of: layer)
        edits.append(
          LogEntry.Edit(
            name: name, layer: layer, old: old?.value, oldExpires: old?.expires,
            left: part.former(of: layer)?.revision ?? 0))
      }
    }
    exchange(whole, for: fresh)
    return edits
  }
}

extension Committer {
  /// Ends the trial that is pending, as the request says.
  mutating func end(_ end: TrialEnd) throws(StoreError) -> Environment.Outcome<CommitResult> {
    guard let trial = try memory.trial(view) else { throw StoreError(.notFound, "nothing is on trial") }
    if end.revision > 0, end.revision < trial.term.revision, let former = try view.end(ofTrial: end.revision) {
      guard former.confirms == end.confirms else {
        let what = former.confirms ? "was confirmed" : "went back"
        throw StoreError(.notFound, "revision \(end.revision) \(what) with revision \(former.revision)")
      }
      return .abort(CommitResult(revision: former.revision, count: 0, refusals: [], isRefused: false))
    }
    if let former = trial.end {
      // Whoever has lost the answer asks again.
      if end.revision == trial.term.revision, end.confirms == (trial.phase == .confirmed) {
        return .abort(CommitResult(revision: former.revision, count: 0, refusals: [], isRefused: false))
      }
      throw StoreError(.notFound, "nothing is on trial: \(trial.outcome)")
    }
    guard end.revision == 0 || end.revision == trial.term.revision else {
      throw StoreError(.conflict, "revision \(end.revision) is not the one that is on trial")
    }
    let state = try view.end(
      trial, confirms: end.confirms, origin: request.origin, logLimits, spares: request.sparesLog)
    memory.note(state)
    return .commit(
      CommitResult(revision: state.end?.revision ?? present, count: 0, refusals: [], isRefused: false))
  }

  /// There is one trial at a time.
  func requireNoTrial() throws(StoreError) {
    guard let trial = try memory.trial(view), trial.isPending else { return }
    // All that was on trial may have been set since.
    guard try view.hasSettingsOnTrial() else { return }
    let until = trial.until(from: view.trialMoment).rfc3339
    throw StoreError(
      .conflict, "revision \(trial.term.revision) is on trial until \(until): confirm it or take it back first")
  }

  /// Notes that the request is about to change what a layer holds, if it is on trial.
  mutating func putOnTrial(_ setting: KnownSetting, _ layer: Layer) throws(StoreError) {
    guard request.trial != nil else { return }
    try setting.putOnTrial(layer, view)
    hasTrial = true
  }

  /// How long the commit is on trial; nil if it is not.
  func term() -> Trial? {
    guard hasTrial, let length = request.trial else { return nil }
    let began = view.trialMoment
    return Trial(revision: revision, boot: Boot.present, began: began, deadline: began &+ length)
  }
}

extension TrialState {
  /// What has become of it, for messages.
  var outcome: String {
    guard let end else { return "revision \(term.revision) is pending" }
    let what = phase == .confirmed ? "was confirmed" : "went back"
    return "revision \(term.revision) \(what) at \(end.time.rfc3339), with revision \(end.revision)"
  }
}
