import CSystem

/// A folder, by its descriptor: what is done here is done in the very folder that was opened, whatever becomes of the names
/// that led to it. No link in it is followed.
///
/// That of a store in memory is none: there is nothing in it, and nothing can be made there.
final class Folder: @unchecked Sendable {
  private let lock = Lock()
  /// Guarded by `lock`.
  private var name: String
  let descriptor: Int32
  let device, inode: UInt64
  /// The inode of the root that the process had.
  let root: UInt64

  private init(_ path: String, _ descriptor: Int32, _ facts: lvs_file_facts, root: UInt64) {
    name = path
    self.descriptor = descriptor
    device = facts.device
    inode = facts.inode
    self.root = root
  }

  private init(inMemory name: String) {
    self.name = name.isEmpty ? "memory" : "memory:\(name)"
    descriptor = -1
    device = 0
    inode = 0
    root = 0
  }

  static func inMemory(_ name: String) -> Folder { Folder(inMemory: name) }

  var isInMemory: Bool { descriptor < 0 }

  deinit {
    if !isInMemory { close(descriptor) }
  }

  /// What people know it by; it may lead elsewhere by now.
  var path: String { lock.withLock { name } }

  /// Goes by another path, which leads to it as well: it has been moved. False if it leads elsewhere.
  func adopt(_ path: String) -> Bool {
    guard let other = try? Folder.open(path), other.device == device, other.inode == inode else { return false }
    lock.withLock { name = other.name }
    return true
  }

  /// Opens the folder that a path leads to, by way of links too.
  static func open(_ path: String) throws(StoreError) -> Folder {
    // The path that still leads there when the process has changed its working directory.
    guard let resolved = realpath(path, nil) else { throw .system(lvs_errno(), path) }
    defer { free(resolved) }
    let real = String(validatingCString: resolved) ?? path
    let descriptor = lvs_open_directory(real)
    guard descriptor >= 0 else { throw .system(lvs_errno(), real) }
    return try made(real, descriptor, root: lvs_root_inode())
  }

  private static func made(_ path: String, _ descriptor: Int32, root: UInt64) throws(StoreError) -> Folder {
    var facts = lvs_file_facts()
    guard lvs_file_facts_at(descriptor, &facts) == 0 else {
      let code = lvs_errno()
      close(descriptor)
      throw .system(code, path)
    }
    return Folder(path, descriptor, facts, root: root)
  }

  /// A folder in it; nil if there is none.
  func folder(_ name: String) throws(StoreError) -> Folder? {
    if isInMemory { return nil }
    let found = lvs_open_at(descriptor, name, O_RDONLY | O_DIRECTORY, 0)
    guard found >= 0 else {
      guard lvs_errno() != ENOENT else { return nil }
      let code = lvs_errno()
      guard code != ENOTDIR, code != ELOOP else {
        throw StoreError(.io, "\(shown(name)) is no folder", systemError: ENOTDIR)
      }
      throw .system(code, shown(name))
    }
    return try Self.made(shown(name), found, root: root)
  }

  /// A folder in it, which is made if it is missing.
  func makeFolder(_ name: String, _ mode: UInt32, _ owner: lvs_owner) throws(StoreError) -> Folder {
    if let found = try folder(name) { return found }
    var owner = owner
    guard lvs_make_folder_at(descriptor, name, mode, &owner) == 0 else { throw .system(lvs_errno(), shown(name)) }
    guard let made = try folder(name) else { throw .system(ENOENT, shown(name)) }
    return made
  }

  /// Another descriptor of it, whose locks are its own.
  func openAgain() throws(StoreError) -> Int32 {
    let again = lvs_open_at(descriptor, ".", O_RDONLY | O_DIRECTORY, 0)
    guard again >= 0 else {
      throw StoreError(.io, "\(path) cannot be opened once more", systemError: lvs_errno())
    }
    return again
  }

  /// Whether its path still leads to it.
  var isInPlace: Bool { lvs_leads_to(path, device, inode, root) != 0 }

  func shown(_ name: String) -> String { "\(path)/\(name)" }

  /// A path of a file in it for functions that know no descriptors, which does not depend on the names around the folder.
  func route(_ name: String? = nil) -> String {
    let own = "/proc/self/fd/\(descriptor)"
    let base = access(own, F_OK) == 0 ? own : path
    return name.map { "\(base)/\($0)" } ?? base
  }

  /// What a name stands for; nil if there is nothing of that name.
  func facts(_ name: String) throws(StoreError) -> lvs_file_facts? {
    if isInMemory { return nil }
    var facts = lvs_file_facts()
    if lvs_file_facts_in(descriptor, name, &facts) == 0 { return facts }
    guard lvs_errno() == ENOENT else { throw .system(lvs_errno(), shown(name)) }
    return nil
  }

  /// Opens a file for reading.
  func open(_ name: String, _ flags: Int32 = O_RDONLY) throws(StoreError) -> Int32 {
    guard let file = try find(name, flags) else { throw failure(ENOENT, name) }
    return file.descriptor
  }

  /// The same; nil if there is nothing of that name.
  func find(_ name: String, _ flags: Int32 = O_RDONLY) throws(StoreError) -> OpenFile? {
    let file = lvs_open_at(descriptor, name, flags, 0)
    guard file >= 0 else {
      let code = lvs_errno()
      guard code != ENOENT else { return nil }
      throw failure(code, name)
    }
    return try regular(file, name)
  }

  /// Opens a file for reading and writing, and makes it if it is missing.
  ///
  /// - Parameters:
  ///   - flags: O_EXCL for a file that must not be there yet.
  ///   - isLoose: whether another user of a shared store may be the file's owner.
  func make(
    _ name: String, flags: Int32 = 0, mode: UInt32, _ owner: lvs_owner, isLoose: Bool = true
  ) throws(StoreError) -> OpenFile {
    var owner = owner
    let file = lvs_make_at(descriptor, name, flags, mode, &owner, isLoose)
    guard file >= 0 else { throw failure(lvs_errno(), name) }
    return try regular(file, name)
  }

  private func regular(_ file: Int32, _ name: String) throws(StoreError) -> OpenFile {
    var facts = lvs_file_facts()
    guard lvs_file_facts_at(file, &facts) == 0, facts.is_regular else {
      close(file)
      throw StoreError(.notAStore, "\(shown(name)) is no regular file")
    }
    return OpenFile(descriptor: file, facts: facts)
  }

  private func failure(_ code: Int32, _ name: String) -> StoreError {
    // A link; a pipe that nobody reads; a socket.
    guard code != ELOOP, code != ENXIO, code != EISDIR else {
      return StoreError(.notAStore, "\(shown(name)) is no regular file", systemError: code)
    }
    return .system(code, shown(name))
  }

  func remove(_ name: String) { lvs_unlink_at(descriptor, name) }

  func rename(_ name: String, to other: String, in folder: Folder) throws(StoreError) {
    guard lvs_rename_at(descriptor, name, folder.descriptor, other) == 0 else {
      throw .system(lvs_errno(), folder.shown(other))
    }
  }

  /// The names in it, but for those of itself and of the folder around it.
  func names() throws(StoreError) -> [[UInt8]] {
    var length = 0
    guard let names = lvs_directory_names(descriptor, &length) else { throw .system(lvs_errno(), path) }
    defer { free(names) }
    var found: [[UInt8]] = []
    var start = 0
    let bytes = UnsafeRawBufferPointer(start: names, count: length)
    for end in 0..<length where bytes[end] == 0 {
      let name = Array(bytes[start..<end])
      if name != ".".bytes, name != "..".bytes { found.append(name) }
      start = end + 1
    }
    return found
  }

  /// Waits until its names are on the disk.
  func sync() throws(StoreError) {
    guard lvs_sync_folder(descriptor) == 0 else { throw .system(lvs_errno(), path) }
  }
}

/// A file that was opened, and what it was then.
struct OpenFile {
  let descriptor: Int32
  let facts: lvs_file_facts
}

/// A file, by which another one of the same name is told apart from it.
struct FileIdentity: Equatable, Sendable {
  let device, inode: UInt64

  init(_ facts: lvs_file_facts) {
    device = facts.device
    inode = facts.inode
  }

  init(device: UInt64, inode: UInt64) {
    self.device = device
    self.inode = inode
  }
}
