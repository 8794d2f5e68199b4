import CLivery
import Livery

// Colors, and where images go; without a store.

/// A color that a caller passed in.
private func checked(_ color: livery_color) throws(StoreError) -> Color {
  let color = Color(color)
  guard color.isValid else {
    throw StoreError(.invalidValue, "a component of the color is not a number from 0 to 1")
  }
  return color
}

@_cdecl("livery_color_parse") @implementation
public func livery_color_parse(
  _ text: UnsafePointer<CChar>?, _ length: Int, _ color: UnsafeMutablePointer<livery_color>?
) -> livery_status {
  boundary(.branding) { () throws(StoreError) in
    let color = try required(color, "color")
    let found = try utf8(
      bytes(required(text, "text"), length, limit: 1024, tooLong: .parse, zeroTerminated: true, "text"), .parse, "text")
    guard let parsed = Color(css: found) else {
      throw StoreError(.parse, "`\(truncated(found, to: 40))` is not a color as CSS writes it")
    }
    color.pointee = livery_color(parsed)
  }
}

@_cdecl("livery_color_format") @implementation
public func livery_color_format(
  _ color: livery_color, _ style: livery_color_style, _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int,
  _ length: UnsafeMutablePointer<Int>?
) -> livery_status {
  boundary(.branding) { () throws(StoreError) in
    try checkBuffer(buffer, capacity)
    guard let format = ColorFormat(rawValue: style) else {
      throw StoreError(.invalidArgument, "\(style) is no style of colors")
    }
    try fill(buffer, capacity, length, with: checked(color).formatted(format))
  }
}

@_cdecl("livery_color_contrast") @implementation
public func livery_color_contrast(
  _ text: livery_color, _ background: livery_color, _ ratio: UnsafeMutablePointer<Double>?
) -> livery_status {
  boundary(.branding) { () throws(StoreError) in
    let ratio = try required(ratio, "ratio")
    ratio.pointee = try checked(text).contrast(on: checked(background))
  }
}

@_cdecl("livery_color_legible_on") @implementation
public func livery_color_legible_on(_ background: livery_color, _ text: UnsafeMutablePointer<livery_color>?)
  -> livery_status
{
  boundary(.branding) { () throws(StoreError) in
    let text = try required(text, "text")
    text.pointee = livery_color(try checked(background).legibleText)
  }
}

@_cdecl("livery_color_nearest_passing") @implementation
public func livery_color_nearest_passing(
  _ color: livery_color, _ other: livery_color, _ ratio: Double, _ nearest: UnsafeMutablePointer<livery_color>?
) -> livery_status {
  boundary(.branding) { () throws(StoreError) in
    let nearest = try required(nearest, "nearest")
    guard ratio >= 1, ratio <= 21 else { throw StoreError(.invalidArgument, "the ratio is not from 1 to 21") }
    guard let found = try checked(color).nearest(withContrast: ratio, to: checked(other)) else {
      throw StoreError(.noValue, "not even black or white has that contrast")
    }
    nearest.pointee = livery_color(found)
  }
}

@_cdecl("livery_aspect_fit") @implementation
public func livery_aspect_fit(
  _ width: Double, _ height: Double, _ available_width: Double, _ available_height: Double,
  _ rect: UnsafeMutablePointer<livery_rect>?
) -> livery_status {
  boundary(.branding) { () throws(StoreError) in
    let rect = try required(rect, "rect")
    guard let fitted = Rectangle(fitting: width, height, into: available_width, available_height) else {
      throw StoreError(.invalidArgument, "a side is not more than 0 and at most 1000000000")
    }
    rect.pointee = livery_rect(x: fitted.x, y: fitted.y, width: fitted.width, height: fitted.height)
  }
}
