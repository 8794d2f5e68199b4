extension Duration {
  /// Without what is less than one; none if it is negative.
  public var wholeSeconds: UInt64 { UInt64(clamping: components.seconds) }

  /// Without what is less than one; nil if there are more than fit.
  public var wholeMicroseconds: Int64? {
    let (seconds, attoseconds) = components
    let (whole, isTooLarge) = seconds.multipliedReportingOverflow(by: 1_000_000)
    guard !isTooLarge else { return nil }
    let (sum, isTooMany) = whole.addingReportingOverflow(attoseconds / 1_000_000_000_000)
    return isTooMany ? nil : sum
  }

  /// Without what is less than one; none if it is negative, and never more than fit.
  public var wholeMilliseconds: UInt64 {
    let (seconds, fraction) = components
    guard seconds >= 0, fraction >= 0 else { return 0 }
    let (milliseconds, isTooLong) = UInt64(seconds).multipliedReportingOverflow(by: 1000)
    return isTooLong ? .max : milliseconds + UInt64(fraction / 1_000_000_000_000_000)
  }
}
