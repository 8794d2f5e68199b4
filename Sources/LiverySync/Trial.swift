import LiveryClient
import LiveryFleet

/// A change of the console's that is on trial, as the store keeps it: it is there before the change, and goes after its end.
struct Trial: Sendable {
  /// Of what is wanted: as long as it is what holds, the trial is in effect.
  var fingerprint: [UInt8]
  /// The store's revision before it.
  var after: UInt64
  var seconds: Int64
  var check: String?
  /// The version of the schema that it is made with.
  var schema: Int64?
  /// When it was committed, by the clock that goes on while the system sleeps; of this process alone.
  var began: Int64 = 0
  /// When it is looked what has become of it, by that clock; of this process alone.
  var lookAt: Int64 = .max
  /// The revision of its commit; 0 as long as it is not there.
  var revision: UInt64 = 0

  var value: Value {
    var members = [
      Value.Member("fingerprint", .data(fingerprint)), .init("after", .int(Int64(clamping: after))),
      .init("seconds", .int(seconds)),
    ]
    if let check { members.append(.init("check", .string(check))) }
    if let schema { members.append(.init("schema", .int(schema))) }
    return .object(members)
  }

  init(fingerprint: [UInt8], after: UInt64, seconds: Int64, check: String?, schema: Int64?) {
    self.fingerprint = fingerprint
    self.after = after
    self.seconds = seconds
    self.check = check
    self.schema = schema
  }

  init?(_ value: Value) {
    guard case .data(let fingerprint)? = value["fingerprint"], case .int(let after)? = value["after"],
      case .int(let seconds)? = value["seconds"], (1...2_592_000).contains(seconds)
    else { return nil }
    var schema: Int64?
    if case .int(let version)? = value["schema"] { schema = version }
    self.init(
      fingerprint: fingerprint, after: UInt64(clamping: after), seconds: seconds, check: value["check"]?.text,
      schema: schema)
  }

  static func of(_ store: Store) -> Trial? {
    guard let value = try? store.kept(Membership.trial) else { return nil }
    return Trial(value)
  }

  enum State: Sendable {
    case pending(revision: UInt64)
    case confirmed
    /// With what is kept of who took it back.
    case reverted(by: String?)
    /// It was never made.
    case none
  }

  /// What has become of it.
  func state(in store: Store) throws(StoreError) -> State {
    let status = try store.trialStatus()
    guard case .int(let number)? = status["revision"], let revision = UInt64(exactly: number), revision > after else {
      return .none
    }
    switch status["state"]?.text {
    // Somebody else may have begun one since ours has ended, or was not made.
    case .some(let text) where text.isSame("pending"): return status.isOfOurs ? .pending(revision: revision) : .none
    case .some(let text) where text.isSame("confirmed"): return .confirmed
    case .some(let text) where text.isSame("reverted"):
      return status.wasOfOurs ? .reverted(by: status["endOrigin"]?.text) : .none
    default: return .none
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
  /// Of the status of a trial: whether it is one of the console's. With a change of the console's comes what is kept of that.
  fileprivate var isOfOurs: Bool {
    placesOnTrial.contains { $0.layer == .bundle && $0.name.isSame(Driver.ownedSetting) }
  }
}

extension Value {
  /// Of the status of a trial that has ended: whether it was one of the console's.
  fileprivate var wasOfOurs: Bool { self["origin"]?.text.map { Change.hasSet($0) } ?? false }
}

extension Store {
  /// What a change of the console's has changed that is on trial.
  func placesOnTrial() throws(StoreError) -> [(name: String, layer: Layer)] {
    let status = try trialStatus()
    return status.isOfOurs ? status.placesOnTrial : []
  }
}

extension Driver {
  private static let ownedRecord = "owned"
  static var ownedSetting: String { Membership.records + ownedRecord }

  /// Makes a change that goes back unless somebody confirms it. What the device knows of channels and trust is kept before, and
  /// for good; with the change goes back what follows from it.
  func begin(_ wanted: Document.Trial, _ change: Change, _ records: [Device.Record]) {
    guard let owned = records.first(where: { $0.name.isSame(Self.ownedRecord) }),
      case .data(let fingerprint)? = owned.value?["applied"], let revision = try? store.revision()
    else { return later(.postponed) }
    var made = Trial(
      fingerprint: fingerprint, after: revision, seconds: wanted.seconds, check: wanted.check,
      schema: world.schema)
    do throws(StoreError) {
      try store.keep { (edit) throws(StoreError) in
        try self.put(records.filter { !$0.name.isSame(Self.ownedRecord) }, into: edit)
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
      if made.check == nil { later(.pull) }
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
    guard machine != nil, var found = Trial.of(store) else {
      if trial != nil {
        trial = nil
        handle(.trial(isPending: false))
      }
      return
    }
    guard let state = try? found.state(in: store) else { return }
    let owned = try? store.kept(Self.ownedSetting)
    let isInEffect = found.isInEffect(owned)
    switch state {
    case .pending(let revision) where isInEffect:
      guard trial == nil else { return }
      found.revision = revision
      found.began = now
      found.lookAt = end(of: found)
      trial = found
      tell(.trial(isPending: true), isFirst)
      if found.check == nil, !isFirst { handle(.pull) }
      arm()
    case .reverted(let origin) where !isInEffect:
      trial = nil
      let isSuperseded = origin?.utf8.starts(with: Change.superseding.utf8) ?? false
      // What counts as refused from now on is forgotten with the commit that keeps that.
      if isSuperseded { forgetTrial() } else { hasEndedTrial = true }
      tell(
        .wentBack(
          owned: owned, fingerprint: found.fingerprint, schema: found.schema,
          Document.Trial(seconds: found.seconds, check: found.check),
          isSuperseded ? nil : found.violation(by: origin)), isFirst)
    case .pending, .confirmed, .reverted, .none:
      // Committed, or never made.
      forgetTrial()
      trial = nil
      tell(.trial(isPending: false), isFirst)
    }
  }

  /// Before the machine has started nothing follows from it yet.
  private func tell(_ event: Device.Event, _ isFirst: Bool) {
    guard isFirst else { return handle(event) }
    machine?.prepare(event, at: Device.Moment(uptime: now, clock: clock), world)
  }

  private func forgetTrial() {
    _ = try? store.keep { (edit) throws(StoreError) in try edit.reset(Membership.trial) }
  }

  /// What asks for no check stays once the server was reached after it.
  func confirmTrialIfReached() {
    guard let trial, trial.check == nil, trial.revision != 0, pullSucceeded >= trial.began, !(machine?.isAsking ?? true)
    else { return }
    do throws(StoreError) { try store.confirmTrial(trial.revision, origin: "sync: the server was reached") } catch {
      guard error.code == .notFound || error.code == .conflict else { return }
    }
    lookAtTrial()
  }
}

extension Trial {
  /// Why it counts as refused.
  fileprivate func violation(by origin: String?) -> Report.Violation {
    var message = "it went back, since nobody confirmed it within \(seconds) s"
    if let check {
      message += "; the check \(check) decides"
      if let origin, origin.utf8.starts(with: "check ".utf8) { message = "it went back: " + origin }
    }
    return Report.Violation(name: "trial", message: message)
  }
}
