/// How long a server asks to wait (RFC 9110 §10.2.3).
enum RetryAfter {
  /// Seconds from now on, none if the moment has passed; nil for what is neither a date nor a number.
  static func parse(_ field: [UInt8], now: Int64) -> Int64? {
    if let seconds = CacheControl.seconds(field) { return seconds }
    guard let date = HTTPDate.parse(field, now: now) else { return nil }
    return min(max(0, date - now), CacheControl.longest)
  }
}
