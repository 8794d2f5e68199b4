import LMDB

extension Store {
  /// Makes the store forget what it knows of a setting beside its present values: what the log tells of former ones, and
  /// the unused space of the file, which may hold them still. Meant for secrets.
  ///
  /// Corresponds to `livery_forget` in C.
  ///
  /// - Parameter inBackups: also in the store's own folder of backups: values there other than the present ones go. What
  ///   cannot be read there, and the damaged files that were kept, are removed whole.
  /// - Returns: what was done, as described at `livery_forget` in C.
  /// - Throws: `.readOnly`, `.busy`, `.noSpace`, `.permission`, `.io`; `.corrupt` if the store is damaged; `.formatNewer` for
  ///   a backup that a newer library has made.
  @discardableResult
  public func forget(_ name: String, inBackups: Bool = false) throws(StoreError) -> Value {
    try checkName(name)
    return try whileOpen { () throws(StoreError) in
      guard !options.readOnly else { throw StoreError(.readOnly, "the store was opened read-only") }
      var setting = name
      var names: [String] = []
      var present: [Record] = []
      let commits = try write(isRemoval: true) { (view) throws(StoreError) -> Environment.Outcome<Int> in
        // What has gone back by the clock is no present value.
        let isReverted = try view.revertIfOver(logLimits) != nil
        setting = try view.resolveAlias(name)
        present = try view.records(of: setting)
        // What it was called before is told of by that name, and backups know no other.
        names = [setting] + (try view.descriptor(setting)?.aliases ?? [])
        let count = try view.forget(names)
        return count > 0 || isReverted ? .commit(count) : .abort(0)
      }
      var members: [Value.Member] = [
        .init("name", .string(setting)), .init("commits", .int(Int64(commits))),
      ]
      if inBackups {
        let cleaning = BackupCleaning(shared.directory, shared.sealing) { [names] (view) throws(StoreError) in
          try view.forget(names, save: present)
        }
        members.append(.init("backups", .list(try cleaning.cleanBackups(timeout: options.timeout))))
        members.append(.init("damaged", .list(try cleaning.removeDamagedFiles())))
      }
      try compact()
      return .object(members)
    }
  }
}

extension View {
  /// Takes what the log tells of settings.
  fileprivate func forget(_ names: [String]) throws(StoreError) -> Int {
    var meant = NameSet()
    for name in names { meant.insert(name) }
    return try forget(meant)
  }

  /// Removes what a backup knows of settings, save what the store holds now. A schema has its own defaults.
  fileprivate func forget(_ names: [String], save present: [Record]) throws(StoreError) -> Bool {
    var isChanged = false
    for name in names { if try remove(name, save: present) { isChanged = true } }
    return try forget(names) > 0 || isChanged
  }

  private func remove(_ name: String, save present: [Record]) throws(StoreError) -> Bool {
    var isChanged = false
    let setting = KnownSetting(name, isKept: false)
    var records = try records(of: name)
    if try wholeSetting(name)?.trial != nil {
      records = try reverted.records(of: name)
      try setting.replace(by: records, self)
      isChanged = true
    }
    for record in records where record.layer != .defaults {
      let isPresent = present.contains { $0.layer == record.layer && $0.value == record.value }
      if isPresent { continue }
      try setting.remove(record.layer, self)
      isChanged = true
    }
    if isChanged {
      var changes: [LogEntry.Change] = []
      try setting.settle(admission(name), revision: try revision(), now: .now, horizon: .earliest, self, into: &changes)
    }
    return isChanged
  }
}
