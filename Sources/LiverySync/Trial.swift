import LiveryClient
import LiveryFleet

/// A change of the console's that is on trial, as the store keeps it: it is there before the change, and goes after its end.
struct Trial: Sendable {
  /// Of what is wanted: as long as it is what holds, the trial is in effect.
  var fingerprint: [UInt8]
  /// The store's revision before it.
  var after: UInt64
  var wanted: Desired.Trial
  /// What it has made active in place of what the operator had chosen.
  var replacing: [Value] = []
  /// What of its conditions has come true.
  var passed: [Desired.Trial.Condition] = []
  /// The version of the schema that it is made with.
  var schema: Int64?
  /// When it was committed, by the clock that goes on while the system sleeps; of this process alone.
  var began: Int64 = 0
  /// When it is looked what has become of it, by that clock; of this process alone.
  var lookAt: Int64 = .max
  /// Whether it is tried again to note what has come true; of this process alone.
  var isNotedLater = false
  /// The revision of its commit; 0 as long as it is not there.
  var revision: UInt64 = 0

  var value: Value {
    var members = [
      Value.Member("fingerprint", .data(fingerprint)), .init("after", .int(Int64(clamping: after))),
      .init("seconds", .int(wanted.seconds)), .init("conditions", .list(wanted.conditions.map { .string($0.text) })),
    ]
    if !passed.isEmpty { members.append(.init("passed", .list(passed.map { .string($0.text) }))) }
    if let schema { members.append(.init("schema", .int(schema))) }
    if !replacing.isEmpty { members.append(.init("replacing", .list(replacing))) }
    return .object(members)
  }

  init(fingerprint: [UInt8], after: UInt64, wanted: Desired.Trial, schema: Int64?) {
    self.fingerprint = fingerprint
    self.after = after
    self.wanted = wanted
    self.schema = schema
  }

  init?(_ value: Value) {
    guard case .data(let fingerprint)? = value["fingerprint"], case .int(let after)? = value["after"],
      case .int(let seconds)? = value["seconds"], (1...2_592_000).contains(seconds),
      let conditions = value["conditions"]?.conditions, !conditions.isEmpty
    else { return nil }
    var schema: Int64?
    if case .int(let version)? = value["schema"] { schema = version }
    self.init(
      fingerprint: fingerprint, after: UInt64(clamping: after),
      wanted: Desired.Trial(seconds: seconds, conditions), schema: schema)
    passed = value["passed"]?.conditions ?? []
    if case .list(let items)? = value["replacing"] { replacing = items }
  }

  /// What it still waits for.
  var open: [Desired.Trial.Condition] { wanted.conditions.filter { !passed.contains($0) } }

  /// nil if there is none, or none that is whole.
  ///
  /// - Throws: what keeps it from being read for now.
  static func of(_ store: Store) throws(StoreError) -> Trial? {
    do throws(StoreError) { return try store.kept(Membership.trial).flatMap { Trial($0) } } catch {
      guard error.code == .corrupt else { throw error }
      return nil
    }
  }

  enum State: Sendable {
    case pending(revision: UInt64)
    case confirmed
    /// With what is kept of who took it back, and the revision of that.
    case reverted(by: String?, at: UInt64)
    /// It was never made.
    case none
  }

  /// What has become of it.
  func state(in store: Store) throws(StoreError) -> State {
    let status = try store.trialStatus()
    guard let revision = status.number("revision"), revision > after else { return .none }
    // Somebody else may have begun one since ours has ended, or was not made.
    switch status["state"]?.text {
    case .some(let text) where text.sameBytes(as: "pending"):
      return status.isOfOurs ? .pending(revision: revision) : try past(in: store)
    case .some(let text) where text.sameBytes(as: "confirmed"):
      return status.wasOfOurs ? .confirmed : try past(in: store)
    case .some(let text) where text.sameBytes(as: "reverted"):
      return status.wasOfOurs
        ? .reverted(by: status["endOrigin"]?.text, at: status.number("endRevision") ?? .max) : try past(in: store)
    default: return .none
    }
  }

  /// What the log tells of it, where the store's status is that of a later one.
  private func past(in store: Store) throws(StoreError) -> State {
    var filter = HistoryFilter()
    filter.pattern = Driver.ownedSetting
    for commit in try store.history(filter).items ?? [] {
      guard let revision = commit.number("revision"), revision > after else { break }
      guard let trial = commit.number("trial"), trial > after else { continue }
      let hasGoneBack = commit["kind"]?.text.map { $0.sameBytes(as: "reverted") } ?? false
      return hasGoneBack ? .reverted(by: commit["origin"]?.text, at: revision) : .confirmed
    }
    return .none
  }

  /// What of `replacing` the operator has chosen otherwise while it was in effect.
  func chosen(in store: Store, until end: UInt64) -> [Value] {
    replacing.filter { (item) in
      guard case .list(let parts) = item, let name = parts.first?.text, let told = try? store.inspect(name),
        case .list(let layers)? = told["layers"]
      else { return false }
      return layers.contains { (layer) in
        guard let revision = layer.number("revision"), let place = layer["layer"]?.text else { return false }
        return (place.sameBytes(as: "user") || place.sameBytes(as: "session")) && revision > after && revision < end
      }
    }
  }
}

extension Trial {
  /// Whether it is what holds, by what is kept of that.
  func isInEffect(_ owned: Value?) -> Bool {
    guard case .data(let applied)? = owned?["applied"] else { return false }
    return applied == fingerprint
  }
}

extension Value {
  /// A member that counts revisions.
  fileprivate func number(_ name: String) -> UInt64? {
    guard case .int(let number)? = self[name] else { return nil }
    return UInt64(exactly: number)
  }

  /// Of the status of a trial: whether it is one of the console's. With a change of the console's comes what is kept of that.
  fileprivate var isOfOurs: Bool {
    placesOnTrial.contains { $0.layer == .bundle && $0.name.sameBytes(as: Driver.ownedSetting) }
  }
}

extension Value {
  fileprivate var conditions: [Desired.Trial.Condition]? {
    guard case .list(let items) = self else { return nil }
    return items.compactMap { $0.text.map { Desired.Trial.Condition($0) } }
  }

  /// Of the status of a trial that has ended: whether it was one of the console's.
  fileprivate var wasOfOurs: Bool { self["origin"]?.text.map { Change.hasSet($0) } ?? false }
}

extension Store {
  /// Something that a trial of the console's waits for has come true: once all has, what is on trial stays.
  ///
  /// - Throws: `.notFound`, `.conflict` if it has ended.
  func pass(_ condition: Desired.Trial.Condition, of revision: UInt64, origin: String) throws(StoreError) {
    var isLast = false
    try keep { (edit) throws(StoreError) in
      guard var trial = try edit.value(Membership.trial, in: .bundle).flatMap({ Trial($0) }), trial.after < revision
      else { throw StoreError(.notFound, "nothing of the console's is on trial") }
      guard trial.open.contains(condition) else { return }
      trial.passed.append(condition)
      isLast = trial.open.isEmpty
      if !isLast { try edit.set(Membership.trial, to: trial.value) }
    }
    if isLast { try confirmTrial(revision, origin: origin) }
  }

  /// What a change of the console's has changed that is on trial.
  func placesOnTrial() throws(StoreError) -> [(name: String, layer: Layer)] {
    let status = try trialStatus()
    return status.isOfOurs ? status.placesOnTrial : []
  }
}

extension Driver {
  static let ownedRecord = "owned"
  static var ownedSetting: String { Membership.records + ownedRecord }
  /// When what could not be noted of a trial is tried again, in microseconds.
  private static let passPause: Int64 = 1_000_000

  /// Makes a change that goes back unless somebody confirms it. What the device knows of channels and trust is kept before, and
  /// for good; with the change goes back what follows from it.
  func begin(_ wanted: Desired.Trial, _ change: Change, _ records: [Device.Record]) {
    guard let owned = records.first(where: { $0.name.sameBytes(as: Self.ownedRecord) }),
      case .data(let fingerprint)? = owned.value?["applied"], let revision = try? store.revision()
    else { return later(.postponed) }
    var made = Trial(fingerprint: fingerprint, after: revision, wanted: wanted, schema: world.schema)
    made.replacing = change.replacing
    do throws(StoreError) {
      try store.keep { (edit) throws(StoreError) in
        try self.put(records.filter { !$0.name.sameBytes(as: Self.ownedRecord) }, into: edit)
        try edit.set(Membership.trial, to: made.value)
      }
      hasEndedTrial = false
      made.after = try store.revision()
    } catch {
      lastCommitError = error
      return later(.postponed)
    }
    switch commit(change, [owned], .seconds(wanted.seconds)) {
    case .success(let revision):
      made.revision = revision
      made.began = now
      made.lookAt = end(of: made)
      trial = made
      later(.trial(isPending: true))
      later(.applied)
      // Whether the server can still be reached.
      if made.open.contains(.reached) { later(.pull) }
    case .failure(let failure):
      forgetTrial()
      later(failure.event)
    }
  }

  /// Takes back what is on trial, since something else is wanted.
  func takeBack(_ trial: Trial, for change: Change) {
    lastCommitError = nil
    do throws(StoreError) { try store.revertTrial(trial.revision, origin: change.endOfTrial) } catch {
      if error.code != .notFound, error.code != .conflict { lastCommitError = error }
    }
    lookAtTrial()
  }

  /// Looks what has become of what is on trial.
  func lookAtTrial(isFirst: Bool = false) {
    guard machine != nil else { return trial = nil }
    let kept: Trial?
    var state = Trial.State.none
    var owned: Value?
    do throws(StoreError) {
      kept = try Trial.of(store)
      if let kept {
        state = try kept.state(in: store)
        owned = try store.kept(Self.ownedSetting)
      }
    } catch {
      // It is no less on trial for that.
      return lookAtTrialAgain()
    }
    guard var found = kept else {
      guard trial != nil else { return }
      trial = nil
      return handle(.trial(isPending: false))
    }
    let isInEffect = found.isInEffect(owned)
    switch state {
    case .pending(let revision) where isInEffect:
      guard trial == nil else { return }
      found.revision = revision
      found.began = now
      found.lookAt = end(of: found)
      trial = found
      tell(.trial(isPending: true), isFirst)
      if found.open.contains(.reached), !isFirst { handle(.pull) }
      arm()
    case .reverted(let origin, let revision) where !isInEffect:
      trial = nil
      let isSuperseded = origin?.utf8.starts(with: Change.superseding.utf8) ?? false
      let chosen = found.chosen(in: store, until: revision)
      // What counts as refused, or as replaced, from now on is forgotten with the commit that keeps that.
      if isSuperseded, chosen.isEmpty { forgetTrial() } else { hasEndedTrial = true }
      tell(
        .wentBack(
          owned: owned, chosen: chosen, fingerprint: found.fingerprint, schema: found.schema, found.wanted,
          isSuperseded ? nil : found.violation(by: origin)), isFirst)
    case .pending, .confirmed, .reverted, .none:
      // Committed, or never made.
      forgetTrial()
      trial = nil
      tell(.trial(isPending: false), isFirst)
    }
  }

  private func lookAtTrialAgain() {
    guard !isTrialLookedAtLater else { return }
    isTrialLookedAtLater = true
    queue.run(after: Self.passPause) {
      self.isTrialLookedAtLater = false
      self.lookAtTrial()
    }
  }

  /// Before the machine has started nothing follows from it yet.
  private func tell(_ event: Device.Event, _ isFirst: Bool) {
    guard isFirst else { return handle(event) }
    machine?.prepare(event, at: moment, world)
  }

  private func forgetTrial() {
    _ = try? store.keep { (edit) throws(StoreError) in try edit.reset(Membership.trial) }
  }

  /// What waits for that has come true once the server was reached after the change.
  func passTrialIfReached() {
    guard let trial, trial.open.contains(.reached), trial.revision != 0, pullSucceeded >= trial.began,
      !(machine?.isAsking ?? true)
    else { return }
    do throws(StoreError) {
      try store.pass(.reached, of: trial.revision, origin: "sync: the server was reached")
      self.trial?.passed.append(.reached)
    } catch {
      guard error.code == .notFound || error.code == .conflict else {
        guard !trial.isNotedLater else { return }
        self.trial?.isNotedLater = true
        return queue.run(after: Self.passPause) {
          self.trial?.isNotedLater = false
          self.passTrialIfReached()
        }
      }
    }
    lookAtTrial()
  }
}

extension Trial {
  /// Why it counts as refused.
  fileprivate func violation(by origin: String?) -> Report.Violation {
    var message = "it went back"
    if let origin, origin.utf8.starts(with: "check ".utf8) {
      message += ": " + origin
    } else if let origin, !origin.sameBytes(as: "trial") {
      // By hand; its time was not over.
      message = "it was taken back" + (origin.utf8.isEmpty ? "" : ": " + origin)
    } else {
      message += ", since nobody confirmed it within \(wanted.seconds) s"
      for condition in open {
        switch condition {
        case .reached: message += "; the server was not reached"
        case .check(let name): message += "; the check \(name) has not said yes"
        }
      }
    }
    return Report.Violation(name: "trial", message: message)
  }
}
