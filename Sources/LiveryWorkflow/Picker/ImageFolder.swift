import CClient
import CWorkflow
import LiveryClient

/// A folder of images, on a medium that may be pulled out while it is read.
enum ImageFolder {
  /// A file's bytes.
  ///
  /// - Parameter isWanted: asked between pieces; reading ends where it says no.
  static func read(
    _ name: String, in path: String, limit: Int, while isWanted: () -> Bool
  ) throws(StoreError) -> [UInt8] {
    let folder = try Opened(path)
    defer { folder.close() }
    let (file, size, _) = try folder.file(name)
    defer { lvw_medium_close(file) }
    guard size <= limit else { throw tooLarge(size, limit, "\(path)/\(name)") }
    guard size > 0 else { throw StoreError(.parse, "\(path)/\(name) is empty") }
    guard lvw_memory_can_have(Int(size) + 1) else {
      throw StoreError(.noMemory, "\(path)/\(name) does not fit into memory")
    }
    // One more, to find what has grown meanwhile.
    var bytes = [UInt8](repeating: 0, count: Int(size) + 1)
    var length = 0
    while length < bytes.count {
      guard isWanted() else { throw StoreError(.cancelled, "picking was cancelled") }
      let piece = min(bytes.count - length, 1 << 20)
      let count = bytes.withUnsafeMutableBytes { (room) in
        lvw_medium_read(file, room.baseAddress.map { $0 + length }, piece)
      }
      if count < 0 { throw folder.failure(Int32(-count), name) }
      if count == 0 { break }
      length += count
    }
    guard length == Int(size) else {
      guard folder.isThere else { throw gone("\(path)/\(name)", nil) }
      throw StoreError(.io, "\(path)/\(name) has changed while it was read: \(length) of \(size) bytes")
    }
    bytes.removeLast()
    return bytes
  }

  /// The images in a folder, in the order of their names.
  static func list(_ path: String) throws(StoreError) -> [Value] {
    let folder = try Opened(path)
    defer { folder.close() }
    let names = NameList()
    let status = lvw_medium_list(
      folder.descriptor,
      { (name, context) in
        guard let name, let context else { return false }
        return Unmanaged<NameList>.fromOpaque(context).takeUnretainedValue().add(name)
      }, Unmanaged.passUnretained(names).toOpaque())
    if status < 0 { throw folder.failure(-status, nil) }
    names.texts.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    var images: [Value] = []
    for name in names.texts {
      guard let image = try entry(name, folder) else { continue }
      images.append(image)
      if images.count == NameList.limit { break }
    }
    return images
  }

  static func tooLarge(_ size: Int64, _ limit: Int, _ what: String) -> StoreError {
    StoreError(.invalidValue, "\(what) has \(size) bytes, and at most \(limit) are taken")
  }

  /// What is told of a file; nil for what is no image.
  private static func entry(_ name: String, _ folder: Opened) throws(StoreError) -> Value? {
    let file: Int32
    let size: Int64
    let changed: Int64
    do throws(StoreError) { (file, size, changed) = try folder.file(name) } catch {
      // Gone meanwhile, none of ours, or not for us.
      guard error.code == .notFound || error.code == .permission else { throw error }
      return nil
    }
    defer { lvw_medium_close(file) }
    var head = [UInt8](repeating: 0, count: 1024)
    let count = head.withUnsafeMutableBytes { lvw_medium_read(file, $0.baseAddress, $0.count) }
    if count < 0 { throw folder.failure(Int32(-count), name) }
    guard let type = type(ofHead: head[..<count]) else { return nil }
    return .object([
      .init("name", .string(name)), .init("type", .string(type)), .init("bytes", .int(size)),
      .init("time", .date(Timestamp(microseconds: changed))),
    ])
  }

  /// The media type of what begins so; nil for none that assets know. Whether it is whole is found when it is picked.
  static func type(ofHead head: ArraySlice<UInt8>) -> String? {
    func begins(_ text: StaticString, at offset: Int = 0) -> Bool {
      head.dropFirst(offset).prefix(text.utf8CodeUnitCount).elementsEqual(
        UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
    // As little as assets ask for.
    if head.starts(with: [0x89, 0x50, 0x4E, 0x47]) { return "image/png" }
    if head.starts(with: [0xFF, 0xD8]) { return "image/jpeg" }
    if begins("GIF8") { return "image/gif" }
    if begins("RIFF"), begins("WEBP", at: 8) { return "image/webp" }
    // Text that has the element before anything but what may stand before it.
    var rest = head
    if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
    guard let first = rest.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }), first == UInt8(ascii: "<") else {
      return nil
    }
    let svg: [UInt8] = [0x3C, 0x73, 0x76, 0x67]
    for start in rest.indices where rest[start...].starts(with: svg) { return "image/svg+xml" }
    return nil
  }

  fileprivate static func gone(_ what: String, _ error: Int32?) -> StoreError {
    StoreError(.unavailable, "\(what): the medium is gone", systemError: error ?? ENODEV)
  }

  /// What a medium says.
  fileprivate static func failure(_ error: Int32, _ what: String) -> StoreError {
    switch error {
    case ENODEV, ENXIO, ENOMEDIUM, ESTALE, ENOTCONN, EHOSTDOWN, ESHUTDOWN: gone(what, error)
    case EACCES, EPERM: StoreError(.permission, "\(what): this process may not read it", systemError: error)
    case ENOMEM: StoreError(.noMemory, "\(what): there is no memory to read it", systemError: error)
    default: StoreError(.io, "\(what): the medium cannot be read", systemError: error)
    }
  }
}

/// A folder that is open.
private struct Opened {
  let descriptor: Int32
  let path: String

  init(_ path: String) throws(StoreError) {
    self.path = path
    descriptor = path.withCString { lvw_medium_open($0) }
    switch -descriptor {
    case ENOENT, ENOTDIR, ENAMETOOLONG, ELOOP: throw StoreError(.unavailable, "\(path): there is no such folder")
    case 1...: throw ImageFolder.failure(-descriptor, path)
    default: break
    }
  }

  func close() { lvw_medium_close(descriptor) }

  /// Whether it is still at its path, and the medium in its place.
  var isThere: Bool { path.withCString { lvw_medium_is_there(descriptor, $0) } }

  func file(_ name: String) throws(StoreError) -> (file: Int32, size: Int64, changed: Int64) {
    var size: Int64 = 0
    var changed: Int64 = 0
    let file = name.withCString { lvw_medium_file(descriptor, $0, &size, &changed) }
    if file < 0 { throw failure(-file, name) }
    return (file, size, changed)
  }

  /// What a failure means. What was pulled out says that there is no such file, or fails in any way.
  func failure(_ error: Int32, _ name: String?) -> StoreError {
    let what = name.map { "\(path)/\($0)" } ?? path
    switch error {
    case EACCES, EPERM, ENOMEM: return ImageFolder.failure(error, what)
    case _ where !isThere: return ImageFolder.gone(what, error)
    case ENOENT where name != nil, ENAMETOOLONG where name != nil:
      return StoreError(.notFound, "\(what): there is no such file")
    default: return ImageFolder.failure(error, what)
    }
  }
}

/// The names of a folder, as far as they are text.
private final class NameList {
  static let limit = 10_000
  /// How many names are looked at: those of other files count, too.
  private static let most = 100_000

  var texts: [String] = []

  func add(_ name: UnsafePointer<CChar>) -> Bool {
    let bytes = UnsafeRawBufferPointer(start: name, count: lvc_length(name, 256))
    if let text = String(validating: bytes, as: UTF8.self) { texts.append(text) }
    return texts.count < Self.most
  }
}
