import CSystem

/// A file whose bytes this process locks, for as long as the object lives; no child inherits the locks.
final class ByteLocks: @unchecked Sendable {
  private var file: OpaquePointer?
  let identity: FileIdentity

  private init(_ file: OpaquePointer, _ identity: FileIdentity) {
    self.file = file
    self.identity = identity
  }

  deinit {
    close()
  }

  /// Takes the descriptor over, also if it fails.
  static func make(_ descriptor: Int32, _ path: @autoclosure () -> String) throws(StoreError) -> ByteLocks {
    var facts = lvs_file_facts()
    guard lvs_file_facts_at(descriptor, &facts) == 0 else {
      let code = lvs_errno()
      lvs_close(descriptor)
      throw .system(code, path())
    }
    return try make(OpenFile(descriptor: descriptor, facts: facts), path())
  }

  /// The same of a file that was looked at.
  static func make(_ file: OpenFile, _ path: @autoclosure () -> String) throws(StoreError) -> ByteLocks {
    guard let made = lvs_lock_file_make(file.descriptor) else { throw .system(lvs_errno(), path()) }
    return ByteLocks(made, FileIdentity(file.facts))
  }

  /// Gives all locks back; to be called when nobody uses it any more.
  func close() {
    lvs_lock_file_free(file)
    file = nil
  }

  /// 0, or errno: EAGAIN while somebody else has the byte.
  func lock(_ byte: Int64) -> Int32 {
    guard let file else { return EBADF }
    return lvs_lock_byte(file, byte) == 0 ? 0 : lvs_errno()
  }

  func unlock(_ byte: Int64) {
    if let file { lvs_unlock_byte(file, byte) }
  }

  /// Holds a byte together with others; 0, or errno.
  func share(_ byte: Int64) -> Int32 {
    guard let file else { return EBADF }
    return lvs_share_byte(file, byte) == 0 ? 0 : lvs_errno()
  }

  /// Holds the file as a whole, alone or together with others; 0, or errno: EAGAIN while somebody else has it.
  func lockWhole(isShared: Bool) -> Int32 {
    guard let file else { return EBADF }
    return lvs_lock_whole(file, isShared) == 0 ? 0 : lvs_errno()
  }

  func isTaken(_ byte: Int64) -> Bool { file.map { lvs_is_byte_taken($0, byte) } ?? false }

  /// The process whose own lock a byte has, as older versions of the library have them; 0 for others.
  func holder(of byte: Int64) -> Int32 { file.map { lvs_lock_holder($0, byte) } ?? 0 }

  /// Whether another copy of the library has the file open in this process.
  var isOpenElsewhere: Bool { file.map { lvs_is_open_elsewhere($0) } ?? false }
}
