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
    let folder = try open(path)
    defer { lvw_medium_close(folder) }
    let (file, size, _) = try openFile(name, folder, path)
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
      if count < 0 { throw failure(Int32(-count), "\(path)/\(name)") }
      if count == 0 { break }
      length += count
    }
    guard length == Int(size) else {
      throw StoreError(.io, "\(path)/\(name) has changed while it was read: \(length) of \(size) bytes")
    }
    bytes.removeLast()
    return bytes
  }

  /// The images in a folder, in the order of their names.
  static func list(_ path: String) throws(StoreError) -> [Value] {
    let folder = try open(path)
    defer { lvw_medium_close(folder) }
    let names = NameList()
    let status = lvw_medium_list(
      folder,
      { (name, context) in
        guard let name, let context else { return false }
        return Unmanaged<NameList>.fromOpaque(context).takeUnretainedValue().add(name)
      }, Unmanaged.passUnretained(names).toOpaque())
    if status < 0 { throw failure(-status, path) }
    names.texts.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    var images: [Value] = []
    for name in names.texts {
      guard let image = try entry(name, folder, path) else { continue }
      images.append(image)
      if images.count == NameList.limit { break }
    }
    return images
  }

  static func tooLarge(_ size: Int64, _ limit: Int, _ what: String) -> StoreError {
    StoreError(.invalidValue, "\(what) has \(size) bytes, and at most \(limit) are taken")
  }

  /// What is told of a file; nil for what is no image.
  private static func entry(_ name: String, _ folder: Int32, _ path: String) throws(StoreError) -> Value? {
    let file: Int32
    let size: Int64
    let changed: Int64
    do throws(StoreError) { (file, size, changed) = try openFile(name, folder, path) } catch {
      // Gone meanwhile, none of ours, or not for us.
      guard error.code == .notFound || error.code == .permission else { throw error }
      return nil
    }
    defer { lvw_medium_close(file) }
    var head = [UInt8](repeating: 0, count: 1024)
    let count = head.withUnsafeMutableBytes { lvw_medium_read(file, $0.baseAddress, $0.count) }
    if count < 0 { throw failure(Int32(-count), "\(path)/\(name)") }
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
    if head.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
    if head.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
    if begins("GIF87a") || begins("GIF89a") { return "image/gif" }
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

  private static func open(_ path: String) throws(StoreError) -> Int32 {
    let folder = path.withCString { lvw_medium_open($0) }
    if folder < 0 {
      throw [ENOENT, ENOTDIR].contains(-folder)
        ? StoreError(.unavailable, "\(path): there is no such folder") : failure(-folder, path)
    }
    return folder
  }

  private static func openFile(
    _ name: String, _ folder: Int32, _ path: String
  ) throws(StoreError) -> (file: Int32, size: Int64, changed: Int64) {
    var size: Int64 = 0
    var changed: Int64 = 0
    let file = name.withCString { lvw_medium_file(folder, $0, &size, &changed) }
    if file == -ENOENT { throw StoreError(.notFound, "\(path)/\(name): there is no such file") }
    if file < 0 { throw failure(-file, "\(path)/\(name)") }
    return (file, size, changed)
  }

  /// What a medium says.
  private static func failure(_ error: Int32, _ what: String) -> StoreError {
    switch error {
    case ENODEV, ENXIO, ENOMEDIUM, ESTALE, ENOTCONN, EHOSTDOWN, ESHUTDOWN:
      StoreError(.unavailable, "\(what): the medium is gone", systemError: error)
    case EACCES, EPERM: StoreError(.permission, "\(what): this process may not read it", systemError: error)
    case ENOMEM: StoreError(.noMemory, "\(what): there is no memory to read it", systemError: error)
    default: StoreError(.io, "\(what): the medium cannot be read", systemError: error)
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
