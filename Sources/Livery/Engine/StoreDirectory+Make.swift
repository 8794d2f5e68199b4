import CSystem
import LMDB

/// Making the data file of a new store: whole, or not at all.
///
/// It is made under another name, which becomes a second one for it when all is on the disk. So whatever is called
/// `data.mdb` has once been a store, and a process that is killed while making one leaves nothing in the way. Until the
/// first name has gone, the second may not be on the disk yet: whoever opens the store next sees to that.
extension StoreDirectory {
  private static let unfinished = "data.mdb.new"

  func hasData() throws(StoreError) -> Bool { try holdsData(folder.facts(Self.data)) }

  /// The same by what the name stands for.
  func holdsData(_ facts: lvs_file_facts?) throws(StoreError) -> Bool {
    guard let facts else { return false }
    guard facts.is_regular else {
      let kind =
        facts.is_link
        ? "a symbolic link; link to the directory in its place"
        : facts.is_directory ? "a directory" : "no regular file"
      throw StoreError(.notAStore, "\(path): data.mdb is \(kind)")
    }
    return facts.size > 0
  }

  /// To be called by the only process that opens the store.
  func makeData() throws(StoreError) {
    if try !hasData() {
      folder.remove(Self.unfinished)
      do throws(StoreError) { try writeData() } catch {
        folder.remove(Self.unfinished)
        throw error
      }
      // An empty file of that name is no store.
      folder.remove(Self.data)
      guard lvs_name_too(folder.descriptor, Self.unfinished, Self.data) == 0 else { throw .system(lvs_errno(), path) }
    } else if try folder.facts(Self.unfinished) == nil {
      return
    }
    guard lvs_sync_names(folder.descriptor) == 0 else { throw .system(lvs_errno(), path) }
    folder.remove(Self.unfinished)
  }

  private func writeData() throws(StoreError) {
    // Made here, for its owner.
    close(try folder.make(Self.unfinished, flags: O_EXCL, mode: options.fileMode, owner, isLoose: false).descriptor)
    try writeData(folder.route(Self.unfinished), folder: folder.descriptor)
  }

  /// Makes a new store of an empty file, which LMDB takes for a new one.
  func writeData(_ route: String, folder: Int32) throws(StoreError) {
    var environmentOptions = Environment.Options()
    environmentOptions.mapSize = 1 << 20
    environmentOptions.isPrivateFile = true
    environmentOptions.folder = folder
    let environment: Environment
    do { environment = try Environment(path: route, options: environmentOptions) } catch {
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
