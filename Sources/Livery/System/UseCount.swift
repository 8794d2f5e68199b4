import CReadCache

/// Counts the calls inside an object, so that the last one out, or `close`, lets go of what it holds exactly once.
final class UseCount: @unchecked Sendable {
  /// See pins.h.
  private let word: UnsafeMutablePointer<UInt64>

  init() {
    word = .allocate(capacity: 1)
    word.initialize(to: LVS_OPEN)
  }

  deinit { word.deallocate() }

  /// False if closed.
  func enter() -> Bool { lvs_pin(word, 0, false) }

  var isClosed: Bool { !lvs_is_open(word) }

  /// Whether the caller has to let go: it was the last one in after a close.
  func leave() -> Bool { lvs_unpin(word) }

  /// Whether the caller has to let go; false while calls are inside, and if it was closed before.
  func close() -> Bool { lvs_pin(word, 0, true) && lvs_unpin(word) }
}
