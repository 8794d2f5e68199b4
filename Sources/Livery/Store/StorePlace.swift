import CSystem
import LMDB
import Synchronization

/// Where a store is: its directory, and which files are open in it.
///
/// Others may move, delete or exchange any of them. What is committed then into the files that are open nobody would see:
/// so it is looked before, and refused.
final class StorePlace: @unchecked Sendable {
  private static let dataByte: Int64 = 0

  private let folder: Folder
  private let lockFile, gate, wake: FileIdentity
  /// Exchanged only while no transaction is open.
  private(set) var data: FileIdentity
  /// Tells those who open the data file by way of other lock files that it is in use.
  private var use: ByteLocks

  init(
    _ folder: Folder, _ environment: Environment, lockFile: FileIdentity, gate: FileIdentity, wake: FileIdentity
  ) throws(StoreError) {
    let open = environment.dataFile
    let data = FileIdentity(device: open.device, inode: open.inode)
    self.use = try Self.used(folder, data)
    self.folder = folder
    self.lockFile = lockFile
    self.gate = gate
    self.wake = wake
    self.data = data
  }

  private static func used(_ folder: Folder, _ data: FileIdentity) throws(StoreError) -> ByteLocks {
    let locks = try ByteLocks.make(folder.open(StoreDirectory.data), folder.shown(StoreDirectory.data))
    guard locks.identity == data else { throw StoreError(.gone, "\(folder.path): data.mdb was exchanged") }
    let code = locks.share(dataByte)
    guard code == 0 else { throw .system(code, folder.shown(StoreDirectory.data)) }
    return locks
  }

  /// Gives the data file up; to be called before the right to have the store open is.
  func close() { use.close() }

  /// Whether any process has a store's data file open.
  static func isInUse(_ folder: Folder) throws(StoreError) -> Bool {
    guard let facts = try folder.facts(StoreDirectory.data), facts.is_regular else { return false }
    let locks = try ByteLocks.make(folder.open(StoreDirectory.data), folder.shown(StoreDirectory.data))
    return locks.isTaken(dataByte)
  }

  /// The environment was opened anew; false if that was not the file that is there now.
  func follow(_ environment: Environment) throws(StoreError) -> Bool {
    let open = environment.dataFile
    let now = FileIdentity(device: open.device, inode: open.inode)
    if now == data { return true }
    guard lvs_is_named(folder.descriptor, StoreDirectory.data, now.device, now.inode) else { return false }
    do throws(StoreError) { use = try Self.used(folder, now) } catch {
      guard error.code == .gone else { throw error }
      return false
    }
    data = now
    return true
  }

  /// - Throws: `.gone` if the directory is not in its place, or there is no data file.
  func lookForData() throws(StoreError) {
    let facts = try folder.facts(StoreDirectory.data)
    guard folder.isInPlace, facts != nil else { throw gone() }
  }

  private func gone() -> StoreError {
    StoreError(
      .gone,
      "\(folder.path): the store's directory was moved, deleted or exchanged while it was open; close every handle on it "
        + "and open it again")
  }

  /// - Throws: `.gone` unless the path leads to the files that are open.
  func check() throws(StoreError) {
    guard folder.isInPlace else { throw gone() }
    try check(StoreDirectory.data, data)
    try check(StoreDirectory.lock, lockFile)
    try check(StoreDirectory.gate, gate)
    try check(StoreDirectory.wake, wake)
  }

  private func check(_ name: String, _ file: FileIdentity) throws(StoreError) {
    guard lvs_is_named(folder.descriptor, name, file.device, file.inode) else {
      throw StoreError(
        .gone,
        "\(folder.shown(name)) was deleted or exchanged while the store was open; close every handle on it, in all "
          + "processes, and open it again")
    }
  }
}
