import CSystem

extension Timestamp {
  /// The present moment, of the system's clock.
  public static var now: Timestamp { Timestamp(microseconds: lvs_realtime_us()) }
}
