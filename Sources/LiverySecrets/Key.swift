import CSecrets
import LiveryClient

/// A key, in memory that is neither swapped out nor dumped, and is wiped at the end.
final class Key: @unchecked Sendable {
  let bytes: UnsafeMutablePointer<UInt8>
  /// What tells it from others, and nothing about it.
  private(set) var id: [UInt8] = []

  private init(_ bytes: UnsafeMutablePointer<UInt8>) { self.bytes = bytes }

  convenience init() throws(StoreError) {
    guard let bytes = lvk_key_make() else { throw StoreError(.noMemory, "there is no memory for a key") }
    self.init(bytes)
  }

  deinit { lvk_key_free(bytes) }

  /// One by chance.
  static func random() throws(StoreError) -> Key {
    let key = try Key()
    lvk_random(key.bytes, LVK_KEY)
    key.identify()
    return key
  }

  /// To be called once the bytes are there.
  func identify() {
    id = [UInt8](unsafeUninitializedCapacity: LVK_ID) { buffer, count in
      lvk_key_id(bytes, buffer.baseAddress)
      count = LVK_ID
    }
  }

  /// Hexadecimal.
  var name: String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for byte in id {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  func seal(
    _ bytes: UnsafeRawBufferPointer, _ context: UnsafeRawBufferPointer, into buffer: UnsafeMutableRawBufferPointer
  )
    -> Int?
  {
    let count = lvk_seal(
      self.bytes, context.baseAddress, context.count, bytes.baseAddress, bytes.count, buffer.baseAddress, buffer.count)
    return count > 0 ? count : nil
  }

  func open(
    _ bytes: UnsafeRawBufferPointer, _ context: UnsafeRawBufferPointer, into buffer: UnsafeMutableRawBufferPointer
  )
    -> Int?
  {
    var count = 0
    let isOpen = lvk_open(
      self.bytes, context.baseAddress, context.count, bytes.baseAddress, bytes.count, buffer.baseAddress, buffer.count,
      &count)
    return isOpen ? count : nil
  }
}
