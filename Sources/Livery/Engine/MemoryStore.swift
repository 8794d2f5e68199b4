import CSystem
import LMDB

/// The files of a store that is in memory alone. No name leads to them, so that no other process finds them, and they go
/// with the process, however it ends.
struct MemoryStore: Sendable {
  let data, lock: MemoryFile

  /// Puts a file in the place of the data file: who opens the environment anew finds it.
  func replaceData(by file: MemoryFile) throws(StoreError) { try data.exchange(for: file) }
}

extension StoreDirectory {
  /// Makes a store in memory, of this name in this process.
  static func makeInMemory(_ name: String, _ options: OpenOptions) throws(StoreError) -> Opened {
    guard !options.readOnly else {
      throw name.isEmpty
        ? StoreError(.invalidArgument, "a store in memory that is to be read-only needs the name of one that is open")
        : StoreError(.notFound, "no store `\(name)` is open in memory, and one to be read-only is not made")
    }
    var options = options
    // A copy beside the store would be in the same memory.
    options.automaticBackup = .never
    let directory = try StoreDirectory(.inMemory(name), options, nil)
    return try directory.make(MemoryStore(data: .make(), lock: .make()))
  }

  private func make(_ memory: MemoryStore) throws(StoreError) -> Opened {
    try writeData(memory.data.path, folder: memory.data.descriptor)
    let wakeFile = try MemoryFile.make()
    let wake = try WakeWord(OpenFile(descriptor: wakeFile.openAgain(), facts: lvs_file_facts()), path)
    wake.reset()
    let gate = WriterGate(file: try ByteLocks.make(MemoryFile.make().openAgain(), path), wake: wake)
    let (lockFile, cache) = try prepareLockFile(
      memory.lock.descriptor, locked: memory.lock.openAgain(), wakeFile: wakeFile.descriptor, shown: path,
      bytes: lockFileSize)
    let environment: Environment
    do throws(StoreError) { environment = try openEnvironment(lockFile, inMemory: memory) } catch {
      cache.retire()
      throw error
    }
    do throws(StoreError) {
      let databases = try openDatabases(environment)
      let lockPage = lockFile.page
      try cache.start(environment, databases, lockPage)
      return Opened(
        directory: self, environment: environment, databases: databases, gate: gate, wake: wake, cache: cache,
        lockPage: lockPage, generation: wake.generation, memory: memory, wasChecked: false)
    } catch {
      cache.retire()
      environment.close()
      throw error
    }
  }
}

extension SharedEnvironment {
  /// As `Recovery.compact`, of a store in memory.
  func compact(_ memory: MemoryStore) throws(StoreError) {
    let fresh = try MemoryFile.make()
    _ = try copy(to: fresh.descriptor, false) { () throws(StoreError) in
      try StoreFile(fresh.path, keeping: false, as: directory.path)
    }
    let last: UInt64
    do throws(LMDBError) {
      last = max(try PageFile.open(fresh.path).lastTransaction, lockPage.lastCommit ?? 0) &+ 2
      try PageFile.renumber(fresh.path, isLink: true, to: last)
    } catch { throw StoreError(error) }
    wake.beginReplacing()
    defer {
      wake.endReplacing()
      wake.signal()
    }
    try memory.replaceData(by: fresh)
    lockPage.lastCommit = last
  }
}
