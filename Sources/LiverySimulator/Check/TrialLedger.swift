import LiveryFleet

/// What has to be in effect where changes are on trial: by what was published, by when that began, and by what befell the device.
struct TrialLedger {
  struct Pending {
    var recommended: LayerValues
    var enforced: LayerValues
    var active: [[Reference.Wish]]
    /// The hashes of the documents that held.
    var holding: [[UInt8]]
    /// The schema with which they were made so.
    var formerSchema: Int64?
    /// The operator's choices that it took away, as long as the operator makes no others.
    var user: [Int: Int64]
    /// What the operator has chosen since.
    var chosen: Set<Int> = []
    var wishes: [Reference.Wish?]
    var schema: Int64
    var deadline: Time
    var system: Int
  }

  private(set) var recommended = LayerValues()
  private(set) var enforced = LayerValues()
  private(set) var pending: Pending?
  /// How often something went back.
  private(set) var wentBack = 0
  /// What went back last, unless another change was made since: it is not tried again.
  private(set) var refused: (wishes: [Reference.Wish?], schema: Int64)?

  /// A change was made. Before `shadow` knows of it.
  mutating func commit(_ reference: Reference, _ shadow: Shadow, at now: Time, system: Int) {
    refused = nil
    pending = nil
    if let trial = reference.trial {
      var user: [Int: Int64] = [:]
      for index in 0..<Settings.count where shadow.isReplaced(index, by: reference) { user[index] = shadow.user[index] }
      pending = Pending(
        recommended: recommended, enforced: enforced, active: shadow.active, holding: shadow.holding,
        formerSchema: shadow.schema, user: user, wishes: reference.wishes, schema: reference.schema,
        deadline: now + trial.seconds * .second, system: system)
    }
    recommended = reference.recommended
    enforced = reference.enforced
  }

  mutating func operate(_ index: Int, _ value: Int64?) {
    pending?.user[index] = nil
    if value == nil { pending?.chosen.remove(index) } else { pending?.chosen.insert(index) }
  }

  /// Its time may be over.
  mutating func settle(_ shadow: inout Shadow, at now: Time, system: Int) {
    guard let pending, now >= pending.deadline || system != pending.system else { return }
    goBack(&shadow, isRefused: true)
  }

  mutating func goBack(_ shadow: inout Shadow, isRefused: Bool) {
    guard let pending else { return }
    recommended = pending.recommended
    enforced = pending.enforced
    // What was active and chosen otherwise has had its turn.
    var active = pending.active
    for index in pending.chosen {
      if let wish = pending.wishes[index], wish.verb == .replace { active[index].append(wish) }
    }
    shadow.goBack(to: active, pending.holding, pending.formerSchema, pending.user)
    if isRefused { refused = (pending.wishes, pending.schema) }
    self.pending = nil
    wentBack += 1
  }

  /// False if it is over.
  mutating func confirm() -> Bool {
    guard pending != nil else { return false }
    pending = nil
    return true
  }

  func isRefused(_ reference: Reference) -> Bool {
    guard let refused else { return false }
    return refused.schema == reference.schema && refused.wishes == reference.wishes
  }
}

extension SimulatedDevice {
  /// What is over goes back before anybody reads; then it is confirmed or gone back, and never mixed.
  func lookAtStore() {
    ledger.settle(&shadow, at: now, system: system)
    store.settle(at: now, system: system, isHalf: fault == .trial)
    if (store.onTrial != nil) != (ledger.pending != nil) {
      wrong(.half, "what is on trial \(store.onTrial == nil ? "is over" : "goes on"), and should not")
    }
    if store.recommended != ledger.recommended || store.enforced != ledger.enforced || store.user != shadow.user {
      wrong(.half, "what is on trial has neither stayed nor gone back")
    }
  }
}
