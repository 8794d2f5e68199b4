import CSystem
import LMDB

extension Store {
  /// Has the values of secrets sealed before they are written, and opened after they are read.
  ///
  /// It counts for all handles of the process on the store, until this one is closed or gets another. The first time the
  /// store remembers that its secrets are sealed, for good: what it holds is sealed in one commit, its log and its own
  /// backups with it, damaged files that were kept are removed, and the file is compacted, so that no page holds a secret
  /// as it was. From then on nobody sets a secret who has no sealer. Corresponds to `livery_set_sealer` in C.
  ///
  /// - Parameter sealer: nil for none. Its functions run on any thread, also within transactions: they must not use the
  ///   store.
  /// - Throws: `.unavailable` if it does not seal; as `compact()`. The sealer before then stays.
  public func setSealer(_ sealer: Sealer?) throws(StoreError) {
    try whileOpen { () throws(StoreError) in
      let former = shared.sealing.exchange(sealer, of: identity)
      guard sealer != nil else { return }
      lvs_memory_wipe()
      do throws(StoreError) {
        if !options.readOnly { try sealFirst() }
      } catch {
        shared.sealing.restore(former, of: identity)
        throw error
      }
      // It counts by now, and values may be sealed by it: reads and later commits tell what is wrong with the file.
      do throws(StoreError) { try tellOpened() } catch {
        Log.write(.warning, "\(path): watches are not told of what can be opened now: \(error.message)")
      }
    }
  }

  /// Seals everything anew, in one commit: with the present key what former keys have sealed, plainly what is no secret any
  /// more. Corresponds to `livery_reseal` in C.
  ///
  /// - Parameter copies: also the store's own backups; damaged files that were kept are removed.
  /// - Returns: what was done, as described at `livery_reseal` in C.
  /// - Throws: `.unavailable` if there is no sealer, or it does not seal; as `compact()`.
  @discardableResult
  public func reseal(copies: Bool = false) throws(StoreError) -> Value {
    try whileOpen { () throws(StoreError) in
      try checkWritable()
      guard shared.sealing.sealer != nil else { throw StoreError(.unavailable, "this process has no sealer") }
      let outcome = try reseal(anew: true)
      var members: [Value.Member] = [
        .init("sealed", .int(Int64(outcome.sealed))), .init("wasPlain", .int(Int64(outcome.wasPlain))),
        .init("unavailable", .list(outcome.unavailable.names.map { .string($0) })),
      ]
      if copies { members += try resealCopies(anew: true) }
      try shared.compact()
      return .object(members)
    }
  }

  /// How the store's secrets lie in it. Corresponds to `livery_sealing` in C.
  public func sealing() throws(StoreError) -> Value {
    try read { (view) throws(StoreError) in
      var sealed: Int64 = 0, plain: Int64 = 0
      var unavailable = NameSet()
      try view.walkLayers(from: .bundle) { (place, record) throws(StoreError) in
        guard let value = record.value else { return }
        if record.sealed != nil {
          sealed += 1
          if value.isSealed { unavailable.insert(place.name) }
        } else if try view.isSecret(place.name, value) {
          plain += 1
        }
      }
      return .object([
        .init("active", .bool(try view.sealMark() != nil)), .init("sealer", .bool(shared.sealing.sealer != nil)),
        .init("sealed", .int(sealed)), .init("plain", .int(plain)),
        .init("unavailable", .list(unavailable.names.map { .string($0) })),
      ])
    }
  }

  /// Seals what lies in the store as it was before anybody could seal it. Until no page and no copy holds it plainly the mark
  /// says so, and whoever comes next with a sealer completes what was interrupted.
  func sealFirst() throws(StoreError) {
    let mark = try shared.read { (view) throws(StoreError) in try view.sealMark() }
    guard mark?.isPending ?? true else { return }
    // A process without a sealer may leave more meanwhile.
    for _ in 0..<3 {
      _ = try reseal(anew: false)
      _ = try resealCopies(anew: false)
      try shared.compact()
      if try settle() { return }
    }
  }

  /// Notes that nothing lies plainly any more; false if something does again.
  private func settle() throws(StoreError) -> Bool {
    try write { (view) throws(StoreError) -> Environment.Outcome<Bool> in
      guard let mark = try view.sealMark(), mark.isPending else { return .abort(true) }
      guard try !view.reseal(anew: false).leavesPlain else { return .commit(false) }
      try view.putSealMark(SealMark(store: mark.store, isPending: false))
      return .commit(true)
    }
  }

  /// After values that were plain have been sealed, the pages and copies go that held them.
  func overwriteFormerSecrets() {
    do throws(StoreError) { try sealFirst() } catch {
      Log.write(.warning, "\(path): what secrets were before they were sealed is still in the file: \(error.message)")
    }
  }

  private func reseal(anew: Bool) throws(StoreError) -> Resealing {
    try write { (view) throws(StoreError) -> Environment.Outcome<Resealing> in
      let isFirst = try view.sealMark() == nil
      if isFirst { try view.putSealMark(SealMark(store: try view.identifier(), isPending: true)) }
      let outcome = try view.reseal(anew: anew)
      return outcome.hasChanged || isFirst ? .commit(outcome) : .abort(outcome)
    }
  }

  private func resealCopies(anew: Bool) throws(StoreError) -> [Value.Member] {
    guard shared.memory == nil else { return [] }
    let cleaning = BackupCleaning(shared.directory, shared.sealing) { (view) throws(StoreError) in
      let isFirst = try view.sealMark() == nil
      if isFirst { try view.putSealMark(SealMark(store: try view.identifier(), isPending: true)) }
      return try view.reseal(anew: anew, settles: true).hasChanged || isFirst
    }
    return [
      .init("backups", .list(try cleaning.cleanBackups(timeout: options.timeout))),
      .init("damaged", .list(try cleaning.removeDamagedFiles())),
    ]
  }

  /// Has watches read anew what could not be opened before.
  private func tellOpened() throws(StoreError) {
    let names = try shared.read { (view) throws(StoreError) in
      var names: [String] = []
      try view.walkStored { (name, place, _) throws(StoreError) in
        if place?.isSealed == true, let text = name.text { names.append(text) }
      }
      return names
    }
    shared.hub.readAnew(names, shared)
  }
}
