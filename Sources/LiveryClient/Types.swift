import CClient
import CLivery

/// Where a value was set, weakest first. Raw values are those of the C constants.
public enum Layer: UInt8, Sendable, CaseIterable, Comparable {
  /// The schema's defaults; written by applying a schema alone.
  case defaults = 0
  /// What the app ships: a brand's property list, a variant.
  case bundle
  /// From the console; the operator may overrule it.
  case recommended
  /// The operator at the device.
  case user
  /// The logged-in user; goes at logout or when it expires.
  case session
  /// From the console; weaker layers are locked.
  case enforced
  /// For support and testing; each value expires.
  case override

  public static func < (left: Layer, right: Layer) -> Bool {
    left.rawValue < right.rawValue
  }

  var number: livery_layer { livery_layer(rawValue) }

  /// - Throws: `.invalidArgument` for a number of C that is no layer.
  public init(number: Int32) throws(StoreError) {
    guard let raw = UInt8(exactly: number), let layer = Layer(rawValue: raw) else {
      throw StoreError(.invalidArgument, "\(number) is no layer")
    }
    self = layer
  }
}

extension Layer: CustomStringConvertible {
  public var description: String {
    switch self {
    case .defaults: "defaults"
    case .bundle: "bundle"
    case .recommended: "recommended"
    case .user: "user"
    case .session: "session"
    case .enforced: "enforced"
    case .override: "override"
    }
  }
}

/// A moment: microseconds since 1970-01-01T00:00:00Z.
public struct Timestamp: Sendable, Hashable, Comparable {
  public var microseconds: Int64

  public init(microseconds: Int64) {
    self.microseconds = microseconds
  }

  /// The present moment, of the system's clock.
  public static var now: Timestamp { Timestamp(microseconds: lvc_realtime_us()) }

  /// As it is handed over where 0 stands for none: that moment becomes its neighbor.
  var moment: Int64 { microseconds == 0 ? 1 : microseconds }

  public static func < (left: Timestamp, right: Timestamp) -> Bool {
    left.microseconds < right.microseconds
  }
}

/// An sRGB color with alpha that is not premultiplied; components from 0 to 1.
///
/// Corresponds to `livery_color` in C.
public struct Color: Sendable, Hashable {
  public var red, green, blue, alpha: Float

  public init(red: Float, green: Float, blue: Float, alpha: Float = 1) {
    self.red = red
    self.green = green
    self.blue = blue
    self.alpha = alpha
  }

  public init(_ color: livery_color) {
    self.init(red: color.red, green: color.green, blue: color.blue, alpha: color.alpha)
  }

  var content: livery_color { livery_color(red: red, green: green, blue: blue, alpha: alpha) }
}
