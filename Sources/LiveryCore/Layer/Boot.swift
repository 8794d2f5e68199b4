import CSystem

/// Boots of the system, as numbers made of the kernel's boot ID. No process outlives one.
public enum Boot {
  /// The one that is running, or what stands for one that the system does not tell.
  public static var present: UInt64 { lvs_boot_number() }

  /// Whether a boot is over. Where the system does not tell which one is running, none is known to be.
  public static func hasEnded(_ boot: UInt64) -> Bool {
    let present = present
    let unknown = UInt64(LVS_BOOT_UNKNOWN)
    return boot != present && boot != unknown && present != unknown
  }
}
