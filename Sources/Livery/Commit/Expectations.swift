// What a commit expects not to have changed since it was read.

extension Committer {
  /// Refuses what has.
  mutating func checkExpectations() throws(StoreError) {
    guard !request.expectations.isEmpty else { return }
    let restored = try view.restoredRevision()
    // The last one: while it is pending an earlier one may have ended at any time.
    let ended = try memory.trial(view).map { $0.end?.revision ?? .max } ?? 0
    var changed: [UInt64] = []
    // Those of which records do not tell.
    var asked: [(place: LayerKey, after: UInt64)] = []
    var places: [Int] = []
    for (index, expected) in request.expectations.enumerated() {
      let place = LayerKey(expected.layer, try view.resolveAlias(expected.name))
      let effective = try view.effective(place.name)?.revision ?? 0
      let own = try view.record(place)?.revision ?? 0
      // What was restored is as old as it was, and anything may have been.
      changed.append(max(effective, own, max(effective, own) == 0 ? 0 : restored))
      // Nothing is left of what was removed, and what a trial has gone back to is as old as it was, too.
      guard changed[index] <= expected.revision, expected.revision < present, own == 0 || ended > expected.revision
      else { continue }
      asked.append((place, expected.revision))
      places.append(index)
    }
    for (index, last) in zip(places, try view.lastEdits(asked)) { changed[index] = max(changed[index], last) }
    for (expected, last) in zip(request.expectations, changed) where last > expected.revision {
      let name = try view.resolveAlias(expected.name)
      refusals.append(
        Refusal(
          name: expected.name, code: .conflict,
          message: "`\(name)` was changed at revision \(last), after revision \(expected.revision) that was expected"))
    }
    // What another store says, or this one before an older one took its place, tells nothing of this one.
    for expected in request.expectations where expected.revision > present {
      refusals.append(
        Refusal(
          name: expected.name, code: .conflict,
          message: "revision \(expected.revision) was expected, and the store is at revision \(present)"))
    }
  }
}
