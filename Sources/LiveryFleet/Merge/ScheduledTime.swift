import LiveryClient

/// When a document begins or ceases to hold: a moment, or what a clock on the wall where the device is shows then.
public enum ScheduledTime: Sendable, Equatable {
  /// Seconds since 1970.
  case moment(Int64)
  /// The same as if the wall were in Greenwich.
  case local(Int64)

  /// A time of the form "2026-12-24T18:00:00" in the device's zone; nil for any other.
  public static func wall(_ text: String) -> ScheduledTime? { WallTime.seconds(Array(text.utf8)).map { .local($0) } }

  var value: Value {
    switch self {
    case .moment(let seconds): .int(seconds)
    case .local(let seconds): .string(String(decoding: WallTime.text(seconds), as: UTF8.self))
    }
  }

  init(_ value: Value) throws(FleetError) {
    switch value {
    case .int(let seconds) where (0...Limit.time).contains(seconds): self = .moment(seconds)
    case .string(let text):
      guard let wall = WallTime.seconds(Array(text.utf8)) else {
        throw FleetError(.malformed, "\(text) is no date and time")
      }
      self = .local(wall)
    default: throw FleetError(.malformed, "a time is not what it should be")
    }
  }
}

/// How many seconds the device's zone is ahead of UTC at a moment, in seconds since 1970.
public typealias ZoneOffset = (_ seconds: Int64) -> Int64

extension ScheduledTime {
  /// When it comes, in seconds since 1970.
  ///
  /// Where clocks show a time twice it is the first one; where they jump past it, it is when they jump.
  public func moment(_ offset: ZoneOffset) -> Int64 {
    guard case .local(let wall) = self else {
      guard case .moment(let seconds) = self else { return 0 }
      return seconds
    }
    // Zones are less than a day from UTC, and change less often than every two days.
    let (early, late) = (wall - Calendar.secondsPerDay, wall + Calendar.secondsPerDay)
    let candidates = [wall - offset(early), wall - offset(late)].sorted()
    for candidate in candidates where candidate + offset(candidate) == wall { return candidate }
    // Clocks never show it. Before the jump they show less, afterwards more: it lies where that changes.
    var (before, after) = (early, late)
    while after - before > 1 {
      let middle = before + (after - before) / 2
      if middle + offset(middle) < wall { before = middle } else { after = middle }
    }
    return after
  }
}
