import LiveryClient

// A change that is on trial is not there for good: it may go back without the device having a say in it.

extension Device {
  /// What is applied and on trial is told as such.
  mutating func setTrial(_ isPending: Bool) {
    guard isOnTrial != isPending else { return }
    isOnTrial = isPending
    markReportDue()
    needsLook = true
  }

  mutating func wentBack(
    _ owned: Value?, _ chosen: [Value], _ fingerprint: [UInt8], _ schema: Int64?, _ trial: Desired.Trial?,
    _ violation: Report.Violation?
  ) {
    isOnTrial = false
    kept.read(owned: owned)
    // It was active once.
    kept.owned.cover(chosen)
    if !chosen.isEmpty { mark(Kept.ownedName) }
    needsLook = true
    markReportDue()
    guard let violation else { return }
    kept.refused = fingerprint
    // That of now may be another: an upgrade takes back what is on trial.
    kept.refusedSchema = schema
    kept.refusedTrial = trial?.text
    kept.refusedHeld = []
    kept.violations = [violation]
    mark(Kept.stateName)
  }
}
