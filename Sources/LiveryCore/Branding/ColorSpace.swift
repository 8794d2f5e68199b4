import CSystem

/// The color spaces of CSS Color 4 beside sRGB, and how they become sRGB: matrices and curves are those of its chapter
/// "Sample code for Color Conversions"; `rec2020` has the gamma of 2.4 that it has there since 2025.
enum ColorSpace {
  case srgb, srgbLinear, displayP3, a98, prophoto, rec2020, xyzD50, xyzD65
  /// L from 0 to 100, a and b.
  case lab
  /// L from 0 to 1, a and b.
  case oklab

  init?(_ name: ArraySlice<UInt8>) {
    let names: [(StaticString, ColorSpace)] = [
      ("srgb", .srgb), ("srgb-linear", .srgbLinear), ("display-p3", .displayP3), ("a98-rgb", .a98),
      ("prophoto-rgb", .prophoto), ("rec2020", .rec2020), ("xyz", .xyzD65), ("xyz-d50", .xyzD50), ("xyz-d65", .xyzD65),
    ]
    for (text, space) in names where text.withUTF8Buffer({ $0.elementsEqual(name) }) {
      self = space
      return
    }
    return nil
  }

  /// Components of sRGB, which are below 0 or above 1 for a color that sRGB does not have.
  func sRGB(_ color: SIMD3<Double>) -> SIMD3<Double> {
    switch self {
    case .srgb: color
    case .srgbLinear: encoded(color)
    default: encoded(Self.linearFromXYZ.times(xyz(color)))
    }
  }

  /// CIE XYZ for the white D65.
  private func xyz(_ color: SIMD3<Double>) -> SIMD3<Double> {
    switch self {
    case .displayP3: Self.xyzFromP3.times(linear(color, Self.expanded))
    case .a98: Self.xyzFromA98.times(linear(color) { pow($0, 563.0 / 256) })
    case .prophoto:
      Self.d65FromD50.times(
        Self.xyzFromProPhoto.times(linear(color) { $0 <= 16.0 / 512 ? $0 / 16 : pow($0, 1.8) }))
    case .rec2020: Self.xyzFromRec2020.times(linear(color) { pow($0, 2.4) })
    case .xyzD50: Self.d65FromD50.times(color)
    case .lab: Self.d65FromD50.times(Self.xyzD50(lab: color))
    case .oklab:
      Self.xyzFromLMS.times(Self.lmsFromOKLab.times(color).mapped { $0 * $0 * $0 })
    default: color
    }
  }

  private static func xyzD50(lab: SIMD3<Double>) -> SIMD3<Double> {
    let middle = (lab.x + 16) / 116
    func share(_ root: Double) -> Double {
      let cube = root * root * root
      return cube > 216.0 / 24_389 ? cube : (116 * root - 16) * 27 / 24_389
    }
    let white = SIMD3<Double>(0.3457 / 0.3585, 1, (1 - 0.3457 - 0.3585) / 0.3585)
    return white * SIMD3(share(lab.y / 500 + middle), share(middle), share(middle - lab.z / 200))
  }

  /// The curve of a space, which is the same below 0 as above it.
  private func linear(_ color: SIMD3<Double>, _ curve: (Double) -> Double) -> SIMD3<Double> {
    color.mapped { $0 < 0 ? -curve(-$0) : curve($0) }
  }

  private func encoded(_ color: SIMD3<Double>) -> SIMD3<Double> {
    linear(color) { $0 <= 0.0031308 ? 12.92 * $0 : 1.055 * pow($0, 1 / 2.4) - 0.055 }
  }

  private static func expanded(_ share: Double) -> Double {
    share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
  }

  private struct Matrix {
    let first, second, third: SIMD3<Double>

    func times(_ column: SIMD3<Double>) -> SIMD3<Double> {
      SIMD3((first * column).sum(), (second * column).sum(), (third * column).sum())
    }
  }

  private static let linearFromXYZ = Matrix(
    first: [12_831.0 / 3_959, -329.0 / 214, -1_974.0 / 3_959],
    second: [-851_781.0 / 878_810, 1_648_619.0 / 878_810, 36_519.0 / 878_810],
    third: [705.0 / 12_673, -2_585.0 / 12_673, 705.0 / 667])
  private static let xyzFromP3 = Matrix(
    first: [608_311.0 / 1_250_200, 189_793.0 / 714_400, 198_249.0 / 1_000_160],
    second: [35_783.0 / 156_275, 247_089.0 / 357_200, 198_249.0 / 2_500_400],
    third: [0, 32_229.0 / 714_400, 5_220_557.0 / 5_000_800])
  private static let xyzFromA98 = Matrix(
    first: [573_536.0 / 994_567, 263_643.0 / 1_420_810, 187_206.0 / 994_567],
    second: [591_459.0 / 1_989_134, 6_239_551.0 / 9_945_670, 374_412.0 / 4_972_835],
    third: [53_769.0 / 1_989_134, 351_524.0 / 4_972_835, 4_929_758.0 / 4_972_835])
  private static let xyzFromProPhoto = Matrix(
    first: [0.7977666449006423, 0.13518129740053308, 0.0313477341283922],
    second: [0.2880748288194013, 0.711835234241873, 0.00008993693872564],
    third: [0, 0, 0.8251046025104602])
  private static let xyzFromRec2020 = Matrix(
    first: [63_426_534.0 / 99_577_255, 20_160_776.0 / 139_408_157, 47_086_771.0 / 278_816_314],
    second: [26_158_966.0 / 99_577_255, 472_592_308.0 / 697_040_785, 8_267_143.0 / 139_408_157],
    third: [0, 19_567_812.0 / 697_040_785, 295_819_943.0 / 278_816_314])
  private static let d65FromD50 = Matrix(
    first: [0.955473421488075, -0.02309845494876471, 0.06325924320057072],
    second: [-0.0283697093338637, 1.0099953980813041, 0.021041441191917323],
    third: [0.012314014864481998, -0.020507649298898964, 1.330365926242124])
  private static let lmsFromOKLab = Matrix(
    first: [1, 0.3963377773761749, 0.2158037573099136], second: [1, -0.1055613458156586, -0.0638541728258133],
    third: [1, -0.0894841775298119, -1.2914855480194092])
  private static let xyzFromLMS = Matrix(
    first: [1.2268798758459243, -0.5578149944602171, 0.2813910456659647],
    second: [-0.0405757452148008, 1.112286803280317, -0.0717110580655164],
    third: [-0.0763729366746601, -0.4214933324022432, 1.5869240198367816])
}

extension SIMD3<Double> {
  fileprivate func mapped(_ change: (Double) -> Double) -> SIMD3<Double> { SIMD3(change(x), change(y), change(z)) }
}
