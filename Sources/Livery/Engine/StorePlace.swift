import CSystem
import LMDB

/// Where a store is: its directory, and which files are open in it.
///
/// Others may move, delete or exchange any of them. What is committed then into the files that are open nobody would see:
/// so it is looked before, and refused.
final class StorePlace: @unchecked Sendable {
  private static let dataByte: Int64 = 0

  private let folder: Folder
  /// Looked at by each commit. What it says of the data file, and its path, are exchanged under `lock`.
  private let place: UnsafeMutablePointer<lvs_place>
  private let lock = Lock()
  /// Tells those who open the data file by way of other lock files that it is in use.
  private var use: ByteLocks
  /// When the data file was changed last before it was opened, in nanoseconds.
  let lastChange: Int64

  static func make(
    _ folder: Folder, _ environment: Environment, lockFile: FileIdentity, gate: FileIdentity, wake: FileIdentity
  ) throws(StoreError) -> StorePlace {
    let open = environment.dataFile
    let data = FileIdentity(device: open.device, inode: open.inode)
    let (use, facts) = try used(folder, data)
    return StorePlace(folder, use, facts, data, lockFile, gate, wake)
  }

  // In Embedded Swift an initialiser that throws leaks the object: all that can fail comes before.
  private init(
    _ folder: Folder, _ use: ByteLocks, _ facts: lvs_file_facts, _ data: FileIdentity, _ lockFile: FileIdentity,
    _ gate: FileIdentity, _ wake: FileIdentity
  ) {
    self.use = use
    lastChange = facts.changed_ns
    self.folder = folder
    place = .allocate(capacity: 1)
    place.initialize(to: lvs_place())
    place.pointee.folder = folder.descriptor
    place.pointee.directory = lvs_file_identity(device: folder.device, inode: folder.inode)
    place.pointee.root = folder.root
    place.pointee.keeps_changes = lvs_keeps_changes(folder.descriptor)
    place.pointee.path = strdup(folder.path)
    // In the order of the constants.
    place.pointee.files = (data.stored, lockFile.stored, gate.stored, wake.stored)
  }

  deinit {
    free(place.pointee.path)
    place.deallocate()
  }

  private static func used(
    _ folder: Folder, _ data: FileIdentity
  ) throws(StoreError) -> (use: ByteLocks, facts: lvs_file_facts) {
    guard let file = try folder.find(StoreDirectory.data) else {
      throw StoreError(.gone, "\(folder.path): data.mdb was deleted")
    }
    let locks = try ByteLocks.make(file, folder.shown(StoreDirectory.data))
    guard locks.identity == data else { throw StoreError(.gone, "\(folder.path): data.mdb was exchanged") }
    return (try shared(folder, locks), file.facts)
  }

  private static func shared(_ folder: Folder, _ locks: ByteLocks) throws(StoreError) -> ByteLocks {
    let code = locks.share(dataByte)
    guard code == 0 else { throw .system(code, folder.shown(StoreDirectory.data)) }
    return locks
  }

  /// Gives the data file up; to be called before the right to have the store open is.
  func close() { use.close() }

  /// Tells by the data file that it is in use, until `use` is closed, unless any process has said so before. Nothing is told
  /// of a file that is not there.
  static func reserve(_ folder: Folder) throws(StoreError) -> (isFree: Bool, use: ByteLocks?) {
    guard let file = try folder.find(StoreDirectory.data) else { return (true, nil) }
    let locks = try ByteLocks.make(file, folder.shown(StoreDirectory.data))
    guard !locks.isTaken(dataByte) else { return (false, nil) }
    return (true, try shared(folder, locks))
  }

  /// Which file is open as the data file.
  var data: FileIdentity { lock.withLock { FileIdentity(place.pointee.files.0) } }

  /// The environment was opened anew; false if that was not the file that is there now.
  func follow(_ environment: Environment) throws(StoreError) -> Bool {
    let open = environment.dataFile
    let now = FileIdentity(device: open.device, inode: open.inode)
    if now == data { return true }
    guard try folder.facts(StoreDirectory.data).map({ FileIdentity($0) }) == now else { return false }
    do throws(StoreError) { use = try Self.used(folder, now).use } catch {
      // It was exchanged once more meanwhile.
      guard error.code == .gone || error.code == .notFound || error.code == .notAStore else { throw error }
      return false
    }
    lock.withLock {
      place.pointee.files.0 = now.stored
      place.pointee.settled = timespec()
    }
    return true
  }

  /// Goes by another path, if that leads to the directory: it has been moved.
  func adopt(_ path: String) {
    guard !folder.isInPlace, folder.adopt(path) else { return }
    lock.withLock {
      free(place.pointee.path)
      place.pointee.path = strdup(folder.path)
    }
  }

  /// - Throws: `.gone` if the directory is not in its place, or there is no data file.
  func lookForData() throws(StoreError) {
    let facts = try folder.facts(StoreDirectory.data)
    guard folder.isInPlace, facts != nil else { throw gone("") }
  }

  /// - Throws: `.gone` unless the path leads to the files that are open.
  func check() throws(StoreError) {
    let missing = lock.withLock { lvs_place_check(place) }
    if let missing { throw gone(String(cString: missing)) }
  }

  private func gone(_ name: String) -> StoreError {
    guard !name.isEmpty else {
      return StoreError(
        .gone,
        "\(folder.path): the store's directory was moved, deleted or exchanged while it was open; close every handle on it "
          + "and open it again")
    }
    return StoreError(
      .gone,
      "\(folder.shown(name)) was deleted or exchanged while the store was open; close every handle on it, in all processes, "
        + "and open it again")
  }
}

extension FileIdentity {
  fileprivate init(_ stored: lvs_file_identity) {
    self.init(device: stored.device, inode: stored.inode)
  }

  fileprivate var stored: lvs_file_identity { lvs_file_identity(device: device, inode: inode) }
}
