import CLegibility

/// What is kept with an image to judge text on it by: made by the extension `images`, which decodes it. Its form is that of
/// `clegibility.h`.
public struct Legibility: Sendable {
  /// The name under which it is kept with the asset.
  public static let name = "legibility"

  private let bytes: [UInt8]

  /// Nil for bytes that are damaged, or of a newer version.
  public init?(_ bytes: [UInt8]) {
    guard lvl_kind(bytes, bytes.count) >= 0 else { return nil }
    self.bytes = bytes
  }

  /// Why the image cannot be judged; nil if it was.
  public var refusal: String? {
    guard lvl_kind(bytes, bytes.count) == Int32(LVL_REFUSED) else { return nil }
    return String(decoding: bytes.dropFirst(2), as: UTF8.self)
  }

  /// The share of the image on which text has too little contrast, from 0 to 1. Where the image is not opaque, it is seen over
  /// the background.
  public func illegibleShare(of text: Color, on background: Color, required: Double) -> Double? {
    let share = lvl_share(bytes, bytes.count, lvl_color(text), lvl_color(background), required, nil, 0)
    return share < 0 ? nil : share
  }
}

extension lvl_color {
  fileprivate init(_ color: Color) {
    self.init(
      red: Double(color.red), green: Double(color.green), blue: Double(color.blue), alpha: Double(color.alpha))
  }
}
