import CFleet
import LiveryClient

/// A folder that a web server delivers.
public final class PublishedFolder: Sendable {
  private let path: String
  private let descriptor: Int32

  /// Whether the folder was there.
  public let wasThere: Bool

  /// - Parameter waits: whether one that is not there is waited for: `follow` finds it.
  /// - Throws: `.notFound` if there is no such folder, `.permission`, `.io`.
  public convenience init(path: String, waits: Bool = false) throws(StoreError) {
    guard !path.utf8.isEmpty, !path.utf8.contains(0) else {
      throw StoreError(.invalidArgument, "the path of the folder is empty, or contains a NUL")
    }
    var descriptor = path.withCString { lvd_folder_open($0) }
    let wasThere = descriptor >= 0
    if waits, descriptor == -ENOENT || descriptor == -ENOTDIR { descriptor = lvd_folder_none() }
    guard descriptor >= 0 else { throw Self.failure(-descriptor, path) }
    self.init(path, descriptor, wasThere)
  }

  private init(_ path: String, _ descriptor: Int32, _ wasThere: Bool) {
    self.path = path
    self.descriptor = descriptor
    self.wasThere = wasThere
  }

  deinit { lvd_folder_close(descriptor) }

  /// Puts files in their places, one after another: each is there whole and on the disk before the next one. So what refers to
  /// others is never there before them; what was written before one fails stays, and does no harm.
  ///
  /// - Throws: `.noSpace`, `.permission`, `.io`; `.invalidArgument` for a path that leads elsewhere.
  public func write(_ files: [Publisher.File]) throws(StoreError) {
    for file in files {
      guard file.path.utf8.first == UInt8(ascii: "/"), !file.path.utf8.contains(0) else {
        throw StoreError(.invalidArgument, "\(file.path) does not begin with a slash")
      }
      let name = String(decoding: Array(file.path.utf8.dropFirst()), as: UTF8.self)
      let error = file.bytes.withUnsafeBufferPointer { (bytes) in
        name.withCString { lvd_folder_write(descriptor, $0, bytes.baseAddress, bytes.count, file.isImmutable) }
      }
      guard error == 0 else { throw Self.failure(error, path + file.path) }
    }
  }

  /// Keeps everybody else from publishing, by another object in this process or in another one, until `unlock`. What was read before
  /// may be older than what somebody else has written since: whoever holds it reads and writes, and nothing older comes after it.
  ///
  /// - Throws: `.busy` if somebody else has published for ten seconds.
  public func lock() throws(StoreError) {
    let error = lvd_folder_lock(descriptor, 10_000)
    if error == EWOULDBLOCK { throw StoreError(.busy, "\(path): another console publishes", systemError: error) }
    if error != 0 { throw Self.failure(error, path) }
  }

  public func unlock() { lvd_folder_unlock(descriptor) }

  /// What the path of a folder leads to.
  public enum Place: Sendable {
    case same
    /// The same, without the fleet's manifest, which is written last: not all was written, or it was emptied.
    case lacking
    case other
  }

  /// Goes on in what its path leads to now: somebody may have put another folder there, or mounted one.
  ///
  /// - Throws: `.notFound` if there is none any more, `.permission`, `.io`.
  public func follow() throws(StoreError) -> Place {
    let found = path.withCString { lvd_folder_follow(descriptor, $0) }
    guard found >= 0 else { throw Self.failure(-found, path) }
    return found == 0 ? .same : found == 1 ? .lacking : .other
  }

  /// What tells it from other folders.
  public var identity: UInt64 { lvd_folder_identity(descriptor) }

  private static func failure(_ error: Int32, _ path: String) -> StoreError {
    switch error {
    case ENOENT, ENOTDIR: StoreError(.notFound, "\(path): there is no such folder", systemError: error)
    case EACCES, EPERM, EROFS: StoreError(.permission, "\(path): it may not be written", systemError: error)
    case ENOSPC, EDQUOT: StoreError(.noSpace, "\(path): there is no room", systemError: error)
    case EINVAL, ELOOP: StoreError(.invalidArgument, "\(path): it leads elsewhere", systemError: error)
    default: StoreError(.io, "\(path): it could not be written", systemError: error)
    }
  }
}
