import CSystem

/// Asks for memory before much of it is needed. Where an allocation fails in Embedded Swift, a reserve serves it, as far as
/// that reaches (memory.c); what grows with a store or with what a caller passes in asks here first.
///
/// Errors: `.noMemory`.
public enum Memory {
  /// The reserve serves what is no larger, many times over.
  private static let small = 64 << 10

  /// Refuses to go on while the reserve is in use and there is still no memory. Costs nothing otherwise.
  @inline(__always)
  public static func check() throws(StoreError) {
    if lvs_memory_is_short() { throw shortage() }
  }

  /// Refuses unless so many bytes can be had at once.
  @inline(__always)
  public static func require(_ bytes: Int) throws(StoreError) {
    if bytes > small { try look(bytes) } else { try check() }
  }

  @inline(never)
  private static func look(_ bytes: Int) throws(StoreError) {
    guard lvs_memory_can_have(bytes) else { throw shortage(of: bytes) }
  }

  @inline(never)
  public static func shortage(of bytes: Int = 0) -> StoreError {
    let amount = bytes == 0 ? "" : " for \(bytes) bytes at once"
    return StoreError(.noMemory, "there is no memory\(amount)", systemError: ENOMEM)
  }

  /// Refuses if a library that is loaded when it is needed first is not there: for want of memory, or else.
  ///
  /// Errors: `.noMemory`, `.io`.
  @inline(never)
  static func requireLibrary(_ isThere: Bool, _ file: String) throws(StoreError) {
    if isThere { return }
    guard lvs_errno() != ENOMEM, lvs_memory_can_have(1 << 20) else { throw shortage() }
    throw StoreError(.io, "the library \(file) is not installed, or cannot be loaded")
  }

  /// A buffer that doubles when it is full: asks before it does.
  public struct Growth: Sendable {
    private var next = 1 << 20

    public init() {}

    /// Whether a buffer that has `count` bytes may grow to at least twice as many.
    @inline(__always)
    public mutating func allows(_ count: Int) -> Bool {
      count < next || goesOn(count)
    }

    @inline(never)
    private mutating func goesOn(_ count: Int) -> Bool {
      next = count * 2
      return lvs_memory_can_have(count * 4)
    }
  }
}
