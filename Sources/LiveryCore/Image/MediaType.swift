/// What an asset is. Raw values are those of the file format.
public enum MediaType: UInt8, Sendable, CaseIterable {
  /// No image that is known.
  case data = 0
  case png, jpeg, gif, webp, svg
}

extension MediaType: CustomStringConvertible {
  /// The registered name: "image/png", …
  public var description: String {
    switch self {
    case .data: "application/octet-stream"
    case .png: "image/png"
    case .jpeg: "image/jpeg"
    case .gif: "image/gif"
    case .webp: "image/webp"
    case .svg: "image/svg+xml"
    }
  }

  /// What people call the format.
  public var name: String {
    switch self {
    case .data: "data"
    case .png: "PNG"
    case .jpeg: "JPEG"
    case .gif: "GIF"
    case .webp: "WebP"
    case .svg: "SVG"
    }
  }
}
