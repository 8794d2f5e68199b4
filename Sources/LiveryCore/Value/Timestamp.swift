/// A moment: microseconds since 1970-01-01T00:00:00Z.
public struct Timestamp: Sendable, Hashable, Comparable {
  public var microseconds: Int64

  public init(microseconds: Int64) {
    self.microseconds = microseconds
  }

  /// 0001-01-01T00:00:00Z
  public static let earliest = Timestamp(microseconds: -62_135_596_800_000_000)
  /// 9999-12-31T23:59:59.999999Z
  public static let latest = Timestamp(microseconds: 253_402_300_799_999_999)

  public static func < (left: Timestamp, right: Timestamp) -> Bool {
    left.microseconds < right.microseconds
  }
}
