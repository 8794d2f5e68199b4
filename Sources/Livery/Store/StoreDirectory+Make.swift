import CSystem
import LMDB

/// Making the data file of a new store: whole, or not at all.
///
/// It is made under another name, which becomes a second one for it when all is on the disk. So whatever is called
/// `data.mdb` has once been a store, and a process that is killed while making one leaves nothing in the way. Until the
/// first name has gone, the second may not be on the disk yet: whoever opens the store next sees to that.
extension StoreDirectory {
  private var data: String { "\(path)/data.mdb" }
  private var unfinished: String { "\(path)/data.mdb.new" }

  func hasData() throws(StoreError) -> Bool {
    var facts = lvs_file_facts()
    if lvs_file_facts_of(data, &facts) == 0 {
      if facts.is_directory { throw StoreError(.notAStore, "\(path): data.mdb is a directory") }
      return facts.size > 0
    }
    guard lvs_errno() == ENOENT else { throw .system(lvs_errno(), path) }
    return false
  }

  /// To be called by the only process that opens the store.
  func makeData() throws(StoreError) {
    if try !hasData() {
      unlink(unfinished)
      do throws(StoreError) { try writeData() } catch {
        unlink(unfinished)
        throw error
      }
      // An empty file of that name is no store.
      unlink(data)
      guard lvs_name_too(unfinished, data) == 0 else { throw .system(lvs_errno(), path) }
    } else if access(unfinished, F_OK) != 0 {
      return
    }
    try syncNames()
    unlink(unfinished)
  }

  private func syncNames() throws(StoreError) {
    guard lvs_sync_names(path) == 0 else { throw .system(lvs_errno(), path) }
  }

  private func writeData() throws(StoreError) {
    var environmentOptions = Environment.Options()
    environmentOptions.mapSize = 1 << 20
    environmentOptions.isPrivateFile = true
    let environment: Environment
    do { environment = try Environment(path: unfinished, options: environmentOptions) } catch {
      throw StoreError(error).prefixed("\(path): ")
    }
    defer { environment.close() }
    try environment.write { (transaction) throws(StoreError) in try make(transaction) }
  }

  private func make(_ transaction: Transaction) throws(StoreError) -> Environment.Outcome<Void> {
    let made: Databases?
    do { made = try Databases(transaction, create: true) } catch { throw StoreError(error) }
    guard let databases = made else { throw StoreError(.io, "\(path): the databases could not be made") }
    var generator = SystemRandomNumberGenerator()
    var identifier: [UInt8] = []
    for _ in 0..<2 { identifier.append(littleEndian: generator.next()) }
    try View(transaction: transaction, databases: databases).initialise(identifier: identifier)
    return .commit(())
  }
}
