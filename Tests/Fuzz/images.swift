// Compiled by Tests/Fuzz/run together with the readers.

import CSystem

/// Hands an input to the reader of image headers. $LIVERY_FUZZ_FORMAT forces the beginning that picks one format, so that
/// every execution goes to its reader.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
  for (offset, byte) in signature where offset < bytes.count { bytes[offset] = byte }
  if isPNG, bytes.count >= 33, bytes[28] < 128 { mendChecksum(&bytes) }
  do throws(StoreError) {
    guard let facts = try ImageFacts(bytes) else { return 0 }
    let pixels = Int(facts.width) * Int(facts.height)
    precondition(facts.type == .svg || (pixels > 0 && pixels <= ImageFacts.maximumPixels))
    precondition((facts.width == 0) == (facts.height == 0) && (1...8).contains(facts.orientation))
  } catch {
    precondition(error.code == .parse && !error.message.isEmpty)
  }
  return 0
}

private let format = getenv("LIVERY_FUZZ_FORMAT").map { String(cString: $0) } ?? ""
private let isPNG = format == "png"

private let signature: [(offset: Int, byte: UInt8)] = {
  let text: [(Int, [UInt8])] =
    switch format {
    case "png": [(0, [0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52])]
    case "jpeg": [(0, [0xFF, 0xD8])]
    case "gif": [(0, Array("GIF8".utf8))]
    case "webp": [(0, Array("RIFF".utf8)), (8, Array("WEBP".utf8))]
    case "svg": [(0, Array("<".utf8))]
    default: []
    }
  return text.flatMap { start, bytes in bytes.enumerated().map { (start + $0.offset, $0.element) } }
}()

/// Mutations hardly ever find a checksum that matches: half of the inputs get the right one.
private func mendChecksum(_ bytes: inout [UInt8]) {
  var sum = UInt32.max
  for byte in bytes[12..<29] {
    sum ^= UInt32(byte)
    for _ in 0..<8 { sum = sum >> 1 ^ (sum & 1 == 0 ? 0 : 0xEDB8_8320) }
  }
  for index in 0..<4 { bytes[29 + index] = UInt8(truncatingIfNeeded: ~sum >> UInt32(24 - 8 * index)) }
}
