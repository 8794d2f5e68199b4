/// Some of the layers.
public struct LayerSet: Sendable {
  private(set) var bits: UInt8

  public static let none = LayerSet(bits: 0)
  public static let all = LayerSet(bits: .max)

  public init(_ layers: [Layer]) {
    self = .none
    for layer in layers { insert(layer) }
  }

  private init(bits: UInt8) { self.bits = bits }

  /// As it is stored.
  static func stored(_ bits: UInt8) -> LayerSet { LayerSet(bits: bits) }

  public var isEmpty: Bool { bits == 0 }

  public func contains(_ layer: Layer) -> Bool { bits & 1 << layer.rawValue != 0 }

  public mutating func remove(_ layer: Layer) { bits &= ~(1 << layer.rawValue) }

  public mutating func insert(_ layer: Layer) { bits |= 1 << layer.rawValue }
}
