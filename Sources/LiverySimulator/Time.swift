/// Virtual time: milliseconds since the simulation began.
typealias Time = Int64

extension Time {
  static let second: Time = 1000
  static let minute = 60 * second
  static let hour = 60 * minute
  static let day = 24 * hour

  /// When the simulation begins, in seconds since 1970: 2026-10-05, three weeks before clocks go back in Europe.
  static let epoch: Int64 = 1_791_158_400

  /// The same in seconds since 1970.
  var clock: Int64 { Time.epoch + self / Time.second }
}

/// A zone whose clocks are set once.
struct Zone: Sendable {
  /// Seconds ahead of UTC before and after.
  var before: Int64
  var after: Int64
  /// When, in seconds since 1970.
  var change: Int64

  /// 2026-10-25T01:00:00Z, and a day at which some zone goes the other way.
  static let all = [
    Zone(before: 0, after: 0, change: 0), Zone(before: 7200, after: 3600, change: 1_792_890_000),
    Zone(before: 36_000, after: 39_600, change: 1_791_734_400), Zone(before: -18_000, after: -18_000, change: 0),
  ]

  func offset(_ seconds: Int64) -> Int64 { seconds < change ? before : after }

  /// The first moment at which a clock on the wall shows a time or a later one.
  func moment(ofWall wall: Int64) -> Int64 {
    let early = wall - before
    return early < change ? early : Swift.max(change, wall - after)
  }
}
