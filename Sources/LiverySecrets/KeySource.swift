import CSecrets
import LiveryClient

/// Where a store's keys lie. Corresponds to `livery_secrets_options` in C.
public enum KeySource: Sendable {
  /// Writes the text of the keys into the buffer, and gives how many bytes.
  public typealias Function = @Sendable (_ buffer: UnsafeMutableRawBufferPointer) throws(StoreError) -> Int

  /// A file of this user or of root that nobody else may read.
  case file(String)
  /// The description of a key of the type `user` in the session's keyring or the user's.
  case keyring(String)
  /// The name of a credential of systemd's.
  case credential(String)
  case function(Function)

  /// What it is called in reports.
  public var name: String {
    switch self {
    case .file: "file"
    case .keyring: "keyring"
    case .credential: "credential"
    case .function: "function"
    }
  }
}

extension KeySource {
  /// Reads the keys, the one that seals first.
  ///
  /// - Returns: with what tells whether a file is still the same.
  func read() throws(StoreError) -> (keys: [Key], stamp: lvk_stamp?) {
    guard lvk_begin() else { throw StoreError(.unavailable, "libsodium does not work here") }
    let capacity = LVK_MOST_TEXT + 1
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 8)
    defer {
      lvk_wipe(buffer.baseAddress, capacity)
      buffer.deallocate()
    }
    var length = 0
    var stamp: lvk_stamp?
    switch self {
    case .file, .credential:
      let (path, isPrivate) = try place()
      var found = lvk_stamp()
      try Self.check(lvk_file_read(path, isPrivate, buffer.baseAddress, capacity, &length, &found), path)
      stamp = found
    case .keyring(let name):
      try Self.check(lvk_keyring_read(name, buffer.baseAddress, capacity, &length), shown)
    case .function(let function):
      length = try function(UnsafeMutableRawBufferPointer(rebasing: buffer[0..<(capacity - 1)]))
      guard length >= 0, length < capacity else {
        throw StoreError(.invalidArgument, "the function claims to have written \(length) bytes of keys")
      }
    }
    do throws(StoreError) {
      return (try KeyText.keys(in: UnsafeRawBufferPointer(rebasing: buffer[0..<length])), stamp)
    } catch {
      throw StoreError(error.code, "\(shown): \(error.message)")
    }
  }

  /// What a file is now; nil for what is none, or is not there.
  func stamp() -> lvk_stamp? {
    guard let (path, _) = try? place() else { return nil }
    var stamp = lvk_stamp()
    return lvk_file_stamp(path, &stamp) == 0 ? stamp : nil
  }

  /// Makes keys, where there are none.
  func make(_ keys: [Key]) throws(StoreError) {
    guard lvk_begin() else { throw StoreError(.unavailable, "libsodium does not work here") }
    try KeyText.text(of: keys) { (text) throws(StoreError) in
      switch self {
      case .file(let path):
        let error = lvk_file_make(path, text.baseAddress, text.count)
        guard error != ENOENT && error != ENOTDIR else {
          throw StoreError(.unavailable, "\(path): the folder that is to hold the key is missing", systemError: error)
        }
        try Self.check(error, path)
      case .keyring(let name):
        var length = 0
        let error = withUnsafeTemporaryAllocation(byteCount: LVK_MOST_TEXT, alignment: 8) { buffer in
          defer { lvk_wipe(buffer.baseAddress, buffer.count) }
          return lvk_keyring_read(name, buffer.baseAddress, buffer.count, &length)
        }
        guard error == ENOKEY || error == EKEYEXPIRED || error == EKEYREVOKED else {
          if error != 0 { try Self.check(error, shown) }
          throw StoreError(.conflict, "there is a key `\(name)` in the keyring already")
        }
        try Self.check(lvk_keyring_make(name, text.baseAddress, text.count), shown)
      case .credential, .function:
        throw StoreError(.invalidArgument, "a key can be made in a file or in the keyring alone")
      }
    }
  }

  /// Whether reading it anew takes a function of the program's, which may be slow.
  var isFunction: Bool {
    if case .function = self { true } else { false }
  }

  var shown: String {
    switch self {
    case .file(let path): path
    case .keyring(let name): "the keyring's key `\(name)`"
    case .credential(let name): "the credential `\(name)`"
    case .function: "the function"
    }
  }

  /// The path of what is a file, and whether nobody else may read it: credentials lie in a folder of their own.
  private func place() throws(StoreError) -> (path: String, isPrivate: Bool) {
    switch self {
    case .file(let path): return (path, true)
    case .credential(let name):
      guard let folder = lvk_credentials() else {
        throw StoreError(
          .unavailable, "there is no $CREDENTIALS_DIRECTORY: the unit has to have LoadCredential=\(name)")
      }
      return (String(cString: folder) + "/" + name, false)
    case .keyring, .function: throw StoreError(.invalidArgument, "no file")
    }
  }

  static func check(_ error: Int32, _ what: String) throws(StoreError) {
    switch error {
    case 0: return
    case ENOENT, ENOTDIR, ENOKEY, EKEYEXPIRED, EKEYREVOKED:
      throw StoreError(.unavailable, "\(what): there is no key; `livery secrets key` makes one", systemError: error)
    case ENOSYS: throw StoreError(.unavailable, "\(what): there are no keyrings here", systemError: error)
    case EACCES, EROFS:
      throw StoreError(.permission, "\(what): permission denied", systemError: error)
    case EPERM:
      throw StoreError(
        .permission, "\(what): a key has to belong to this user or root, and nobody else may read it (chmod 400)",
        systemError: error)
    case ENOMEM: throw StoreError(.noMemory, "\(what): there is no memory", systemError: error)
    case EEXIST: throw StoreError(.conflict, "\(what): there is a file already", systemError: error)
    case EOVERFLOW: throw StoreError(.parse, "\(what): it is too long for a file of keys")
    case EINVAL: throw StoreError(.parse, "\(what): it is no file")
    case ENOSPC, EDQUOT, EFBIG: throw StoreError(.noSpace, "\(what): there is no room", systemError: error)
    default: throw StoreError(.io, "\(what): the system's error \(error)", systemError: error)
    }
  }
}
