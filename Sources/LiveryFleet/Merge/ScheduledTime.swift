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

// Consoles show times, and do not know in which zone a device is.
extension ScheduledTime {
  /// "2026-12-24T18:00:00" by the clock on the wall, "2026-12-24T17:00:00Z" for a moment.
  public var text: String {
    switch self {
    case .moment(let seconds): String(decoding: WallTime.text(seconds), as: UTF8.self) + "Z"
    case .local(let seconds): String(decoding: WallTime.text(seconds), as: UTF8.self)
    }
  }

  /// Reads what `text` gives, also without the seconds; nil for anything else, and for dates that there are not.
  public init?(text: String) {
    var bytes = Array(text.utf8)
    let isMoment = bytes.last == UInt8(ascii: "Z")
    if isMoment { bytes.removeLast() }
    if bytes.count == 16 { bytes += ":00".utf8 }
    guard let seconds = WallTime.seconds(bytes) else { return nil }
    self = isMoment ? .moment(seconds) : .local(seconds)
  }

  /// When it comes in the zone where it comes first, 14 hours ahead of UTC.
  public var earliest: Int64 {
    switch self {
    case .moment(let seconds): seconds
    case .local(let seconds): seconds - 14 * 3600
    }
  }

  /// When it has come in every zone: the last is 12 hours behind UTC.
  public var latest: Int64 {
    switch self {
    case .moment(let seconds): seconds
    case .local(let seconds): seconds + 12 * 3600
    }
  }
}
