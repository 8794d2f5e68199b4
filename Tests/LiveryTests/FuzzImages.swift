@testable import LiveryCore

// The readers of image headers. The beginning that picks a format is put in front of every input, so that each goes to
// its reader.

@_cdecl("fuzz_png")
@Sendable public func fuzzPNG(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  var bytes = [0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52] + fuzzedBytes(start, count)
  if bytes.count >= 33, bytes[28] < 128 { mendChecksum(&bytes) }
  readImage(bytes)
}

@_cdecl("fuzz_jpeg")
@Sendable public func fuzzJPEG(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  readImage([0xFF, 0xD8] + fuzzedBytes(start, count))
}

@_cdecl("fuzz_gif")
@Sendable public func fuzzGIF(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  readImage(Array("GIF8".utf8) + fuzzedBytes(start, count))
}

/// The first four bytes are the length of the file, which stands between the two names of the format.
@_cdecl("fuzz_webp")
@Sendable public func fuzzWebP(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  let bytes = fuzzedBytes(start, count)
  readImage(Array("RIFF".utf8) + bytes.prefix(4) + Array("WEBP".utf8) + bytes.dropFirst(4))
}

@_cdecl("fuzz_svg")
@Sendable public func fuzzSVG(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  readImage(Array("<".utf8) + fuzzedBytes(start, count))
}

private func readImage(_ bytes: [UInt8]) {
  do throws(StoreError) {
    guard let facts = try ImageFacts(bytes) else { return }
    let pixels = Int(facts.width) * Int(facts.height)
    require(facts.type == .svg || (pixels > 0 && pixels <= ImageFacts.maximumPixels), "pixels, and not too many")
    require((facts.width == 0) == (facts.height == 0), "a size, or none")
    require((1...8).contains(facts.orientation), "an orientation of Exif")
  } catch {
    require(error.code == .parse && !error.message.isEmpty, "an error that says why")
  }
}

/// Mutations hardly ever find a checksum that matches: half of the inputs get the right one.
private func mendChecksum(_ bytes: inout [UInt8]) {
  var sum = UInt32.max
  for byte in bytes[12..<29] {
    sum ^= UInt32(byte)
    for _ in 0..<8 { sum = sum >> 1 ^ (sum & 1 == 0 ? 0 : 0xEDB8_8320) }
  }
  for index in 0..<4 { bytes[29 + index] = UInt8(truncatingIfNeeded: ~sum >> UInt32(24 - 8 * index)) }
}
