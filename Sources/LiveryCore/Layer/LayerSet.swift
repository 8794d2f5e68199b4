/// Some of the layers.
public struct LayerSet: Sendable {
  private(set) var bits: UInt8

  public static let none = LayerSet(bits: 0)
  public static let all = LayerSet(bits: .max)

  public var isEmpty: Bool { bits == 0 }

  public func contains(_ layer: Layer) -> Bool { bits & 1 << layer.rawValue != 0 }

  public mutating func remove(_ layer: Layer) { bits &= ~(1 << layer.rawValue) }

  public func isSuperset(of other: LayerSet) -> Bool { other.bits & ~bits == 0 }

  public mutating func insert(_ layer: Layer) { bits |= 1 << layer.rawValue }
}
