/// What the header of an image says: its format and its size. Nothing is decoded.
///
/// Corresponds to `livery_asset_describe` in C.
public struct ImageFacts: Sendable, Equatable {
  public var type: MediaType
  /// In pixels as they are stored, before `orientation` turns them; 0 where an SVG image has no size of its own.
  public var width, height: UInt32
  /// How a JPEG, PNG or WebP image is to be turned: the Orientation of Exif, from 1 (not at all) to 8.
  public var orientation: UInt8

  /// The most pixels that an image may claim: 1 GiB when decoded. SVG images have no pixels, and no such limit.
  public static let maximumPixels = 1 << 28

  public init(_ type: MediaType, width: Int, height: Int, orientation: UInt8 = 1) {
    self.type = type
    self.width = UInt32(clamping: width)
    self.height = UInt32(clamping: height)
    self.orientation = orientation
  }

  /// Reads the header of a PNG, JPEG, GIF, WebP or SVG image; nil if the bytes are none of these.
  ///
  /// - Throws: `.parse` if the header is cut short, contradicts itself or claims a size that no image has; the message says
  ///   what is wrong.
  public init?(_ bytes: [UInt8]) throws(StoreError) {
    let header = HeaderBytes(bytes)
    let found: ImageFacts
    if header.byte(0) == 0x89, header.begins(with: "PNG", at: 1) {
      found = try .png(header)
    } else if header.byte(0) == 0xFF, header.byte(1) == 0xD8 {
      found = try .jpeg(header)
    } else if header.begins(with: "GIF8", at: 0) {
      found = try .gif(header)
    } else if header.begins(with: "RIFF", at: 0), header.begins(with: "WEBP", at: 8) {
      found = try .webp(header)
    } else if let svg = try ImageFacts.svg(header) {
      found = svg
    } else {
      return nil
    }
    if found.type != .svg {
      guard found.width > 0, found.height > 0 else {
        throw found.type.broken("it claims a width or height of 0 pixels")
      }
      guard Int(found.width).multipliedReportingOverflow(by: Int(found.height)).partialValue <= Self.maximumPixels
      else {
        throw found.type.broken("it claims \(found.width) × \(found.height) pixels; at most 268,435,456 are allowed")
      }
    }
    self = found
  }
}

extension MediaType {
  @inline(never)
  func broken(_ reason: String) -> StoreError {
    StoreError(.parse, "the \(name) image is damaged: \(reason)")
  }

  func cutShort(_ part: String, _ bytes: HeaderBytes) -> StoreError {
    broken("it ends after \(bytes.count) bytes, within \(part)")
  }
}

/// The bytes of an image; what lies beyond their end reads as 0, so that nothing a header says can lead outside.
struct HeaderBytes {
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  var count: Int { bytes.count }

  func byte(_ offset: Int) -> UInt8 {
    offset >= 0 && offset < bytes.count ? bytes[offset] : 0
  }

  @inline(never)
  func bigEndian(_ offset: Int, _ size: Int) -> Int {
    var number = 0
    for index in 0..<size { number = number << 8 | Int(byte(offset &+ index)) }
    return number
  }

  @inline(never)
  func littleEndian(_ offset: Int, _ size: Int) -> Int {
    var number = 0
    for index in 0..<size { number |= Int(byte(offset &+ index)) << (8 * index) }
    return number
  }

  /// Whether a text stands at an offset.
  @inline(never)
  func begins(with text: StaticString, at offset: Int) -> Bool {
    guard bytes.count &- offset >= text.utf8CodeUnitCount else { return false }
    return text.withUTF8Buffer { text in
      for index in 0..<text.count where text[index] != byte(offset &+ index) { return false }
      return true
    }
  }

  func text(_ range: Range<Int>) -> String {
    String(decoding: bytes[range.clamped(to: 0..<bytes.count)], as: UTF8.self)
  }
}
