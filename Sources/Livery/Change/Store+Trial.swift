import CSystem

extension Store {
  /// Lets stay what is on trial. Corresponds to `livery_trial_confirm` in C.
  ///
  /// Whoever has lost the answer may ask again: it is that of the first time.
  ///
  /// - Parameter revision: that of the commit that began the trial, as a proof that one has seen it.
  /// - Returns: the revision of the commit that confirms it.
  /// - Throws: `.notFound` if nothing is on trial: it went back, and the message says when; `.conflict` if it is another
  ///   revision; `.invalidArgument` for 0; `.readOnly`, `.busy`, `.noSpace`, `.io`, `.corrupt`.
  @discardableResult
  public func confirmTrial(_ revision: UInt64, origin: String = "") throws(StoreError) -> UInt64 {
    guard revision > 0 else { throw StoreError(.invalidArgument, "a trial is confirmed with its revision") }
    return try end(TrialEnd(confirms: true, revision: revision), origin)
  }

  /// Takes back what is on trial, before its time is over. Corresponds to `livery_trial_revert` in C.
  ///
  /// - Parameter revision: that of the commit that began the trial; 0 for whichever is pending.
  /// - Returns: the revision of the commit that takes it back.
  /// - Throws: as `confirmTrial`, save `.invalidArgument`.
  @discardableResult
  public func revertTrial(_ revision: UInt64 = 0, origin: String = "") throws(StoreError) -> UInt64 {
    try end(TrialEnd(confirms: false, revision: revision), origin)
  }

  private func end(_ end: TrialEnd, _ origin: String) throws(StoreError) -> UInt64 {
    try checkOrigin(origin)
    var request = CommitRequest()
    request.trialEnd = end
    request.origin = origin
    let result = try commit(request)
    if result.isRefused { throw StoreError(refusing: result.refusals) }
    return result.revision
  }

  /// What is on trial, or what became of the last one: an object, described at `livery_trial_status` in C.
  ///
  /// - Throws: `.corrupt`.
  public func trialStatus() throws(StoreError) -> Value {
    try read { (view) throws(StoreError) in
      guard let trial = try view.trial() else { return .object([.init("state", .string("none"))]) }
      let isOver = trial.isPending && view.isOver(trial)
      var members: [Value.Member] = [.init("state", .string(isOver ? "reverted" : trial.phase.description))]
      @inline(never)
      func add(_ name: String, _ value: Value) { members.append(.init(name, value)) }
      add("revision", .int(Int64(clamping: trial.term.revision)))
      add("origin", .string(trial.origin))
      add("time", .date(trial.time))
      add("length", .int(trial.length))
      if let end = trial.end {
        add("ended", .date(end.time))
        add("endRevision", .int(Int64(clamping: end.revision)))
        add("endOrigin", .string(end.origin))
      }
      guard trial.isPending, !isOver else { return .object(members) }
      let moment = view.trialMoment
      add("until", .date(trial.until(from: moment)))
      add("remaining", .int(max(0, trial.term.deadline &- moment)))
      var items: [Value] = []
      for (name, _, part) in try view.settingsOnTrial() where part.term == trial.term {
        for layer in Layer.allCases where part.layers.contains(layer) {
          items.append(.object([.init("name", .string(name)), .init("layer", .string(layer.description))]))
        }
      }
      add("settings", .list(items))
      return .object(members)
    }
  }
}

extension TrialState.Phase: CustomStringConvertible {
  var description: String {
    switch self {
    case .pending: "pending"
    case .confirmed: "confirmed"
    case .reverted: "reverted"
    }
  }
}

extension Trial {
  /// The length of a trial as the store keeps it.
  static func microseconds(_ length: Duration) throws(StoreError) -> Int64 {
    guard let microseconds = length.wholeMicroseconds, microseconds > 0, microseconds <= longest else {
      throw StoreError(.invalidArgument, "a trial takes more than 0 and at most \(longest) microseconds")
    }
    return microseconds
  }
}
