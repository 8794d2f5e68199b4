import CSystem

/// That a value's time is over, told to a watch before anybody has committed it: a process that only reads commits nothing,
/// and none does while the clock cannot be trusted. Readers go by the clock all the same, and so do watches.
struct DeliveredExpiry {
  let name: String
  /// What was told to be in effect, until when, and whether layers beneath `enforced` were told to be locked.
  let value: Value?
  let expires: Timestamp?
  let isLocked: Bool
}

/// A setting whose stored winner may be over.
struct ExpiredValue {
  let name: String
  let stored: Record
  /// What is in effect by the clock.
  let current: Record
  let isSecret: Bool
  /// The layer of it that was on trial; nil for none.
  var trialLayer: Layer?
}

/// A trial that is over while nobody has committed that.
struct ExpiredTrial {
  let state: TrialState
  /// The strongest layer that was on trial, as the commit of it tells.
  var layer = Layer.user
  /// The settings that were on trial and that are watched, and of each the strongest layer that was.
  private(set) var names = NameSet()
  private var layers: [Layer] = []

  init(_ state: TrialState) {
    self.state = state
  }

  fileprivate mutating func insert(_ place: LayerKey) {
    let (number, isNew) = names.insert(place.name)
    if isNew { layers.append(place.layer) } else { layers[number] = max(layers[number], place.layer) }
  }

  /// nil for what was not on trial.
  func layer(of name: String) -> Layer? { names.number(of: name).map { layers[$0] } }

  /// Whether it was over at a moment of this boot of the system.
  func wasOver(at moment: Int64) -> Bool {
    let term = state.term
    return Boot.hasEnded(term.boot) || lvs_boottime_us() < term.began || term.deadline <= moment
  }
}

extension View {
  /// The settings that a watch looks at whose value in effect is over, and those that it was told of before.
  ///
  /// - Parameters:
  ///   - reportsExpiry: whether new ones count.
  ///   - trial: what has gone back.
  func expiredValues(
    at now: Timestamp, _ pattern: NamePattern?, reportsExpiry: Bool, besides delivered: [DeliveredExpiry],
    trial: ExpiredTrial?
  ) throws(StoreError) -> [ExpiredValue] {
    var names = NameSet()
    for one in delivered { names.insert(one.name) }
    if reportsExpiry {
      for expiry in try expired(by: now) where pattern?.matches(expiry.place.name) ?? true {
        names.insert(expiry.place.name)
      }
    }
    for name in trial?.names.names ?? [] { names.insert(name) }
    var found: [ExpiredValue] = []
    for name in names.names {
      guard let stored = try effective(name) else { continue }
      found.append(
        ExpiredValue(
          name: name, stored: stored, current: try current(stored, name, at: now),
          isSecret: try isSecret(asDeclared: name, stored.value),
          trialLayer: trial?.layer(of: name)))
    }
    return found
  }

  /// A trial that is over and that nobody has ended in the store.
  func expiredTrial(_ pattern: NamePattern?) throws(StoreError) -> ExpiredTrial? {
    guard let trial = try pendingTrial(), isOver(trial) else { return nil }
    var expired = ExpiredTrial(trial)
    var strongest: Layer?
    for place in try placesOnTrial() {
      strongest = max(strongest ?? place.layer, place.layer)
      if pattern?.matches(place.name) ?? true { expired.insert(place) }
    }
    if let strongest { expired.layer = strongest }
    return expired
  }
}

extension WatchState {
  /// Whether it has been told already that a trial went back, as an entry says.
  func wasTold(_ entry: LogEntry) -> Bool {
    guard case .reverted(let revision)? = entry.trial else { return false }
    return revision == revertedTrial
  }

  /// The event of a trial that is over, unless that was told or was so when the watch began.
  func deliverEnd(of trial: ExpiredTrial?, at now: Timestamp, revision: UInt64) -> [Event] {
    guard let trial, trial.state.term.revision != revertedTrial, !trial.wasOver(at: startMoment) else { return [] }
    revertedTrial = trial.state.term.revision
    var entry = LogEntry(revision: revision, time: now, layer: trial.layer, origin: TrialState.ownOrigin)
    entry.trial = .reverted(revision: revertedTrial)
    return [Event(.reverted, of: entry)]
  }

  /// The events of what has expired by the clock since the watch was told last, or has come back with a clock that was set.
  func deliverExpiry(
    _ expired: [ExpiredValue], of trial: ExpiredTrial?, at now: Timestamp, revision: UInt64
  ) -> [Event] {
    let hadTrialEnd = trial?.wasOver(at: startMoment) ?? true
    var events = deliverEnd(of: trial, at: now, revision: revision)
    var still: [DeliveredExpiry] = []
    var known = ByteIndex()
    for one in delivered { _ = known.insert(one.name) }
    for one in expired {
      let before = known.number(of: one.name).map { delivered[$0] }
      let (stored, current) = (one.stored, one.current)
      let isOver = stored.hasExpired(at: now)
      guard isOver || before != nil else { continue }
      if isOver {
        still.append(
          DeliveredExpiry(
            name: one.name, value: current.value, expires: current.expires, isLocked: current.isLocked))
      }
      // What was over when the watch began is no news.
      let wasOver = one.trialLayer != nil ? hadTrialEnd : stored.expires.map { $0 <= start } ?? false
      guard before != nil || !wasOver else { continue }
      let expires = before.map { $0.expires } ?? (one.trialLayer != nil ? nil : stored.expires)
      let isExpiry = expires.map { $0 <= now } ?? false
      let reverted = before == nil ? one.trialLayer : nil
      let event = Event(
        revision: revision, time: now, kind: isExpiry ? .expired : .changed,
        layer: reverted ?? (isExpiry && before == nil ? stored.layer : current.layer), name: one.name,
        oldValue: before.map { $0.value } ?? stored.value, newValue: current.value,
        origin: isExpiry ? "expiry" : reverted != nil ? TrialState.ownOrigin : current.origin,
        isWritable: !current.isLocked,
        isSecret: one.isSecret, wasWritable: !(before?.isLocked ?? stored.isLocked))
      if let event = event.asDifference { events.append(event) }
    }
    delivered = still
    return events
  }

  /// A change of a commit as it is for a watch that may have been told of it, or of a part; nil if there is nothing left.
  func afterDelivered(_ event: Event) -> Event? {
    guard let name = event.name, let place = delivered.firstIndex(where: { $0.name.sameBytes(as: name) }) else {
      return event
    }
    var event = event
    let told = delivered.remove(at: place)
    event.oldValue = told.value
    event.wasWritable = !told.isLocked
    event.isForgotten = false
    return event.asDifference
  }
}
