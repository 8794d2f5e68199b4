import CSystem

/// A file that is locked while it is made: what nobody has locked is removed by the next opening.
struct TemporaryFile {
  let name: String
  /// Of the locks: it is there until `remove`.
  let descriptor: Int32
  private let folder: Folder
  private let locks: ByteLocks

  private static let ending = ".tmp"

  init(_ folder: Folder, mode: UInt32, _ owner: lvs_owner) throws(StoreError) {
    var generator = SystemRandomNumberGenerator()
    self.folder = folder
    name = ".\(String(generator.next(), radix: 16))\(Self.ending)"
    let file = try folder.make(name, flags: O_EXCL, mode: mode, owner)
    descriptor = file.descriptor
    do throws(StoreError) { locks = try ByteLocks.make(file, folder.path) } catch {
      folder.remove(name)
      throw error
    }
    _ = locks.lock(0)
  }

  /// Ends its use, and removes it unless it has another name by now.
  func remove() {
    folder.remove(name)
    locks.close()
  }

  /// Removes what processes that died have left unfinished.
  static func removeUnfinished(in folder: Folder) {
    guard let names = try? folder.names() else { return }
    for bytes in names where bytes.first == UInt8(ascii: ".") && bytes.suffix(4) == ending.bytes[...] {
      guard let name = String(validating: bytes, as: UTF8.self), let file = try? folder.find(name, O_RDWR),
        let locks = try? ByteLocks.make(file, name)
      else { continue }
      if locks.lock(0) == 0 { folder.remove(name) }
    }
  }
}
