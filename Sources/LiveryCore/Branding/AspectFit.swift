/// A rectangle, in the units that it was made from. Corresponds to `livery_rect` in C.
public struct Rectangle: Sendable, Equatable {
  public var x, y, width, height: Double

  public init(x: Double, y: Double, width: Double, height: Double) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// Where an image goes that is shown whole, as large as it can be and in the middle: aspect-fit. What it does not cover
  /// shows the background color.
  ///
  /// - Returns: nil unless all sides are more than 0 and at most a billion.
  ///
  /// Corresponds to `livery_aspect_fit` in C.
  public init?(fitting width: Double, _ height: Double, into availableWidth: Double, _ availableHeight: Double) {
    for side in [width, height, availableWidth, availableHeight] {
      guard side > 0, side <= 1e9 else { return nil }
    }
    // The side that fills the room does so exactly.
    if width * availableHeight >= height * availableWidth {
      self.width = availableWidth
      self.height = height * availableWidth / width
    } else {
      self.width = width * availableHeight / height
      self.height = availableHeight
    }
    x = (availableWidth - self.width) / 2
    y = (availableHeight - self.height) / 2
  }
}
