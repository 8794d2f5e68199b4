import CSystem
import Livery

// What callers get

/// Memory for `livery_free`.
func allocate(_ count: Int) throws(StoreError) -> UnsafeMutableRawPointer {
  guard let memory = malloc(max(count, 1)) else { throw Memory.shortage(of: count) }
  return memory
}

/// A copy with a NUL behind, and its length without.
func copy(_ bytes: UnsafeRawBufferPointer) throws(StoreError) -> UnsafeMutableRawPointer {
  let memory = try allocate(bytes.count &+ 1)
  if let base = bytes.baseAddress { memory.copyMemory(from: base, byteCount: bytes.count) }
  memory.storeBytes(of: 0, toByteOffset: bytes.count, as: UInt8.self)
  return memory
}

/// Calls `body` with the bytes of a text.
func withBytes<Result>(
  of text: String, _ body: (UnsafeRawBufferPointer) throws(StoreError) -> Result
) throws(StoreError) -> Result {
  try text.withBytes(body)
}

/// Calls `body` with some bytes.
func withBytes<Result>(
  of bytes: [UInt8], _ body: (UnsafeRawBufferPointer) throws(StoreError) -> Result
) throws(StoreError) -> Result {
  try bytes.withUnsafeBufferPointer { (bytes) throws(StoreError) in try body(UnsafeRawBufferPointer(bytes)) }
}

/// Hands out text as a copy.
func give(
  _ text: String, to pointer: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, _ length: UnsafeMutablePointer<Int>?
) throws(StoreError) {
  let memory = try withBytes(of: text) { (bytes) throws(StoreError) in try copy(bytes) }
  pointer.pointee = memory.assumingMemoryBound(to: CChar.self)
  length?.pointee = text.utf8.count
}

/// Writes text and a NUL to a caller's buffer.
func fill(
  _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int, _ length: UnsafeMutablePointer<Int>?, with text: String
) throws(StoreError) {
  try withBytes(of: text) { (bytes) throws(StoreError) in
    try fill(buffer, capacity, length, with: bytes, terminated: true)
  }
}

/// Writes bytes to a caller's buffer.
func fill(
  _ buffer: UnsafeMutableRawPointer?, _ capacity: Int, _ length: UnsafeMutablePointer<Int>?, with content: [UInt8]
) throws(StoreError) {
  try withBytes(of: content) { (bytes) throws(StoreError) in
    try fill(buffer, capacity, length, with: bytes, terminated: false)
  }
}

/// The length is stored also when the content does not fit.
private func fill(
  _ buffer: UnsafeMutableRawPointer?, _ capacity: Int, _ length: UnsafeMutablePointer<Int>?,
  with bytes: UnsafeRawBufferPointer, terminated: Bool
) throws(StoreError) {
  // A capacity beyond Int.max comes in as a negative number.
  let room = UInt(bitPattern: capacity)
  let needed = UInt(bytes.count) &+ (terminated ? 1 : 0)
  length?.pointee = bytes.count
  guard needed <= room else {
    throw StoreError(.bufferTooSmall, "the buffer has \(room) bytes and \(needed) are needed")
  }
  guard let buffer else { return }
  if let base = bytes.baseAddress { buffer.copyMemory(from: base, byteCount: bytes.count) }
  if terminated { buffer.storeBytes(of: 0, toByteOffset: bytes.count, as: UInt8.self) }
}

/// Refuses a buffer that is NULL and claims to have room.
func checkBuffer(_ buffer: UnsafeMutableRawPointer?, _ capacity: Int) throws(StoreError) {
  if buffer == nil, capacity != 0 { throw StoreError(.invalidArgument, "buffer is NULL") }
}
