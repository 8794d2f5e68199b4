import CSystem
import Livery

/// Files, and the standard streams.
enum Files {
  private static let limit = 64 << 20

  /// The whole of a file; `-` is standard input.
  static func read(_ path: String) throws(StoreError) -> [UInt8] {
    var count = 0
    let isInput = path.sameBytes(as: "-")
    guard let memory = lvs_read_file(path, isInput ? 0 : -1, limit, &count) else {
      let code = lvs_errno()
      if code == EFBIG { throw StoreError(.parse, "\(shown(path)): larger than 64 MiB") }
      throw failure("read", path, code)
    }
    defer { free(memory) }
    return [UInt8](UnsafeRawBufferPointer(start: memory, count: count))
  }

  static func isDirectory(_ path: String) -> Bool {
    var facts = lvs_file_facts()
    return lvs_file_facts_of(path, &facts) == 0 && facts.is_directory
  }

  /// A schema: that of a file, or of a folder that has one by its usual name.
  static func schema(_ path: String) throws(StoreError) -> (path: String, text: [UInt8]) {
    guard isDirectory(path) else { return (path, try read(path)) }
    let name = path.utf8.last == UInt8(ascii: "/") ? "SettingsSchema.json" : "/SettingsSchema.json"
    let inside = path.sameBytes(as: ".") ? "SettingsSchema.json" : path + name
    return (inside, try read(inside))
  }

  /// Writes a file as a whole, for its owner alone if it is private.
  static func write(_ bytes: [UInt8], to path: String, isPrivate: Bool) throws(StoreError) {
    let isWritten = bytes.withUnsafeBytes { lvs_write_file(path, $0.baseAddress, $0.count, isPrivate) }
    guard isWritten else { throw failure("write", path, lvs_errno()) }
  }

  static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    bytes.isEmpty || bytes.withUnsafeBufferPointer { lvs_write_all(descriptor, $0.baseAddress, $0.count) } >= 0
  }

  /// What is typed up to the end of a line.
  static func line(from descriptor: Int32) -> String {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while bytes.count < 80, CSystem.read(descriptor, &byte, 1) == 1, byte != UInt8(ascii: "\n") { bytes.append(byte) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A path as messages show it.
  static func shown(_ path: String) -> String {
    path.sameBytes(as: "-") ? "standard input" : truncated(path, to: 200)
  }

  private static func failure(_ verb: String, _ path: String, _ code: Int32) -> StoreError {
    let reason = strerror(code).flatMap { String(validatingCString: $0) } ?? "error \(code)"
    let kind: StoreError.Code =
      switch code {
      case ENOENT, ENOTDIR: .notFound
      case EACCES, EPERM, EROFS: .permission
      case ENOSPC, EDQUOT: .noSpace
      default: .io
      }
    return StoreError(kind, "cannot \(verb) \(shown(path)): \(reason)", systemError: code)
  }
}
