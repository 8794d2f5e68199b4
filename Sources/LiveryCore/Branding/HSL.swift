/// A color of sRGB as hue in degrees, saturation and lightness from 0 to 1.
struct HSL {
  var hue, saturation, lightness: Double

  init(hue: Double, saturation: Double, lightness: Double) {
    self.hue = hue
    self.saturation = saturation
    self.lightness = lightness
  }

  init(_ color: Color) {
    let red = Double(color.red)
    let green = Double(color.green)
    let blue = Double(color.blue)
    let most = max(red, green, blue)
    let least = min(red, green, blue)
    let range = most - least
    lightness = (most + least) / 2
    hue = 0
    saturation = 0
    guard range > 0 else { return }
    saturation = range / (1 - (2 * lightness - 1).magnitude)
    if most == red {
      hue = (green - blue) / range
    } else if most == green {
      hue = (blue - red) / range + 2
    } else {
      hue = (red - green) / range + 4
    }
    hue *= 60
    if hue < 0 { hue += 360 }
  }

  func color(alpha: Float = 1) -> Color {
    let turned = hue.remainder(dividingBy: 360)
    let reach = saturation * min(lightness, 1 - lightness)
    func component(_ offset: Double) -> Float {
      var place = (offset + turned / 30).remainder(dividingBy: 12)
      if place < 0 { place += 12 }
      let share = lightness - reach * max(-1, min(place - 3, 9 - place, 1))
      return Float(min(1, max(0, share)))
    }
    return Color(red: component(0), green: component(8), blue: component(4), alpha: alpha)
  }
}
